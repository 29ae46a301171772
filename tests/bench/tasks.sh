#!/bin/sh
# The part of make bench about tasks: 2047 of them, the tree of share/examples/tasks.sh in
# which nothing dies, in dash, 15 at once; beside a loop that starts as many jobs, with no
# bound, no names and no results. Medians of pairs, as in run.sh.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
command -v dash >/dev/null || exit 0
trap 'rm -rf "$tmp"' EXIT
export TMPDIR="$tmp"

cat >"$tmp/task" <<'S'
task () # N -- its two followers, and 12N bytes
{
    echo "$((2 * $1)) $((2 * $1 + 1))"
    printf "%0$((12 * $1))d" "$1"
}
keep () { task "$1" >"$TMPDIR/kept.$1"; }
nothing () { :; }
S
cat >"$tmp/ours" <<'S'
. "$TMPDIR/task"
. jobctl.sh
result ()
{
    read -r left right
    [ "$left" -ge 2048 ] || { jobctl_task "$left"; jobctl_task "$right"; }
}
jobctl_open $1 15
jobctl_tasks -r 20 task result
jobctl_task 1
jobctl_close
S
cat >"$tmp/bare" <<'S'
. "$TMPDIR/task"
n=1
while [ "$n" -lt 2048 ]; do
    "$1" "$n" >/dev/null &
    n=$((n + 1))
done
wait
S

# compare OPTIONS JOB TEXT [RELATION GOAL]
compare ()
{
    i=0
    while [ "$i" -lt "$pairs" ]; do
        rm -f "$tmp"/kept.*
        echo "$(elapsed dash "$tmp/ours" "$1") $(elapsed dash "$tmp/bare" "$2")"
        i=$((i + 1))
    done >"$tmp/pairs"
    r=$(awk '{printf "%.2f\n", $1 / $2}' "$tmp/pairs" | median)
    printf '%s %s  %d/%d us' "$3" "$r" "$(($(cut -d' ' -f1 "$tmp/pairs" | median) / 2047))" \
        "$(($(cut -d' ' -f2 "$tmp/pairs" | median) / 2047))"
    [ "$#" -eq 3 ] || printf ' %s' "$(verdict "$r" "$4" "$5")"
    echo
}

echo '2047 tasks in dash, 15 at once / as many jobs of a bare loop; microseconds for each'
compare '' task 'that do the same work           ' '<=' 1.5
compare '-T 60' task 'the same, and with a time limit '
compare '' keep 'that keep what they return      '
compare '' nothing 'that do nothing                 '
