#!/usr/bin/env python3
"""Expiry, limits of memory and disk, as a user meets them.

The disk that gets full is a small file system of its own. Mounting one needs root, or user namespaces:
without either this test fails and says so.
"""

import json
import json
import os
import re
import subprocess
import sys
import time

import harness
from harness import expect, wait_until

EXIT_ABSENT = 1
SANITIZED = "--sanitized" in sys.argv


def metric(node, name):
    """Sum of a metric over its labels."""
    total = 0.0
    for line in node.http("/metrics")[1].splitlines():
        match = re.match(rf"{name}(?:\{{.*\}})? ([0-9.e+-]+)$", line)
        total += float(match.group(1)) if match else 0
    return total


def entries_expire(work):
    """An entry is gone once its time has passed, whether its own or its cache's, also after a restart."""
    node = work.node(caches=["default", "short ttl=1s"])
    node.start()
    node.quoin("put", "default", "stays", "1")
    node.quoin("put", "default", "goes", "1", "--ttl", "1s")
    node.quoin("put", "short", "goes", "1")
    node.quoin("put", "short", "stays", "1", "--ttl", "never")
    node.quoin("touch", "default", "stays", "--ttl", "1h")
    for cache in ("default", "short"):
        wait_until(lambda cache=cache: node.quoin("contains", cache, "goes", code=None).returncode == EXIT_ABSENT,
                   30, f"the entry of {cache} to expire")
        node.quoin("get", cache, "stays")
    wait_until(lambda: node.count("default") == 1, 30, "the count to follow")
    wait_until(lambda: metric(node, "quoin_expired_total") == 2, 10, "quoin_expired_total to be 2")
    node.kill()
    node.start()
    node.quoin("get", "default", "goes", code=EXIT_ABSENT)
    node.quoin("get", "default", "stays")


def a_cache_limit_refuses_and_says_so(work):
    """Beyond its size_max a cache takes no more entries; removing makes room; others are not concerned."""
    node = work.node(caches=["default", "small size_max=1MiB"], shards=1)
    node.start()
    result = node.quoin("bench", "small", "--load", "--keys", 20000, "--value-size", 200, "--in-flight", 64,
                        "--timeout", "500ms", code=None)
    entries = node.count("small")
    expect(1000 < entries < 12000, f"1 MiB holds {entries} entries of 216 octets\n{result.stdout}{result.stderr}")
    refused = node.quoin("put", "small", "another", "x" * 200, "--timeout", "500ms", code=None)
    harness.expect_in("memory", (refused.stdout + refused.stderr).lower(), "the refusal names the reason")
    node.quoin("put", "default", "another", "x")
    node.quoin("clear", "small", "--yes")
    overwritten = node.quoin("bench", "small", "--keys", 1000, "--gets", 0, "--value-size", 200, "--requests", 50000,
                             "--in-flight", 64, "--json").stdout
    expect(json.loads(overwritten)["errors_total"] == 0, f"overwriting within the limit was refused: {overwritten}")
    wait_until(lambda: node.quoin("put", "small", "another", "x", "--timeout", "2s", code=None).returncode == 0,
               30, "room after clear")


def the_node_limit_holds(work):
    """At limits.memory_max changes that add are refused, the node stays up, reads and removals go on."""
    limit = 96 << 20
    node = work.node(shards=1, settings='limits = { memory_max = "96MiB"; };')
    node.start()
    base = resident(node)
    node.quoin("bench", "default", "--load", "--keys", 500000, "--value-size", 200, "--in-flight", 256,
               "--timeout", "300ms", code=None)
    node.expect_running("reaching the memory limit")
    grown = resident(node) - base
    # What a sanitizer keeps for itself is resident, too: there the figures say nothing.
    if not SANITIZED:
        expect(grown <= limit * 1.03, f"the process has grown by {grown >> 20} MiB with a limit of 96 MiB")
    expect(node.count("default") > 1000, "nothing was stored")
    harness.expect_in("limit_reached", node.log_text(), "the log")
    node.quoin("clear", "default", "--yes")
    if not SANITIZED:
        wait_until(lambda: node.quoin("put", "default", "k", "v", "--timeout", "2s", code=None).returncode == 0, 60,
                   "room after clear")


def resident(node):
    with open(f"/proc/{node.process.pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def a_full_disk_refuses_changes_and_recovers(work):
    """On a full disk changes are refused, definitely; reads go on; with space again everything goes on."""
    disk = work.path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(disk)], capture_output=True,
                             text=True, check=False)
    expect(mounted.returncode == 0, f"cannot mount a small file system: {mounted.stderr}")
    try:
        full_disk(work, disk)
    finally:
        for process in work.processes:
            harness.end_process(process)
        subprocess.run(["umount", "-l", str(disk)], check=False)


def full_disk(work, disk):
    node = work.node(shards=1, data_dir=disk / "data",
                     settings='log = { segment_size = "4MiB"; replay_budget = "1GiB"; };')
    node.start()
    node.quoin("put", "default", "before", "1")
    ballast = disk / "ballast"
    with open(ballast, "wb") as out:
        try:
            while True:
                out.write(bytes(1 << 16))
                out.flush()
        except OSError:
            pass
    # The segment in use has room for some more, and a slow load may leave some of it.
    for attempt in range(20):
        node.quoin("bench", "default", "--load", "--keys", 300000, "--value-size", 200, "--in-flight", 64,
                   "--timeout", "500ms", code=None)
        node.expect_running("the disk was full")
        refused = node.quoin("put", "default", f"during-{attempt}", "1", code=None)
        if refused.returncode != 0:
            break
    expect(refused.returncode not in (0, 4), f"a put on a full disk ended with {refused.returncode}: "
                                             f"{refused.stdout}{refused.stderr}")
    harness.expect_in("disk is full", refused.stdout + refused.stderr, "the refusal")
    wait_until(lambda: metric(node, "quoin_disk_full") == 1, 30, "quoin_disk_full to be 1")
    node.quoin("get", "default", "before")
    node.kill()
    node.spawn()  # opens its partitions, which is a change, too, as soon as there is space
    wait_until(lambda: "disk is full" in node.http("/readyz")[1], 60, "/readyz to name the reason")
    ballast.unlink()
    node.wait_ready()
    node.quoin("get", "default", "before")
    wait_until(lambda: node.quoin("put", "default", "after", "1", "--timeout", "2s", code=None).returncode == 0, 30,
               "changes to be taken again")
    node.quoin("get", "default", f"during-{attempt}", code=EXIT_ABSENT)
    expect(node.stop() == 0, "the stop failed")
    node.start()
    node.quoin("get", "default", "after")


def views_and_commits(work):
    """A get sees a write at once; scans and counts see it after a soft commit; whoever waits sees it."""
    node = work.node(settings='commit = { soft_interval = "1h"; };')
    node.start()
    node.quoin("put", "default", "a", "1")
    node.quoin("get", "default", "a")
    expect(node.count("default", fresh=False) == 0, "a count saw a write before any soft commit")
    node.quoin("commit")
    expect(node.count("default", fresh=False) == 1, "a count did not see a write after a soft commit")
    node.quoin("put", "default", "b", "1", "--wait-visible")
    lines = node.quoin("scan", "default", "--keys", "--json").stdout
    for key in ("a", "b"):
        harness.expect_in(f'"{key}"', lines, "scan")


def caches_come_and_go(work):
    """A cache made by a client has what it was made with; dropped, it is gone with all entries, for good."""
    node = work.node(create=True)
    node.start()
    node.quoin("create", "orders", "--ttl", "1h", "--durability", "memory")
    node.quoin("bench", "orders", "--load", "--keys", 5000, "--in-flight", 256)
    wait_until(lambda: node.count("orders") == 5000, 30, "the count")
    rows = node.quoin("caches", "--json").stdout
    harness.expect_in("orders", rows, "caches")
    node.quoin("drop", "orders", "--yes")
    node.quoin("count", "orders", code=5)
    node.quoin("create", "orders")
    expect(node.count("orders") == 0, "the new cache has entries of the old one")
    wait_until(lambda: metric(node, "quoin_entries") == 0, 30, "the entries to be cleared")
    expect(node.stop() == 0, "the stop failed")
    node.start()
    expect(node.count("orders") == 0, "entries came back")


def main():
    if os.geteuid() != 0 and "QUOIN_IN_NAMESPACE" not in os.environ:
        os.environ["QUOIN_IN_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--mount", sys.executable, *sys.argv])
    parser = harness.parser(__doc__)
    parser.add_argument("--sanitized", action="store_true", help="the build has a sanitizer")
    return harness.run_tests([entries_expire, a_cache_limit_refuses_and_says_so, the_node_limit_holds,
                              a_full_disk_refuses_changes_and_recovers, views_and_commits, caches_come_and_go],
                             parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
