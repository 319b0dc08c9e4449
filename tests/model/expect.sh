#!/bin/sh
# Run the model and compare what comes out of it.
#
#   expect.sh clean TEXT PROGRAM [argument...]     no violation, and TEXT in the answer
#   expect.sh caught TEXT PROGRAM [argument...]    a violation with TEXT in its first line
set -u

kind=$1
text=$2
shift 2
answer=$("$@" 2>&1)
code=$?
printf '%s\n%s\n' "$*" "$answer"

case $kind in
clean) wanted=0 ;;
caught) wanted=1 ;;
*) echo "expect.sh: clean or caught, not $kind" >&2; exit 2 ;;
esac

if [ $code -ne $wanted ]; then
    [ "$kind" = clean ] || echo "mutant NOT caught" >&2
    echo "expected exit code $wanted, got $code; to run it again: $*" >&2
    exit 1
fi
case $(printf '%s\n' "$answer" | head -n 1) in
*"$text"*) ;;
*)
    echo "expected \"$text\" in the first line; to run it again: $*" >&2
    exit 1
    ;;
esac
