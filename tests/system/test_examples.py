#!/usr/bin/env python3
"""The examples run against a real node, and a program outside of the project can use the library."""

import os
import subprocess
import sys

import harness
from harness import expect, expect_in

EXAMPLES = ["first", "batch_load", "async_poll", "async_epoll", "compare_and_set", "scan", "uncertain_write",
            "objects"]
# Built only where their libraries or a C++ compiler are.
OPTIONAL = ["async_uv", "async_event", "tour"]


def examples(work):
    """Those that were built."""
    return EXAMPLES + [name for name in OPTIONAL if (work.build / "tests" / "examples" / name).exists()]


def started(work):
    node = work.node(create=True)
    node.start()
    return node


def every_example_ends_well(work):
    """Each example does what it says and ends with code 0."""
    node = started(work)
    for name in examples(work):
        result = work.run([work.build / "tests" / "examples" / name, node.uri])
        expect(result.returncode == 0, f"{name}: code {result.returncode}\n{result.stdout}{result.stderr}")
        expect(result.stdout != "", f"{name} says nothing")


def every_example_explains_its_failure(work):
    """Without a node each example ends by its deadline, with a code other than 0 and a reason."""
    node = work.node()
    for name in examples(work):
        result = work.run([work.build / "tests" / "examples" / name, f"{node.uri}/?timeout=500ms"], timeout=60)
        expect(result.returncode > 0, f"{name}: code {result.returncode} without a node\n{result.stdout}")
        expect_in(str(node.port), result.stderr, name)


def the_installed_library_is_enough(work):
    """Headers, libquoin and quoin.pc, as installed, build programs; nothing but qn_* and pof_* is exported."""
    prefix = work.path / "installed"
    result = work.run(["cmake", "--install", work.build, "--prefix", prefix])
    expect(result.returncode == 0, f"cmake --install: {result.stdout}{result.stderr}")
    library = next(prefix.glob("**/libquoin.so"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library.parent / "pkgconfig"),
                   "LD_LIBRARY_PATH": str(library.parent)}
    flags = subprocess.run(["pkg-config", "--define-prefix", "--cflags", "--libs", "quoin"], env=environment,
                           capture_output=True, text=True, check=True).stdout.split()
    source = harness.ROOT / "tests" / "examples" / "first.c"
    result = work.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", "first", *flags])
    expect(result.returncode == 0, f"cc: {result.stderr}")
    node = started(work)
    result = work.run([work.path / "first", node.uri], env=environment)
    expect(result.returncode == 0 and "alice has 100" in result.stdout, f"first: {result.stdout}{result.stderr}")

    garage = harness.ROOT / "tests" / "examples" / "garage.cfg"
    result = work.run([work.build / "bin" / "quoin", "generate", garage, "--out", work.path])
    expect(result.returncode == 0, f"quoin generate: {result.stderr}")
    result = work.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", work.path,
                       harness.ROOT / "tests" / "examples" / "objects.c", work.path / "garage.c", "-o", "objects", *flags])
    expect(result.returncode == 0, f"cc: {result.stderr}")
    result = work.run([work.path / "objects", node.uri], env=environment)
    expect(result.returncode == 0 and "owned by Ada, 36" in result.stdout, f"objects: {result.stdout}{result.stderr}")

    symbols = work.run(["nm", "-D", "--defined-only", library]).stdout.splitlines()
    foreign = [line for line in symbols if not line.split()[-1].split("@")[0].startswith(("qn_", "pof_", "QUOIN"))]
    expect(symbols and not foreign, f"exported, but not ours to export: {foreign[:10]}")


if __name__ == "__main__":
    parser = harness.parser(__doc__)
    parser.add_argument("--sanitized", action="store_true", help="the build is not fit to be installed")
    arguments = parser.parse_args()
    tests = [every_example_ends_well, every_example_explains_its_failure]
    if not arguments.sanitized:
        tests.append(the_installed_library_is_enough)
    sys.exit(harness.run_tests(tests, arguments))
