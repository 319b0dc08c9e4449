#!/usr/bin/env python3
"""The shell on a terminal, and scripts: what a person types and what comes of it."""

import contextlib
import os
import re
import signal
import stat
import sys
import time

import harness
from harness import expect

try:
    import pexpect
except ImportError:
    sys.exit("test_shell.py needs the package python3-pexpect: sh deploy/packages.sh test")

UP, TAB, CTRL_C, CTRL_D = "\x1b[A", "\t", "\x03", "\x04"
ANSWER_S = 60
# What moves the cursor and clears lines.
MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Shell:
    """`quoin` on a pseudo terminal of its own, with its own place for the history."""

    def __init__(self, work, uri, *arguments):
        environment = dict(os.environ, XDG_STATE_HOME=str(work.path / "state"), TERM="xterm", QUOIN_URI=uri)
        for name in ("QUOIN_CACHE", "QUOIN_TYPES"):
            environment.pop(name, None)
        self.child = pexpect.spawn(str(work.program("quoin")), list(arguments), env=environment, encoding="utf-8",
                                   timeout=ANSWER_S, dimensions=(40, 100), cwd=str(work.path))
        self.wait(r"quoin[ a-z]*> ")

    def wait(self, pattern):
        """Wait for output; what came before it, without what moves the cursor."""
        try:
            self.child.expect(pattern)
        except (pexpect.TIMEOUT, pexpect.EOF) as late:
            raise harness.Failure(f"waited for {pattern!r}, got {self.child.before!r}") from late
        return MOVES.sub("", self.child.before)

    def type(self, keys):
        self.child.send(keys)

    def run(self, line, prompt=r"quoin[ a-z]*> "):
        """Enter a line; what it printed up to the next prompt."""
        self.type(line + "\r")
        self.wait("\n")
        return self.wait(prompt)

    def expect_prompt(self, prompt):
        """The prompt is this one, now that the line is cleared."""
        self.type(CTRL_C)
        self.wait(r"\^C\r\n")
        self.wait(re.escape(prompt))

    def leave(self):
        self.type(CTRL_D)
        self.wait(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus

    def end(self):
        self.child.close(force=True)


@contextlib.contextmanager
def a_node(work):
    node = work.node(caches=["accounts", "languages"])
    node.start()
    yield node


@contextlib.contextmanager
def a_shell(work, uri, *arguments):
    shell = Shell(work, uri, *arguments)
    try:
        yield shell
    finally:
        shell.end()


def expect_part(part, whole, what):
    expect(part in whole, f"{what}: expected {part!r} in {whole!r}")


def the_prompt_shows_the_current_cache(work):
    """With a current cache the argument CACHE is left out, and the prompt says which it is."""
    with a_node(work) as node, a_shell(work, node.uri) as shell:
        expect_part("stored", shell.run("put accounts alice 100"), "put")
        shell.run("use accounts", "quoin accounts> ")
        expect_part("100\n", shell.run("get alice"), "get in the current cache")
        expect_part("no entry", shell.run("get alice -c languages"), "get in another cache")
        expect_part("one argument too many", shell.run("get accounts alice"), "a cache too many")
        expect_part("there is no cache", shell.run("use nowhere", "quoin accounts> "), "use of an unknown cache")
        shell.run("use", "quoin> ")
        expect_part("an argument is missing", shell.run("get alice"), "get without a cache")
        expect(shell.leave() == 0, "Ctrl-D must end the shell with 0")


def a_command_may_take_several_lines(work):
    """Quotes and backslashes carry a command over the end of a line."""
    with a_node(work) as node, a_shell(work, node.uri, "--cache", "accounts") as shell:
        shell.run("put text 'one", r"\.\.\.> ")
        expect_part("stored", shell.run("two'"), "the second line")
        expect_part("one\ntwo\n", shell.run("get text"), "a value of two lines")
        shell.run("get \\", r"\.\.\.> ")
        expect_part("one\ntwo\n", shell.run("text # with a comment"), "a line that goes on")
        shell.run("put text 'never", r"\.\.\.> ")
        shell.expect_prompt("quoin accounts> ")
        expect_part("one\ntwo\n", shell.run("get text"), "what Ctrl-C has thrown away")


def the_history_is_recalled(work):
    """Lines are recalled, in a later session, too; their file is for its owner only."""
    with a_node(work) as node:
        with a_shell(work, node.uri) as shell:
            shell.run("put accounts alice 100")
            shell.run("get accounts alice")
            shell.type(UP)
            expect_part("100\n", shell.run(""), "the line before")
            shell.type(UP + UP)
            expect_part("stored", shell.run(""), "the line before that")
            shell.run("exit", pexpect.EOF)
        history = work.path / "state" / "quoin" / "history"
        mode = stat.S_IMODE(history.stat().st_mode)
        expect(mode == 0o600, f"the history has mode {mode:o}")
        with a_shell(work, node.uri) as shell:
            expect_part("get accounts alice\n", shell.run("history"), "history")
            shell.type(UP * 4)  # history, exit, put, get
            expect_part("100\n", shell.run(""), "a line of the session before")


def tab_completes(work):
    """Commands, options, files, and the names of caches, which the node is asked for."""
    with a_node(work) as node, a_shell(work, node.uri) as shell:
        shell.run("put accounts alice 100")
        shell.type("get" + TAB + "acc" + TAB)
        expect_part("100\n", shell.run("alice"), "command and cache")
        shell.type("get accounts alice --js" + TAB)
        expect_part('"value":"100"', shell.run(""), "option")
        shell.type("get " + TAB + TAB)
        shell.wait("accounts +languages")
        shell.expect_prompt("quoin> ")
        (work.path / "nightly run.quoin").write_text("get accounts alice\n")
        shell.type("run night" + TAB)
        expect_part("100\n", shell.run(""), "a file with a blank in its name")
        shell.type("xyzzy" + TAB)
        shell.expect_prompt("quoin> ")


def ctrl_c_ends_what_runs_and_not_the_shell(work):
    """A line, a call that waits for a node that is not there, a watch: the shell outlives them."""
    with a_node(work) as node, a_shell(work, node.uri, "--cache", "accounts") as shell:
        shell.run("put alice 100")
        shell.type("get nonsen")
        shell.expect_prompt("quoin accounts> ")
        nowhere = f"quoin://127.0.0.1:{harness.free_ports(1)}"
        started = time.monotonic()
        shell.type(f"get alice --timeout 1h --uri {nowhere}\r")
        shell.wait("\n")
        shell.type(CTRL_C)
        shell.wait("interrupted")
        shell.wait("quoin accounts> ")
        expect(time.monotonic() - started < ANSWER_S, "the call went on after Ctrl-C")
        expect_part("100\n", shell.run("get alice"), "get after an interrupted call")
        shell.type("get alice --watch=200ms\r")
        shell.wait("Ctrl-C ends")
        shell.wait("100")
        shell.wait("100")
        shell.type(CTRL_C)
        shell.wait("quoin accounts> ")
        expect_part("100\n", shell.run("get alice"), "get after a watch")
        expect(shell.leave() == 0, "Ctrl-D must end the shell with 0")


def what_destroys_asks(work):
    """At a terminal the question names what would be lost; without one there is only --yes."""
    with a_node(work) as node, a_shell(work, node.uri) as shell:
        shell.run("put accounts alice 100")
        shell.type("drop accounts\r")
        shell.wait(r"the cache accounts with its [0-9,]+ entr.*Go on\?")
        expect_part("nothing was done", shell.run("no"), "drop")
        shell.type("clear accounts\r")
        shell.wait(r"Go on\?")
        shell.type(CTRL_C)
        shell.wait("quoin> ")
        expect_part("100\n", shell.run("get accounts alice"), "what was not dropped")
        result = node.quoin("drop", "accounts", code=2)
        expect_part("--yes", result.stderr, "drop without a terminal")
        expect_part("100\n", shell.run("get accounts alice"), "what was not dropped")


def an_unknown_outcome_is_settled(work):
    """A put without an answer says by which name it can be asked for; `outcome` then tells what became of it."""
    with a_node(work) as node, a_shell(work, node.uri, "--timeout", "3s") as shell:
        shell.run("put accounts alice 100")
        node.process.send_signal(signal.SIGSTOP)
        said = shell.run("put accounts alice 200")
        node.process.send_signal(signal.SIGCONT)
        found = re.search(r"quoin (outcome \S+)", said)
        expect(found, f"no way to settle it: {said!r}")
        expect(said.count(found[1]) == 1, f"said twice: {said!r}")
        settled = shell.run(found[1])
        value = shell.run("get accounts alice")
        expected = "100" if "not applied" in settled else "200"
        expect("applied" in settled and expected in value, f"{settled!r}, but the value is {value!r}")


def an_interrupted_script_says_what_is_done(work):
    """Ctrl-C in `quoin run` ends it with 130, between commands and in one that waits, and says how far it has got."""
    with a_node(work) as node:
        script = work.path / "long.quoin"
        script.write_text("use accounts\n" + "".join(f"put k{number} {number}\n" for number in range(200000)))
        child = work.spawn([work.program("quoin"), "--uri", node.uri, "run", script], stdout=-1, stderr=-1, text=True)
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        said, errors = child.communicate(timeout=harness.CALL_S)
        found = re.search(r"long.quoin:(\d+): interrupted; (\d+) commands are done", errors)
        expect(child.returncode == 130 and found, f"ended with {child.returncode}: {errors}")
        stored = int(node.quoin("count", "accounts", "--fresh").stdout)
        done = said.count("stored") + 1  # the line read first
        expect(done == int(found[2]) - 1 and stored in (done, done + 1), f"{stored} stored, {done} said: {errors}")

        script.write_text("version\nput accounts a 1\nput accounts b 2\n")
        node.process.send_signal(signal.SIGSTOP)
        child = work.spawn([work.program("quoin"), "--uri", node.uri, "run", script], stdout=-1, stderr=-1, text=True)
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        said, errors = child.communicate(timeout=harness.CALL_S)
        node.process.send_signal(signal.SIGCONT)
        expect(child.returncode == 130, f"ended with {child.returncode}: {errors}")
        expect(re.search(r"long.quoin:[12]: interrupted; 1 command is done", errors), f"a script that waits: {errors}")


def timing_tells_the_time(work):
    """`timing on` says after each command how long it took."""
    with a_node(work) as node, a_shell(work, node.uri) as shell:
        shell.run("timing on")
        expect(re.search(r"\([0-9.]+ [num]?s\)", shell.run("ping")), "no time after the command")
        shell.run("timing off")
        expect(not re.search(r"\([0-9.]+ [num]?s\)\n", shell.run("version")), "a time after the command")


def run_script(work, node, text, *options, code):
    script = work.path / "s.quoin"
    script.write_text(text)
    return node.quoin("run", script, *options, code=code)


def scripts_end_with_the_code_of_the_failure(work):
    """A script ends at the first failure, with its code, file and line; --keep-going goes on."""
    with a_node(work) as node:
        good = "# comment\nuse accounts\nput alice 'one \\\ntwo'\nget alice --raw\n? get nobody\n"
        result = run_script(work, node, good, code=0)
        expect(result.stdout.endswith("one \\\ntwo"), f"printed {result.stdout!r}")
        result = run_script(work, node, good + "get nobody\nget alice\n", code=1)
        expect_part("s.quoin:7: exit code 1", result.stderr, "file and line")
        expect(result.stdout.endswith("one \\\ntwo"), f"went on: {result.stdout!r}")
        result = run_script(work, node, "get accounts alice --int\nget accounts alice\n", "--keep-going", code=2)
        expect_part("one", result.stdout, "what came after the failure")
        run_script(work, node, "put accounts a 'b\n", code=2)
        run_script(work, node, "get accounts alice\n", "--uri",
                   f"quoin://127.0.0.1:{harness.free_ports(1)}/?timeout=300ms", code=3)
        run_script(work, node, f"run {work.path}/s.quoin\n", code=5)


def a_script_may_come_from_stdin(work):
    """`quoin run -`, and `quoin` alone where stdin is no terminal."""
    with a_node(work) as node:
        node.quoin("put", "accounts", "alice", "100")
        script = work.path / "s.quoin"
        script.write_text("get alice\nget nobody\n")
        for words in (["run", "-"], []):
            with open(script, encoding="utf-8") as commands:
                child = work.spawn([work.program("quoin"), "--uri", node.uri, "-c", "accounts", *words],
                                   stdin=commands, stdout=-1, stderr=-1)
                out, complaints = child.communicate(timeout=harness.CALL_S)
            expect(child.returncode == 1, f"ended with {child.returncode}")
            expect(out == b"100\n", f"printed {out!r}")
            expect_part("stdin:2: exit code 1", complaints.decode(), "file and line")


def the_cache_is_named_the_same_way_everywhere(work):
    """--cache and QUOIN_CACHE do on the command line what `use` does in the shell."""
    with a_node(work) as node:
        node.quoin("put", "accounts", "alice", "100")
        expect(node.quoin("-c", "accounts", "get", "alice").stdout == "100\n", "-c before the command")
        expect(node.quoin("get", "alice", "--cache=accounts").stdout == "100\n", "--cache behind it")
        environment = dict(os.environ, QUOIN_CACHE="accounts", QUOIN_URI=node.uri)
        result = work.run([work.program("quoin"), "get", "alice"], env=environment)
        expect(result.stdout == "100\n", f"QUOIN_CACHE: {result}")
        result = work.run([work.program("quoin"), "get", "accounts", "alice"], env=environment)
        expect(result.returncode == 2, f"a cache too many: {result}")


if __name__ == "__main__":
    sys.exit(harness.run_tests(
        [the_prompt_shows_the_current_cache, a_command_may_take_several_lines, the_history_is_recalled,
         tab_completes, ctrl_c_ends_what_runs_and_not_the_shell, what_destroys_asks, an_unknown_outcome_is_settled,
         an_interrupted_script_says_what_is_done, timing_tells_the_time,
         scripts_end_with_the_code_of_the_failure, a_script_may_come_from_stdin,
         the_cache_is_named_the_same_way_everywhere],
        harness.parser(__doc__).parse_args()))
