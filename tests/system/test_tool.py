#!/usr/bin/env python3
"""The commands of the tool against a node: what they print, in each form, and how they end."""

import csv
import io
import json
import signal
import sys

import harness
from harness import expect


def a_node(work, **options):
    node = work.node(caches=["accounts", "languages"], create=True, **options)
    node.start()
    return node


def fill(node, count):
    for number in range(count):
        node.quoin("put", "accounts", f"k{number}", f"v,{number}")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def a_scan_prints_every_entry_once(work):
    """In each form; --fresh shows what was just written."""
    node = a_node(work)
    fill(node, 7)
    entries = {f"k{number}": f"v,{number}" for number in range(7)}
    lines = node.quoin("scan", "accounts", "--fresh", "--json").stdout.splitlines()
    found = [json.loads(line) for line in lines]
    expect({one["key"]: one["value"] for one in found} == entries and len(found) == 7, f"--json: {lines}")
    rows = rows_of(node.quoin("scan", "accounts", "--csv").stdout)
    expect({row["key"]: row["value"] for row in rows} == entries and len(rows) == 7, f"--csv: {rows}")
    keys = node.quoin("scan", "accounts", "--keys", "--raw").stdout.split()
    expect(sorted(keys) == sorted(entries), f"--keys --raw: {keys}")
    text = node.quoin("scan", "accounts").stdout
    expect(all(key in text and value in text for key, value in entries.items()), f"for people: {text}")
    expect(node.quoin("scan", "languages", "--json").stdout == "", "a cache without entries")


def a_scan_goes_on_where_it_ended(work):
    """Pieces with --limit and --from are the whole, once."""
    node = a_node(work)
    fill(node, 10)
    node.quoin("commit")
    found = []
    more = []
    for _ in range(10):
        answer = node.quoin("scan", "accounts", "--keys", "--json", "--limit", "3", *more).stdout.splitlines()
        documents = [json.loads(line) for line in answer]
        found += [one["key"] for one in documents if "key" in one]
        ends = [one["next"] for one in documents if "next" in one]
        if not ends:
            break
        more = ["--from", ends[0]]
    expect(sorted(found) == sorted(f"k{number}" for number in range(10)), f"found {found}")
    node.quoin("scan", "accounts", "--from", "nonsense", code=5)


def raw_gives_octets_back(work):
    """What --octets stores, --raw prints, and nothing around it."""
    node = a_node(work)
    blob = bytes(range(256)) + b"\n"
    (work.path / "blob").write_bytes(blob)
    node.quoin("put", "accounts", "blob", "--from", "blob", "--octets")
    command = [work.program("quoin"), "--uri", node.uri, "get", "accounts", "blob", "--raw"]
    result = work.run(command, text=False)
    expect(result.stdout == blob, f"got {result.stdout!r}")
    node.quoin("put", "accounts", "0x00ff", "v", "--key-octets")
    answer = json.loads(node.quoin("get", "accounts", "b64:AP8=", "--key-octets", "--json").stdout)
    expect(answer["key"] == "AP8=" and answer["value"] == "v", f"a key of octets: {answer}")


def entries_get_a_time_to_live(work):
    """put --ttl and touch --ttl set it, `never` takes it away; nobody is touched who is not there."""
    node = a_node(work)
    node.quoin("put", "accounts", "alice", "100", "--ttl", "1h")
    ttl = json.loads(node.quoin("get", "accounts", "alice", "--json").stdout)["ttl_ms"]
    expect(0 < ttl <= 3600000, f"ttl_ms is {ttl}")
    node.quoin("touch", "accounts", "alice", "--ttl", "never")
    answer = json.loads(node.quoin("get", "accounts", "alice", "--json").stdout)
    expect("ttl_ms" not in answer, f"still expires: {answer}")
    node.quoin("touch", "accounts", "nobody", "--ttl", "1s", code=1)


def caches_come_and_go(work):
    """create, caches, clear, drop; what a cache is made with is shown."""
    node = a_node(work)
    node.quoin("create", "sessions", "--ttl", "30m", "--durability", "memory", "--size-max", "1MiB")
    node.quoin("create", "sessions", code=1)
    node.quoin("create", "more", "--durability", "paper", code=2)
    found = {one["name"]: one for one in json.loads(node.quoin("caches", "--json").stdout)["caches"]}
    made = found["sessions"]
    expect((made["ttl_ms"], made["durability"], made["size_max_bytes"]) == (1800000, "memory", 1 << 20), f"{made}")
    names = node.quoin("caches", "--raw").stdout.split()
    expect(names == sorted(names) and names == [row["name"] for row in rows_of(node.quoin("caches", "--csv").stdout)],
           f"{names}")
    fill(node, 5)
    node.quoin("clear", "accounts", code=2)
    expect(node.quoin("count", "accounts", "--fresh").stdout == "5\n", "cleared without being told")
    node.quoin("clear", "accounts", "--yes")
    expect(node.quoin("count", "accounts", "--fresh").stdout == "0\n", "not cleared")
    node.quoin("drop", "sessions", "--yes")
    expect("sessions" not in node.quoin("caches", "--raw").stdout.split(), "not dropped")
    node.quoin("drop", "sessions", "--yes", code=5)


def a_commit_shows_what_was_written(work):
    """Soft: counts see it. Hard: too, and there are snapshots."""
    node = a_node(work)
    fill(node, 3)
    node.quoin("commit")
    expect(node.quoin("count", "accounts").stdout == "3\n", "a soft commit")
    node.quoin("put", "accounts", "late", "1", "--wait-visible")
    expect(node.quoin("count", "accounts").stdout == "4\n", "--wait-visible")
    expect("disk" in node.quoin("commit", "--hard").stdout, "a hard commit")


def nodes_tell_their_settings_and_levels(work):
    """config says where each setting comes from; log set changes one level and says so."""
    node = a_node(work)
    settings = {one["setting"]: one for one in json.loads(node.quoin("config", "--json").stdout)["settings"]}
    expect(settings["node.shards"]["value"] == "2", f"{settings['node.shards']}")
    expect(".cfg" in settings["node.shards"]["origin"], f"{settings['node.shards']}")
    node.quoin("config", "--node", "99", code=1)
    node.quoin("log", "set", "log", "debug")
    levels = {row["module"]: row["level"] for row in rows_of(node.quoin("log", "levels", "--csv").stdout)}
    expect(levels["log"] == "debug" and levels["node"] == "info", f"{levels}")
    node.quoin("log", "set", "all", "info")
    node.quoin("log", "set", "nonsense", "debug", code=5)
    node.quoin("log", code=2)


def a_watch_repeats_until_it_is_interrupted(work):
    """Not on a terminal: a line between the answers, none between documents; the end is 130."""
    node = a_node(work)
    node.quoin("put", "accounts", "alice", "100")
    for options, expected in (([], ["100", "---", "100"]), (["--csv"], ["key,value,version"]), (["--json"], ["{"])):
        command = [work.program("quoin"), "--uri", node.uri, "get", "accounts", "alice", "--watch=100ms",
                   "--types", harness.ROOT / "config" / "types.cfg", *options]
        child = work.spawn(command, stdout=-1, stderr=-1, text=True)
        lines = [child.stdout.readline().strip() for _ in range(3)]
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=harness.CALL_S)
        expect(child.returncode == 130, f"ended with {child.returncode}")
        expect(all(line.startswith(part) for line, part in zip(lines, expected)), f"{options}: {lines}")
        expect(options == [] or "---" not in lines, f"{options}: {lines}")


def what_export_writes_import_reads(work):
    """Without any types file: keys and values of all kinds come back, octet for octet."""
    node = a_node(work)
    fill(node, 5)
    node.quoin("put", "accounts", "7", "42", "--key-int", "--int")
    node.quoin("put", "accounts", "empty", "")
    for name in ("all.jsonl", "all.json"):
        copy = name.replace(".", "-")
        node.quoin("export", work.path / name, "--cache", "accounts", "--fresh")
        node.quoin("import", work.path / name, "--cache", copy, "--create")
        node.quoin("import", work.path / name, "--cache", "accounts", "--verify")
        scans = [sorted(node.quoin("scan", cache, "--fresh", "--json").stdout.splitlines()) for cache in ("accounts", copy)]
        values = [[(entry["key"], entry["value"]) for entry in map(json.loads, scan)] for scan in scans]
        expect(values[0] == values[1] and len(values[0]) == 7, f"{name}: {values}")
    (work.path / "wrong.jsonl").write_text('{"key": "a"}\n')
    result = node.quoin("import", work.path / "wrong.jsonl", "--cache", "accounts", code=6)
    harness.expect_in("needs \"key\" and \"value\"", result.stderr, "a record without a value")


CARS = """
types = (
  { id = 1; name = "Car"; key = "make"; fields = (
    { index = 0; name = "make"; type = "string"; },
    { index = 1; name = "price"; type = "decimal"; },
    { index = 2; name = "owner"; type = "Owner"; },
    { index = 3; name = "built"; type = "datetime"; } ); },
  { id = 2; name = "Owner"; fields = (
    { index = 0; name = "name"; type = "string"; },
    { index = 1; name = "age"; type = "int32"; } ); } );
views = (
  { name = "flat"; types = ( { type = "Car"; rename = [ "make as brand" ]; flatten = [ "owner as owner_" ]; } ); },
  { name = "public"; types = ( { type = "Car"; only = [ "make" ]; } ); } );
caches = ( { name = "accounts"; type = "Car"; view = "flat"; } );
"""

VOLVO = ('{"make": "Volvo", "price": 12.50, "owner": {"name": "Ann", "age": 7}, "built": "2020-02-29T10:00:00Z"}')


def views_show_and_read(work):
    """get, scan, export and import stand under the view of the cache, or that of --view; what it shows comes back."""
    node = a_node(work)
    (work.path / "cars.cfg").write_text(CARS)
    types = ["--types", "cars.cfg"]
    node.quoin("put", "accounts", "Volvo", VOLVO, "--type", "Car", "--view", "", *types)
    flat = node.quoin("get", "accounts", "Volvo", *types).stdout
    expect(flat == '{"brand": "Volvo", "price": 12.50, "owner_name": "Ann", "owner_age": 7, '
                   '"built": "2020-02-29T10:00:00Z"}\n', flat)
    expect(node.quoin("get", "accounts", "Volvo", "--view", "", *types).stdout == VOLVO + "\n", "without a view")
    expect(node.quoin("get", "accounts", "Volvo", "--view", "public", *types).stdout == '{"make": "Volvo"}\n', "only")
    entry = json.loads(node.quoin("scan", "accounts", "--fresh", "--json", *types).stdout)
    expect(entry["value"]["brand"] == "Volvo" and entry["key"] == "Volvo", f"scan shows {entry}")
    for name, view in (("flat.csv", "flat"), ("flat.jsonl", "flat"), ("plain.csv", ""), ("plain.jsonl", "")):
        how = ["--cache", "accounts", *types, "--view", view]
        node.quoin("export", name, *how, "--fresh")
        result = node.quoin("import", name, *how, "--verify")
        harness.expect_in("1 equal, 0 different", result.stdout, f"{name}: {(work.path / name).read_text()}")
    text = (work.path / "flat.csv").read_text()
    expect(text == "brand,price,owner_name,owner_age,built\nVolvo,12.50,Ann,7,2020-02-29T10:00:00Z\n", text)
    result = node.quoin("export", "public.csv", "--cache", "accounts", *types, "--view", "public")
    harness.expect_in("view public hides fields", result.stderr, "an export that leaves something out")
    result = node.quoin("import", "public.csv", "--cache", "accounts", *types, "--view", "public", code=2)
    harness.expect_in("shows only some fields of Car", result.stderr, "an import by a view that cannot read")


def an_import_is_counted_at_once(work):
    """Its end is a soft commit; rejected records are beside the file, and it is said where."""
    node = a_node(work, settings='commit = { soft_interval = "1d"; };\n')
    folder = work.path / "data"
    folder.mkdir()
    (folder / "in.jsonl").write_text('{"key": "a", "value": 1}\n{"key": "b"}\n{"key": "c", "value": 3}\n')
    result = node.quoin("import", folder / "in.jsonl", "--cache", "accounts", code=6)
    expect(node.quoin("count", "accounts").stdout == "2\n", "what was imported does not count")
    expect("b" in (folder / "in.jsonl.rejected").read_text(), "the rejected record is not there")
    harness.expect_in(str(folder / "in.jsonl.rejected"), result.stderr, "where the rejected records are")


def the_status_is_for_people(work):
    """Ready and safe are two things, with the reason; no fact stands there under its name of a figure."""
    node = a_node(work)
    text = node.quoin("status").stdout
    harness.expect_in("node 1 is ready, but not safe to stop: standalone", text, "the verdict")
    expect("_" not in text, f"a raw name: {text}")


def misspelt_names_are_suggested(work):
    """Types, fields, views, columns and caches: the name that could be meant is said."""
    node = a_node(work)
    (work.path / "cars.cfg").write_text(CARS)
    types = ["--types", "cars.cfg"]
    (work.path / "wrong.csv").write_text("barnd,price\nVolvo,1\n")
    (work.path / "wrong.jsonl").write_text('{"barnd": "Volvo"}\n')
    car = ["--cache", "accounts", *types]
    for command, code, says in (
            (["put", "accounts", "a", "{}", "--type", "Cra", *types], 2, "did you mean Car?"),
            (["get", "accounts", "a", "--view", "flta", *types], 2, "did you mean flat?"),
            (["export", "x.csv", *car, "--key-field", "maek"], 2, "did you mean make?"),
            (["import", "wrong.csv", *car], 2, "did you mean 'brand'?"),
            (["import", "wrong.jsonl", *car], 6, 'did you mean "brand"?'),
            (["put", "accounts", "a", '{"barnd": "x"}', "--type", "Car", *types], 5, 'did you mean "brand"?'),
            (["count", "acounts"], 5, "did you mean accounts?"),
            (["count", "something"], 5, "for a new cache: quoin create something")):
        harness.expect_in(says, node.quoin(*command, code=code).stderr, " ".join(command))


def colours_are_for_terminals(work):
    """Nothing that a pipe gets has escape sequences in it."""
    node = a_node(work)
    for command in (["status"], ["caches"], ["ping"], ["help"]):
        result = node.quoin(*command)
        expect("\x1b" not in result.stdout + result.stderr, f"{command}: {result.stdout!r}")


if __name__ == "__main__":
    sys.exit(harness.run_tests(
        [a_scan_prints_every_entry_once, a_scan_goes_on_where_it_ended, raw_gives_octets_back,
         entries_get_a_time_to_live, caches_come_and_go, a_commit_shows_what_was_written,
         nodes_tell_their_settings_and_levels, a_watch_repeats_until_it_is_interrupted, what_export_writes_import_reads,
         views_show_and_read, misspelt_names_are_suggested, an_import_is_counted_at_once,
         the_status_is_for_people, colours_are_for_terminals],
        harness.parser(__doc__).parse_args()))
