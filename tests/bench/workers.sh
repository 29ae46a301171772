#!/bin/sh
# Of make bench: requests per second through two persistent workers, against a process for
# each request.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh

# compare MANY FEW TEXT POOL EACH [GOAL] -- two functions, of so many requests
compare ()
{
    seq "$1" >"$tmp/many"
    seq "$2" >"$tmp/few"
    side_by_side "$4" "$5"
    r=$(of %.1f "($1 / \$1) / ($2 / \$2)")
    printf '%s %s  %s requests/s' "$3" "$r" "$(rates "$1" "$2")"
    [ "$#" -lt 6 ] || printf ' %s' "$(verdict "$r" '>=' "$6")"
    echo
}

many=$(count 50000) few=$(count 500)
square='{print $1 * $1; fflush()}'
case $(awk -W version 2>&1 </dev/null) in
*mawk*) pooled_awk () { jobpool -j 2 awk -W interactive "$square" <"$tmp/many"; } ;;
*) pooled_awk () { jobpool -j 2 awk "$square" <"$tmp/many"; } ;;
esac
each_awk () { while read -r n; do echo "$n" | awk "$square"; done <"$tmp/few"; }
compare "$many" "$few" '2 workers, awk / an awk for each request' pooled_awk each_awk 10
if command -v bc >/dev/null; then
    pooled_bc () { sed 's/.*/& * &/' "$tmp/many" | jobpool -j 2 bc; }
    each_bc () { while read -r n; do echo "$n * $n" | bc; done <"$tmp/few"; }
    compare "$many" "$few" '2 workers, bc / a bc for each request' pooled_bc each_bc 10
fi

# A function of a script, asked by jobctl_ask, against one subshell for each request.
asked ()
{
    run "$shell" -c '. jobctl.sh
        worker () { while read -r n; do echo "$((n * n))"; done; }
        answer () { :; }
        jobctl_workers -j 2 answer worker
        while read -r n; do jobctl_ask "$n"; done <"$1"
        jobctl_workers_end' "$shell" "$tmp/many"
}
forked ()
{
    run "$shell" -c 'while read -r n; do square=$(echo "$((n * n))"); done <"$1"' "$shell" \
        "$tmp/few"
}
few=$(count 5000)
echo 'a function as the worker / a subshell for each request'
for shell in $(shells dash bash ksh93 mksh yash zsh busybox); do
    compare "$few" "$few" "$(printf %-8s "$shell")" asked forked
done
