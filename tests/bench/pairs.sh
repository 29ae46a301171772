# To be sourced by the benches: what is measured side by side, A B A B ..., and
# printed as medians of pairs.
#   BENCH_PAIRS  pairs for each figure, default 7
PATH=$PWD/bin:$PWD/build:$PATH
# shellcheck disable=SC2034 # who sources this uses it
pairs=${BENCH_PAIRS:-7}
# shellcheck disable=SC2034 # so
tmp=$(mktemp -d) || exit

elapsed () # COMMAND... -- microseconds
{
    from=$(now)
    "$@" >/dev/null 2>&1
    echo "$(($(now) - from))"
}

median () { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# verdict FIGURE RELATION GOAL
verdict () { awk -v v="$1" -v rel="$2" -v goal="$3" 'BEGIN {
    met = rel == "<=" ? v <= goal : v >= goal
    printf "(goal %s %s: %s)", rel, goal, met ? "met" : "missed"}'; }

# "busybox" is a shell by another word
run () { if [ "$1" = busybox ]; then shift; busybox sh "$@"; else "$@"; fi; }
