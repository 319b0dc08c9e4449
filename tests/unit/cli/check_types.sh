#!/bin/sh
# The commands for types files as a person meets them: exit codes, files written, what they print.
#
#   check_types.sh QUOIN TYPES-FILE
set -eu

quoin=$1
types=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset QUOIN_TYPES QUOIN_URI QUOIN_CACHE 2>/dev/null || true

fail() {
    echo "check_types.sh: $1" >&2
    exit 1
}

# expect CODE COMMAND...: it exits with this code; what it prints is in $work/out.
expect() {
    wanted=$1
    shift
    code=0
    "$quoin" "$@" >"$work/out" 2>&1 || code=$?
    [ "$code" = "$wanted" ] || { cat "$work/out" >&2; fail "quoin $*: exit code $code, not $wanted"; }
}

says() {
    grep -q -- "$1" "$work/out" || { cat "$work/out" >&2; fail "it does not say: $1"; }
}

# Generated files are written over, others are not.
expect 0 generate "$types" --out "$work"
expect 0 generate "$types" --out "$work"
[ -s "$work/everything.h" ] && [ -s "$work/everything.c" ] || fail "two files were to be written"
cp "$work/everything.c" "$work/first"
expect 0 generate "$types" --out "$work"
cmp "$work/everything.c" "$work/first" || fail "the second time it wrote something else"
echo 'int mine;' >"$work/everything.h"
expect 5 generate "$types" --out "$work"
says 'was not generated'
grep -q 'int mine' "$work/everything.h" || fail "it wrote over a file that it had not written"
expect 2 generate "$types" --out "$work" --prefix 'Not Good'
expect 5 generate "$types" --out "$work/none"
expect 2 generate "$work/none.cfg"
says 'none.cfg'

# Compatible is 0, not compatible 1, a mistake 2.
sed 's/index = 30; name = "nothing"/index = 30; name = "void"/' "$types" >"$work/renamed.cfg"
sed 's/name = "i16"; type = "int16"/name = "i16"; type = "int32"/' "$types" >"$work/wider.cfg"
grep -v '"sparse<int32>"' "$types" >"$work/removed.cfg"
expect 0 types check "$types" "$types"
says '^compatible'
expect 0 types check "$types" "$work/renamed.cfg"
says '^ok: Everything.void: was called nothing'
expect 0 types check "$types" "$work/wider.cfg"
expect 1 types check "$types" "$work/removed.cfg"
says '^BREAKS both: Everything.holes: is gone'
says '^not compatible: 1 change above breaks something'
expect 1 types check "$types" "$work/removed.cfg" --json
says '"compatible":false'
expect 2 types check "$types" "$work/none.cfg"
expect 2 types check "$types"

# Oracle's form.
cat >"$work/pof-config.xml" <<'XML'
<pof-config><user-type-list>
  <include>coherence-pof-config.xml</include>
  <user-type><type-id>1000</type-id><class-name>com.example.Car</class-name></user-type>
</user-type-list></pof-config>
XML
"$quoin" types import "$work/pof-config.xml" >"$work/imported.cfg" 2>"$work/out"
says 'coherence-pof-config.xml is not there'
expect 0 types check "$work/imported.cfg" "$work/imported.cfg"
grep -q 'class = "com.example.Car"' "$work/imported.cfg" || fail "the class is not there"
expect 2 types import "$types"
says 'this is not XML'
