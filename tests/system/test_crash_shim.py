#!/usr/bin/env python3
"""The crash shim counts what it should, and kills where it is told to.

    tests/system/test_crash_shim.py --build BUILD

crash_probe does ten operations that count and says which comes next; so it is known from outside at
which one it died.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import tempfile

OPERATIONS = 10
ARM_BEHIND = 5


class Probe:
    def __init__(self, build):
        self.program = build / "tests" / "crash_probe"
        self.shim = next((build / "tests").glob("libcrash_shim.so"))

    def run(self, folder, at=None, arm=None, watched=None):
        """Returns (exit code, number of the last operation that was begun, number counted)."""
        data = folder / "data"
        data.mkdir()
        count = folder / "count"
        environment = dict(os.environ, LD_PRELOAD=str(self.shim), QUOIN_CRASH_DIR=str(watched or data),
                           QUOIN_CRASH_COUNT=str(count))
        # A sanitizer's runtime wants to be the first library; that this one is first harms nothing here.
        environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
        arguments = [str(self.program), str(data)]
        if at is not None:
            environment["QUOIN_CRASH_AT"] = str(at)
        if arm is not None:
            environment["QUOIN_CRASH_ARM"] = str(arm)
            arguments.append(str(arm))
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=60)
        lines = done.stdout.splitlines()
        counted = int(count.read_text()) if count.exists() else 0
        return done.returncode, int(lines[-1].split()[0]) if lines else 0, counted


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: expected {expected}, found {found}")


def in_folder(function):
    with tempfile.TemporaryDirectory(prefix="quoin-shim-") as name:
        return function(pathlib.Path(name).resolve())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    probe = Probe(parser.parse_args().build.resolve())

    # Without a number it only counts.
    check("a run that is only counted", in_folder(probe.run), (0, OPERATIONS, OPERATIONS))
    # It dies before the n-th operation, at each of them.
    for n in range(1, OPERATIONS + 1):
        check(f"killed at {n}", in_folder(lambda folder, n=n: probe.run(folder, at=n)),
              (-signal.SIGKILL, n, n))
    check("a number beyond the end", in_folder(lambda folder: probe.run(folder, at=OPERATIONS + 1)),
          (0, OPERATIONS, OPERATIONS))
    # Counting begins when the file is there.
    check("armed on the way",
          in_folder(lambda folder: probe.run(folder, at=2, arm=folder / "armed")),
          (-signal.SIGKILL, ARM_BEHIND + 2, 2))
    # Files elsewhere do not count, not even below a folder whose name only begins the same.
    check("another folder", in_folder(lambda folder: probe.run(folder, at=1, watched=folder / "dat")),
          (0, OPERATIONS, 0))
    print("crash shim: counts and kills where it should")


if __name__ == "__main__":
    main()
