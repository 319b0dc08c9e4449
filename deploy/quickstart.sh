#!/bin/sh
# From a fresh Debian 12 to a running node with real data in it, and proof that SIGKILL costs nothing.
#
#   sh deploy/quickstart.sh [--keep] [--dir DIR]
#
#   --keep      leave the node running at the end
#   --dir DIR   settings, data and log of the node go there (default: a new folder in /tmp)
#
# Installs what is missing from Debian (root or sudo is needed only then), builds into build/, starts a node,
# imports four open data sets, kills the node with SIGKILL, starts it again and compares every record. Each
# step shows the command that a person would type. Every step has a time limit; at the end, or when it is
# interrupted, the node that it started is gone (but for --keep).
set -eu

cd "$(dirname "$0")/.."

iso=/usr/share/iso-codes/json
unicode=/usr/share/unicode/UnicodeData.txt
unicode_fields=code_point,name,general_category,combining_class,bidi_class,decomposition,decimal_digit,digit
unicode_fields=$unicode_fields,numeric,mirrored,unicode_1_name,iso_comment,uppercase,lowercase,titlecase

keep=no
dir=
node_pid=
command_pid=
own_dir=no
finished=no

usage() {
    sed -n '4,7s/^# \{0,1\}//p' deploy/quickstart.sh >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=yes ;;
    --dir)
        [ $# -ge 2 ] || usage
        dir=$2
        shift
        ;;
    --dir=*) dir=${1#--dir=} ;;
    *) usage ;;
    esac
    shift
done

step() {
    printf '\n==> %s\n' "$*"
}

# One line for people; blanks and the like in quotes.
print_command() {
    printf '    $'
    for word in "$@"; do
        case $word in
        '&') printf ' &' ;;
        *[!A-Za-z0-9_./:=,%+@-]* | '') printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
}

# typed SECONDS COMMAND...: show the command, then run it for so long at most. In the background, since a
# shell takes a signal while it waits, but not while it runs a command.
typed() {
    seconds=$1
    shift
    print_command "$@"
    timeout "$seconds" "$@" &
    command_pid=$!
    code=0
    wait $command_pid || code=$?
    command_pid=
    [ $code = 0 ] || fail "this failed with code $code: $1 $2"
}

fail() {
    printf '\nquickstart: %s\n' "$1" >&2
    exit 1
}

# Has our node ended? One that has stays as a zombie until we ask for its code.
node_gone() {
    case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$node_pid/status" 2>/dev/null) in
    '' | Z) true ;;
    *) false ;;
    esac
}

# Wait up to 30 s for it to end.
node_await_end() {
    tries=300
    while ! node_gone && [ $tries -gt 0 ]; do
        sleep 0.1
        tries=$((tries - 1))
    done
    node_gone
}

clean_up() {
    code=$?
    trap - EXIT INT TERM HUP
    [ -z "$command_pid" ] || kill -TERM "$command_pid" 2>/dev/null || true
    if [ -n "$node_pid" ] && { [ $keep = no ] || [ $finished = no ]; }; then
        kill -TERM "$node_pid" 2>/dev/null || true
        node_await_end || kill -KILL "$node_pid" 2>/dev/null || true
        wait "$node_pid" 2>/dev/null || true
    fi
    if [ $code = 130 ] || { [ $finished = yes ] && [ $keep = no ]; }; then
        [ $own_dir = no ] || rm -rf "$dir"
    elif [ $finished = no ] && [ -f "$dir/quoind.log" ]; then
        printf '\nThe end of the log of the node (%s):\n' "$dir/quoind.log" >&2
        tail -n 20 "$dir/quoind.log" >&2
    fi
    exit $code
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# Does nobody listen on this TCP port? (State 0A is LISTEN.)
port_free() {
    hex=$(printf '%04X' "$1")
    ! grep -qsE "^ *[0-9]+: [0-9A-F]+:$hex [0-9A-F]+:[0-9A-F]+ 0A " /proc/net/tcp /proc/net/tcp6
}

# A block of ports that starts at 7100, or at 7300, 7500 ... when something listens there.
choose_ports() {
    port=7100
    while [ $port -lt 9100 ]; do
        if port_free $port && port_free $((port + 1)) && port_free $((port + 80)); then
            admin_port=$((port + 80))
            [ $port = 7100 ] || printf '    something listens on ports of 7100..7180: using %s and %s\n' "$port" "$admin_port"
            return
        fi
        port=$((port + 200))
    done
    fail "no free ports between 7100 and 9100: stop what listens there"
}

start_node() {
    print_command build/bin/quoind --config "$dir/quoin.cfg" "&"
    # A session of its own: with --keep it outlives this terminal.
    setsid build/bin/quoind --config "$dir/quoin.cfg" >>"$dir/quoind.log" 2>&1 </dev/null &
    node_pid=$!
    print_command build/bin/quoin ping --ready --wait 60s
    # The same in small steps, so that a node that has ended is noticed at once.
    tries=60
    while ! timeout 30 build/bin/quoin ping --ready --wait 1s 2>/dev/null; do
        ! node_gone || fail "the node has ended"
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail "the node was not ready within 60 s"
    done
}

# with_data_sets FUNCTION: for each data set, FUNCTION CACHE and how to import it.
with_data_sets() {
    "$1" languages "$iso/iso_639-3.json" --type Language --at 639-3 --key-field alpha_3
    "$1" countries "$iso/iso_3166-1.json" --type Country --at 3166-1 --key-field alpha_2
    "$1" subdivisions "$iso/iso_3166-2.json" --type Subdivision --at 3166-2 --key-field code
    "$1" characters "$unicode" --type Character --format csv --delimiter ';' --no-header \
        --fields "$unicode_fields" --key-field code_point
}

import_set() {
    cache=$1
    file=$2
    shift 2
    typed 300 build/bin/quoin import "$file" --cache "$cache" --types config/types.cfg "$@"
}

verify_set() {
    import_set "$@" --verify
}

count_set() {
    print_command build/bin/quoin count "$1" --fresh
    count=$(timeout 60 build/bin/quoin count "$1" --fresh) || fail "quoin count $1 failed"
    printf '%s\n' "$count"
    printf '%s %s\n' "$1" "$count" >>"$counts"
}

get_some() {
    typed 60 build/bin/quoin get languages deu --types config/types.cfg
    typed 60 build/bin/quoin get countries DE --types config/types.cfg
    typed 60 build/bin/quoin get subdivisions DE-BW --types config/types.cfg
    typed 60 build/bin/quoin get characters 00E9 --types config/types.cfg
}

step "Install what is missing from Debian"
print_command sh deploy/packages.sh build data
sh deploy/packages.sh build data

step "Build"
if [ ! -e build/CMakeCache.txt ] && command -v ninja >/dev/null 2>&1; then
    typed 300 cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
else
    typed 300 cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
fi
typed 1800 cmake --build build --parallel "$(nproc)" --target quoind quoin_cli

step "Write the settings of a node"
if [ -z "$dir" ]; then
    dir=$(mktemp -d /tmp/quoin-quickstart.XXXXXX)
    own_dir=yes
else
    mkdir -p "$dir"
    dir=$(cd "$dir" && pwd)
fi
choose_ports
export QUOIN_URI="quoin://127.0.0.1:$port"
counts=$dir/counts
: >"$counts"
cat >"$dir/quoin.cfg" <<SETTINGS
node = { data_dir = "$dir/data"; data_port = $port; shards = 2; };
admin = { port = $admin_port; };
caches = { names = [ "languages", "countries", "subdivisions", "characters" ]; };
SETTINGS
printf '    %s:\n' "$dir/quoin.cfg"
sed 's/^/        /' "$dir/quoin.cfg"
typed 60 build/bin/quoind --config "$dir/quoin.cfg" --check-config

step "Start the node and wait until it is ready"
printf '    $ export QUOIN_URI=%s\n' "$QUOIN_URI"
start_node

step "Import four data sets: languages, countries, their subdivisions, the characters of Unicode"
with_data_sets import_set

step "Count"
with_data_sets count_set
cp "$counts" "$counts.before"

step "Look at some records"
get_some

step "Kill the node with SIGKILL: no warning, no chance to save anything"
print_command kill -9 "$node_pid"
kill -KILL "$node_pid"
wait "$node_pid" 2>/dev/null || true
node_pid=

step "Start it again: it reads its log"
start_node

step "Count again"
: >"$counts"
with_data_sets count_set
cmp -s "$counts" "$counts.before" || fail "the counts differ from those before SIGKILL"
echo "    the same as before"

step "Compare every record of the four files with what is stored"
with_data_sets verify_set

step "How the grid is"
typed 60 build/bin/quoin status

if [ $keep = yes ]; then
    finished=yes
    step "Done. The node is still running (process $node_pid)."
    cat <<HINTS
    Use it:     export QUOIN_URI=$QUOIN_URI
                build/bin/quoin get languages deu --types config/types.cfg
                build/bin/quoin help
    Watch it:   http://127.0.0.1:$admin_port/readyz and /metrics; log: $dir/quoind.log
    Stop it:    kill $node_pid
    Start it:   build/bin/quoind --config $dir/quoin.cfg
    Forget it:  rm -r $dir
HINTS
    exit 0
fi

step "Stop the node with SIGTERM"
print_command kill "$node_pid"
kill -TERM "$node_pid"
node_await_end || fail "the node has not stopped within 30 s"
code=0
wait "$node_pid" || code=$?
node_pid=
[ $code = 0 ] || fail "the node ended with code $code instead of 0"
finished=yes

step "Done: every record survived. Again, and keep the node: sh deploy/quickstart.sh --keep"
