#!/usr/bin/env python3
"""Check that the sources keep to the layers.

The tree is the architecture: which folder may include what is written down in TABLE below, and this
program fails on every #include that is not in it. It also checks that each folder with sources says in a
README.md what it is.

    tests/tools/check_layers.py               prove the rules on made-up sources, then check the tree
    tests/tools/check_layers.py --self-test   only the former

Exit code: 0 all is well, 1 something is not (each problem is one line), 2 usage.
"""

import argparse
import pathlib
import re
import sys
from typing import NamedTuple

# ---- What there is to include ------------------------------------------------------------------------

# C17 headers that bring no input or output, no clock, no threads: all that the core may see.
PURE = {
    "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdarg.h",
    "stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "stdnoreturn.h", "string.h",
}
# The rest of C17. signal.h stands with the threads below. assert.h is missing on purpose: an assertion
# that a release build drops protects nobody, so ours is wire/assert.h.
C = PURE | {"locale.h", "stdatomic.h", "stdio.h", "time.h", "wchar.h"}
POSIX = C | {
    "arpa/inet.h", "dirent.h", "fcntl.h", "ftw.h", "langinfo.h", "netdb.h", "netinet/in.h",
    "netinet/tcp.h", "poll.h", "sched.h", "strings.h", "sys/epoll.h", "sys/eventfd.h", "sys/file.h",
    "sys/ioctl.h", "sys/mman.h", "sys/random.h", "sys/resource.h", "sys/signalfd.h", "sys/socket.h",
    "sys/stat.h", "sys/statvfs.h", "sys/syscall.h", "sys/time.h", "sys/timerfd.h", "sys/types.h",
    "sys/uio.h", "sys/un.h", "sys/utsname.h", "sys/vfs.h", "sys/wait.h", "termios.h", "unistd.h",
}
THREADS = {"pthread.h", "signal.h"}
TEST = {"cmocka.h", "jansson.h", "setjmp.h", "getopt.h"}

INSTALLED = {"quoin.h", "quoin/pof.h", "quoin/adapters/epoll.h", "quoin/adapters/event.h", "quoin/adapters/poll.h",
             "quoin/adapters/uv.h"}
# What bench_pof measures us against.
PEERS = {"lz4.h", "lz4hc.h", "zlib.h", "car.pb-c.h", "car.pb.h", "msgpack.h", "pb_decode.h", "pb_encode.h", "protobuf-c/protobuf-c.h"}
LOOPS = {"event2/event.h", "uv.h"}

# ---- Who may include it ------------------------------------------------------------------------------


class Layer(NamedTuple):
    """What the sources of a folder may include, besides the headers of the folder itself."""

    ours: tuple  # headers of the project: "wire/*.h" (that folder) or "wire/**" (and those below it)
    outside: set  # headers of the C library and of third parties
    posix_macro: bool = False  # may it define _GNU_SOURCE and its like?


WIRE = ("wire/*.h",)
MESSAGES = ("wire/message/message.h",)  # the plain structs, not their encoding
GRID_BASE = WIRE + ("wire/pof/*.h",) + MESSAGES
GRID_STORE = GRID_BASE + ("grid/base/*.h",)
GRID_PART = GRID_STORE + ("grid/store/*.h",)

# The rule for a folder is the one with the longest path that leads to it.
TABLE = {
    "wire": Layer(WIRE, C | {"xxhash.h", "isa-l/crc.h", "isa-l.h", "lz4.h"}),
    "wire/pof": Layer(WIRE, PURE | {"stdio.h"}),
    "wire/pof/json": Layer(WIRE + ("wire/pof/*.h",), PURE | {"stdio.h"}),
    "wire/message": Layer(WIRE, PURE | {"protobuf-c/protobuf-c.h", "quoin.pb-c.h"}),
    "wire/transport": Layer(WIRE, POSIX | {"zmq.h"}, posix_macro=True),
    # Downwards only: grid > transfer, invoke, query, replica, control > store > base.
    "grid": Layer(GRID_PART + ("grid/transfer/*.h", "grid/invoke/*.h", "grid/query/*.h",
                               "grid/replica/*.h", "grid/control/*.h", "grid/lease/*.h"), PURE),
    "grid/transfer": Layer(GRID_PART, PURE),
    "grid/invoke": Layer(GRID_PART, PURE),
    "grid/query": Layer(GRID_PART, PURE),
    "grid/replica": Layer(GRID_PART + ("grid/control/configuration.h",), PURE),
    "grid/control": Layer(GRID_PART, PURE),
    "grid/lease": Layer(GRID_STORE + ("grid/control/configuration.h",), PURE),
    "grid/store": Layer(GRID_STORE, PURE),
    "grid/base": Layer(GRID_BASE, PURE),
    # What the types file is read into.
    "config": Layer(WIRE + ("wire/pof/schema.h",), POSIX | {"libconfig.h"}, posix_macro=True),
    "node": Layer(("grid/grid.h", "config/cfg.h", "wire/**", "node/**"),
                  POSIX | THREADS | {"getopt.h", "malloc.h"}, posix_macro=True),
    "node/snapshot": Layer(WIRE + ("node/log/*.h", "node/coord/*.h"), POSIX | THREADS, posix_macro=True),
    "node/offline": Layer(("grid/grid.h", "wire/*.h", "node/*.h", "node/log/*.h", "node/snapshot/*.h", "node/coord/*.h"),
                          POSIX, posix_macro=True),
    "node/coord": Layer(WIRE, POSIX | {"zookeeper/zookeeper.h"}, posix_macro=True),
    "node/admin": Layer(WIRE, POSIX | {"microhttpd.h"}, posix_macro=True),
    "client": Layer(("wire/**",), POSIX | THREADS, posix_macro=True),
    # config: the types file, and how people write values and misspell words.
    "client/cli": Layer(("client/quoin.h", "wire/*.h", "wire/pof/*.h", "wire/pof/json/*.h", "config/types.h", "config/cfg_report.h",
                         "config/value.h",
                         # `quoin log inspect` and `verify` read a data directory without a node.
                         "node/offline/offline.h"),
                        POSIX | THREADS | {"getopt.h", "expat.h", "histedit.h", "jansson.h"}, posix_macro=True),
    "tests": Layer(("**",), POSIX | THREADS | TEST, posix_macro=True),
    "tests/unit/transport": Layer(("**",), POSIX | THREADS | TEST | {"zmq.h"}, posix_macro=True),
    "tests/bench": Layer(("client/quoin.h", "wire/**", "tests/lib/*.h", "measured.h"),
                         POSIX | THREADS | TEST | {"zmq.h"} | PEERS, posix_macro=True),
    # What a program outside of the project can do: these see what is installed, and the library of an event loop.
    "client/adapters": Layer((), POSIX | INSTALLED | LOOPS, posix_macro=True),
    "tests/examples": Layer(("client/quoin.h", "quoin.h", "garage.h"), POSIX | THREADS | INSTALLED | LOOPS, posix_macro=True),
    "tests/unit/client/outside": Layer((), POSIX | INSTALLED, posix_macro=True),
    "tests/system": Layer(("client/quoin.h",), POSIX | THREADS | {"dlfcn.h"}, posix_macro=True),
}

ROOTS = ("wire", "grid", "config", "node", "client", "tests")
GENERATED = {"car.pb-c.h", "car.pb.h", "measured.h", "garage.h", "everything.h", "objects.h", "quoin.pb-c.h", "quoin.h", "node/version.h", "client/version.h"}
# The README of tests/ speaks for the folders below it.
README_BELOW = ("wire", "grid", "config", "node", "client")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>|(\S.*))', re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(_GNU_SOURCE|_POSIX_C_SOURCE|_XOPEN_SOURCE|_DEFAULT_SOURCE)\b",
                   re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


# ---- The rules ---------------------------------------------------------------------------------------


def folder_of(path):
    return path.rpartition("/")[0]


def layer_of(folder):
    """The rule for a folder, or None: no rule leads to it."""
    while folder and folder not in TABLE:
        folder = folder_of(folder)
    return TABLE.get(folder)


def matches(header, pattern):
    if pattern == "**":
        return True
    if pattern.endswith("/**"):
        return header.startswith(pattern[:-2])
    if pattern.endswith("/*.h"):
        return folder_of(header) == folder_of(pattern)
    return header == pattern


def may_include(path, layer, header):
    # A folder's headers are its own affair, but those of folders below it are not.
    return folder_of(header) == folder_of(path) or any(matches(header, p) for p in layer.ours)


def check_ours(path, layer, header, files):
    if ".." in header.split("/"):
        return f'"{header}" goes up with "..": write it from the root'
    if header not in files and header not in GENERATED:
        return f'"{header}" is not a file of the project: write it from the root, or in <> when it is not ours'
    if header == "quoin.pb-c.h":
        return check_outside(layer, header)
    if not may_include(path, layer, header):
        return f'{folder_of(path)}/ may not include "{header}"'
    return None


def check_outside(layer, header):
    if header not in layer.outside:
        return f"this folder may not see <{header}>"
    return None


def without_comments(text):
    """Line numbers stay."""
    return COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)


def check_file(path, text, files):
    """Problems of one source, as (line, text)."""
    layer = layer_of(folder_of(path))
    if layer is None:
        return [(1, "the table has no rule for this folder")]
    text = without_comments(text)
    problems = []
    for match in INCLUDE.finditer(text):
        ours, outside, other = match.groups()
        if ours is not None:
            problem = check_ours(path, layer, ours, files)
        elif outside is not None:
            problem = check_outside(layer, outside)
        else:
            problem = f"an include that cannot be checked: {other}"
        if problem:
            problems.append((line_of(text, match), problem))
    for match in MACRO.finditer(text):
        if not layer.posix_macro:
            problems.append((line_of(text, match), f"strict C here: {match.group(1)} may not be defined"))
    return problems


def line_of(text, match):
    return text.count("\n", 0, match.start(0)) + 1


def check_readmes(files, readmes):
    folders = {folder_of(path) for path in files if path.split("/")[0] in README_BELOW}
    if any(path.startswith("tests/") for path in files):
        folders.add("tests")
    return [f"{folder}/: no README.md says what this folder is" for folder in sorted(folders - readmes)]


def edges_of(files):
    """Folder -> folders it includes, those of the tests left out: nothing includes them."""
    edges = {}
    for path, text in files.items():
        folder = folder_of(path)
        for match in INCLUDE.finditer(without_comments(text)):
            header = match.group(1)
            if header in files and folder_of(header) != folder and not folder.startswith("tests"):
                edges.setdefault(folder, set()).add(folder_of(header))
    return edges


def find_cycle(edges):
    """A list of folders that include each other in a ring, or None."""
    done = set()

    def walk(folder, trail):
        if folder in trail:
            return trail[trail.index(folder):] + [folder]
        if folder in done:
            return None
        for other in sorted(edges.get(folder, ())):
            cycle = walk(other, trail + [folder])
            if cycle:
                return cycle
        done.add(folder)
        return None

    for folder in sorted(edges):
        cycle = walk(folder, [])
        if cycle:
            return cycle
    return None


def check(files, readmes):
    """All problems of a tree, one line each.

    `files` maps the path of each source to its text, `readmes` are the folders that have a README.md.
    """
    problems = []
    for path in sorted(files):
        problems += [f"{path}:{line}: {text}" for line, text in check_file(path, files[path], files)]
    cycle = find_cycle(edges_of(files))
    if cycle:
        problems.append("folders include each other, so a third one is missing: " + " -> ".join(cycle))
    return problems + check_readmes(files, readmes)


# ---- The tree ----------------------------------------------------------------------------------------


def read_tree(root):
    files, readmes = {}, set()
    for top in ROOTS:
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in (".c", ".h"):
                files[name] = path.read_text(encoding="utf-8")
            elif path.name == "README.md":
                readmes.add(folder_of(name))
    return files, readmes


# ---- Proof that each rule can fail -------------------------------------------------------------------

GOOD = {
    "wire/bytes.h": "#include <stdint.h>\n",
    "wire/hash.c": '#include "wire/bytes.h"\n#include <xxhash.h>\n',
    "wire/pof/reader.h": '#include "wire/bytes.h"\n',
    "wire/message/message.h": '#include "wire/bytes.h"\n',
    "wire/message/message.c": '#include "wire/message/message.h"\n#include "quoin.pb-c.h"\n',
    "wire/transport/transport.h": '#include "wire/bytes.h"\n',
    "wire/transport/transport.c": "#define _GNU_SOURCE\n#include <zmq.h>\n#include <time.h>\n",
    "grid/base/heap.h": "#include <stddef.h>\n",
    "grid/store/store.h": '#include "grid/base/heap.h"\n',
    "grid/replica/replica.h": '#include "grid/store/store.h"\n#include "wire/message/message.h"\n',
    "grid/grid.h": '#include "grid/replica/replica.h"\n',
    "config/cfg.h": "#include <stdio.h>\n",
    "config/types.h": "",
    "config/cfg_table.h": "",
    "config/cfg.c": "#define _GNU_SOURCE\n#include <libconfig.h>\n",
    "node/loop.c": '#define _GNU_SOURCE\n#include <pthread.h>\n#include "grid/grid.h"\n#include "config/cfg.h"\n'
                   '#include "node/log/txlog.h"\n#include "wire/transport/transport.h"\n',
    "node/log/txlog.h": '#include "wire/bytes.h"\n',
    "node/admin/admin.c": '#include "wire/bytes.h"\n#include <microhttpd.h>\n',
    "node/coord/coord.c": '#include "wire/bytes.h"\n',
    "client/quoin.h": '#include "wire/bytes.h"\n',
    "client/session.c": '#include "client/quoin.h"\n#include "wire/transport/transport.h"\n',
    "client/cli/main.c": '#include "client/quoin.h"\n#include "config/types.h"\n#include <jansson.h>\n',
    "tests/lib/check.h": "#include <cmocka.h>\n",
    "tests/unit/store/test_store.c": '#include "grid/store/store.h"\n#include "tests/lib/check.h"\n',
    "tests/examples/hello.c": '#include "client/quoin.h"\n#include <stdio.h>\n',
    "tests/bench/echo.c": '#include "client/quoin.h"\n#include <zmq.h>\n',
}

# (what is wrong, file, its text, what the report must say)
BAD = [
    ("wire sees the grid", "wire/bytes.c", '#include "grid/grid.h"', 'wire/ may not include "grid/grid.h"'),
    ("wire sees a folder below it", "wire/bytes.c", '#include "wire/pof/reader.h"', "wire/ may not include"),
    ("the codec sees messages", "wire/pof/reader.c", '#include "wire/message/message.h"',
     "wire/pof/ may not include"),
    ("messages see the codec", "wire/message/scan.c", '#include "wire/pof/reader.h"',
     "wire/message/ may not include"),
    ("transport looks inside frames", "wire/transport/frame.c", '#include "wire/message/message.h"',
     "wire/transport/ may not include"),
    ("the grid sees the transport", "grid/grid.c", '#include "wire/transport/transport.h"',
     "grid/ may not include"),
    ("the grid sees the node", "grid/grid.c", '#include "node/log/txlog.h"', "grid/ may not include"),
    ("the store looks up", "grid/store/store.c", '#include "grid/replica/replica.h"',
     "grid/store/ may not include"),
    ("the base looks up", "grid/base/heap.c", '#include "grid/store/store.h"', "grid/base/ may not include"),
    ("one part of the grid sees its neighbour", "grid/query/query.c", '#include "grid/replica/replica.h"',
     "grid/query/ may not include"),
    ("the settings see messages", "config/cfg.c", '#include "wire/message/message.h"',
     "config/ may not include"),
    ("the node goes past the grid's door", "node/shard.c", '#include "grid/store/store.h"',
     "node/ may not include"),
    ("the node sees the inside of the settings", "node/main.c", '#include "config/cfg_table.h"',
     "node/ may not include"),
    ("the log goes past the grid's door", "node/log/txlog.c", '#include "grid/store/store.h"',
     "node/log/ may not include"),
    ("the console sees the log", "node/admin/admin.c", '#include "node/log/txlog.h"',
     "node/admin/ may not include"),
    ("coordination sees messages", "node/coord/coord.c", '#include "wire/message/message.h"',
     "node/coord/ may not include"),
    ("the client sees the grid", "client/session.c", '#include "grid/grid.h"', "client/ may not include"),
    ("the client sees the settings", "client/session.c", '#include "config/types.h"',
     "client/ may not include"),
    ("the tool goes past quoin.h", "client/cli/bench.c", '#include "wire/transport/transport.h"',
     "client/cli/ may not include"),
    ("an example goes past quoin.h", "tests/examples/put.c", '#include "wire/bytes.h"',
     "tests/examples/ may not include"),
    ("a benchmark sees the grid", "tests/bench/store.c", '#include "grid/grid.h"',
     "tests/bench/ may not include"),
    ("a system test goes past quoin.h", "tests/system/writer.c", '#include "wire/bytes.h"',
     "tests/system/ may not include"),
    ("zmq outside of the transport", "node/loop.c", "#include <zmq.h>", "may not see <zmq.h>"),
    ("protobuf-c outside of the messages", "client/calls.c", "#include <protobuf-c/protobuf-c.h>",
     "may not see <protobuf-c/protobuf-c.h>"),
    ("generated code outside of the messages", "node/loop.c", '#include "quoin.pb-c.h"',
     "may not see <quoin.pb-c.h>"),
    ("lz4 outside of wire/", "grid/store/store.c", "#include <lz4.h>", "may not see <lz4.h>"),
    ("libconfig outside of the settings", "node/main.c", "#include <libconfig.h>", "may not see <libconfig.h>"),
    ("microhttpd outside of the console", "node/main.c", "#include <microhttpd.h>",
     "may not see <microhttpd.h>"),
    ("jansson outside of the tool", "node/log/txlog.c", "#include <jansson.h>", "may not see <jansson.h>"),
    ("xxhash outside of wire", "grid/store/store.c", "#include <xxhash.h>", "may not see <xxhash.h>"),
    ("isa-l outside of wire", "node/log/txlog.c", "#include <isa-l/crc.h>", "may not see <isa-l/crc.h>"),
    ("cmocka outside of the tests", "client/calls.c", "#include <cmocka.h>", "may not see <cmocka.h>"),
    ("a clock in the grid", "grid/grid.c", "#include <time.h>", "may not see <time.h>"),
    ("output in the grid", "grid/replica/replica.c", "#include <stdio.h>", "may not see <stdio.h>"),
    ("threads in the grid", "grid/grid.c", "#include <pthread.h>", "may not see <pthread.h>"),
    ("POSIX in the grid", "grid/store/store.c", "#include <unistd.h>", "may not see <unistd.h>"),
    ("POSIX in wire", "wire/bytes.c", "#include <unistd.h>", "may not see <unistd.h>"),
    ("threads in the codec", "wire/pof/reader.c", "#include <pthread.h>", "may not see <pthread.h>"),
    ("threads in the settings", "config/cfg.c", "#include <pthread.h>", "may not see <pthread.h>"),
    ("an assertion that a release drops", "node/main.c", "#include <assert.h>", "may not see <assert.h>"),
    ("a library that nobody has entered", "node/main.c", "#include <nanomsg/nn.h>", "may not see <nanomsg/nn.h>"),
    ("a macro that opens POSIX", "grid/grid.c", "#define _GNU_SOURCE\n", "_GNU_SOURCE may not be defined"),
    ("a path with ..", "grid/grid.c", '#include "../wire/bytes.h"', 'goes up with ".."'),
    ("a path that is not from the root", "grid/store/more.c", '#include "store.h"', "is not a file of the project"),
    ("an include through a macro", "grid/grid.c", "#include HEADER", "cannot be checked"),
    ("a space after the #", "grid/grid.c", "#  include <time.h>", "may not see <time.h>"),
    ("a folder that the table does not know", "stuff/a.c", "", "no rule for this folder"),
]


def good_readmes():
    return {folder_of(path) for path in GOOD}  | {"tests"}


def one_problem(what, files, readmes, expected):
    """Complain unless the tree has exactly this one problem."""
    problems = check(files, readmes)
    if len(problems) == 1 and expected in problems[0]:
        return []
    return [f"self-test, {what}: expected one problem with <{expected}>, got {problems}"]


def self_test():
    readmes = good_readmes()
    failures = [f"self-test, a good tree: {problem}" for problem in check(GOOD, readmes)]
    for what, path, text, expected in BAD:
        tree = {**GOOD, path: text}
        # Some of these also close a ring; that rule is proved below.
        problems = [p for p in check(tree, readmes | {folder_of(path)}) if "include each other" not in p]
        if len(problems) != 1 or expected not in problems[0] or not problems[0].startswith(path + ":"):
            failures.append(f"self-test, {what}: expected one problem with <{expected}>, got {problems}")
    failures += one_problem("no README", GOOD, readmes - {"grid/store"}, "grid/store/: no README.md")
    failures += one_problem("no README of the tests", GOOD, readmes - {"tests"}, "tests/: no README.md")
    ring = {**GOOD, "node/log/txlog.h": '#include "node/names.h"\n', "node/names.h": ""}
    failures += one_problem("a ring", ring, readmes, "node -> node/log -> node")
    comment = {**GOOD, "grid/grid.c": '/* not\n#include <time.h>\n*/\n#include "grid/grid.h"\n'}
    failures += [f"self-test, a comment: {problem}" for problem in check(comment, readmes)]
    third_line = {**GOOD, "grid/grid.c": "/* a\n*/\n#include <time.h>\n"}
    failures += one_problem("the line", third_line, readmes, "grid/grid.c:3:")
    return failures


def main():
    parser = argparse.ArgumentParser(description="Check that the sources keep to the layers.")
    parser.add_argument("--self-test", action="store_true", help="only prove that each rule can fail")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2],
                        help="the project's folder")
    arguments = parser.parse_args()

    problems = self_test()
    if not problems and not arguments.self_test:
        files, readmes = read_tree(arguments.root)
        problems = check(files, readmes) if files else [f"{arguments.root}: no sources here: give --root"]
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} problems; what may include what: TABLE in tests/tools/check_layers.py")
        return 1
    print(f"the layers hold ({len(BAD) + 4} rules proved on bad sources)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
