#!/bin/sh
# make soak: everything at once for SOAK seconds (1800): clients, builds, batches and a pool
# within a pool; resizes; kills, stops and ends of any of them, and of the dispensers. Two
# pools: "cpu", whose dispenser is killed too, and "steady", whose dispenser lives on, to see
# whether it grows.
#
# Prints a line each ten seconds. Each minute all come to rest: all tokens must be home, and
# descriptors, memory and names as they were after the first minute. "seat" (c/seat.c) counts how
# many run at once, and so does "witness", from outside, by asking the kernel who has a seat; and no
# slot has two holders. Some take-overs fail: there are too few descriptors, too little memory, or
# they are killed on the way; the next one has all holders.
# shellcheck disable=SC2016,SC2317 # scripts for others; called by name
set -u
cd "$(dirname "$0")/.." || exit
top=$PWD
. tests/helpers/others.sh
PATH=$top/bin:$top/build:$PATH
unset MAKEFLAGS MFLAGS MAKELEVEL CARGO_MAKEFLAGS
last=${SOAK:-1800} most=6
minute=60
[ "$last" -ge 120 ] || minute=$((last / 2))
seed=${SOAK_SEED:-$(date +%s)}
here=$(mktemp -d "${TMPDIR:-/tmp}/soak.XXXXXX") || exit
cd "$here" || exit
here=$(pwd -P)
export TMPDIR="$here"

# random N -- sets $random to one of 0 to N-1
random ()
{
    seed=$(((seed * 1103515245 + 12345) & 2147483647))
    random=$((seed / 65536 % $1))
}

violated () { echo "soak: VIOLATED: $*" | tee -a violations; }

cleanup ()
{
    : >over
    trap '' INT TERM HUP
    signal_others KILL
    wait "$@" 2>/dev/null
    cd / && rm -rf "$here"
}
workers=''
# shellcheck disable=SC2064,SC2086 # the pids
trap 'cleanup $workers' EXIT
trap 'exit 130' INT TERM HUP

# The command of a client takes a seat of its pool, and the only one of its slot. (Not by flock: as
# a process dies, Linux closes the lease before files whose descriptors are below it. A lock of
# fcntl, such as seat's, goes before any file is closed.)
cat >holder <<'S'
pool=$1
set -- env SEATS="seats.$1" seat client sleep "0.0$2"
for slot in $JOBCTL_SLOT; do set -- env SEATS="slot.$pool.$slot" seat slot "$@"; done
exec "$@"
S
cat >script <<'S'
. jobctl.sh
job () { SEATS=seats.$pool seat batch sleep 0.03; }
pool=$1 i=0
jobctl_open
while [ "$i" -lt 8 ]; do
    jobctl_run job
    i=$((i + 1))
done
jobctl_close
S
cat >Makefile <<'S'
all: 1 2 3 4 5 6 7 8
1 2 3 4 5 6 7 8:
	@SEATS=seats.$(POOL) seat build sleep 0.03
S

# A command within a command, four deep at most, in all ways: nest POOL DEPTH NUMBER. Only the
# innermost takes a seat; "nester" is a shell that strike() finds.
ln -s "$(command -v dash)" nester
cat >nest <<'S'
pool=$1 depth=$(($2 - 1)) n=$3
[ "$depth" -ge 0 ] || exec env SEATS="seats.$pool" seat nested sleep "0.0$((n % 4))"
again="$PWD/nester nest $pool $depth"
case $((n % 8)) in
0) tokget "$pool" $again $((n / 8)) ;;
1) for i in 1 2 3; do tokget "$pool" $again $((n / 8 + i)) & done && wait ;;
2) tokget "$pool" make -s -f Nested POOL="$pool" AGAIN="$again" N=$((n / 8)) ;;
3) tokget -j pipe -k 1-3 "$pool" make -s -f Nested POOL="$pool" AGAIN="$again" N=$((n / 8)) ;;
4) seq $((n / 8)) $((n / 8 + 4)) | tokget "$pool" jobctl -j 3 tokget "$pool" $again ;;
5) tokget "$pool.within" tokget "$pool" $again $((n / 8)) ;;
6) tokget -b -t 2 "$pool" $again $((n / 8)) ;;
7) tokget -x -k 1-2 "$pool" $again $((n / 8)) ;;
esac
S
cat >Nested <<'S'
SHELL = ./nester
all: 1 2 3 4 5 6
1 2 3 4 5 6:
	+@tokget $(POOL) $(AGAIN) $$(($(N) + $@))
S

# ran WHAT STATUS -- the status of a client that may have been killed
ran ()
{
    echo >>runs
    case $2 in
    0 | 1 | 2 | 123 | 124 | 129 | 137 | 143) ;;
    *) echo "$1: status $2: $(tail -n 1 errors)" >>odd ;;
    esac
    [ "$2" -ne 139 ] && [ "$2" -ne 134 ] || echo "$1: status $2" >>violations
}

# worker KIND POOL -- one after another, until it is over
worker ()
{
    n=0
    while [ ! -e over ]; do
        while [ -e pause ] && [ ! -e over ]; do sleep 0.1; done
        [ ! -e over ] || break
        n=$((n + 1)) status=0
        case $1$((n % 4)) in
        client0) tokget "$2" sh holder "$2" 3 ;;
        client1) tokget -p 7 -k 2 "$2" sh holder "$2" 4 ;;
        client2) tokget -x -t 1 "$2" sh holder "$2" 2 ;;
        client3) tokget -o "$2" sleep 0.01 ;; # its command outlives a tokget that is killed
        lease*)
            sh -c '. jobctl.sh
                jobctl_with "$1" env SEATS="seats.$1" seat lease sleep 0.02' sh "$2"
            ;;
        build[01]) tokget "$2" greedy make 12 0.02 "$2" ;;
        build2) tokget -j pipe "$2" greedy pipe 12 0.02 "$2" ;;
        build3) POOL=$2 tokget "$2" make -s ;;
        batch*) tokget "$2" "$3" script "$2" ;;
        nested*)
            random 32768
            tokget "$2" ./nester nest "$2" 3 "$random"
            ;;
        within*)
            tokget "$2.within" sh -c 'SEATS=seats.$1 exec seat within sleep 0.02' sh "$2"
            ;;
        esac </dev/null >>output 2>>errors || status=$?
        ran "$1" "$status"
        [ "$status" -ne 123 ] || sleep 0.1 # no dispenser now
    done
}

begin () { tokend -b -j -n "$size" "$1" 2>>errors; }
within () { tokend -b -u "$here/$1" -n 2 "$1.within" 2>>errors; }

# figures POOL -- tokens, free, out, waiting
figures ()
{
    timeout 10 tokstat -o tsv "$1" 2>/dev/null | sed -n 's/^pool.//p' | cut -f 1-4 | tr '\t' ' '
}
is_home () { [ "$(figures "$1")" = "$size $size 0 0" ]; }
# A dispenser looks for files of killed clients when somebody asks.
names () { tokget -t 1 "$1" true 2>/dev/null; find "$1.d" | wc -l; }
only_names () { [ "$(names "$1")" -le "$2" ]; }
descriptors () { find "/proc/$(cat "$1.d/lock")/fd" -mindepth 1 | wc -l; }
memory () { awk '/^VmRSS/ {print $2}' "/proc/$(cat "$1.d/lock")/status"; }

# victim NAME... -- sets $victim to the pid of one of our processes of these names
victim ()
{
    victim='' found=''
    for pid in $(others); do
        read -r name 2>/dev/null <"/proc/$pid/comm" || continue
        for wanted in "$@"; do
            [ "$name" != "$wanted" ] || found="$found $pid"
        done
    done
    # shellcheck disable=SC2086 # pids
    set -- $found
    [ "$#" -gt 0 ] || return 1
    random "$#"
    shift "$random"
    victim=$1
}

strike ()
{
    random 5
    case $random in
    0) victim make greedy dash bash mksh nester jobctl ;;
    *) victim tokget sleep seat ;;
    esac || return
    random 5
    case $random in
    0 | 1) kill -KILL "$victim" ;;
    2) kill -TERM "$victim" ;;
    4) kill -INT "$victim" ;;
    3) kill -STOP "$victim" && sleep 0.1 && kill -CONT "$victim" ;;
    esac 2>/dev/null
    kills=$((kills + 1))
}

resize ()
{
    random 4
    size=$((most - random))
    tokput -n "$size" cpu 2>>errors
    tokput -n "$size" steady 2>>errors
    resizes=$((resizes + 1))
}

gone () { ! kill -0 "$pid"; }
dies ()
{
    kill -KILL "$1"
    pid=$1
    until_true gone
}

# fails_to_begin -- a start in which something fails, or one that is killed
# shellcheck disable=SC3045 # limits
fails_to_begin ()
{
    random 3
    case $random in
    0) (ulimit -n 19 && exec tokend -b -j -n 1 cpu) ;;
    1) (random 900 && ulimit -v "$((random + 100))" && exec tokend -b -j -n 1 cpu) ;;
    2)
        tokend -j -n "$size" cpu &
        random 8
        sleep "0.00$random"
        dies "$!"
        wait "$!"
        false
        ;;
    esac 2>>errors && dies "$(cat cpu.d/lock)"
    fails=$((fails + 1))
}

garbage ()
{
    for pool in cpu steady; do
        random 100000
        printf 'x%s\n@get 1 x\n@begun 3\n@heard x\n@%s\n' "$random" "$random" >"$pool"
    done
}

# The dispenser of cpu dies, or ends, and comes back; or it is stopped for a moment.
outage ()
{
    pid=$(cat cpu.d/lock)
    random 6
    case $random in
    0) kill -STOP "$pid" && sleep 0.3 && kill -CONT "$pid" ;;
    1)
        timeout 30 tokstop cpu.within || violated "cpu.within: tokstop $?"
        kill -TERM "$pid"
        until_true gone || violated 'tokend does not end'
        begin cpu || violated "tokend cannot begin: $(tail -n 1 errors)"
        within cpu || violated "cpu.within cannot begin: $(tail -n 1 errors)"
        restarts=$((restarts + 1))
        ;;
    *)
        dies "$pid"
        while random 3 && [ "$random" -gt 0 ]; do fails_to_begin; done
        begin cpu || violated "tokend cannot take over: $(tail -n 1 errors)"
        restarts=$((restarts + 1))
        ;;
    esac
}

line ()
{
    for slot in slot.*; do
        ! grep -q ' [^1]$' "$slot" || violated "two at once in $slot"
        : >"$slot"
    done
    for pool in cpu steady; do
        highest=$(awk -v m=0 '$2 > m {m = $2} END {print m}' "seats.$pool")
        : >"seats.$pool"
        [ "$highest" -le "$most" ] || violated "$highest at once in $pool, of $most"
        printf '%s: %s tokens (free, out, waiting), %s at once, ' "$pool" \
            "$(figures "$pool")" "$highest"
    done
    echo "$(wc -l <runs) runs, $kills killed, $resizes resizes, $restarts restarts," \
        "$fails that failed, $(descriptors steady) descriptors, $(memory steady) kB"
}

# All rest, and all tokens are home; steady is as it was.
rest ()
{
    : >pause
    signal_others CONT
    for pool in cpu steady; do
        tokstop "$pool.within" 2>/dev/null
        until_true is_home "$pool" || violated "$pool: tokens $(timeout 5 tokstat "$pool")"
        : "${base:=$(names "$pool")}"
        until_true only_names "$pool" 3 || violated "$pool: files $(find "$pool.d" | paste -sd ' ')"
    done
    now_open=$(descriptors steady) now_size=$(memory steady)
    echo "at rest after $1 s: all home; steady: $now_open descriptors, $now_size kB"
    if [ -z "${first_open-}" ]; then
        first_open=$now_open first_size=$now_size
    fi
    [ "$now_open" -le "$first_open" ] || violated "$now_open descriptors, after $first_open"
    [ "$now_size" -le "$((first_size + 128))" ] || violated "$now_size kB, after $first_size"
    for pool in cpu steady; do within "$pool"; done
    rm pause
}

size=$most kills=0 resizes=0 restarts=0 fails=0 witnesses=''
: >runs
for pool in cpu steady; do
    : >"seats.$pool"
    begin "$pool" && within "$pool" || exit
    witness "seats.$pool" "$most" >>seen &
    witnesses="$witnesses $!"
    for kind in ${KINDS-client client lease build build within nested}; do
        worker "$kind" "$pool" &
        workers="$workers $!"
    done
    for shell in dash bash mksh; do
        command -v "$shell" >/dev/null || continue
        worker batch "$pool" "$shell" &
        workers="$workers $!"
    done
done
echo "soak: $last s, SOAK_SEED=${seed}, in $here"
from=$(date +%s) lines=0 rests=0
while
    passed=$(($(date +%s) - from))
    [ "$passed" -lt "$last" ] && [ ! -s violations ]
do
    strike
    random 20
    case $random in
    0) resize ;;
    1) outage ;;
    2) garbage ;;
    esac
    if [ "$((passed / 10))" -gt "$lines" ]; then
        lines=$((passed / 10))
        line
    fi
    if [ "$((passed / minute))" -gt "$rests" ]; then
        rests=$((passed / minute))
        rest "$passed"
    fi
done
line
rest "$passed"
: >over
# shellcheck disable=SC2086 # pids
wait $workers
for pool in cpu steady; do
    tokstop "$pool.within"
    tokstop "$pool" || violated "$pool: tokstop $?"
    [ ! -e "$pool" ] || violated "$pool: is left"
    [ ! -e "$pool.d" ] || violated "$pool.d: $(find "$pool.d" | paste -sd ' ')"
done
for witness in $witnesses; do
    kill -TERM "$witness" 2>/dev/null
    wait "$witness" || violated "more at once than tokens: $(paste -sd , seen)"
done
if ! until_true nobody_else; then
    left=$(others)
    # shellcheck disable=SC2086 # pids
    violated "processes: $(ps -o args= -p $left)"
fi
[ ! -e odd ] || { echo 'statuses that are odd:' && sort odd | uniq -c; }
[ ! -s violations ] || { echo 'soak: violations:' && cat violations; }
echo "soak: $passed s, $(wc -l <runs) runs, $kills killed, $resizes resizes," \
    "$restarts restarts of a dispenser, $fails that failed; the witness saw $(paste -sd , seen)"
[ ! -s violations ]
