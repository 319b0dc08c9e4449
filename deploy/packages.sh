#!/bin/sh
# Install what is missing of the Debian 12 packages that Quoin needs.
#
#   sh deploy/packages.sh build     to build it
#   sh deploy/packages.sh data      the open data sets that the quickstart and the tests load
#   sh deploy/packages.sh test      to test it with everything that tests/run.sh does
#   sh deploy/packages.sh bench     the peers that tests/bench/bench_pof measures beside us
#   sh deploy/packages.sh run       to run what was built elsewhere
#   sh deploy/packages.sh --list WHAT...   print the names and install nothing
#
# Several words may stand together. Where nothing is missing, nothing is asked of anybody: no root, no
# network. This file is the one place where packages are listed.
set -eu

packages_of() {
    case $1 in
    build)
        echo gcc libc6-dev cmake ninja-build pkg-config python3
        echo libzmq3-dev libprotobuf-c-dev protobuf-c-compiler libconfig-dev
        echo libxxhash-dev libisal-dev libmicrohttpd-dev libjansson-dev libcmocka-dev
        echo liblz4-dev libedit-dev libexpat1-dev
        ;;
    data) echo iso-codes unicode-data ;;
    test)
        echo clang libclang-rt-14-dev llvm clang-format g++ libuv1-dev libevent-dev
        echo prometheus mandoc tmux python3-pexpect
        ;;
    bench) echo libmsgpack-dev libnanopb-dev nanopb zlib1g-dev ;;
    run)
        echo libzmq5 libprotobuf-c1 libconfig9 libisal2 libmicrohttpd12 libjansson4
        echo liblz4-1 libedit2 libexpat1
        ;;
    *)
        echo "packages.sh: \"$1\" is not one of build, data, test, bench, run" >&2
        exit 2
        ;;
    esac
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

cannot() {
    echo "packages.sh: $1" >&2
    echo "packages.sh: please install these and start again:$missing" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@" || cannot "sudo refused"
    else
        cannot "to install packages one must be root, or have sudo"
    fi
}

list_only=no
if [ "${1-}" = --list ]; then
    list_only=yes
    shift
fi
[ $# -gt 0 ] || set -- build
wanted=
for what in "$@"; do
    names=$(packages_of "$what")
    wanted="$wanted $(echo "$names" | tr '\n' ' ')"
done
if [ $list_only = yes ]; then
    # shellcheck disable=SC2086 # words are wanted
    printf '%s\n' $wanted
    exit 0
fi

missing=
if command -v dpkg-query >/dev/null 2>&1; then
    for name in $wanted; do
        is_installed "$name" || missing="$missing $name"
    done
else
    missing=$wanted
fi
[ -n "$missing" ] || exit 0

echo "Missing packages:$missing"
command -v apt-get >/dev/null 2>&1 || cannot "this is not a Debian system: apt-get is not there"
echo "Installing them with apt-get; this may take a few minutes."
as_root apt-get -qq update || cannot "apt-get update failed"
# shellcheck disable=SC2086 # words are wanted
as_root apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 install $missing >/dev/null ||
    cannot "apt-get install failed"
