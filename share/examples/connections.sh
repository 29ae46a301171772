#!/bin/sh
# connections.sh [N [SECONDS]] -- sends SQL statements to the PostgreSQL server that PGHOST
# and its kin name. Prints how many a second go through N psql sessions that stay, and how
# many through a psql for each statement.
set -eu
sessions=${1:-2} seconds=${2:-3}
. jobctl.sh

query () # SQL -- in a job with a session
{
	printf '%s;\n\\echo :done\n' "$1" >&6
	while IFS= read -r line <&7; do
		[ "$line" != :done ] || return 0
		printf '%s\n' "$line"
	done
	return 1 # psql has ended, after a message
}

failed () # ID STATUS COMMAND...
{
	for sql in "$@"; do :; done
	echo "statement $1 failed with status $2: $sql" >&2
}

rate () # TEXT COMMAND... -- the command gets a statement as its last argument
{
	text=$1 first=$number start=$(date +%s) end=0
	shift
	while [ "$end" -lt "$((start + seconds))" ]; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			number=$((number + 1))
			jobctl_run "$@" "select $number" >>answers
		done
		end=$(date +%s)
	done
	jobctl_wait
	echo "$text: $(((number - first) / ($(date +%s) - start))) statements a second"
}

number=0 dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
jobctl_open --on-failure failed --retries 3,0 "$sessions"
jobctl_connections -i 60 -u 10000 psql -qAtX -v ON_ERROR_STOP=1
rate "through $sessions sessions" jobctl_on query
rate 'with a psql for each' psql -qAtX -c
jobctl_close
echo "$(sort -u answers | wc -l) answers to $JOBCTL_DONE statements"
