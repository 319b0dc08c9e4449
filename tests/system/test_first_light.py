#!/usr/bin/env python3
"""Four real files are imported whole, and every field of every record survives SIGKILL."""

import sys

import harness
from harness import expect


def import_all(node, sets):
    for one in sets:
        node.quoin(*one.import_command())


def verify_all(node, sets, when):
    for one in sets:
        count = node.count(one.cache)
        expect(count == one.records, f"{one.cache}, {when}: {count} entries for {one.records} records")
        node.quoin(*one.import_command("--verify"))


def every_record_survives_sigkill(work):
    """What was acknowledged is there, field by field, after the process was killed."""
    sets = harness.data_sets()
    node = work.node(caches=[one.cache for one in sets])
    node.start()
    import_all(node, sets)
    verify_all(node, sets, "before SIGKILL")
    node.kill()
    node.start()
    verify_all(node, sets, "after SIGKILL")
    expect(node.stop() == 0, "SIGTERM must end the node with code 0")
    node.start()
    verify_all(node, sets, "after a clean stop")


def a_second_import_changes_nothing(work):
    """Importing a file again leaves one entry per record."""
    languages = harness.iso_set("languages", "639-3", "Language", "alpha_3")
    node = work.node(caches=["languages"])
    node.start()
    import_all(node, [languages, languages])
    verify_all(node, [languages], "after the second import")


def verify_finds_a_difference(work):
    """--verify is no formality: a changed, a missing and an additional field are found."""
    countries = harness.iso_set("countries", "3166-1", "Country", "alpha_2")
    node = work.node(caches=["countries"])
    node.start()
    import_all(node, [countries])
    types = ["--types", harness.ROOT / "config" / "types.cfg", "--type", "Country"]
    verify = countries.import_command("--verify")

    node.quoin("put", "countries", "DE", '{"alpha_2":"DE","name":"Elsewhere"}', *types)
    result = node.quoin(*verify, code=None)
    expect(result.returncode != 0, f"a changed record went unnoticed\n{result.stdout}{result.stderr}")
    import_all(node, [countries])
    node.quoin(*verify)
    node.quoin("remove", "countries", "DE")
    result = node.quoin(*verify, code=None)
    expect(result.returncode != 0, f"a missing record went unnoticed\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    sys.exit(harness.run_tests(
        [every_record_survives_sigkill, a_second_import_changes_nothing, verify_finds_a_difference],
        harness.parser(__doc__).parse_args()))
