#!/bin/sh
# The second half of make bench: what a token of a shared pool costs, beside
# flock(1) and, where it is installed, GNU sem. Medians of pairs, as ratios.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
pool=$tmp/pool
trap 'tokstop -f "$pool" 2>/dev/null; rm -rf "$tmp"' EXIT

many () # TIMES COMMAND...
{
    times=$1
    shift
    while [ "$times" -gt 0 ]; do
        "$@"
        times=$((times - 1))
    done
}

# ratio TIMES A... -- B... : the median of A to B
ratio ()
{
    times=$1
    shift
    a=
    while [ "$1" != -- ]; do
        a="$a $1"
        shift
    done
    shift
    i=0
    while [ "$i" -lt "$pairs" ]; do
        # shellcheck disable=SC2086 # a list of words
        one=$(elapsed many "$times" $a)
        other=$(elapsed many "$times" "$@")
        awk -v a="$one" -v b="$other" 'BEGIN {printf "%.2f\n", a / b}'
        i=$((i + 1))
    done | median
}

tokend -b -n 1 "$pool"
r=$(ratio 300 tokget -x "$pool" /bin/true -- /bin/true)
echo "tokget -x FIFO true / true $r $(verdict "$r" '<=' 1.25)"
r=$(ratio 300 tokget "$pool" /bin/true -- /bin/true)
echo "tokget FIFO true / true    $r $(verdict "$r" '<=' 1.4)"
if command -v flock >/dev/null; then
    r=$(ratio 300 tokget "$pool" /bin/true -- flock "$tmp/lock" /bin/true)
    echo "tokget / flock             $r $(verdict "$r" '<=' 0.65)"
fi
if command -v sem >/dev/null; then
    r=$(ratio 5 tokget "$pool" /bin/true -- sem --fg --id "$$" /bin/true)
    echo "tokget / sem               $r"
fi

# CLIENTS at once, each as often as it takes for 600 in all
contend () # CLIENTS COMMAND...
{
    clients=$1
    shift
    rounds=$((600 / clients)) pids=''
    while [ "$clients" -gt 0 ]; do
        many "$rounds" "$@" &
        pids="$pids $!"
        clients=$((clients - 1))
    done
    for pid in $pids; do
        wait "$pid"
    done
}
for clients in 1 8 200; do
    i=0
    while [ "$i" -lt 3 ]; do
        a=$(elapsed contend "$clients" tokget "$pool" /bin/true)
        b=$(elapsed contend "$clients" flock "$tmp/lock" /bin/true)
        echo "$a $b"
        i=$((i + 1))
    done | sort -n | sed -n 2p >"$tmp/contend"
    read -r a b <"$tmp/contend"
    awk -v c="$clients" -v a="$a" -v b="$b" 'BEGIN {
        printf "%3d clients, one token: %.0f a second, flock %.0f\n", c, 6e8 / a, 6e8 / b}'
done

# A queue of waiters, each served as the one before it ends: what a hand-over
# costs must not depend on how many wait.
hand_over () # WAITERS -- microseconds each
{
    tokget "$pool"
    held $(($1)) "$pool"
}
held ()
{
    i=0 pids=''
    while [ "$i" -lt "$1" ]; do
        tokget -x "$2" /bin/true &
        pids="$pids $!"
        i=$((i + 1))
    done
    while [ "$(tokstat -o tsv "$2" | grep -c '^wait')" -lt "$1" ]; do :; done
    from=$(now)
    tokput "$2"
    for pid in $pids; do
        wait "$pid"
    done
    echo "$((($(now) - from) / $1))"
}
few=$(hand_over 10)
lots=$(hand_over "${BENCH_WAITERS:-2000}")
r=$(awk -v a="$lots" -v b="$few" 'BEGIN {printf "%.2f", a / b}')
echo "hand-over with ${BENCH_WAITERS:-2000} waiters / with 10  $r  $lots/$few us $(verdict "$r" '<=' 1.5)"
if [ -r /proc/self/status ]; then
    tokend=$(pgrep -f "tokend -b -n 1 $pool")
    rss=$(awk '/^VmHWM/ {print $2}' "/proc/$tokend/status")
    echo "tokend: $rss kB at most, with so many waiting $(verdict "$rss" '<=' 16384)"
fi
