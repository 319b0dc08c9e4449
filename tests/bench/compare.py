#!/usr/bin/env python3
"""Compare a Quoin node with what libzmq alone can carry.

    compare.py                       5 rounds of 2 s, 1,000,000 entries; some minutes
    compare.py --quick               2 rounds of 0.5 s, 20,000 entries; half a minute
    compare.py --json result.json    also every figure of every round
    compare.py --build DIR           where the programs were built (default: build)

Starts a node on free ports in a temporary directory, loads it, and then measures in turn, round by
round, so that whatever else the machine does hits all sides alike: gets and puts through `quoin bench`,
and zmq_echo with messages of the same sizes. Prints the median of the rounds. At the end the node is
killed and started again, to see how fast it replays its log.

Exit code: 0 measured, 1 something did not work (said on stderr), 2 usage.
"""

import argparse
import json
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY_SIZE, VALUE_SIZE = 16, 100
KEY_BINARY, VALUE_BINARY = KEY_SIZE + 3, VALUE_SIZE + 4  # format, type and length in front
IN_FLIGHT = (1, 50, 1000)
START_TIMEOUT_S = 300
CACHE = "default"


class Failure(Exception):
    """Something did not work; the text says what."""


# ---- Programs ----------------------------------------------------------------------------------------


def program(build, path):
    found = build / path
    if not found.exists():
        raise Failure(f"{found} is not there; build first: cmake -S {ROOT} -B {build} -G Ninja && ninja -C {build}")
    return str(found)


def json_of(command):
    """Run a program that prints one JSON object."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr or done.stdout}")
    return json.loads(done.stdout)


class Node:
    """A quoind of our own."""

    def __init__(self, build, folder):
        self.command = [program(build, "bin/quoind"), "--set", f"node.data_dir={folder}/data",
                        "--set", "node.data_port=0", "--set", "admin.port=0",
                        "--set", "logging.format=json"]
        self.log_path = folder / "log"
        self.process = None

    def start(self):
        """Start it, wait until it serves, and return what it has logged until then."""
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < until and self.process.poll() is None:
            events = self.events()
            for event in events:
                if event.get("event") == "serving":
                    self.uri = "quoin://" + event["endpoint"].removeprefix("tcp://")
                    self.admin_port = event["admin_port"]
                    return events
            time.sleep(0.02)
        raise Failure(f"quoind did not start:\n{self.log_path.read_text()}")

    def events(self):
        # The last line may not be complete yet.
        lines = self.log_path.read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines if line.startswith("{")]

    def metrics(self):
        """The series without labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/metrics", timeout=10) as page:
            text = page.read().decode()
        return {name: float(value) for name, value in re.findall(r"^(\w+) (\S+)$", text, re.MULTILINE)}

    def figures_with(self, entries):
        """The metrics once they show so many entries: the shards tell their figures now and then."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            figures = self.metrics()
            if figures["quoin_entries"] == entries:
                return figures
            time.sleep(0.1)
        raise Failure(f"the node shows {figures['quoin_entries']:.0f} entries where {entries} were put")

    def end(self, number):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


# ---- What is measured --------------------------------------------------------------------------------


class Bench:
    def __init__(self, options, node):
        self.options = options
        self.node = node
        self.quoin = program(options.build, "bin/quoin")
        self.echo_program = program(options.build, "bench/zmq_echo")
        self.sizes_program = program(options.build, "bench/message_sizes")
        self.sizes = {}

    def client(self, *arguments):
        return json_of([self.quoin, "--uri", self.node.uri, "bench", CACHE, "--json",
                        "--keys", str(self.options.keys), "--key-size", str(KEY_SIZE),
                        "--value-size", str(VALUE_SIZE), *arguments])

    def load(self):
        return self.client("--load", "--in-flight", "1000")

    def grid(self, kind, in_flight):
        got = self.client("--time", f"{round(self.options.seconds * 1000)}ms",
                          "--gets", "100" if kind == "get" else "0", "--in-flight", str(in_flight))
        if got["errors_total"]:
            raise Failure(f"quoin bench: {got['errors_total']} errors: {got['errors']}")
        return {"ops_per_second": got["ops_per_second"], "p50_us": got[kind]["p50_us"],
                "p99_us": got[kind]["p99_us"]}

    def message_sizes(self, operations):
        if operations not in self.sizes:
            self.sizes[operations] = json_of([self.sizes_program, str(operations), str(KEY_BINARY),
                                              str(VALUE_BINARY)])
        return self.sizes[operations]

    def echo(self, kind, in_flight, batch):
        sizes = self.message_sizes(batch)[kind]
        return json_of([self.echo_program, "--json", "--seconds", str(self.options.seconds),
                        "--request-size", str(sizes["request_size"]),
                        "--reply-size", str(sizes["reply_size"]),
                        "--in-flight", str(in_flight), "--batch", str(batch)])


def measure_round(bench):
    """{(kind, in flight): {side: figures}}"""
    figures = {}
    for in_flight in IN_FLIGHT:
        for kind in ("get", "put"):
            sides = {"quoin": bench.grid(kind, in_flight), "echo": bench.echo(kind, in_flight, 1)}
            if in_flight > 1:
                # Half of what is in flight travels while the other half is being answered.
                sides["echo_batched"] = bench.echo(kind, in_flight, in_flight // 2)
            figures[kind, in_flight] = sides
    return figures


def medians(rounds):
    """One row per kind and number in flight; ratios are medians of the ratios within a round."""
    rows = []
    for kind, in_flight in rounds[0]:
        row = {"kind": kind, "in_flight": in_flight}
        for side in rounds[0][kind, in_flight]:
            sides = [one[kind, in_flight][side] for one in rounds]
            row[side] = {name: statistics.median(figures[name] for figures in sides)
                         for name in ("ops_per_second", "p50_us", "p99_us")}
            if side != "quoin":
                row[side]["ratio"] = statistics.median(
                    one[kind, in_flight]["quoin"]["ops_per_second"] / one[kind, in_flight][side]["ops_per_second"]
                    for one in rounds)
        rows.append(row)
    return rows


def replay(node):
    """Kill the node, start it again: records and seconds of the recovery, from its own log."""
    node.end(signal.SIGKILL)
    events = [event for event in node.start() if event["event"] == "recovered"]
    records = sum(event["records"] for event in events)
    seconds = node.metrics()["quoin_recovery_seconds"]
    return {"records": records, "bytes": sum(event["bytes"] for event in events), "seconds": seconds,
            "records_per_second": records / seconds if seconds > 0 else 0}


# ---- Output ------------------------------------------------------------------------------------------


def cells(figures):
    return f"{figures['ops_per_second']:>11,.0f} {figures['p50_us']:>8,.0f} {figures['p99_us']:>8,.0f}"


def print_table(rows):
    """Rates, percentiles in microseconds, and how many times the echo's rate the node's is."""
    columns = f"{'ops/s':>11} {'p50 us':>8} {'p99 us':>8}"
    print(f"{'':<11} | {'node, by quoin bench':<29} | {'echo, an operation a message':<36} | echo, batched")
    print(f"{'':<11} | {columns} | {columns} {'ratio':>6} | {columns} {'ratio':>6}")
    for row in rows:
        line = f"{row['kind']} x {row['in_flight']:<5} | {cells(row['quoin'])}"
        for side in ("echo", "echo_batched"):
            if side in row:
                line += f" | {cells(row[side])} {row[side]['ratio']:>6.3f}"
        print(line)


def print_result(result):
    print_table(result["medians"])
    load, again = result["load"], result["replay"]
    print(f"load: {load['requests']:,} puts, {load['ops_per_second']:,}/s")
    print(f"memory: {result['bytes_per_entry']:.1f} octets per entry of {KEY_BINARY + VALUE_BINARY} octets of key and value")
    print(f"replay after SIGKILL: {again['records']:,} records in {again['seconds']:.2f} s, "
          f"{again['records_per_second']:,.0f}/s")


def save(result, rounds, path):
    result = dict(result)
    result["rounds"] = [[{"kind": kind, "in_flight": in_flight, **sides}
                         for (kind, in_flight), sides in one.items()] for one in rounds]
    path.write_text(json.dumps(result, indent=1) + "\n")


def run(options, node):
    node.start()
    bench = Bench(options, node)
    load = bench.load()
    figures = node.figures_with(options.keys)
    rounds = []
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        rounds.append(measure_round(bench))
    result = {"keys": options.keys, "key_size": KEY_SIZE, "value_size": VALUE_SIZE, "seconds": options.seconds,
              "medians": medians(rounds), "load": load,
              "bytes_per_entry": figures["quoin_entry_bytes"] / options.keys,
              "message_sizes": list(bench.sizes.values()), "replay": replay(node)}
    print_result(result)
    if options.json:
        save(result, rounds, options.json)


def arguments():
    parser = argparse.ArgumentParser(description="Compare a Quoin node with what libzmq alone can carry.")
    parser.add_argument("--quick", action="store_true", help="2 rounds of 0.5 s with 20,000 entries")
    parser.add_argument("--rounds", type=int, metavar="N", help="default 5")
    parser.add_argument("--seconds", type=float, metavar="S", help="of each measurement; default 2")
    parser.add_argument("--keys", type=int, metavar="N", help="entries; default 1000000")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", default=ROOT / "build")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all figures there")
    options = parser.parse_args()
    for name, quick, full in (("rounds", 2, 5), ("seconds", 0.5, 2.0), ("keys", 20000, 1000000)):
        if getattr(options, name) is None:
            setattr(options, name, quick if options.quick else full)
        if getattr(options, name) <= 0:
            parser.error(f"--{name} must be above 0")
    return options


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="quoin-bench-"))
    node = None
    try:
        node = Node(options.build, folder)
        run(options, node)
    except Failure as failure:
        print(f"compare.py: {failure}", file=sys.stderr)
        return 1
    finally:
        if node:
            node.end(signal.SIGTERM)
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
