#!/bin/sh
# Part of make bench: SQL statements as the jobs of a batch, through psql sessions that stay,
# and with a psql for each.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
. tests/postgres.sh
postgres_there || {
    echo 'psql sessions: PostgreSQL is not installed'
    exit 0
}
chmod 711 "$tmp"
postgres_start "$tmp/pg" || exit
cleanup () { postgres_stop "$tmp/pg"; }

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
many=${BENCH_STATEMENTS:-$(count 1000)}
few=$((many / 25 + 1))
through () { run "$shell" "$tmp/script" "$many" jobctl_on query; }
each () { run "$shell" "$tmp/script" "$few" psql -qAtX -c; }

for shell in $(shells dash bash); do
    compare "$shell, 2 psql sessions / a psql for each statement" \
        through "$many" each "$few" '>=' 10
done
