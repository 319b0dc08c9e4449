#!/bin/sh
# Build everything and run every test.
#
#   sh tests/run.sh           all of it; about a quarter of an hour on two cores
#   sh tests/run.sh --quick   the release build and its tests only
#
# Installs from Debian what is missing. The first failure ends it with a code other than 0; the last thing
# printed is ctest's summary. Order: the checks that find most come early, the tests with real processes of
# the release build last.
set -eu

cd "$(dirname "$0")/.."

usage() {
    sed -n '2,5s/^# \{0,1\}//p' tests/run.sh >&2
    exit 2
}

quick=no
for argument in "$@"; do
    case $argument in
    --quick) quick=yes ;;
    *) usage ;;
    esac
done

jobs=$(nproc)
fuzz_seconds=${QUOIN_FUZZ_SECONDS:-10}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

heading() {
    printf '\n==== %s (after %s s)\n' "$1" "$(($(date +%s) - started_s))"
}

# configure FOLDER [CMake options]: a folder keeps the generator that it was made with.
configure() {
    folder=$1
    shift
    if [ ! -e "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then
        set -- -G Ninja "$@"
    fi
    cmake -S . -B "$folder" -DQUOIN_WERROR=ON "$@" >"$scratch/configure" 2>&1 || {
        cat "$scratch/configure"
        return 1
    }
}

# build FOLDER [TARGET...]
build() {
    folder=$1
    shift
    [ $# -eq 0 ] || set -- --target "$@"
    # Some of what is built runs during the build.
    $run_as cmake --build "$folder" --parallel "$jobs" "$@"
}

# run_tests FOLDER [ctest options]
run_tests() {
    folder=$1
    shift
    $run_as ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$jobs" "$@"
}

# Can a program with these sanitizers run here at all?
probe() {
    echo 'int main(void) { return 0; }' >"$scratch/probe.c"
    gcc "-fsanitize=$1" "$scratch/probe.c" -o "$scratch/probe"
    # The addresses are drawn anew each time, so once is not enough.
    for _ in 1 2 3 4 5 6 7 8; do
        $2 "$scratch/probe" >/dev/null 2>&1 || return 1
    done
}

# The thread sanitizer of gcc 12 does not know where newer kernels put things when their addresses are drawn
# from a wider range ("unexpected memory mapping"). Without that randomness it works.
prepare_thread_sanitizer() {
    run_as=
    probe thread "" && return
    run_as="setarch $(uname -m) -R"
    if probe thread "$run_as"; then
        echo "the thread sanitizer runs without address randomization here (setarch -R)"
        return
    fi
    echo "The thread sanitizer cannot run here, with or without 'setarch -R'." >&2
    echo "Lower vm.mmap_rnd_bits to 28, or allow the personality call in this container." >&2
    exit 1
}

# The leak check needs ptrace, which some containers forbid; the rest of the address sanitizer does not.
prepare_address_sanitizer() {
    probe address "" && return
    if ASAN_OPTIONS=detect_leaks=0 probe address ""; then
        echo "NOTICE: leaks are not checked here: this container forbids ptrace"
        export ASAN_OPTIONS=detect_leaks=0
        return
    fi
    echo "The address sanitizer cannot run here." >&2
    exit 1
}

check_format() {
    # shellcheck disable=SC2046 # no name has a space
    clang-format --dry-run -Werror $(find wire grid config node client tests -name '*.[ch]')
}

started_s=$(date +%s)
run_as=

heading "packages"
if [ $quick = yes ]; then
    sh deploy/packages.sh build data
else
    sh deploy/packages.sh build data test bench
fi

if [ $quick = no ]; then
    heading "format: clang-format 14"
    check_format

    heading "clang: build-clang, unit tests"
    configure build-clang -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang
    build build-clang
    run_tests build-clang --label-regex unit

    heading "address and undefined behaviour sanitizers: build-asan, all tests, real processes in few rounds"
    prepare_address_sanitizer
    configure build-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DQUOIN_SANITIZE=address,undefined
    build build-asan
    run_tests build-asan

    heading "thread sanitizer: build-tsan, unit tests, a node under load"
    prepare_thread_sanitizer
    configure build-tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DQUOIN_SANITIZE=thread
    build build-tsan
    run_tests build-tsan
    run_as=

    heading "fuzzers: build-fuzz, $fuzz_seconds s each"
    configure build-fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DQUOIN_FUZZ=ON \
        -DQUOIN_SANITIZE=address,undefined "-DQUOIN_FUZZ_SECONDS=$fuzz_seconds"
    # shellcheck disable=SC2046 # words are wanted
    build build-fuzz $(basename -s .c tests/fuzz/fuzz_*.c)
    run_tests build-fuzz --label-regex fuzz
fi

heading "release: build, all tests, real processes last"
configure build -DCMAKE_BUILD_TYPE=Release
build build
run_tests build
