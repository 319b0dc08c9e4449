#!/bin/sh
# The manual page of quoind is one that mandoc has nothing to say against, and it names every option of the help
# and every setting of the sample.
#
#   check_man.sh GENERATOR QUOIND
set -eu

generator=$1
quoind=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v mandoc >/dev/null || {
    echo "mandoc is not there: sh deploy/packages.sh test" >&2
    exit 1
}
"$generator" --man >"$work/quoind.8"
lint=$(mandoc -T lint -W warning "$work/quoind.8") || true
if [ -n "$lint" ]; then
    echo "$lint" >&2
    exit 1
fi
# Bold letters are written twice with a backspace between them.
mandoc -T utf8 "$work/quoind.8" | sed "s/.$(printf '\010')//g" >"$work/page"
for option in $("$quoind" --help | grep -o -- '--[a-z-]*[a-z]' | sort -u); do
    grep -q -- "$option" "$work/page" || { echo "the page lacks $option of the help" >&2; exit 1; }
done
for option in $(grep -o -- '^ *\(-., \)\?--[a-z-]*[a-z]' "$work/page" | grep -o -- '--[a-z-]*'); do
    "$quoind" --help | grep -q -- "$option" || { echo "the help lacks $option of the page" >&2; exit 1; }
done
settings=$("$quoind" --print-config 2>/dev/null | sed -n 's/^\([a-z_]*\.[a-z_]*\) = .*/\1/p')
[ -n "$settings" ] || { echo "no settings were printed" >&2; exit 1; }
for setting in $settings; do
    grep -q -- "$setting = " "$work/page" || { echo "the page lacks the setting $setting" >&2; exit 1; }
done
