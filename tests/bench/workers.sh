#!/bin/sh
# Part of make bench: requests per second through two persistent workers, against a process
# for each request.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh

# requests MANY FEW -- makes two lists of that many requests
requests () { many=$1 few=$2 && seq "$1" >"$tmp/many" && seq "$2" >"$tmp/few"; }
requests "$(count 50000)" "$(count 500)"
square='{print $1 * $1; fflush()}'
case $(awk -W version 2>&1 </dev/null) in
*mawk*) pooled_awk () { jobpool -j 2 awk -W interactive "$square" <"$tmp/many"; } ;;
*) pooled_awk () { jobpool -j 2 awk "$square" <"$tmp/many"; } ;;
esac
each_awk () { while read -r n; do echo "$n" | awk "$square"; done <"$tmp/few"; }
compare '2 workers, awk / an awk for each request' pooled_awk "$many" each_awk "$few" '>=' 10
if command -v bc >/dev/null; then
    pooled_bc () { sed 's/.*/& * &/' "$tmp/many" | jobpool -j 2 bc; }
    each_bc () { while read -r n; do echo "$n * $n" | bc; done <"$tmp/few"; }
    compare '2 workers, bc / a bc for each request' pooled_bc "$many" each_bc "$few" '>=' 10
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
requests "$(count 5000)" "$(count 5000)"
for shell in $(shells dash bash ksh93 mksh yash zsh busybox); do
    compare "$shell: a function as the worker / a subshell each" asked "$many" forked "$few" '>='
done
