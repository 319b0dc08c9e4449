#!/usr/bin/env python3
"""SIGKILL at random moments under load, and no acknowledged write is missing.

Each round starts the node, lets kill_writer write, and kills the node at a random moment. In odd rounds the
writer is killed as well. In even rounds it goes on, has to get through to the restarted node, and its
operations under way at the kill must take effect exactly once. Now and then the node is killed once more
while it recovers. Then every promise in the ledger is checked (kill_writer.c says what a promise is).
"""

import os
import random
import subprocess
import sys
import time

import harness
from harness import expect, wait_until

IN_FLIGHT = 256
TIMEOUT = "60s"


def program(work):
    return work.build / "tests" / "kill_writer"


def spawn_writer(work, node, round_number, ledger):
    with open(ledger, "wb") as out:
        return work.spawn([program(work), "write", f"{node.uri}/?timeout={TIMEOUT}", "written", round_number,
                           IN_FLIGHT], stdin=subprocess.DEVNULL, stdout=out)


def wait_for_lines(work, node, writer, ledger, size):
    def grown():
        expect(writer.poll() is None, f"the writer has ended with code {writer.returncode}")
        return ledger.stat().st_size > size

    wait_until(grown, harness.START_S, "the writer to note an acknowledgement")


def lines_of(ledgers):
    """The latest promise per key, as lines for `kill_writer check`."""
    latest = {}
    for ledger in ledgers:
        for line in ledger.read_text().split("\n")[:-1]:
            words = line.split()
            latest[words[1]] = line
    return "".join(f"{line}\n" for line in latest.values()), len(latest)


def check(work, node, ledgers, what):
    lines, count = lines_of(ledgers)
    path = work.path / "promises"
    path.write_text(lines)
    with open(path, "rb") as promises:
        result = subprocess.run([str(program(work)), "check", f"{node.uri}/?timeout={TIMEOUT}", "written"],
                                stdin=promises, capture_output=True, text=True, timeout=harness.CALL_S, check=False)
    expect(result.returncode == 0, f"{what}: {result.stdout[-3000:]}{result.stderr[-1000:]}")
    return count


def start_disturbed(node, dice):
    """Start the node; in one of three cases kill it while it recovers, and start it again."""
    if dice.random() < 1 / 3:
        node.spawn()
        time.sleep(dice.uniform(0, 0.1))
        node.kill()
    node.start()


def run_round(work, node, number, dice, ledger):
    writer = spawn_writer(work, node, number, ledger)
    wait_for_lines(work, node, writer, ledger, 0)
    time.sleep(dice.uniform(0, 1))
    node.kill()
    if number % 2 == 1:
        writer.kill()
        writer.wait(timeout=harness.STOP_S)
        start_disturbed(node, dice)
        return
    noted = ledger.stat().st_size
    start_disturbed(node, dice)
    wait_for_lines(work, node, writer, ledger, noted)
    writer.terminate()
    code = writer.wait(timeout=harness.CALL_S)
    expect(code == 0, f"round {number}: the writer that saw the node die ended with code {code}")


def no_acknowledged_write_is_lost(work, rounds, seed):
    dice = random.Random(seed)
    node = work.node(caches=["written"], settings='log = { segment_size = "4MiB"; };')
    node.start()
    ledgers = []
    for number in range(1, rounds + 1):
        ledgers.append(work.path / f"ledger-{number}")
        run_round(work, node, number, dice, ledgers[-1])
        count = check(work, node, ledgers[-1:], f"round {number} of seed {seed}")
        print(f"round {number}: {count} promises kept", flush=True)
    count = check(work, node, ledgers, f"all rounds of seed {seed}")
    expect(node.stop() == 0, "SIGTERM must end the node with code 0")
    print(f"{rounds} rounds, {count} promises, all kept")


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=None, help="of the random moments (default: a new one)")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else int.from_bytes(os.urandom(4), "big")
    print(f"again with: tests/system/test_kill.py --rounds {arguments.rounds} --seed {seed}", flush=True)

    def test_kill(work):
        no_acknowledged_write_is_lost(work, arguments.rounds, seed)

    return harness.run_tests([test_kill], arguments)


if __name__ == "__main__":
    sys.exit(main())
