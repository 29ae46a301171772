#!/bin/sh
# make bench: what a bound on the number of jobs costs, side by side.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
export FIFO="$tmp/fifo"

# per_job A-JOBS B-JOBS A-SCRIPT B-SCRIPT A-TOKENS B-TOKENS -- in $shell; sets $ratio of A to B
# for each job, and $us, the microseconds for a job of each
per_job ()
{
    a_jobs=$1 b_jobs=$2 a_script=$3 b_script=$4 a_tokens=$5 b_tokens=$6
    a () { run "$shell" "tests/bench/$a_script" "$a_tokens" "$a_jobs"; }
    b () { run "$shell" "tests/bench/$b_script" "$b_tokens" "$b_jobs"; }
    side_by_side a b
    ratio=$(of %.2f "(\$1 / $1) / (\$2 / $2)") us=$(costs "$1" "$2")
}

echo "8 tokens, a job that does nothing; ratio, and microseconds for a job"
for shell in $(shells dash bash ksh93 mksh yash zsh busybox posh); do
    goal=1.25 jobs=$(count 5000)
    [ "$shell" != dash ] || goal=1.15
    [ "$shell" != posh ] || jobs=$(count 500) # its own loop is quadratic
    per_job "$jobs" "$jobs" ours.sh bare.sh 8 8
    printf '%-8s ours/bare %s  %s us %s' "$shell" "$ratio" "$us" "$(verdict "$ratio" '<=' "$goal")"
    case $shell in
    ksh93 | zsh) echo '; dd: never ends here' ;;
    *)
        per_job "$(count 300)" "$jobs" dd.sh ours.sh 8 8
        printf '; dd/ours %s  %s us ' "$ratio" "${us%/*}"
        [ "$shell" != dash ] || verdict "$ratio" '>=' 7
        echo
        ;;
    esac
done

starts=$(count 500)
started () { i=0; while [ "$i" -lt "$starts" ]; do "$@"; i=$((i + 1)); done; }
ours () { started "$tool" -V; }
true_itself () { started /bin/true; }
for tool in tokget tokput tokstop tokend; do
    side_by_side ours true_itself
    ratio=$(of %.2f '$1 / $2')
    printf 'start of %-7s / true %s' "$tool" "$ratio"
    [ "$tool" = tokend ] || printf ' %s' "$(verdict "$ratio" '<=' 0.3)" # once for all jobs
    echo
done

jobs=$(count 20000) shell=dash
per_job "$jobs" "$jobs" ours.sh ours.sh 1000 8
echo "1000 slots / 8 slots $ratio  $us us $(verdict "$ratio" '<=' 1.5)"

if [ -r /proc/self/status ]; then
    mkfifo "$tmp/pipe"
    tokend -a -n 8 "$FIFO" >"$tmp/pipe" &
    tokend=$!
    {
        read -r _ # "ready 8"
        i=0
        while [ "$i" -lt "$jobs" ] && read -r lease _; do
            echo '=0' >"$FIFO.d/$lease"
            i=$((i + 1))
        done
        rss=$(awk '/^VmRSS/ {print $2}' "/proc/$tokend/status")
        ticks=$(awk '{print $14 + $15}' "/proc/$tokend/stat")
        echo "tokend: $rss kB resident with 8 slots $(verdict "$rss" '<=' 1024)," \
            "$((ticks * 1000000 / $(getconf CLK_TCK) / jobs)) us of CPU for a token"
        switches () { awk '/ctxt/ {n += $2} END {print n}' "/proc/$tokend/status"; }
        before=$(switches)
        sleep 2
        woke=$(($(switches) - before))
        echo "tokend: woke up $woke times in two idle seconds $(verdict "$woke" '<=' 0)"
        tokstop "$FIFO"
    } <"$tmp/pipe"
    wait "$tokend"
fi
