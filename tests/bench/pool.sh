#!/bin/sh
# Of make bench: what a token of a shared pool costs, beside flock(1) and, where it is
# installed, GNU sem.
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

# compare TIMES TEXT A B [GOAL] -- two functions, so often
compare ()
{
    times=$1 a=$3 b=$4
    a () { many "$times" "$a"; }
    b () { many "$times" "$b"; }
    side_by_side a b
    r=$(of %.2f '$1 / $2')
    printf '%-26s %s' "$2" "$r"
    [ "$#" -lt 5 ] || printf ' %s' "$(verdict "$r" '<=' "$5")"
    echo
}

tokend -b -n 1 "$pool" || exit
replaced () { tokget -x "$pool" /bin/true; }
beside () { tokget "$pool" /bin/true; }
locked () { flock "$tmp/lock" /bin/true; }
with_sem () { sem --fg --id "$$" /bin/true; }
times=$(count 300)
compare "$times" 'tokget -x FIFO true / true' replaced /bin/true 1.25
compare "$times" 'tokget FIFO true / true' beside /bin/true 1.4
if command -v flock >/dev/null; then
    compare "$times" 'tokget / flock' beside locked 0.65
fi
if command -v sem >/dev/null; then
    compare 5 'tokget / sem' beside with_sem
fi

# CLIENTS at once, each as often as it takes for 600 in all
contend () # COMMAND...
{
    left=$clients rounds=$(((total + clients - 1) / clients)) pids=''
    while [ "$left" -gt 0 ]; do
        many "$rounds" "$@" &
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
    side_by_side contend_here contend_flock
    both=$(rates "$total" "$total")
    printf '%3d clients, one token: %d a second, flock %d\n' "$clients" "${both%/*}" "${both#*/}"
done

# A queue of waiters, each served as the one before it ends: what a hand-over
# costs must not depend on how many wait.
hand_over () # WAITERS -- microseconds each
{
    tokget --unwatched "$pool"
    i=0 pids=''
    while [ "$i" -lt "$1" ]; do
        tokget -x "$pool" /bin/true &
        pids="$pids $!"
        i=$((i + 1))
    done
    while [ "$(tokstat -o tsv "$pool" | grep -c '^wait')" -lt "$1" ]; do :; done
    from=$(now)
    tokput "$pool"
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
