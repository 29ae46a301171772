load ../helper
load ../helpers/connections

# Connections of a batch, in each shell: who is killed, and when.

# A query writes the word alone into the log.
shown='answer to ${answer##* }'

keeper() { ours jobkeep -s; }
one_keeper() { [ "$(keeper | wc -l)" -eq 1 ]; }

@test "a keeper that is killed: none of its connections is left; another one opens them again" {
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
jobctl_open --retries 3,0 2
jobctl_connections ./server
for word in a wait b wait c d e; do jobctl_run jobctl_on query "$word"; done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_keeper() {
		local first
		rm -f servers gate
		started "$1" script
		until_true lines_in 2 servers
		until_true lines_in 2 log # a, b
		first=$(keeper)
		kill -KILL $first
		for server in $(head -n 2 servers); do until_true ended "$server"; done
		until_true one_keeper
		[ "$(keeper)" != "$first" ]
		: >gate
		ends_with 0 "$script"
		same '7 0' "$(tail -n 1 log)"
		sed '$d; s/answer to //' log | sort | is a,b,c,d,e,wait,wait -
		grep -q 'jobkeep was killed' out
	}
	batch_on_server keeper
}

@test "a keeper that is killed each time it begins: jobctl_connections gives up, the batch goes on" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 1
jobctl_connections cat 2>err || echo "$?" >>log
jobctl_run echo ran >>log
jobctl_close
S
	export top
	fake jobkeep <<<'[ "$1" != -s ] || kill -s KILL "$$"; exec "$top/bin/jobkeep" "$@"'
	check_stillborn() {
		rm -f log
		in_shell "$1" script
		is 125,ran log
		grep -q 'jobkeep was killed, each time that it began' err
	}
	batch stillborn
}

# fake_keeper SECOND -- jobkeep as it is, but the second one, which this happens to; in "keepers" a
# line for each: its pid, and how many connections there were before
fake_keeper()
{
	fake jobkeep <<-S
		[ "\$1" = -s ] || exec "$top/bin/jobkeep" "\$@"
		echo "\$\$ \$2" >>keepers
		[ "\$(wc -l <keepers)" -ne 2 ] || $1
		exec "$top/bin/jobkeep" "\$@"
	S
}

@test "a keeper that is gone when a job has something to say: no SIGPIPE ends that" {
	fake_keeper 'until [ -e second ]; do ./sleeper 0.02; done'
	cat >script <<'S'
. jobctl.sh
echo () { # what a job says to the keeper comes when that is no more
	case $1 in
	"$word "*)
		kill -KILL "$(cut -d ' ' -f 1 keepers)"
		until [ "$(wc -l <keepers)" -gt 1 ]; do ./sleeper 0.02; done
		;;
	esac
	command echo "$@"
}
word=$1
jobctl_open 1
jobctl_connections cat
jobctl_run jobctl_on true
jobctl_wait
: >second
jobctl_close
S
	check_pipe() {
		rm -f keepers second
		in_shell "$1" script ok
		until_true no_process "$here/" # a keeper that has yet to find that all is over
		rm keepers second
		run -1 in_shell "$1" script get
		[[ "$output" == *'jobctl_on: jobkeep has gone'*'job 1: exit status 123'* ]]
	}
	batch pipe
}

@test "a connection that is killed while a job has it, and while none has" {
	cat >script <<'S'
. jobctl.sh
. ./query
victim () { query before; kill -KILL "$(tail -n 1 servers)"; query after; }
bad () { echo "failed: $*" >>log; }
jobctl_open --on-failure bad 1
jobctl_connections ./server
jobctl_run jobctl_on victim
jobctl_run jobctl_on query b
jobctl_wait
kill -KILL "$(tail -n 1 servers)"
jobctl_run jobctl_on query c
jobctl_wait
jobctl_run jobctl_on query d
jobctl_close || :
S
	check_killed() {
		rm -f servers
		in_shell "$1" script 2>err
		# Of SIGPIPE, or for want of an answer; c may come after the end was seen, or before.
		sed 's/^\(failed: [13]\) \(7\|141\) jobctl_on/\1/; s/answer to //' log >same
		is 'before,failed: 1 victim,b,c,d' same ||
			is 'before,failed: 1 victim,b,failed: 3 query c,d' same
	}
	batch_on_server killed
}

@test "a script that is killed, or forgets jobctl_close: the connections end, and their keeper" {
	cat >script <<'S'
. jobctl.sh
. ./query
jobctl_open 2
jobctl_connections ./server
jobctl_run jobctl_on query a
jobctl_wait
[ "$1" = exit ] || kill -KILL $$
S
	check_script() {
		in_shell "$1" script exit
		clean
		in_shell "$1" script kill || :
	}
	batch_on_server script
}

@test "a dispenser that is killed: dialogues go on to their end, then the connections end" {
	cat >script <<'S'
. jobctl.sh
. ./query
jobctl_open 2
jobctl_connections ./server
jobctl_run jobctl_on query wait
jobctl_run jobctl_on query a
jobctl_run true
jobctl_close
echo "$?" >>log
S
	check_dispenser() {
		rm -f gate servers
		started "$1" script
		until_true lines_in 1 log
		kill_tokends dispenser
		: >gate
		ends_with 0 "$script"
		is 'answer to a,answer to wait,123' log
	}
	batch_on_server dispenser
}

@test "TERM ends the script, its jobs and the connections, which are in the middle of something" {
	cat >script <<'S'
. jobctl.sh
. ./query
jobctl_open 2
jobctl_connections ./server
jobctl_run jobctl_on query wait
jobctl_run jobctl_on query wait
jobctl_close
S
	check_term() {
		rm -f gate servers
		started "$1" script
		until_true lines_in 2 servers
		until_true in_read "$script"
		kill -TERM "$script"
		if [ "$1" = yash ]; then : >gate; fi # waits in read for the next line
		ends_with 143 "$script"
	}
	batch_on_server term
}

@test "a connection that does not end with its input is ended, with all that it has started" {
	fake server <<'S'
trap '' TERM
"$here/sleeper" 1000 &
while :; do "$here/sleeper" 1000; done
S
	cat >script <<'S'
. jobctl.sh
JOBCTL_GRACE=0
jobctl_open 1
jobctl_connections server
jobctl_run jobctl_on true
jobctl_run jobctl_on false
jobctl_run jobctl_on true
jobctl_close
echo "$? $JOBCTL_FAILED" >>log
S
	logs '1 1'
}

@test "a keeper that was killed, and cannot be followed at once, has its connections ended by a later one" {
	cat >script <<'S'
PATH=$here/only:/usr/bin:/bin
. jobctl.sh
jobctl_open 1
jobctl_connections ./server
jobctl_run jobctl_on eval ': <gate'
jobctl_close
S
	mkdir only
	for program in tokend tokstop jobkeep jobctl.sh; do
		ln -s "$(command -v "$program")" only
	done
	mkfifo gate
	export JOBCTL_LIB=$top/share/jobctl TMPDIR=$here
	imitation
	started dash script
	until_true lines_in 1 servers
	first=$(keeper)
	rm only/jobkeep
	kill -KILL "$first"
	until_true grep -q 'jobkeep: not found on PATH' out
	ln -s "$top/bin/jobkeep" only
	until_true one_keeper
	until_true ended "$(cat servers)"
	gate_opens "$script"
}

@test "a keeper was killed, and the next one cannot begin: the jobs wait for one that can" {
	imitation
	fake_keeper 'ulimit -n 9'
	cat >script <<'S'
. jobctl.sh
. ./query
jobctl_open --retries 3,0 1 # for who has asked the dying one
jobctl_connections ./server
jobctl_run jobctl_on query a
jobctl_wait
kill -KILL "$(cut -d ' ' -f 1 keepers)"
jobctl_run jobctl_on query b
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	export TMPDIR=$here
	in_shell dash script 2>err
	is 'answer to a,answer to b,2 0' log
	grep -q '^jobkeep: 1 connections need 28 open files, and this process may have 9$' err
	same 1 "$(grep -c "jobkeep was killed" err)"
	cut -d ' ' -f 2 keepers | is 0,1,1 -
	clean
}

@test "a script that is killed while its jobs wait for the next keeper: they wait no longer" {
	fake_keeper 'until [ -e second ]; do ./sleeper 0.02; done'
	cat >script <<'S'
. jobctl.sh
job () { : >begun; jobctl_on true; echo "$?" >>log; }
jobctl_open 1
jobctl_connections cat
kill -KILL "$(cut -d ' ' -f 1 keepers)"
until [ "$(wc -l <keepers)" -gt 1 ]; do ./sleeper 0.02; done
jobctl_run job
jobctl_close
S
	check_waiting() {
		rm -f keepers second begun log
		started "$1" script
		until_true test -e begun
		kill -KILL "$script"
		until_true lines_in 1 log
		is 123 log
		: >second
	}
	batch waiting
}

# Had one of its two FIFOs lost its name then, a file would be made, and the job wait at the other.
@test "a job of a killed script that is about to open its connection does not wait" {
	need_strace
	fake tokend <<-S
		exec strace -f -D -qq -o trace -e trace=rename,unlinkat "$top/bin/tokend" "\$@"
	S
	cat >script <<'S'
. jobctl.sh
job () {
	read () { # the answer
		command read "$@"
		: >about
		until [ -e gone ]; do "$here/sleeper" 0.02; done
	}
	jobctl_on cat
}
jobctl_open 1
jobctl_connections cat
jobctl_run job
jobctl_close
S
	export TMPDIR=$here
	started dash script
	until_true test -e about
	kill -KILL "$script"
	until_true no_keep
	: >gone
	clean
	# all names at once, before one of them
	grep 'rename(".*/keep"\|"1\.\(in\|out\)"' trace | head -n 1 | grep rename
}
no_keep() { ! ls -d jobctl.*/keep 2>/dev/null; }
