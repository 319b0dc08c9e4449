#!/usr/bin/env python3
"""Hard commits of a real node: what they bound, what they keep, what a crash in them does.

The state of a data directory is compared by the hash that `quoin log verify` prints.
"""

import json
import random
import sys

import harness
from harness import expect, wait_until

SMALL_LOG = 'log = { segment_size = "1MiB"; replay_budget = "64MiB"; };'


def load(node, cache="default", keys=20000, more=()):
    node.quoin("bench", cache, "--load", "--keys", keys, "--in-flight", 512, *more)


def verify(work, node, code=0):
    """(verdict line as JSON) of the data directory, on which no node runs."""
    result = work.run([work.program("quoin"), "log", "verify", node.data_dir, "--json"])
    expect(result.returncode == code, f"quoin log verify: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return json.loads(result.stdout.strip().splitlines()[-1])


def log_bytes(node):
    """What the log takes on disk. The node may remove a segment while we look: then it takes nothing."""
    total = 0
    for path in node.data_dir.glob("lane-*/log/*.log"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            pass
    return total


def snapshots(node):
    return list(node.data_dir.glob("p*/*.snap"))


def a_hard_commit_empties_the_log(work):
    """After a hard commit the log before it is gone, a start reads snapshots, and nothing is missing."""
    node = work.node(settings=SMALL_LOG)
    node.start()
    load(node, keys=50000)
    expect(log_bytes(node) > 8 << 20, "the log should have grown")
    node.quoin("commit", "--hard")
    expect(len(snapshots(node)) > 100, "there should be a snapshot per partition")
    wait_until(lambda: log_bytes(node) <= 6 << 20, 30, "old segments to be removed")
    node.kill()
    node.start()
    expect(node.count("default") == 50000, "entries are missing")
    records = json.loads(node.quoin("status", "--json").stdout)
    expect(node.stop() == 0, "the stop failed")
    expect("records_recovered" in json.dumps(records), "no records_recovered in the status")


def the_log_stays_within_its_budget(work):
    """Whatever clients do, the log on disk stays within log.replay_budget (and segments in preparation)."""
    node = work.node(shards=1, settings=SMALL_LOG)
    node.start()
    most = 0
    for _ in range(6):
        load(node, keys=60000, more=("--value-size", 300))
        most = max(most, log_bytes(node))
    expect(most <= (64 + 4) << 20, f"the log came to {most >> 20} MiB with a budget of 64 MiB")
    node.kill()
    node.start()
    expect(node.count("default") == 60000, "entries are missing")
    node.stop()


def a_clean_stop_and_a_kill_leave_the_same_state(work):
    """A verified directory has the same state hash before and after a start, a commit and a stop."""
    node = work.node(settings=SMALL_LOG)
    node.start()
    load(node)
    expect(node.stop() == 0, "the stop failed")
    before = verify(work, node)
    expect(before["entries"] == 20000, f"verify counts {before}")
    node.start()
    node.quoin("commit", "--hard")
    node.kill()
    after = verify(work, node)
    expect(after["state_hash"] == before["state_hash"], f"{before} became {after}")


def a_damaged_snapshot_is_found(work):
    """One flipped bit in a snapshot costs one partition, which refuses; the others answer."""
    node = work.node(settings=SMALL_LOG)
    node.start()
    load(node)
    node.quoin("commit", "--hard")
    expect(node.stop() == 0, "the stop failed")
    victim = max(snapshots(node), key=lambda path: path.stat().st_size)
    octets = bytearray(victim.read_bytes())
    octets[len(octets) // 2] ^= 1
    victim.write_bytes(octets)
    verify(work, node, code=1)
    node.spawn()
    wait_until(lambda: "snapshot_damaged" in node.log_text(), harness.START_S, "the damage to be logged")
    harness.expect_in(victim.name, node.log_text(), "the log names the file")
    wait_until(lambda: "damaged" in node.http("/readyz")[1], 30, "/readyz to say so")
    node.quoin("put", "default", "k", "v", code=None)
    node.stop()


def lost_log_after_a_clean_stop_is_damage(work):
    """Segments that the manifest knows of and that are gone are damage, not a shorter log."""
    node = work.node(shards=1, settings=SMALL_LOG)
    node.start()
    load(node)
    expect(node.stop() == 0, "the stop failed")
    segments = sorted(node.data_dir.glob("lane-*/log/*.log"))
    segments[-1].unlink()
    verify(work, node, code=1)
    node.spawn()
    wait_until(lambda: "damaged" in node.log_text(), harness.START_S, "the damage to be logged")
    node.stop()


def the_number_of_shards_may_change(work):
    """A start with another number of shards keeps everything."""
    node = work.node(shards=3, settings=SMALL_LOG)
    node.start()
    load(node)
    expect(node.stop() == 0, "the stop failed")
    before = verify(work, node)
    for shards in (1, 2):
        node.shards = shards
        node.choose_ports()
        node.start()
        expect(node.count("default") == 20000, f"entries are missing with {shards} shards")
        expect(node.stop() == 0, "the stop failed")
        expect(verify(work, node)["state_hash"] == before["state_hash"], "another state")
        folders = {path.name for path in node.data_dir.glob("lane-*")}
        expect(folders == {f"lane-{i}of{shards}" for i in range(shards)}, f"lanes on disk: {folders}")


def a_crash_at_any_file_operation_loses_nothing(work, rounds, seed):
    """SIGKILL just before the n-th file operation of a checkpoint: the start after it has the same state."""
    dice = random.Random(seed)
    node = work.node(settings=SMALL_LOG)
    node.start()
    load(node, keys=5000)
    expect(node.stop() == 0, "the stop failed")
    state = verify(work, node)["state_hash"]
    shim = next(iter((work.build / "lib").glob("libcrash_shim.so")), None) or \
        next(iter((work.build / "tests").glob("*crash_shim*.so")), None)
    expect(shim, "the crash shim is not built")
    crashed = 0
    for _ in range(rounds):
        arm = work.path / "armed"
        arm.unlink(missing_ok=True)
        at = dice.choice([dice.randrange(1, 30), dice.randrange(1, 3000)])
        environment = {"LD_PRELOAD": str(shim), "QUOIN_CRASH_DIR": str(node.data_dir),
                       "QUOIN_CRASH_AT": str(at), "QUOIN_CRASH_ARM": str(arm),
                       # The shim stands before the sanitizer's library, which would complain.
                       "ASAN_OPTIONS": harness.os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        with open(node.log, "ab") as log:
            node.process = work.spawn([work.program("quoind"), "--config", node.config], stdin=None, stdout=log,
                                      stderr=log, cwd=work.path, env={**harness.os.environ, **environment})
        node.wait_ready()
        arm.touch()
        commit = work.spawn([work.program("quoin"), "--uri", node.uri, "commit", "--hard", "--timeout", "120s"],
                            stdin=None, stdout=harness.subprocess.DEVNULL, stderr=harness.subprocess.DEVNULL)
        wait_until(lambda node=node, commit=commit: node.process.poll() is not None or commit.poll() is not None, 120,
                   "the checkpoint to end, or the node")
        harness.end_process(commit)
        if node.process.poll() is None:
            node.kill()
        else:
            crashed += 1
        found = verify(work, node)
        expect(found["state_hash"] == state, f"killed at operation {at}: another state {found}")
    print(f"  {crashed} of {rounds} checkpoints were cut short (seed {seed})", flush=True)
    expect(crashed > 0, "no checkpoint was cut short: the test tests nothing")
    node.start()
    expect(node.count("default") == 5000, "entries are missing")


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--crashes", type=int, default=20, help="checkpoints that are cut short")
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)

    def crashes(work):
        a_crash_at_any_file_operation_loses_nothing(work, arguments.crashes, seed)

    crashes.__name__ = a_crash_at_any_file_operation_loses_nothing.__name__
    return harness.run_tests([a_hard_commit_empties_the_log, the_log_stays_within_its_budget,
                              a_clean_stop_and_a_kill_leave_the_same_state, a_damaged_snapshot_is_found,
                              lost_log_after_a_clean_stop_is_damage, the_number_of_shards_may_change, crashes],
                             arguments)


if __name__ == "__main__":
    sys.exit(main())
