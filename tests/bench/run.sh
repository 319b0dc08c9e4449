#!/bin/sh
# Compare a node with what libzmq alone can carry, on this machine, now. See README.md.
#
#   tests/bench/run.sh                    some minutes
#   tests/bench/run.sh --quick            half a minute, to see that it works
#   tests/bench/run.sh --json result.json --build build
set -eu

here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/compare.py" "$@"
