#!/bin/sh
# make bench: what a bound on the number of jobs costs, side by side. Each pair
# is measured A B A B ... in this run; what is printed are medians of pairs.
#   BENCH_SHELLS  the shells, default all eight that are installed
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
trap 'rm -rf "$tmp"' EXIT
export FIFO="$tmp/fifo" TMPDIR="$tmp"

# pairs_of A-JOBS B-JOBS SHELL A-SCRIPT B-SCRIPT TOKENS -- medians: the ratio of
# A to B for each job, then microseconds for a job of each
pairs_of ()
{
    i=0
    while [ "$i" -lt "$pairs" ]; do
        a=$(elapsed run "$3" "tests/bench/$4" "$6" "$1")
        b=$(elapsed run "$3" "tests/bench/$5" "${7:-$6}" "$2")
        echo "$a $b"
        i=$((i + 1))
    done | awk -v n="$1" -v m="$2" '{print ($1 / n) / ($2 / m), $1 / n, $2 / m}' >"$tmp/pairs"
    printf '%.2f %.0f %.0f\n' "$(cut -d' ' -f1 "$tmp/pairs" | median)" \
        "$(cut -d' ' -f2 "$tmp/pairs" | median)" "$(cut -d' ' -f3 "$tmp/pairs" | median)"
}

echo "8 tokens, a job that does nothing; ratio, and microseconds for a job"
for shell in ${BENCH_SHELLS:-dash bash ksh93 mksh yash zsh busybox posh}; do
    command -v "$shell" >/dev/null || { echo "$shell: not installed"; continue; }
    goal=1.25 jobs=5000
    [ "$shell" != dash ] || goal=1.15
    [ "$shell" != posh ] || jobs=500 # its own loop is quadratic
    read -r ratio ours bare <<R
$(pairs_of "$jobs" "$jobs" "$shell" ours.sh bare.sh 8)
R
    printf '%-8s ours/bare %s  %s/%s us %s' "$shell" "$ratio" "$ours" "$bare" \
        "$(verdict "$ratio" '<=' "$goal")"
    case $shell in
    ksh93 | zsh) echo '; dd: never ends here' ;;
    *)
        read -r ratio dd ours <<R
$(pairs_of 300 "$jobs" "$shell" dd.sh ours.sh 8)
R
        printf '; dd/ours %s  %s us' "$ratio" "$dd"
        [ "$shell" != dash ] || verdict "$ratio" '>=' 7
        echo
        ;;
    esac
done

starts () { i=0; while [ "$i" -lt 500 ]; do "$@"; i=$((i + 1)); done; }
for tool in tokget tokput tokstop tokend; do
    i=0
    while [ "$i" -lt "$pairs" ]; do
        a=$(elapsed starts "$tool" -V)
        b=$(elapsed starts /bin/true)
        awk -v a="$a" -v b="$b" 'BEGIN {print a / b}'
        i=$((i + 1))
    done | median >"$tmp/start"
    read -r ratio <"$tmp/start"
    printf 'start of %-7s / true %.2f' "$tool" "$ratio"
    [ "$tool" = tokend ] || printf ' %s' "$(verdict "$ratio" '<=' 0.3)" # once for all jobs
    echo
done

read -r ratio many few <<R
$(pairs_of 20000 20000 dash ours.sh ours.sh 1000 8)
R
echo "1000 slots / 8 slots $ratio  $many/$few us $(verdict "$ratio" '<=' 1.5)"

if [ -r /proc/self/status ]; then
    mkfifo "$tmp/pipe"
    tokend -a -n 8 "$FIFO" >"$tmp/pipe" &
    tokend=$!
    {
        i=0
        while [ "$i" -lt 20000 ] && read -r _ lease _; do
            : 9>"$FIFO.d/$lease"
            i=$((i + 1))
        done
        rss=$(awk '/^VmRSS/ {print $2}' "/proc/$tokend/status")
        ticks=$(awk '{print $14 + $15}' "/proc/$tokend/stat")
        echo "tokend: $rss kB resident with 8 slots $(verdict "$rss" '<=' 1024)," \
            "$((ticks * 1000000 / $(getconf CLK_TCK) / 20000)) us of CPU for a token"
        switches () { awk '/ctxt/ {n += $2} END {print n}' "/proc/$tokend/status"; }
        before=$(switches)
        sleep 2
        woke=$(($(switches) - before))
        echo "tokend: woke up $woke times in two idle seconds $(verdict "$woke" '<=' 0)"
        tokstop "$FIFO"
    } <"$tmp/pipe"
    wait "$tokend"
fi
