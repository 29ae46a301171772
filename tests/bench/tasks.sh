#!/bin/sh
# Part of make bench: 2047 tasks, the tree of share/examples/tasks.sh in which nothing dies,
# in dash, 15 at once; beside a loop that starts as many jobs, with no bound, no names and no
# results.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
command -v dash >/dev/null || exit 0
limit=2048
[ "${BENCH-}" != quick ] || limit=64
export limit

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
    [ "$left" -ge "$limit" ] || { jobctl_task "$left"; jobctl_task "$right"; }
}
jobctl_open $1 15
jobctl_tasks --retries 20 task result
jobctl_task 1
jobctl_close
S
cat >"$tmp/bare" <<'S'
. "$TMPDIR/task"
n=1
while [ "$n" -lt "$limit" ]; do
    "$1" "$n" >/dev/null &
    n=$((n + 1))
done
wait
S

ours () { rm -f "$tmp"/kept.*; dash "$tmp/ours" "$options"; }
bare () { dash "$tmp/bare" "$job"; }
# tasks OPTIONS JOB TEXT [RELATION GOAL]
tasks ()
{
    options=$1 job=$2 text=$3 n=$((limit - 1))
    shift 3
    compare "$text" ours "$n" bare "$n" "$@"
}

tasks '' task "$((limit - 1)) tasks, 15 at once / jobs of a bare loop" '<=' 1.5
tasks '--timeout 60' task 'the same, and with a time limit'
tasks '' keep 'beside jobs that keep what they return'
tasks '' nothing 'beside jobs that do nothing'
