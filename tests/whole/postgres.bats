# bats file_tags=waits
load ../helper

# Connections to a real server: PostgreSQL, by sessions of psql.

setup_file()
{
	. "$top/tests/postgres.sh"
	postgres_there || skip 'PostgreSQL is not installed'
	base=$(mktemp -d "${TMPDIR:-/tmp}/tokpg.XXXXXX")
	export base
	chmod 711 "$base"
	postgres_start "$base/pg" >&2
}

teardown_file()
{
	[ -n "${base-}" ] || return 0
	. "$top/tests/postgres.sh"
	postgres_stop "$base/pg"
	rm -rf "$base"
}

# As in share/examples.
query_function()
{
	sed -n '/^query ()/,/^}/p' "$top/share/examples/connections.sh" >query
	grep -q echo query
}

sessions()
{
	[ "$(psql -qAtX -c "select count(*) from pg_stat_activity
		where application_name = 'psql' and pid <> pg_backend_pid()")" -eq "$1" ]
}

@test "SQL through sessions that stay: each statement once, by no more sessions than slots" {
	query_function
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
jobctl_open 3
jobctl_connections psql -qAtX -v ON_ERROR_STOP=1
jobctl_run jobctl_on query 'create table done (id int, pid int)'
jobctl_wait
i=0
while [ "$i" -lt 40 ]; do
	i=$((i + 1))
	jobctl_run jobctl_on query "insert into done values ($i, pg_backend_pid())"
done
jobctl_wait
jobctl_run jobctl_on query 'select count(id), count(distinct id), count(distinct pid) <= 3
	from done; drop table done' >>log
jobctl_close
S
	check_sessions() {
		in_shell "$1" script 2>err
		same '40|40|t' "$(cat log)"
		until_true sessions 0
	}
	batch sessions
}

@test "a statement that fails or takes too long, a session that ends: told, and the next is answered" {
	query_function
	cat >script <<'S'
. jobctl.sh
. ./query
bad () { echo "failed: $1 $5" >>log; }
for limit in 1000 0.2; do
	jobctl_open --timeout "$limit" --on-failure bad 1
	jobctl_connections psql -qAtX -v ON_ERROR_STOP=1
	case $limit in
	1000) set -- 'select 1' 'select 1/0' 'begin; select 2' \
		'select pg_terminate_backend(pg_backend_pid())' 'select 3' ;;
	*) set -- 'select pg_sleep(1000)' ;;
	esac
	for sql in "$@"; do jobctl_run jobctl_on query "$sql" >>log; done
	jobctl_close
	echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >>log
done
S
	check_failing() {
		in_shell "$1" script 2>err
		is '1,failed: 2 select 1/0,2,failed: 4 select pg_terminate_backend(pg_backend_pid()),3,1 5 2,'\
'failed: 1 select pg_sleep(1000),1 1 1' log
		grep -q 'division by zero' err
	}
	batch failing
}

@test "no server: the batch ends, and says why" {
	query_function
	cat >script <<'S'
. jobctl.sh
. ./query
PGHOST=$here/nowhere
jobctl_open --halt soon,fail=3 2
jobctl_connections psql -qAtX
i=0
while [ "$i" -lt 100 ]; do jobctl_run jobctl_on query 'select 1' || break; i=$((i + 1)); done
jobctl_close
echo "$? $((i < 20))" >log
S
	check_nowhere() {
		in_shell "$1" script 2>err
		same '1 1' "$(cat log)"
		grep -q "nowhere/.s.PGSQL.5432" err
	}
	batch nowhere
}

@test "the example prints both rates, and has an answer to each statement" {
	check_example() {
		in_shell "$1" "$top/share/examples/connections.sh" 2 1 >log 2>err
		sed -n '1,2s/[0-9][0-9]* statements a second$/N/p' log |
			is 'through 2 sessions: N,with a psql for each: N' -
		awk 'NR == 3 {exit !($1 > 0 && $1 == $4)}' log
	}
	SHELLS=dash batch example # the example is for /bin/sh
}

@test "tables are counted through two sessions; one that is not there has failed" {
	cat >script <<-'S'
		. jobctl.sh
		count () { echo "select count(*) from $1;" >&6; read -r n <&7 && echo "$1 $n"; }
		jobctl_open --timeout 60 --retries 3,0 2
		jobctl_connections psql -qAtX -v ON_ERROR_STOP=1
		while read -r table; do jobctl_run jobctl_on count "$table"; done <tables
		jobctl_close
	S
	psql -qX -c 'create table one (n int)' -c 'insert into one values (1), (2)'
	printf '%s\n' one none >tables
	check_tables() {
		run -1 in_shell "$1" script
		same 'one 2' "$(grep '^one' <<<"$output")"
		run -1 grep -q '^none' <<<"$output"
	}
	batch tables
	psql -qX -c 'drop table one'
}
