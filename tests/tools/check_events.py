#!/usr/bin/env python3
"""Check that the events in the log are those that are written down.

node/log_events.h lists every event with its level, its meaning and what to do. This program compares with it

  - each call of logger_write in node/: module, event and level must be a row of the table;
  - the table between the marks in docs/operations.md: it must be the one that is made from the header.

    tests/tools/check_events.py               prove the rules on made-up sources, then check the tree
    tests/tools/check_events.py --self-test   only the former
    tests/tools/check_events.py --write       write the table into docs/operations.md
    tests/tools/check_events.py --unused      list the events that no source writes

Exit code: 0 all is well, 1 something is not (each problem is one line), 2 usage.
"""

import argparse
import pathlib
import re
import sys
from typing import NamedTuple

BEGIN = "<!-- events: written by tests/tools/check_events.py --write -->"
END = "<!-- /events -->"
OWN = ("node/logger.c", "node/logger.h", "node/logger_line.c", "node/logger_line.h")  # what implements it

STRING = r'"((?:[^"\\]|\\.)*)"'
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ROW = re.compile(rf"X\({STRING},\s*{STRING},\s*(ERROR|WARN|INFO|DEBUG),\s*{STRING},\s*{STRING}\)")
WORD = re.compile(r"[A-Za-z_]\w*")
FUNCTION = re.compile(r"^[A-Za-z_][^;{}()=]*?(\w+)\(([^;{}]*)\)\s*\{", re.MULTILINE)


class Event(NamedTuple):
    module: str
    name: str
    level: str
    meaning: str
    action: str


# ---- Reading sources ---------------------------------------------------------------------------------


def read_events(text):
    text = COMMENT.sub("", text).replace("\\\n", "\n")
    return [Event(*(part.replace('\\"', '"') for part in match.groups())) for match in ROW.finditer(text)]


def without_comments(text):
    """Line numbers stay."""
    return COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)


def split_arguments(text, start):
    """The arguments of a call whose opening parenthesis stands before `start`."""
    arguments, depth, begin, at = [], 0, start, start
    while at < len(text):
        c = text[at]
        if c == '"':
            at = re.compile(STRING).match(text, at).end()
            continue
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return arguments + [text[begin:at].strip()]
            depth -= 1
        elif c == "," and depth == 0:
            arguments.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    return arguments


def calls_of(text, name):
    """(line, arguments) of each call of a function."""
    for match in re.finditer(rf"\b{name}\(", text):
        yield text.count("\n", 0, match.start()) + 1, match.start(), split_arguments(text, match.end())


def literals(argument):
    return re.findall(STRING, argument)


def enclosing_function(text, position):
    """(name, names of its parameters) of the function around a position, or None."""
    found = None
    for match in FUNCTION.finditer(text, 0, position):
        found = match
    if not found:
        return None
    parameters = [WORD.findall(one)[-1] for one in found.group(2).split(",") if WORD.findall(one)]
    return found.group(1), parameters


def values_of(text, position, argument):
    """The texts that an argument can be: its literals, or those that callers in the file hand through."""
    given = literals(argument)
    around = None if given else enclosing_function(text, position)
    if given or not around or argument not in around[1]:
        return given
    index = around[1].index(argument)
    for _, call, arguments in calls_of(text, around[0]):
        if len(arguments) > index and not re.match(r"[^\n]*\bconst char \*", arguments[index]):
            given += literals(arguments[index])
    return given


# ---- The rules ---------------------------------------------------------------------------------------


def check_call(path, text, call, events, used):
    line, position, arguments = call
    where = f"{path}:{line}"
    if len(arguments) < 5:
        return [f"{where}: logger_write with {len(arguments)} arguments"]
    modules, names = (values_of(text, position, arguments[i]) for i in (2, 3))
    if not modules or not names:
        return [f"{where}: module and event must be literals, here or where the function is called in this file"]
    known = {(event.module, event.name): event for event in events}
    problems, levels = [], set()
    for module in modules:
        for name in names:
            event = known.get((module, name))
            if event:
                used.add((module, name))
                levels.add(event.level)
            else:
                problems.append(f'{where}: event "{module}.{name}" is not in node/log_events.h')
    written = set(re.findall(r"\bLOG_LEVEL_(\w+)", arguments[1]))
    if not problems and written and written != levels:
        problems.append(f"{where}: {', '.join(names)}: level {'/'.join(sorted(written))}, "
                        f"in node/log_events.h {'/'.join(sorted(levels))}")
    return problems


def check_sources(files, events):
    """(problems, events that are written somewhere)."""
    problems, used = [], set()
    for path, text in sorted(files.items()):
        if path in OWN:
            continue
        text = without_comments(text)
        for call in calls_of(text, "logger_write"):
            problems += check_call(path, text, call, events, used)
    return problems, used


def table_of(events):
    lines = ["| event | level | meaning | what to do |", "|---|---|---|---|"]
    for event in events:
        action = "nothing" if event.action == "-" else event.action
        lines.append(f"| `{event.module} {event.name}` | {event.level.lower()} | {event.meaning} | {action} |")
    return "\n".join(lines)


def split_document(text):
    """(before, table, after) of the marks, or None."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        return None
    begin += len(BEGIN)
    return text[:begin], text[begin:end].strip("\n"), text[end:]


def check_document(text, events):
    parts = split_document(text)
    if not parts:
        return ["docs/operations.md: the marks around the table of events are missing: " + BEGIN]
    wanted, there = table_of(events).splitlines(), parts[1].splitlines()
    lacking = [f"docs/operations.md: lacks the line {line}" for line in wanted if line not in there]
    beyond = [f"docs/operations.md: not in node/log_events.h: {line}" for line in there if line not in wanted]
    if lacking or beyond or wanted != there:
        return lacking + beyond + ["docs/operations.md: run tests/tools/check_events.py --write"]
    return []


# ---- Proof that each rule can fail -------------------------------------------------------------------

HEADER = '''#define LOG_EVENT_MAP(X) \\
    X("node", "serving", INFO, "it serves", \\
      "-") \\
    X("node", "failed", ERROR, "it (says \\"why\\"), ends", "look")
'''
GOOD = '''
/* logger_write(logger, LOG_LEVEL_INFO, "no", "comment", "%s", ""); */
static void end(const struct logger *logger, const char *event, int error)
{
    logger_write(logger, LOG_LEVEL_ERROR, "node", event, "error=%d", error);
}

static void run(bool well)
{
    logger_write(of(a, b), well ? LOG_LEVEL_INFO : LOG_LEVEL_ERROR, "node",
                 well ? "serving" : "failed", "a=%s b=\\")\\"", "(,");
    end(logger, "failed", 1);
}
'''
BAD = [
    ("an unknown event", 'logger_write(l, LOG_LEVEL_INFO, "node", "gone", "%s", "");', '"node.gone" is not in'),
    ("an unknown module", 'logger_write(l, LOG_LEVEL_INFO, "nod", "serving", "%s", "");', '"nod.serving" is not in'),
    ("another level", 'logger_write(l, LOG_LEVEL_WARN, "node", "serving", "%s", "");', "level WARN, in"),
    ("one of two", 'logger_write(l, LOG_LEVEL_INFO, "node", a ? "serving" : "gone", "%s", "");', '"node.gone"'),
    ("a variable", 'void f(void)\n{\n    logger_write(l, LOG_LEVEL_INFO, "node", name, "%s", "");\n}', "literals"),
    ("handed through", 'void f(const char *e)\n{\n    logger_write(l, LOG_LEVEL_INFO, "node", e, "%s", "");\n}\n'
                       'void g(void)\n{\n    f("lost");\n}\n', '"node.lost" is not in'),
]


def self_test():
    events = read_events(HEADER)
    problems = []
    if [event.name for event in events] != ["serving", "failed"] or events[1].meaning != 'it (says "why"), ends':
        problems.append(f"self-test: the header is read as {events}")
    found, used = check_sources({"node/a.c": GOOD}, events)
    if found or len(used) != 2:
        problems.append(f"self-test: good sources: {found}, used {used}")
    for what, source, wanted in BAD:
        found, _ = check_sources({"node/a.c": source}, events)
        if not any(wanted in problem for problem in found):
            problems.append(f"self-test: {what}: {found} does not say {wanted!r}")
    good = f"# A\n\n{BEGIN}\n{table_of(events)}\n{END}\n"
    for what, text, right in (("right", good, True), ("no marks", "# A", False), ("too few", f"{BEGIN}\n{END}", False),
                              ("other words", good.replace("it serves", "it sleeps"), False),
                              ("too many", good.replace(END, "| `a b` | x | y | z |\n" + END), False)):
        if (check_document(text, events) == []) != right:
            problems.append(f"self-test: a document that is {what}: {check_document(text, events)}")
    return problems


# ---- The tree ----------------------------------------------------------------------------------------


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--unused", action="store_true")
    return parser.parse_args()


def write_document(path, events):
    parts = split_document(path.read_text(encoding="utf-8"))
    if not parts:
        return check_document("", events)
    path.write_text(f"{parts[0]}\n{table_of(events)}\n{parts[2]}", encoding="utf-8")
    return []


def check_tree(root, arguments):
    events = read_events((root / "node/log_events.h").read_text(encoding="utf-8"))
    document = root / "docs/operations.md"
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
             for path in (root / "node").rglob("*.c")}
    problems, used = check_sources(files, events)
    if not events:
        problems.append("node/log_events.h: no events found")
    if arguments.unused:
        print(*(f"{event.module}.{event.name}" for event in events if (event.module, event.name) not in used), sep="\n")
    if arguments.write:
        return problems + write_document(document, events)
    return problems + check_document(document.read_text(encoding="utf-8"), events)


def main():
    arguments = parse_arguments()
    problems = self_test()
    if not arguments.self_test and not problems:
        problems = check_tree(arguments.root, arguments)
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
