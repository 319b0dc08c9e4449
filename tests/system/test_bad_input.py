#!/usr/bin/env python3
"""Bad input gets an answer that says what to do; nothing is lost, nothing hangs, nothing crashes."""

import os
import shutil
import random
import signal
import socket
import struct
import subprocess
import sys
import time

import harness
import zmtp
from harness import expect, expect_in

NOT_OURS_OF_ANY_KIND = [
    ("a browser", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("zeros", bytes(4096)),
    ("ones", b"\xff" * 4096),
    ("a greeting that is cut off", zmtp.GREETING[:20]),
    ("an unknown mechanism", zmtp.GREETING.replace(b"NULL", b"OPEN")),
    ("a frame longer than memory", zmtp.GREETING + b"\x06" + b"\x7f" + b"\xff" * 7),
    ("a frame longer than the limit", zmtp.GREETING + b"\x02" + struct.pack(">Q", 1 << 40)),
]


def still_serves(node, after):
    """The node runs, answers, and still has what was put before."""
    node.expect_running(after)
    result = node.quoin("get", "default", "witness")
    expect_in("42", result.stdout, f"get after {after}")


def started(work, **options):
    node = work.node(**options)
    node.start()
    node.quoin("put", "default", "witness", "42")
    return node


# ---- Requests ----------------------------------------------------------------------------------------


def an_unknown_cache_is_refused(work):
    """A misspelt cache is refused by name, and not created."""
    node = started(work)
    for command in (["get", "defualt", "a"], ["put", "defualt", "a", "1"], ["count", "defualt"]):
        result = node.quoin(*command, code=5)
        expect_in("defualt", result.stderr, " ".join(command))
    still_serves(node, "requests for an unknown cache")


def sizes_have_limits(work):
    """A key of 64 KiB or a value of 16 MiB is refused; the largest allowed value is stored."""
    node = started(work)
    value = work.path / "value"

    result = node.quoin("put", "default", "k" * (64 * 1024), "1", code=5)
    expect("key" in result.stderr.lower(), f"the key's size is not named: {result.stderr}")
    value.write_bytes(b"v" * (16 * 1024 * 1024))
    result = node.quoin("put", "default", "large", "--from", value, code=5)
    expect("value" in result.stderr.lower(), f"the value's size is not named: {result.stderr}")
    node.quoin("contains", "default", "large", code=1)
    value.write_bytes(b"v" * (16 * 1024 * 1024 - 64))
    node.quoin("put", "default", "large", "--from", value)
    node.quoin("contains", "default", "large")
    still_serves(node, "keys and values over their limits")


def wrong_commands_explain_themselves(work):
    """A command that is misspelt or incomplete ends with code 2 and says what was meant."""
    node = started(work)
    expect_in("count", node.quoin("cuont", "default", code=2).stderr, "a misspelt command")
    expect_in("--timeout", node.quoin("get", "default", "a", "--timeuot", "1s", code=2).stderr, "an option")
    expect(node.quoin("put", "default", code=2).stderr != "", "a missing argument is not explained")
    node.quoin("get", "default", "nobody", code=1)
    node.quoin("remove", "default", "nobody", code=1)
    still_serves(node, "wrong commands")


def rejected_lines_are_kept(work):
    """An import stores what is right and puts the rest, with reasons, into a side file."""
    node = started(work, caches=["default", "characters"])
    table = work.path / "rows.csv"
    table.write_text("code_point,name,combining_class\n0041,A,0\n0042,B,many\n,nameless,0\n0043,C,1\n")
    result = node.quoin("import", table, "--cache", "characters", "--types", harness.ROOT / "config/types.cfg",
                        "--type", "Character", "--key-field", "code_point", code=6)
    expect(node.count("characters") == 2, f"two lines are right: {result.stdout}{result.stderr}")
    rejected = (work.path / "rows.csv.rejected").read_text()
    expect_in("many", rejected, "the rejected lines")
    expect_in("nameless", rejected, "the rejected lines")
    still_serves(node, "an import with bad lines")


# ---- Octets on the ports -----------------------------------------------------------------------------


def send_and_hang_up(port, octets):
    with zmtp.connect(port) as link:
        try:
            link.sendall(octets)
            link.settimeout(0.2)
            while link.recv(4096):
                pass
        except OSError:
            pass  # that it is thrown out is one of the right answers


def random_octets_on_the_ports(work):
    """What does not speak ZMTP is cut off; the node goes on."""
    node = started(work)
    dice = random.Random(1)
    for port in (node.port, node.port + 1, node.admin_port):
        for _, octets in NOT_OURS_OF_ANY_KIND:
            send_and_hang_up(port, octets)
        for _ in range(10):
            send_and_hang_up(port, dice.randbytes(dice.randrange(1, 5000)))
    still_serves(node, "random octets on its ports")
    expect(node.http("/livez")[0] == 200, "/livez must answer 200 after that")


def damaged(frame, dice):
    """A frame with a few octets changed, cut or added."""
    octets = bytearray(frame)
    for _ in range(dice.randrange(1, 6)):
        octets[dice.randrange(len(octets))] = dice.randrange(256)
    return bytes(octets[: dice.randrange(len(octets) + 1)] + dice.randbytes(dice.randrange(4)))


def frames_of_garbage(work):
    """A frame that is no message is answered with a refusal; a damaged one is never believed."""
    node = started(work)
    dice = random.Random(2)
    good = [zmtp.message(kind=zmtp.HELLO, feature_level=1),
            zmtp.message(kind=zmtp.CACHE_OPEN, feature_level=1, name=b"default", correlation=7),
            request(b"\x15k", kind=zmtp.OP_GET, id=1, cache=1, epoch=1, key_size=2, remaining_ms=1000)]
    with zmtp.dealer(node.port) as link:
        reply = ask_frame(link, b"not a message of ours")
        expect(zmtp.first(reply, "kind") == zmtp.NAK, f"garbage must be refused, got {reply}")
        expect(zmtp.first(reply, "text", b"") != b"", "the refusal must say what to do")
        reply = zmtp.ask(link, kind=99, feature_level=1)
        expect(zmtp.first(reply, "kind") == zmtp.NAK, f"an unknown kind must be refused, got {reply}")
        for octets in (b"", b"\0", b"\xff" * 4, struct.pack("<I", 1 << 31) + b"x", struct.pack("<I", 0)):
            link.sendall(zmtp.frame(octets))
        for _ in range(2000):
            link.sendall(zmtp.frame(damaged(dice.choice(good), dice)))
        link.sendall(zmtp.frame(b"one", zmtp.FLAG_MORE) + zmtp.frame(b"two"))
    with zmtp.dealer(node.port) as link:
        reply = zmtp.ask(link, kind=zmtp.HELLO, feature_level=1, correlation=5)
        expect(zmtp.first(reply, "kind") == zmtp.HELLO_ACK, f"a right HELLO must be answered, got {reply}")
    still_serves(node, "frames of garbage")
    text = node.http("/metrics")[1]
    rejected = [line for line in text.splitlines() if "reject" in line and not line.startswith("#")]
    expect(any(float(line.split()[-1]) > 0 for line in rejected), f"no metric counts refused frames: {rejected}")


def ask_frame(link, octets):
    link.sendall(zmtp.frame(octets))
    return zmtp.receive(link)


def request(payload, **op):
    return zmtp.message(payload, kind=zmtp.REQUEST, feature_level=1, client=b"0123456789abcdef",
                        ops=[zmtp.encode(zmtp.OP, **op)])


def result_of(reply):
    expect(zmtp.first(reply, "kind") == zmtp.REPLY, f"expected a REPLY, got {reply}")
    return zmtp.decode(zmtp.RESULT, zmtp.first(reply, "results", b""))


def an_older_epoch_is_refused(work):
    """A request routed with an older configuration gets STALE_EPOCH, and a put by it has no effect."""
    node = started(work, shards=1, settings="cluster = { partitions = 1; };")
    node.stop()
    node.start()
    with zmtp.dealer(node.port) as link:
        hello = zmtp.ask(link, kind=zmtp.HELLO, feature_level=1)
        partition = zmtp.decode(zmtp.PARTITION, hello["partitions"][0])
        epoch, lineage = zmtp.first(partition, "epoch"), zmtp.first(partition, "lineage")
        expect(epoch > 1, f"a restart must raise the epoch, it is {epoch}")
        key, value = b"\x15k", b"\x15v"
        old = {"cache": 1, "partition": 0, "lineage": lineage, "epoch": epoch - 1, "remaining_ms": 5000}
        for op, payload in (({"kind": zmtp.OP_GET, "key_size": 2}, key),
                            ({"kind": zmtp.OP_PUT, "key_size": 2, "value_size": 2, "session": 1, "sequence": 1,
                              "first_incomplete": 1}, key + value)):
            result = result_of(ask_frame(link, request(payload, id=9, **old, **op)))
            status = zmtp.signed(zmtp.first(result, "status"))
            expect(status == -2, f"expected STALE_EPOCH (-2) for {op}, got {status}")
            expect(zmtp.first(result, "epoch") == epoch, "the refusal must tell the epoch in force")
    expect(node.count("default") == 1, "the put of the older epoch had an effect")
    still_serves(node, "requests of an older epoch")


# ---- Directories, settings, ports --------------------------------------------------------------------


def refuses_to_start(work, node, *parts, arguments=()):
    """The process ends by itself with a code other than 0, and its output names all the parts."""
    result = work.run([work.program("quoind"), "--config", node.config, *arguments], timeout=harness.START_S)
    text = result.stdout + result.stderr
    expect(result.returncode not in (0, None) and result.returncode > 0,
           f"expected a refusal, got code {result.returncode}:\n{text}")
    for part in parts:
        expect_in(str(part), text, "the refusal")
    return text


def a_foreign_directory_is_left_alone(work):
    """A folder that is not ours, or another node's, is refused and not touched."""
    node = work.node()
    node.data_dir.mkdir()
    (node.data_dir / "thesis.txt").write_text("years of work")
    refuses_to_start(work, node, node.data_dir)
    expect(os.listdir(node.data_dir) == ["thesis.txt"], f"the folder was changed: {os.listdir(node.data_dir)}")

    mine = started(work, name="mine")
    mine.stop()
    other = work.node("other", data_dir=mine.data_dir)
    other.config.write_text(other.config.read_text().replace("node = {", "node = { id = 2;"))
    refuses_to_start(work, other, mine.data_dir)
    other.choose_ports()
    other.config.write_text(other.config.read_text() + 'cluster = { name = "elsewhere"; };\n')
    refuses_to_start(work, other, mine.data_dir)
    other.choose_ports()
    other.config.write_text(other.config.read_text() + "cluster = { partitions = 17; };\n")
    refuses_to_start(work, other, mine.data_dir)
    mine.start()
    still_serves(mine, "others have tried to take its folder")


def two_nodes_never_share_a_directory(work):
    """The second process is refused while the first one runs."""
    node = started(work)
    second = work.node("second", data_dir=node.data_dir)
    refuses_to_start(work, second, node.data_dir)
    still_serves(node, "a second node has tried to take its folder")


def an_unreadable_directory_is_named(work):
    """A data directory that cannot be one is refused by name."""
    node = work.node()
    node.data_dir.write_text("a file, not a folder")
    refuses_to_start(work, node, node.data_dir)
    elsewhere = work.node("elsewhere", data_dir="/proc/quoin-data")
    refuses_to_start(work, elsewhere, "/proc/quoin-data")


def a_damaged_superblock_is_named(work):
    """A superblock whose octets have changed is refused, with its file."""
    node = started(work)
    node.stop()
    superblock = node.data_dir / "superblock"
    octets = bytearray(superblock.read_bytes())
    octets[len(octets) // 2] ^= 0x55
    superblock.write_bytes(octets)
    refuses_to_start(work, node, "superblock")


def find_in_logs(node, octets):
    """(file, offset) of octets that stand once in the logs."""
    found = [(path, path.read_bytes().find(octets)) for path in node.data_dir.glob("lane-*/log/*.log")]
    found = [(path, offset) for path, offset in found if offset >= 0]
    expect(len(found) == 1, f"{octets} should stand in one log, found {found}")
    return found[0]


def damage_is_reported_with_file_and_offset(work):
    """Octets that change on the disk are found at start: that partition is refused, and no other one."""
    node = started(work)
    node.quoin("put", "default", "victim", "value-of-the-victim")
    for number in range(20):
        node.quoin("put", "default", f"after-{number}", "1")
    node.kill()
    path, offset = find_in_logs(node, b"value-of-the-victim")
    octets = bytearray(path.read_bytes())
    octets[offset] ^= 1
    path.write_bytes(octets)

    node.spawn()
    harness.wait_until(lambda: node.http("/startedz")[0] == 200, harness.START_S, "/startedz to answer 200")
    # Until the partitions are open, that is what it says.
    harness.wait_until(lambda: "damaged" in node.http("/readyz")[1], harness.START_S, "/readyz to say what is wrong")
    expect(node.http("/readyz")[0] == 503, "/readyz must not answer 200")
    expect_in(path.name, node.log_text(), "the log of the node")
    expect_in("offset", node.log_text(), "the log of the node")
    result = node.quoin("get", "default", "victim", "--timeout", "2s", code=None)
    expect(result.returncode not in (0, 1), f"damage was taken for absence: {result.stdout}{result.stderr}")
    expect_in("damaged", result.stderr, "get of a damaged entry")
    still_serves(node, "a start with a damaged log")
    expect(node.stop() == 0, "a node with a damaged partition must stop cleanly, too")


def stored_lanes(work, name):
    """A stopped node with 40 entries over two lanes."""
    node = started(work, name=name)
    for number in range(40):
        node.quoin("put", "default", f"key-{number}", name)
    expect(node.stop() == 0, "SIGTERM must end the node with code 0")
    return node


def refused_not_absent(node, what, at_least):
    """Of the 40 keys as many are refused as damaged; none is said to be absent."""
    node.spawn()
    harness.wait_until(lambda: node.http("/startedz")[0] == 200, harness.START_S, "/startedz to answer 200")
    expect(node.http("/readyz")[0] == 503, f"{what}: /readyz must not answer 200")
    codes = [node.quoin("get", "default", f"key-{number}", code=None).returncode for number in range(40)]
    expect(set(codes) <= {0, 5}, f"{what}: unexpected exit codes {codes}")
    expect(codes.count(5) >= at_least, f"{what}: only {codes.count(5)} of 40 keys were refused")
    expect(node.stop() == 0, f"{what}: a damaged node must stop cleanly, too")


def lost_and_foreign_logs_are_not_absence(work):
    """A lane whose log is gone, swapped, or another node's is refused; nothing in it is taken for absent."""
    gone = stored_lanes(work, "gone")
    shutil.rmtree(gone.data_dir / "lane-0of2")
    refused_not_absent(gone, "a lost lane", 1)
    refused_not_absent(gone, "a lost lane, started again", 1)

    swapped = stored_lanes(work, "swapped")
    lanes = [swapped.data_dir / f"lane-{lane}of2" for lane in (0, 1)]
    lanes[0].rename(swapped.data_dir / "aside")
    lanes[1].rename(lanes[0])
    (swapped.data_dir / "aside").rename(lanes[1])
    refused_not_absent(swapped, "swapped lanes", 40)

    other = stored_lanes(work, "other")
    victim = stored_lanes(work, "victim")
    shutil.rmtree(victim.data_dir / "lane-0of2")
    shutil.copytree(other.data_dir / "lane-0of2", victim.data_dir / "lane-0of2")
    refused_not_absent(victim, "the log of another node", 1)


def wrong_settings_are_named(work):
    """Each mistake is one line with file and line number; misspelt names get a suggestion."""
    node = work.node()
    right = node.config.read_text().splitlines()
    cases = [("nodde = { id = 3; };", ["nodde", "node"]),
             ("logging = { levle = \"info\"; };", ["levle", "level"]),
             ("logging = { level = \"verbose\"; };", ["verbose", "debug"]),
             ("cluster = { copies = 1; min_isr = 2; };", ["min_isr", "copies"]),
             ("cluster = { copies = 3; };", ["copies", "standalone"]),
             ("logging = { levels = [ \"lgo=debug\" ]; };", ["lgo", "checkpoint"]),
             ("admin = { bind = \"nonsense\"; };", ["admin.bind", "127.0.0.1"]),
             ("limits = { key_size_max = \"10 parsecs\"; };", ["parsecs"]),
             ("log = { segment_size = \"1KiB\"; };", ["segment_size", "1MiB"]),
             ("admin = { port = ; };", ["syntax"])]
    for line, parts in cases:
        # A section stands in a file once: the mistake takes the place of the right line, if there is one.
        section = line.split()[0]
        lines = [old for old in right if old and old.split()[0] != section] + [line]
        node.config.write_text("\n".join(lines) + "\n")
        for arguments in ((), ("--check-config",)):
            refuses_to_start(work, node, f"{node.config}:{len(lines)}", *parts, arguments=arguments)
    node.config.write_text("\n".join(right))
    refuses_to_start(work, node, "node.data_prot", "data_port", arguments=("--set", "node.data_prot=1"))


def the_settings_can_be_seen(work):
    """--check-config, --print-config and --version end at once, with code 0."""
    node = work.node()
    quoind = work.program("quoind")
    result = work.run([quoind, "--config", node.config, "--check-config"])
    expect(result.returncode == 0, f"the settings are right: {result.stdout}{result.stderr}")
    result = work.run([quoind, "--config", node.config, "--print-config", "--set", "logging.level=debug"])
    expect(result.returncode == 0, f"--print-config: {result.stderr}")
    for part in ("node.data_port", str(node.port), node.config.name, "logging.level", "debug", "--set"):
        expect_in(part, result.stdout, "--print-config")
    result = work.run([quoind, "--version"])
    expect(result.returncode == 0 and result.stdout.startswith("quoind "), f"--version: {result.stdout}")
    result = work.run([quoind, "--no-such-option"])
    expect(result.returncode == 2, f"usage must be code 2, got {result.returncode}")
    expect(not node.data_dir.exists(), "looking at the settings must not create the data directory")


def a_port_in_use_is_named(work):
    """The refusal names the port that somebody else has."""
    node = work.node()
    for port in (node.port, node.port + 1, node.admin_port):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            refuses_to_start(work, node, port)
    node.start()


def a_node_that_is_not_there(work):
    """Nobody listens: the tool ends by its deadline with code 3 and names the address."""
    node = work.node()
    for command in (["get", "default", "a"], ["put", "default", "a", "1"], ["ping"], ["status"]):
        start = time.monotonic()
        result = node.quoin(*command, "--timeout", "1s", code=3, timeout=60)
        seconds = time.monotonic() - start
        expect(seconds < 30, f"{command} took {seconds:.1f} s with a timeout of 1 s")
        expect_in(str(node.port), result.stderr, " ".join(command))


def a_node_that_does_not_answer(work):
    """A process that is stopped in its tracks: a put ends by its deadline, as unknown or as unreachable."""
    node = started(work)
    node.process.send_signal(signal.SIGSTOP)
    try:
        result = node.quoin("put", "default", "late", "1", "--timeout", "1s", code=None, timeout=60)
        expect(result.returncode in (3, 4), f"expected 3 or 4, got {result.returncode}: {result.stderr}")
    finally:
        node.process.send_signal(signal.SIGCONT)
    node.quoin("ping", "--ready", "--wait", "30s")
    still_serves(node, "it was stopped for a while")


# ---- Stopping, health --------------------------------------------------------------------------------


def signals_stop_it_cleanly(work):
    """SIGTERM and SIGINT end the node with code 0, also under load, and nothing is lost."""
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        node = started(work)
        load = work.spawn([work.program("quoin"), "--uri", node.uri, "bench", "default", "--gets", "0",
                           "--in-flight", "50", "--time", "30s", "--timeout", "1s"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        harness.wait_until(lambda n=node: n.count("default") > 100, harness.START_S, "the load to begin")
        code = node.stop(signal_number)
        expect(code == 0, f"{signal_number!r}: code {code}\n{node.log_text()}")
        load.kill()
        load.wait(timeout=harness.STOP_S)
        node.start()
        still_serves(node, "a clean stop under load")
        expect(node.stop() == 0, "code 0 at the second stop")


def health_and_metrics(work):
    """The four questions and the figures, while all is well."""
    node = started(work)
    for path in ("/livez", "/startedz", "/readyz"):
        status, body = node.http(path)
        expect(status == 200, f"{path}: {status} {body}")
    status, body = node.http("/safez")
    expect(status == 503 and body.strip() != "", f"one copy is not safe, and the reason is told: {status} {body}")
    status, text = node.http("/metrics")
    expect(status == 200, f"/metrics: {status}")
    for name in ("quoin_build_info", "quoin_ready 1", "quoin_requests_total", "quoin_request_seconds_bucket",
                 "quoin_entries"):
        expect_in(name, text, "/metrics")
    expect(node.http("/no-such-page")[0] == 404, "an unknown path is 404")
    node.quoin("ping")
    node.quoin("ping", "--ready")
    status = node.quoin("status").stdout
    expect_in("271 partitions, each with a leader", status, "quoin status")
    expect_in("one copy", status, "quoin status")


if __name__ == "__main__":
    sys.exit(harness.run_tests(
        [an_unknown_cache_is_refused, sizes_have_limits, wrong_commands_explain_themselves,
         rejected_lines_are_kept, random_octets_on_the_ports, frames_of_garbage, an_older_epoch_is_refused,
         a_foreign_directory_is_left_alone, two_nodes_never_share_a_directory,
         an_unreadable_directory_is_named, a_damaged_superblock_is_named,
         damage_is_reported_with_file_and_offset, lost_and_foreign_logs_are_not_absence,  wrong_settings_are_named,
         the_settings_can_be_seen, a_port_in_use_is_named, a_node_that_is_not_there,
         a_node_that_does_not_answer, signals_stop_it_cleanly, health_and_metrics],
        harness.parser(__doc__).parse_args()))
