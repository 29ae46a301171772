# To be sourced by the benches: measures two things side by side, A B B A A B ..., and prints
# medians of pairs.
#   BENCH_PAIRS   pairs for each figure, default 7; in shells.sh 5
#   BENCH_SHELLS  the shells, default all that are installed
#   BENCH=quick   one pair, and a fiftieth of each count: to see that all of it runs
PATH=$PWD/bin:$PWD/build:$PATH
unset MAKEFLAGS MFLAGS MAKE MAKELEVEL
pairs=${BENCH_PAIRS:-7}
[ "${BENCH-}" != quick ] || pairs=1
tmp=$(mktemp -d) || exit
export TMPDIR="$tmp"
cost='' # shells.sh runs all by the program cost, which tells more than elapsed
trap ended EXIT
trap 'exit 130' HUP INT TERM

# A bench that has to clean up redefines this.
cleanup () { :; }

# A command that fails was not measured: the bench has failed.
ended ()
{
    status=$?
    cleanup
    [ ! -e "$tmp/failed" ] || status=1
    rm -rf "$tmp"
    exit "$status"
}

# count N -- N, or fewer
count () { if [ "${BENCH-}" = quick ]; then echo "$(($1 / 50 + 2))"; else echo "$1"; fi; }

elapsed () # COMMAND... -- microseconds
{
    from=$(now)
    "$@" >/dev/null 2>&1 || failed "$@"
    echo "$(($(now) - from))"
}
failed () { echo "bench: $*: status $?" | tee "$tmp/failed" >&2; }

# side_by_side A B -- two functions: a line for each pair of their times, in the file "pairs"
side_by_side ()
{
    i=0
    while [ "$i" -lt "$pairs" ]; do
        [ $((i % 2)) -eq 0 ] || b=$(elapsed "$2")
        a=$(elapsed "$1")
        [ $((i % 2)) -eq 1 ] || b=$(elapsed "$2")
        echo "$a $b"
        i=$((i + 1))
    done >"$tmp/pairs"
}

# of FORMAT EXPRESSION -- the median of an awk expression over the pairs, $1 and $2
of () { awk "{printf \"%.6f\\n\", $2}" "$tmp/pairs" | median "$1"; }
median () { sort -n | awk -v format="$1" '{v[NR] = $1} END {printf format, v[int((NR + 1) / 2)]}'; }

# rates A B [COLUMN] -- how many of A things and of B things there are in a second, as "a/b"
rates () { echo "$(of %.0f "$1 * 1e6 / \$1")/$(of %.0f "$2 * 1e6 / \$${3-2}")"; }

# verdict FIGURE RELATION [GOAL] -- if the figure means something
verdict ()
{
    [ "${BENCH-}" != quick ] && [ -n "${3-}" ] || return 0
    awk -v v="$1" -v rel="$2" -v goal="$3" 'BEGIN {
        met = rel == "<=" ? v <= goal : v >= goal
        printf "(goal %s %s: %s)", rel, goal, met ? "met" : "missed"}'
}

# compare TEXT A MANY B FEW [RELATION GOAL] -- two functions that do that many things: how much
# longer A takes for one of them, or for ">=" how many times as fast it is; and the rates
compare ()
{
    side_by_side "$2" "$4"
    case ${6-} in
    '>=') r=$(of %.2f "\$2 / $5 / (\$1 / $3)") ;;
    *) r=$(of %.2f "\$1 / $3 / (\$2 / $5)") ;;
    esac
    printf '%-56s %6s  %s a second %s\n' "$1" "$r" "$(rates "$3" "$5")" \
        "$(verdict "$r" "${6-}" "${7-}")"
}

# shells SHELL... -- those of them that are to be measured
shells ()
{
    # shellcheck disable=SC2086 # a list
    for shell in ${BENCH_SHELLS:-"$@"}; do
        command -v "$shell" >/dev/null && echo "$shell"
    done
}

# "busybox" is a shell by another word
run () { if [ "$1" = busybox ]; then shift; $cost busybox sh "$@"; else $cost "$@"; fi; }

# looped BODY BEFORE AFTER -- $many times, in $shell
# shellcheck disable=SC2154 # the bench sets them
looped ()
{
    run "$shell" -c "$2
        i=0
        while [ \"\$i\" -lt $many ]; do
            $1
            i=\$((i + 1))
        done
        $3"
}

# by_process [SLOTS] -- as many jobs that do nothing
by_process () { run "$shell" -c ". jobctl.sh; job () { :; }; jobctrl ${1-8} | process $many"; }
