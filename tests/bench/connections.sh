#!/bin/sh
# Of make bench: SQL statements as the jobs of a batch, through psql sessions that stay,
# and with a psql for each. Medians of pairs, as in run.sh.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
. tests/postgres.sh
trap 'rm -rf "$tmp"' EXIT
postgres_there || {
    echo 'psql sessions: PostgreSQL is not installed'
    exit 0
}
chmod 711 "$tmp"
postgres_start "$tmp/pg" || exit
trap 'postgres_stop "$tmp/pg"; rm -rf "$tmp"' EXIT
export TMPDIR="$tmp"

{
    sed -n '/^query ()/,/^}/p' share/examples/connections.sh
    cat <<'S'
. jobctl.sh
statements=$1
shift
jobctl_open 2
jobctl_connections psql -qAtX
i=0
while [ "$i" -lt "$statements" ]; do
    i=$((i + 1))
    jobctl_run "$@" "select $i"
done
jobctl_close
S
} >"$tmp/script"
many=${BENCH_STATEMENTS:-1000} few=$((${BENCH_STATEMENTS:-1000} / 25))
through () { run "$shell" "$tmp/script" "$many" jobctl_on query; }
each () { run "$shell" "$tmp/script" "$few" psql -qAtX -c; }

for shell in ${BENCH_SHELLS:-dash bash}; do
    command -v "$shell" >/dev/null || continue
    i=0
    while [ "$i" -lt "$pairs" ]; do
        echo "$(elapsed through) $(elapsed each)"
        i=$((i + 1))
    done | awk -v many="$many" -v few="$few" '{
        print ($2 / few) / ($1 / many), many * 1000000 / $1, few * 1000000 / $2}' >"$tmp/pairs"
    r=$(cut -d' ' -f1 "$tmp/pairs" | median)
    awk -v s="$shell" -v r="$r" -v a="$(cut -d' ' -f2 "$tmp/pairs" | median)" \
        -v b="$(cut -d' ' -f3 "$tmp/pairs" | median)" -v verdict="$(verdict "$r" '>=' 10)" \
        'BEGIN {printf "%s, 2 psql sessions / a psql for each statement: %.1f  %d/%d a second %s\n", s, r, a, b, verdict}'
done
