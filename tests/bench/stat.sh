#!/bin/sh
# Part of make bench: the cost of watching a large pool, a frame a second: processor time of
# tokstat -w at a terminal and of the dispenser, and how much longer requests take meanwhile.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
# For the terminal, and for times that are exact.
command -v python3 >/dev/null && [ -r /proc/self/schedstat ] || exit 0
pool=$tmp/pool
slots=${BENCH_SLOTS:-$(count 1000)} waiters=${BENCH_WAITERS:-$(count 10000)} seconds=$(count 20)
requests=$(count 300)
cleanup () { kill "$crowd"; tokstop -f "$pool"; } 2>/dev/null

# part FILE FILE -- percentage of a processor between two copies of /proc/PID/schedstat
part ()
{
    paste -d ' ' "$1" "$2" | awk -v s="$seconds" '{printf "%.2f", ($4 - $1) / s / 1e7}'
}

# Requests that are answered at once: in us each, into a file.
cat >"$tmp/ask" <<'END'
i=0 from=$(now)
while [ "$i" -lt "$requests" ]; do
    tokget -n "$pool" true
    i=$((i + 1))
done 2>/dev/null
echo $((($(now) - from) / requests)) >"$1"
END

# watched COMMAND -- runs it by sh, while tokstat watches
watched ()
{
    tests/helpers/screen.py --until COMMAND --limit 600 --run "$1" --keys q -- \
        sh -c 'echo $$ >"$1"; exec tokstat -w "$2"' sh "$tmp/pid" "$pool" >"$tmp/screen" ||
        echo "bench: the screen failed" | tee "$tmp/failed" >&2
}

tokend -b -n "$slots" "$pool" || exit
mkfifo "$tmp/ready"
crowd "$pool" "$slots" "$waiters" >"$tmp/ready" &
crowd=$!
read -r _ <"$tmp/ready" || exit
dispenser=/proc/$(cat "$pool.d/lock")/schedstat
export tmp dispenser seconds pool requests
sh "$tmp/ask" "$tmp/alone"
# shellcheck disable=SC2016 # for that sh
watched 'watcher=/proc/$(cat "$tmp/pid")/schedstat
    cat "$dispenser" >"$tmp/a"; cat "$watcher" >"$tmp/b"
    sleep "$seconds"
    cat "$dispenser" >"$tmp/c"; cat "$watcher" >"$tmp/d"
    sh "$tmp/ask" "$tmp/beside"'
watcher=$(part "$tmp/b" "$tmp/d") tokend=$(part "$tmp/a" "$tmp/c")
echo "tokstat -w, $slots slots, $waiters waiters  $watcher % of a processor" \
    "$(verdict "$watcher" '<=' 1), tokend $tokend % $(verdict "$tokend" '<=' 1)"
echo "a request meanwhile / alone  $(cat "$tmp/beside")/$(cat "$tmp/alone") us"
