#!/bin/sh
# Run the model and compare what comes out of it.
#
#   expect.sh clean TEXT PROGRAM [argument...]       no violation
#   expect.sh caught TEXT PROGRAM [argument...]      a violation
#   expect.sh usage TEXT PROGRAM [argument...]       arguments that it refuses
#   expect.sh given-up TEXT PROGRAM [argument...]    a limit before the end
#
# TEXT must be in the first line of the answer.
set -u

kind=$1
text=$2
shift 2
answer=$("$@" 2>&1)
code=$?

# As it can be given to a shell: texts of steps have spaces and braces.
command=
for word in "$@"; do
    case $word in
    *[!A-Za-z0-9/._=-]*) word="'$word'" ;;
    esac
    command="$command $word"
done
printf '%s\n%s\n' "$command" "$answer"

case $kind in
clean) wanted=0 ;;
caught) wanted=1 ;;
usage) wanted=2 ;;
given-up) wanted=3 ;;
*)
    sed -n '4,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

if [ $code -ne $wanted ]; then
    [ "$kind" != caught ] || echo "mutant NOT caught" >&2
    echo "expected exit code $wanted, got $code; to run it again:$command" >&2
    exit 1
fi
case $(printf '%s\n' "$answer" | head -n 1) in
*"$text"*) ;;
*)
    echo "expected \"$text\" in the first line; to run it again:$command" >&2
    exit 1
    ;;
esac
