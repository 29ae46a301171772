#!/bin/sh
# Part of make bench: the cost of a token of a shared pool, beside flock(1) and, if installed,
# GNU sem.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
pool=$tmp/pool
cleanup () { tokstop -f "$pool" 2>/dev/null; }

many () # TIMES COMMAND...
{
    times=$1
    shift
    while [ "$times" -gt 0 ]; do
        "$@"
        times=$((times - 1))
    done
}

tokend -b -n 1 "$pool" || exit
replaced () { many "$times" tokget -x "$pool" /bin/true; }
beside () { many "$times" tokget "$pool" /bin/true; }
bare () { many "$times" /bin/true; }
locked () { many "$times" flock "$tmp/lock" /bin/true; }
with_sem () { many "$times" sem --fg --id "$$" /bin/true; }
times=$(count 300)
compare 'tokget -x FIFO true / true' replaced "$times" bare "$times" '<=' 1.25
compare 'tokget FIFO true / true' beside "$times" bare "$times" '<=' 1.4
if command -v flock >/dev/null; then
    compare 'tokget / flock' beside "$times" locked "$times" '<=' 0.65
fi
if command -v sem >/dev/null; then
    times=5 && compare 'tokget / sem' beside 5 with_sem 5
fi

# CLIENTS at once, each as often as it takes for 600 in all
contend () # FUNCTION
{
    left=$clients times=$(((total + clients - 1) / clients)) pids=''
    while [ "$left" -gt 0 ]; do
        "$1" &
        pids="$pids $!"
        left=$((left - 1))
    done
    for pid in $pids; do
        wait "$pid" || return
    done
}
contend_here () { contend beside; }
contend_flock () { contend locked; }
total=$(count 600)
for clients in 1 8 200; do
    compare "$clients clients, one token / one flock" contend_here "$total" contend_flock "$total"
done

# A queue of waiters, each served as the one before it ends: the cost of a
# hand-over must not depend on how many wait.
hand_over () # WAITERS -- microseconds each
{
    rm -f hold && mkfifo hold && tokget -b "$pool" sh -c ': <hold'
    i=0 pids=''
    while [ "$i" -lt "$1" ]; do
        tokget -x "$pool" /bin/true &
        pids="$pids $!"
        i=$((i + 1))
    done
    while [ "$(tokstat -o tsv "$pool" | grep -c '^wait')" -lt "$1" ]; do :; done
    from=$(now)
    : >hold
    for pid in $pids; do
        wait "$pid"
    done
    echo "$((($(now) - from) / $1))"
}
waiters=${BENCH_WAITERS:-$(count 2000)}
few=$(hand_over 10)
lots=$(hand_over "$waiters")
r=$(awk -v a="$lots" -v b="$few" 'BEGIN {printf "%.2f", a / b}')
echo "hand-over with $waiters waiters / with 10  $r  $lots/$few us $(verdict "$r" '<=' 1.5)"
if [ -r /proc/self/status ]; then
    rss=$(awk '/^VmHWM/ {print $2}' "/proc/$(cat "$pool.d/lock")/status")
    echo "tokend: $rss kB at most, with so many waiting $(verdict "$rss" '<=' 16384)"
fi
