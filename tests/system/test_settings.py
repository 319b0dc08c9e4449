#!/usr/bin/env python3
"""What a node says about its settings, and in which form."""

import json
import os
import signal
import sys

import harness
from harness import expect, expect_in


def json_lines(node):
    """Every line of the node's output, each of which must be a JSON object."""
    lines = node.log_text().splitlines()
    for line in lines:
        expect(line.startswith("{"), f"a line that is no JSON: {line}")
    return [json.loads(line) for line in lines]


def events(node, name):
    return [line for line in json_lines(node) if line["event"] == name]


def reload(node, event, count):
    node.process.send_signal(signal.SIGHUP)
    harness.wait_until(lambda: len(events(node, event)) == count, harness.START_S, f"{count} events {event}")


def settings_read_again_are_lines_of_the_log(work):
    """With logging.format json everything that SIGHUP has to say is JSON: mistakes, and what needs a restart."""
    node = work.node(settings='logging = { format = "json"; };')
    node.start()
    right = node.config.read_text()
    node.config.write_text(right.replace("shards = 2", "shards = 1"))
    reload(node, "reloaded", 1)
    expect(any("node.shards" in line["text"] for line in events(node, "setting")), "no word of the shards")
    node.config.write_text(right.replace('"json"', '"jsno"') + "noed = { };\n")
    reload(node, "reload_refused", 1)
    texts = [line["text"] for line in events(node, "setting")]
    expect(any("jsno" in text for text in texts) and any("noed" in text for text in texts), f"{texts}")
    node.config.write_text(right.replace('"json"; ', '"json"; levels = [ "lgo=debug" ]; '))
    reload(node, "reload_refused", 2)
    expect(any("lgo" in line["text"] for line in events(node, "setting")), "no word of the module")
    node.config.write_text(right)
    reload(node, "reloaded", 2)
    expect(node.stop() == 0, "the node goes on, and stops")
    json_lines(node)


def environment(**more):
    """That of this process without what the grid reads of it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("QUOIN_")} | more


def without_settings_it_says_what_it_does(work):
    """Started with nothing at all it runs, and tells where the data go and that each setting has its default."""
    child = work.spawn([work.program("quoind")], cwd=work.path, stdout=-1, stderr=-2, text=True,
                       env=environment())
    said = ""
    for line in child.stdout:
        said += line
        if "serving" in line or "failed" in line:
            break
    child.send_signal(signal.SIGTERM)
    expect_in(f'data_dir={work.path}/data', said.replace('"', ""), "where the data go")
    expect_in("no settings were given", said, "that nothing was given")
    child.communicate(timeout=harness.STOP_S)


def a_misspelt_variable_is_noted(work):
    """A variable of the environment that nobody reads, but is near to one, is named at start and by --check-config."""
    node = work.node()
    result = work.run([work.program("quoind"), "--config", node.config, "--check-config"],
                      env=environment(QUOIN_NODE_SHARDS="1", QUOIN_LOGING__LEVEL="debug", QUOIN_URI="quoin://x"))
    expect(result.returncode == 0, f"a note is no mistake: {result.stderr}")
    expect_in("QUOIN_NODE_SHARDS is not read: did you mean QUOIN_NODE__SHARDS?", result.stderr, "one underscore")
    expect_in("did you mean QUOIN_LOGGING__LEVEL?", result.stderr, "a misspelt section")
    expect("QUOIN_URI" not in result.stderr, f"a client's variable: {result.stderr}")
    expect_in(str(node.data_dir), result.stdout, "where the data go")


if __name__ == "__main__":
    sys.exit(harness.run_tests(
        [settings_read_again_are_lines_of_the_log, without_settings_it_says_what_it_does, a_misspelt_variable_is_noted],
        harness.parser(__doc__).parse_args()))
