#!/bin/sh
# What is written from the command table is right: docs/cli.md in the tree is the one that the generator
# writes, mandoc has nothing to say against the manual pages, and bash reads its completion file.
#
#   check_docs.sh GENERATOR SOURCE-FOLDER
set -eu

generator=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$generator" "$work"
if ! cmp "$work/cli.md" "$source/docs/cli.md"; then
    echo "docs/cli.md is not what the command table says; write it anew:" >&2
    echo "  quoin-gen-docs --cli-md > docs/cli.md" >&2
    exit 1
fi

command -v mandoc >/dev/null || {
    echo "mandoc is not there: sh deploy/packages.sh test" >&2
    exit 1
}
lint=$(mandoc -T lint -W warning "$work"/man/*.1) || true
if [ -n "$lint" ]; then
    echo "$lint" >&2
    exit 1
fi
for name in $("$generator" --names); do
    [ -s "$work/man/$name" ] || { echo "$name is missing" >&2; exit 1; }
done

bash -n "$work/completion/quoin.bash"
# shellcheck disable=SC2016 # the inner shell expands it
offered=$(bash -c '. "$1"; COMP_WORDS=(quoin log set log w); COMP_CWORD=4; _quoin; echo "${COMPREPLY[*]}"' \
    bash "$work/completion/quoin.bash")
[ "$offered" = warn ] || { echo "bash completes 'quoin log set log w' with '$offered'" >&2; exit 1; }
