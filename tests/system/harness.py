"""Real processes for the tests of this folder: a node in a folder of its own, and the tool `quoin`.

Everything here is bounded in time, listens on free ports of 127.0.0.1 and is gone at the end of a `with`
block, whatever happened inside it.

    with Workspace() as work:
        node = work.node(caches=["accounts"])
        node.start()
        node.quoin("put", "accounts", "alice", "100")
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
ISO_CODES = pathlib.Path("/usr/share/iso-codes/json")
UNICODE_DATA = pathlib.Path("/usr/share/unicode/UnicodeData.txt")

# Bounds for a slow machine under a sanitizer. Nothing waits so long when all is well.
START_S = 120
STOP_S = 60
CALL_S = 300


class Failure(AssertionError):
    """What the rule says has not happened."""


def expect(condition, text):
    """Like assert, also under python -O."""
    if not condition:
        raise Failure(text)


def expect_in(part, whole, what):
    expect(part in whole, f"{what}: expected to find {part!r} in:\n{whole}")


def wait_until(condition, seconds, what):
    """Poll until `condition` holds. A failure says what was waited for."""
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"still waiting after {seconds} s: {what}")
        time.sleep(0.02)


def port_is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports(count):
    """First of `count` ports in a row that nobody listens on.

    Below the range from which the system picks ports for outgoing connections, so that none of those takes
    it while a node is down.
    """
    for _ in range(200):
        first = random.randrange(12000, 32000 - count)
        if all(port_is_free(port) for port in range(first, first + count)):
            return first
    raise Failure("no free ports on 127.0.0.1")


class Workspace:
    """A folder for one test and the processes started in it."""

    def __init__(self, build=None):
        self.build = pathlib.Path(build or default_build()).resolve()
        self.path = None
        self.processes = []

    def __enter__(self):
        for name in ("quoind", "quoin"):
            expect(self.program(name).exists(), f"{self.program(name)} is not there: build first, or give --build")
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="quoin-test-"))
        return self

    def __exit__(self, kind, _value, _trace):
        for process in self.processes:
            end_process(process)
        if kind is not None:
            self.print_logs()
        shutil.rmtree(self.path, ignore_errors=True)

    def program(self, name):
        return self.build / "bin" / name

    def spawn(self, command, **options):
        """Start a process that ends with this workspace."""
        process = subprocess.Popen([str(word) for word in command], **options)
        self.processes.append(process)
        return process

    def run(self, command, timeout=CALL_S, text=True, **options):
        """Run to the end. The result has returncode, stdout, stderr."""
        try:
            return subprocess.run([str(word) for word in command], timeout=timeout, text=text, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, cwd=self.path, **options)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"still running after {timeout} s: {' '.join(map(str, command))}\n{late.stderr}") from late

    def node(self, name="node", **options):
        return Node(self, name, **options)

    def print_logs(self):
        for log in sorted(self.path.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()
            print(f"---- end of {log.name}", *lines[-40:], sep="\n", file=sys.stderr)


def end_process(process):
    if process.poll() is None:
        process.kill()
    process.wait(timeout=STOP_S)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


class Node:
    """One `quoind`: its settings file, its data and, between start and stop, its process."""

    def __init__(self, work, name, caches=("default",), create=False, shards=2, settings="",
                 data_dir=None):
        self.work = work
        self.name = name
        self.shards = shards
        self.caches = caches
        self.create = create  # may clients create caches?
        self.settings = settings  # more lines of the file
        self.data_dir = pathlib.Path(data_dir or work.path / f"{name}-data")
        self.config = work.path / f"{name}.cfg"
        self.log = work.path / f"{name}.log"
        self.process = None
        self.choose_ports()

    def choose_ports(self):
        self.port = free_ports(self.shards + 1)
        self.admin_port = self.port + self.shards
        names = ", ".join(f'"{name}"' for name in self.caches)
        self.config.write_text(
            f'node = {{ data_dir = "{self.data_dir}"; data_port = {self.port}; shards = {self.shards}; }};\n'
            f"admin = {{ port = {self.admin_port}; }};\n"
            f"caches = {{ names = [ {names} ]; create = {str(self.create).lower()}; }};\n{self.settings}\n")

    @property
    def uri(self):
        return f"quoin://127.0.0.1:{self.port}"

    def spawn(self, *arguments):
        """Start the process and wait for nothing."""
        with open(self.log, "ab") as log:
            self.process = self.work.spawn([self.work.program("quoind"), "--config", self.config, *arguments],
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.work.path)

    def start(self):
        """Start it and wait until it serves every partition."""
        self.spawn()
        self.wait_ready()

    def wait_ready(self):
        def ready():
            code = self.process.poll()
            expect(code is None, f"the node has ended with code {code} instead of serving:\n{self.log_text()}")
            return self.http("/readyz")[0] == 200

        wait_until(ready, START_S, f"/readyz of {self.name} to answer 200")

    def kill(self):
        """SIGKILL, as a power cut would."""
        self.process.kill()
        self.process.wait(timeout=STOP_S)

    def stop(self, signal_number=signal.SIGTERM):
        """Ask it to end; its exit code."""
        self.process.send_signal(signal_number)
        try:
            return self.process.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"{self.name} has not stopped {STOP_S} s after {signal_number!r}") from late

    def expect_running(self, after):
        code = self.process.poll()
        expect(code is None, f"the node has ended with code {code} after {after}:\n{self.log_text()}")

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def http(self, path, timeout=5):
        """(status, body) of the admin port; status 0 = no answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}{path}", timeout=timeout) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()
        except OSError:
            return 0, ""

    def quoin(self, *arguments, code=0, timeout=CALL_S):
        """Run the tool against this node; `code` is the exit code it must end with, None = any."""
        result = self.work.run([self.work.program("quoin"), "--uri", self.uri, *arguments], timeout=timeout)
        expect(code is None or result.returncode == code,
               f"quoin {' '.join(map(str, arguments))}: expected exit code {code}, got {result.returncode}\n"
               f"{result.stdout}{result.stderr}")
        return result

    def count(self, cache, fresh=True):
        """Entries now; with fresh=False those of the view of the last soft commit."""
        result = self.quoin("count", cache, "--json", *(["--fresh"] if fresh else []))
        return find_number(json.loads(result.stdout), result.stdout)


def find_number(document, text):
    """The count in the tool's answer, under whatever name."""
    if isinstance(document, int):
        return document
    numbers = [value for key, value in document.items() if key in ("count", "entries")]
    expect(len(numbers) == 1, f"no count in {text}")
    return numbers[0]


# ---- The data sets -----------------------------------------------------------------------------------


class DataSet:
    """A file that Debian ships, and how it is imported."""

    def __init__(self, cache, path, records, options):
        self.cache = cache
        self.path = path
        self.records = records  # how many there are
        self.options = options

    def import_command(self, *more):
        return ["import", self.path, "--cache", self.cache, "--types", ROOT / "config" / "types.cfg",
                *self.options, *more]


def iso_set(cache, number, type_name, key_field):
    path = ISO_CODES / f"iso_{number}.json"
    expect(path.exists(), f"{path} is not there: install the package iso-codes")
    records = len(json.loads(path.read_text(encoding="utf-8"))[number])
    return DataSet(cache, path, records, ["--type", type_name, "--at", number, "--key-field", key_field])


def unicode_set():
    expect(UNICODE_DATA.exists(), f"{UNICODE_DATA} is not there: install the package unicode-data")
    fields = ("code_point,name,general_category,combining_class,bidi_class,decomposition,decimal_digit,digit,"
              "numeric,mirrored,unicode_1_name,iso_comment,uppercase,lowercase,titlecase")
    records = sum(1 for line in UNICODE_DATA.read_text(encoding="utf-8").splitlines() if line)
    return DataSet("characters", UNICODE_DATA, records,
                   ["--type", "Character", "--format", "csv", "--delimiter", ";", "--no-header",
                    "--fields", fields, "--key-field", "code_point"])


def data_sets():
    return [iso_set("languages", "639-3", "Language", "alpha_3"),
            iso_set("countries", "3166-1", "Country", "alpha_2"),
            iso_set("subdivisions", "3166-2", "Subdivision", "code"),
            unicode_set()]


# ---- Running a file of tests -------------------------------------------------------------------------


def default_build():
    return os.environ.get("QUOIN_BUILD", ROOT / "build")


def parser(description):
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--build", default=None, help="build folder (default: $QUOIN_BUILD, else build/)")
    made.add_argument("--only", default="", help="run the tests with this in their name")
    return made


def run_tests(tests, arguments):
    """Run functions of one argument, the workspace. The first sentence of each says its rule."""
    failed = 0
    chosen = [test for test in tests if arguments.only in test.__name__]
    expect(chosen, f"no test has {arguments.only!r} in its name")
    for test in chosen:
        started = time.monotonic()
        try:
            with Workspace(arguments.build) as work:
                test(work)
            verdict = "ok    "
        except Exception as failure:  # whatever it is, the other tests run
            failed += 1
            verdict = "FAILED"
            what = failure if isinstance(failure, Failure) else traceback.format_exc()
            print(f"{test.__name__}: {what}", file=sys.stderr)
        print(f"{verdict} {test.__name__} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0
