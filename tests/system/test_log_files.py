#!/usr/bin/env python3
"""`quoin log inspect` and `quoin log verify` on the data directory of a real node.

    tests/system/test_log_files.py --build BUILD
"""

import argparse
import json
import re

import harness
from harness import expect, expect_in


def log(work, code, *arguments):
    """Output of `quoin log ARGUMENTS`, which must end with this code."""
    result = work.run([work.program("quoin"), "log", *arguments])
    expect(result.returncode == code,
           f"quoin log {arguments}: exit code {result.returncode}, not {code}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def files_of(folder):
    """Every file with size and time of its last change: what a mere look leaves alone."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def what_is_none_is_refused(work):
    """Exit code 5: no data directory."""
    empty = work.path / "empty"
    empty.mkdir()
    expect_in("no data directory", log(work, 5, "verify", empty), "the complaint")
    expect_in("no data directory", log(work, 5, "inspect", work.path / "nowhere"), "the complaint")


def a_running_node_is_left_alone(work, node):
    """Exit code 3: trying again later may help."""
    expect_in("in use by process", log(work, 3, "verify", node.data_dir), "the complaint")
    expect_in("in use by process", log(work, 3, "inspect", node.data_dir), "the complaint")


def a_killed_node_is_inspected(work, node):
    """Facts, manifests, snapshots, segments; records with keys as hashes only; nothing is changed."""
    before = files_of(node.data_dir)
    text = log(work, 0, "inspect", node.data_dir)
    for word in ("cluster", "lanes", "coord.epoch", "first-lsn", "log-first", "ratio"):
        expect_in(word, text, "the inspection")
    document = json.loads(log(work, 0, "inspect", node.data_dir, "--json"))
    expect(len(document["manifests"]) == 2, f"{document['manifests']}")
    expect(len(document["snapshots"]) > 100, "a hard commit makes a snapshot of each partition")
    expect(all(segment["records"] >= 0 for segment in document["segments"]), "segments count their records")

    records = log(work, 0, "inspect", node.data_dir, "--records")
    expect(re.search(r"type=write .*put\(cache=\d+ key=[0-9a-f]{16} value=\d+\)", records), "no put is listed")
    for secret in ("a-secret-key", "a-secret-value"):
        expect(secret not in records, f"{secret} is shown")
    partition = re.search(r"partition=(\d+) .*put\(", records).group(1)
    lines = [line for line in log(work, 0, "inspect", node.data_dir, "--records", "--partition", partition).splitlines()
             if " type=" in line]
    expect(lines and all(f" partition={partition} " in line for line in lines), f"not of partition {partition}: {lines}")
    log(work, 0, "verify", node.data_dir)
    expect(files_of(node.data_dir) == before, "looking has changed a file")


def damage_is_found(work, node):
    """Exit code 1; each damage is a line with file and offset."""
    sound = json.loads(log(work, 0, "verify", node.data_dir, "--json"))
    expect(sound["sound"] and not sound["damages"], f"{sound}")
    expect_in("sound: ", log(work, 0, "verify", node.data_dir), "the verdict")

    victim = max(node.data_dir.glob("p*/*.snap"), key=lambda path: path.stat().st_size)
    octets = bytearray(victim.read_bytes())
    octets[len(octets) // 2] ^= 1
    victim.write_bytes(octets)
    text = log(work, 1, "verify", node.data_dir)
    expect_in(f"damage: {victim} at offset ", text, "the damage")
    expect_in("DAMAGED in 1 place: ", text, "the verdict")
    found = json.loads(log(work, 1, "verify", node.data_dir, "--json"))
    expect(not found["sound"] and found["damages"][0]["file"] == str(victim), f"{found}")
    expect_in(str(victim), log(work, 1, "inspect", node.data_dir), "the inspection")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    with harness.Workspace(parser.parse_args().build) as work:
        what_is_none_is_refused(work)
        node = work.node()
        node.start()
        node.quoin("put", "default", "before", "a value")
        node.quoin("commit", "--hard")
        node.quoin("put", "default", "a-secret-key", "a-secret-value")
        a_running_node_is_left_alone(work, node)
        node.kill()
        a_killed_node_is_inspected(work, node)
        damage_is_found(work, node)
    print("log files: inspected and verified")


if __name__ == "__main__":
    main()
