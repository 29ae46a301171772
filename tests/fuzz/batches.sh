#!/bin/sh
# batches.sh -- random scripts of jobctl.sh, in a random one of the installed shells, compared with
# their expected results (batches.awk). On a difference it prints the seed, the shell, the script
# and the difference, and ends with 1.
#   FUZZ        seconds, default 60
#   BATCH_SEED  the first seed, and the only one if BATCH_RUNS is not set; default: the time
#   BATCH_RUNS  how many seeds are run, instead of FUZZ
#   BATCH_SHELL the shell, default a random one
#   BATCH_KIND  its kind: batches (with connections), process, tasks, workers; default any
#   BATCH_WITHOUT  names of moves (batches-moves.awk) that are left out
#   BATCH_BIN   the directory of the programs to be tested
set -u
cd "$(dirname "$0")/../.." || exit
top=$PWD
PATH=${BATCH_BIN:-$top/bin}:$PATH
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d "${TMPDIR:-/tmp}/bat.XXXXXX") || exit
trap 'cd / && rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
shells=
for shell in dash bash ksh93 mksh yash zsh busybox posh; do
    command -v "$shell" >/dev/null 2>&1 && shells="$shells $shell"
done

# The shell for a seed, as words of a command.
shell_for()
{
    # shellcheck disable=SC2086 # a list
    set -- "$1" $shells
    eval "shell=\${BATCH_SHELL:-\${$(($1 % ($# - 1) + 2))}}"
    [ "$shell" != busybox ] || shell='busybox sh'
}

left_over()
{
    ls -d "$D"/jobctl.* "$D"/in.* 2>/dev/null || pgrep -f "$D/" >/dev/null
}

# run_batch SEED -- 0 if all was as expected
run_batch()
{
    D=$work/$1
    export D TMPDIR="$D"
    mkdir "$D" && cd "$D" && : >log || return
    shell_for "$1"
    awk -v seed="$1" -v shell="$shell" -v kind="${BATCH_KIND-}" -f "$top/tests/fuzz/batches.awk" \
        -v without="${BATCH_WITHOUT-}" -f "$top/tests/fuzz/batches-tasks.awk" \
        -f "$top/tests/fuzz/batches-workers.awk" -f "$top/tests/fuzz/batches-moves.awk" || return
    # shellcheck disable=SC2086
    timeout -k 5 200 $shell ./script >output 2>errors </dev/null
    status=$?
    tries=0
    while left_over >/dev/null && [ "$tries" -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    for files in files.*/*.out files.*/*.err; do
        [ ! -e "$files" ] || cat "$files" >>output
    done
    touch log.none to.none.none
    {
        awk -f "$top/tests/fuzz/seen.awk" expected log log.* to.* errors output
        left_over | sed 's/^/bad left over: /'
        [ "$status" -eq 0 ] || echo "bad status $status"
    } | sort >seen
    sort expected >sorted
    cmp -s sorted seen && cd "$work" && rm -rf "$D"
}

explain()
{
    cd "$D" || return
    echo "seed $1 in $shell: this script"
    cat script
    echo '--- errors'
    head -n 20 errors
    echo '--- expected <, seen >'
    diff sorted seen
    echo "again: BATCH_SEED=$1 BATCH_KIND=${BATCH_KIND-} BATCH_SHELL=${shell%% *}" \
        "BATCH_WITHOUT='${BATCH_WITHOUT-}' tests/fuzz/batches.sh"
}

# more RUNS
more()
{
    if [ -n "${BATCH_RUNS-}" ]; then
        [ "$1" -lt "$BATCH_RUNS" ]
    else
        [ -z "${BATCH_SEED-}" ] && [ "$(date +%s)" -lt "$until" ]
    fi
}

until=$(($(date +%s) + ${FUZZ:-60}))
seed=${BATCH_SEED:-$(date +%s)}
runs=0
while
    run_batch "$seed" || { explain "$seed"; exit 1; }
    runs=$((runs + 1))
    more "$runs"
do seed=$((seed + 1)); done
printf '%-12s %10d %6s none (seeds to %s)\n' batches "$runs" - "$seed"
