#!/bin/sh
# The part of make bench about persistent workers: requests per second through two of them,
# against a process for each request. Medians of pairs, as in run.sh.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
trap 'rm -rf "$tmp"' EXIT
export TMPDIR="$tmp"
many=50000 few=500
i=0
while [ "$i" -lt "$many" ]; do
    i=$((i + 1))
    echo "$i"
done >"$tmp/requests"
head -n "$few" "$tmp/requests" >"$tmp/few"

# compare TEXT POOL EACH -- two functions; of each the requests per second
compare ()
{
    i=0
    while [ "$i" -lt "$pairs" ]; do
        echo "$(elapsed "$2") $(elapsed "$3")"
        i=$((i + 1))
    done >"$tmp/pairs"
    a=$(cut -d' ' -f1 "$tmp/pairs" | median) b=$(cut -d' ' -f2 "$tmp/pairs" | median)
    r=$(awk -v n="$many" -v m="$few" '{print (n / $1) / (m / $2)}' "$tmp/pairs" | median)
    printf '%s %.1f  %d/%d requests/s %s\n' "$1" "$r" "$((many * 1000000 / a))" \
        "$((few * 1000000 / b))" "$(verdict "$r" '>=' 10)"
}

square='{print $1 * $1; fflush()}'
case $(awk -W version 2>&1 </dev/null) in
*mawk*) pooled_awk () { jobpool -j 2 awk -W interactive "$square" <"$tmp/requests"; } ;;
*) pooled_awk () { jobpool -j 2 awk "$square" <"$tmp/requests"; } ;;
esac
each_awk () { while read -r n; do echo "$n" | awk "$square"; done <"$tmp/few"; }
compare '2 workers, awk / an awk for each request' pooled_awk each_awk
if command -v bc >/dev/null; then
    pooled_bc () { sed 's/.*/& * &/' "$tmp/requests" | jobpool -j 2 bc; }
    each_bc () { while read -r n; do echo "$n * $n" | bc; done <"$tmp/few"; }
    compare '2 workers, bc / a bc for each request' pooled_bc each_bc
fi

# A function of a script, asked by jobctl_ask, against one subshell for each request.
asked ()
{
    run "$shell" -c '. jobctl.sh
        worker () { while read -r n; do echo "$((n * n))"; done; }
        answer () { :; }
        jobctl_workers -j 2 answer worker
        while read -r n; do jobctl_ask "$n"; done <"$1"
        jobctl_workers_end' "$shell" "$tmp/few"
}
forked ()
{
    run "$shell" -c 'while read -r n; do square=$(echo "$((n * n))"); done <"$1"' "$shell" "$tmp/few"
}
many=5000 few=5000
head -n 5000 "$tmp/requests" >"$tmp/few"
echo 'a function as the worker / a subshell for each request'
for shell in ${BENCH_SHELLS:-dash bash ksh93 mksh yash zsh busybox}; do
    command -v "$shell" >/dev/null || continue
    a=$(elapsed asked) b=$(elapsed forked)
    awk -v s="$shell" -v a="$a" -v b="$b" -v n="$few" 'BEGIN {
        printf "%-8s %.1f  %d/%d requests/s\n", s, b / a, n * 1e6 / a, n * 1e6 / b}'
done
