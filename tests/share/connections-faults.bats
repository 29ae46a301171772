load ../helper
load ../helpers/connections

# What may go wrong with connections of batches: who is killed, and when.

# What a query writes into the log: the word alone.
shown='answer to ${answer##* }'

keeper() { pgrep -f "^jobkeep .*$here/"; }
one_keeper() { [ "$(keeper | wc -l)" -eq 1 ]; }

@test "a keeper that is killed: another one opens the connections again, none is left, jobs are tried again" {
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
jobctl_open -r 3,0 2
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
		[ "$(tail -n 1 log)" = '7 0' ]
		[ "$(sed '$d' log | sort | tr '\n' ,)" = 'answer to a,answer to b,answer to c,answer to d,answer to e,answer to wait,answer to wait,' ]
		grep -q 'jobkeep was killed' out
	}
	batch_on_server keeper
}

@test "a connection that is killed while a job has it, and while none has" {
	cat >script <<'S'
. jobctl.sh
. ./query
victim () { query before; kill -KILL "$(tail -n 1 servers)"; query after; }
bad () { echo "failed: $*" >>log; }
jobctl_open -E bad 1
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
		sed 's/^\(failed: 1\) [0-9]*/\1/' log >same # of SIGPIPE, or by the answer that does not come
		[ "$(tr '\n' , <same)" = 'answer to before,failed: 1 jobctl_on victim,answer to b,answer to c,answer to d,' ] ||
			[ "$(tr '\n' , <same)" = 'answer to before,failed: 1 jobctl_on victim,answer to b,failed: 3 7 jobctl_on query c,answer to d,' ] ||
			[ "$(tr '\n' , <same)" = 'answer to before,failed: 1 jobctl_on victim,answer to b,failed: 3 141 jobctl_on query c,answer to d,' ]
	}
	batch_on_server killed
}

@test "a script that is killed, or ends without jobctl_close: the connections end, and their keeper" {
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
		pkill -KILL -f "tokend.*$here/"
		: >gate
		ends_with 0 "$script"
		[ "$(tr '\n' , <log)" = 'answer to a,answer to wait,123,' ] || { cat log out; return 1; }
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
		kill -TERM "$script"
		if [ "$1" = yash ]; then : >gate; fi # waits in read for the next line
		ends_with 143 "$script"
	}
	batch_on_server term
}

@test "a connection that does not end with its input is ended, with all that it has started" {
	cat >server <<'S'
#!/bin/sh
trap '' TERM
"$here/sleeper" 1000 &
while :; do "$here/sleeper" 1000; done
S
	chmod +x server
	cat >script <<'S'
. jobctl.sh
JOBCTL_GRACE=0
jobctl_open 1
jobctl_connections ./server
jobctl_run jobctl_on true
jobctl_run jobctl_on false
jobctl_run jobctl_on true
jobctl_close
echo "$? $JOBCTL_FAILED" >>log
S
	check_stubborn() {
		in_shell "$1" script
		[ "$(cat log)" = '1 1' ]
	}
	batch stubborn
}

@test "answers to jobs that died before they read them do not pile up for the next one" {
	imitation
	cat >script <<'S'
. jobctl.sh
asks () {
	keep=${FIFO%/fifo.d/*}/keep
	{
		echo "get $1" >&5
		case $1 in
		dead*) until [ "$(wc -l <servers 2>/dev/null)" -eq "${1#dead}" ]; do :; done ;;
		*)
			while read -r word rest <&8 && [ "$word" != "$1" ]; do echo "$word" >>log; done
			echo "$word" >>log
			;;
		esac
	} 5>"$keep/1.ask" 8<"$keep/1.say"
}
jobctl_open 1
jobctl_connections ./server
for who in dead1 dead2 dead3 next; do jobctl_run asks "$who"; done
jobctl_close
S
	export TMPDIR=$here
	in_shell dash script
	[ "$(tail -n 1 log)" = next ]
	run ! grep dead1 log # a connection is there an instant before its answer: dead2's may be, too
	clean
}

@test "junk in the FIFOs of the slots hurts nobody" {
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
junk () {
	query "$1"
	head -c 3000 /dev/urandom >&5
	{ echo; echo get; echo "ok somebody"; echo "get  "; echo "+"; } >&5
	head -c 300 /dev/zero | tr '\0' x >&5
	echo >&5
	query "$1"
}
jobctl_open 1
jobctl_connections ./server
for word in a b c; do jobctl_run jobctl_on junk "$word"; done
jobctl_close
S
	check_junk() {
		rm -f servers
		in_shell "$1" script
		[ "$(sed 's/answer to //' log | tr -d '\n')" = aabbcc ]
		[ "$(grep -c . servers)" -le 2 ] # random bytes may be a request, once in a while
	}
	batch_on_server junk
}

@test "where no descriptors are to be had the keeper says so, and no batch waits for it" {
	imitation
	cat >script <<'S'
. jobctl.sh
jobctl_open 40
jobctl_connections ./server; echo "$?" >log
jobctl_run jobctl_on true
jobctl_close; echo "$?" >>log
S
	mkdir fake
	printf '#!/bin/sh\nulimit -n 100\nexec %s/bin/jobkeep "$@"\n' "$top" >fake/jobkeep
	chmod +x fake/jobkeep
	export TMPDIR=$here
	PATH=$here/fake:$PATH in_shell dash script 2>err
	[ "$(tr '\n' ' ' <log)" = '125 1 ' ]
	grep -q '^jobkeep: 40 connections need 340 open files, and this process may have 100$' err
	clean
}

# fake_keeper -- the first one runs under strace with the options in $INJECT
fake_keeper()
{
	mkdir fake
	cat >fake/jobkeep <<'S'
#!/bin/sh
if [ -n "$INJECT" ] && mkdir "$here/first" 2>/dev/null; then
	exec strace -D -qq -o "$here/trace" $INJECT "$REAL" "$@"
fi
exec "$REAL" "$@"
S
	chmod +x fake/jobkeep
	export REAL=$top/bin/jobkeep
	PATH=$here/fake:$PATH
}

@test "what the keeper cannot have at its start is told; a connection that it cannot have is tried again" {
	need_strace
	imitation
	fake_keeper
	export TMPDIR=$here
	cat >script <<'S'
. jobctl.sh
. ./query
jobctl_open -r 5,0 1
jobctl_connections ./server || { echo "connections $?" >>log; jobctl_close; exit; }
for word in a b c; do jobctl_run jobctl_on query "$word"; done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	INJECT='-e trace=all' in_shell dash script 2>err
	sed 's/(.*//' trace | awk '/^(mkn|mkfifo|mkdir|pipe|open|fcntl|write|epoll_)|fork|clone/ && n[$1]++ < (/^fcntl/ ? 8 : 24) {print $1, n[$1]}' |
		grep -v '^write [2-9]' >calls # of the signal handler, too: its pipe is not full
	clean
	while read -r call n; do
		case $call in # each error where it is likely
		mk* | write) error=ENOSPC ;;
		*) error=ENOMEM ;;
		esac
		echo "$call $n $error" >&2
		rm -rf first log servers
		INJECT="-e inject=$call:error=$error:when=$n" in_shell dash script 2>err
		case $(tail -n 1 log) in
		'3 0') ;;
		'connections 125') grep -q 'jobkeep: ' err ;;
		*) cat log err; return 1 ;;
		esac
		clean
	done <calls
	[ "$(grep -c . calls)" -gt 10 ]
}

@test "a keeper without a batch, or a dispenser, says so" {
	mkdir batch
	run -123 jobkeep -n 1 "$here/nowhere" cat
	[ "$output" = "jobkeep: $here/nowhere: No such file or directory" ]
	run -123 jobkeep -n 1 batch cat
	[ "$output" = 'jobkeep: batch/fifo: No such file or directory' ]
	mkfifo batch/fifo batch/news
	run -123 jobkeep -n 1 batch cat
	[ "$output" = 'jobkeep: batch/fifo: No such device or address' ]
	"$here/sleeper" 100 8<>batch/fifo 9<>batch/news 3>&- &
	until_true is_inlet "$here/batch/fifo"
	: >batch/keep
	run -125 jobkeep -n 1 batch cat
	[ "$output" = 'jobkeep: batch/keep: Not a directory' ]
	rm batch/keep
	mkdir -p batch/keep/1.say
	run -125 jobkeep -n 1 batch cat
	[ "$output" = 'jobkeep: cat: Is a directory' ]
	for operands in '-n 1 batch' 'batch cat' '-y -n 1 batch cat'; do
		run -125 jobkeep $operands
		[[ "$output" == *'usage: jobkeep '* ]]
	done
	kill "$!"
}

@test "who writes and writes into the FIFO of a slot keeps nobody else from a connection" {
	imitation
	cat >script <<'S'
. jobctl.sh
. ./query
endless () {
	kill -STOP "$(pgrep -f "^jobkeep .*$here/")"
	head -c 60000 /dev/zero | tr '\0' x >&5 # all there at once
	kill -CONT "$(pgrep -f "^jobkeep .*$here/")"
	yes 'get nobody nothing' >&5 & writer=$!
	until [ -e enough ]; do "$here/sleeper" 0.02; done
	kill "$writer"
}
jobctl_open 2
jobctl_connections ./server
jobctl_run jobctl_on endless
for word in a b c d e f; do jobctl_run jobctl_on query "$word"; done
jobctl_run eval ': >enough'
jobctl_close
echo "$JOBCTL_DONE" >>log
S
	export TMPDIR=$here
	in_shell bash script 2>err
	[ "$(tr '\n' , <log)" = 'answer to a,answer to b,answer to c,answer to d,answer to e,answer to f,8,' ] || { cat log err; false; }
	clean
}

@test "a child of whoever became the keeper is no connection, and waited for" {
	imitation
	mkdir fake
	printf '#!/bin/sh\n"$here/sleeper" 1000 & echo "$!" >child\nexec %s/bin/jobkeep "$@"\n' "$top" >fake/jobkeep
	chmod +x fake/jobkeep
	cat >script <<'S'
. jobctl.sh
. ./query
job () {
	kill -KILL "$(cat child)"
	while kill -0 "$(cat child)" 2>/dev/null; do "$here/sleeper" 0.02; done
	query "$1"
}
jobctl_open 1
jobctl_connections ./server
jobctl_run jobctl_on job a
jobctl_close
S
	export TMPDIR=$here
	PATH=$here/fake:$PATH in_shell dash script
	[ "$(cat log)" = 'answer to a' ]
	clean
}

@test "a keeper was killed, and the next one cannot begin: the jobs wait for one that can" {
	imitation
	mkdir fake
	cat >fake/jobkeep <<-S
		#!/bin/sh
		echo >>keepers
		[ "\$(wc -l <keepers)" -ne 2 ] || ulimit -n 9
		exec "$top/bin/jobkeep" "\$@"
	S
	chmod +x fake/jobkeep
	cat >script <<'S'
. jobctl.sh
. ./query
jobctl_open -r 3,0 1 # for who has asked the dying one
jobctl_connections ./server
jobctl_run jobctl_on query a
jobctl_wait
pkill -KILL -f "bin/jobkeep .*$here/"
jobctl_run jobctl_on query b
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	PATH=$here/fake:$PATH
	check_next() {
		rm -f keepers
		in_shell "$1" script 2>err
		[ "$(tr '\n' , <log)" = 'answer to a,answer to b,2 0,' ] || { cat log err; return 1; }
		grep -q '^jobkeep: 1 connections need 28 open files, and this process may have 9' err
		[ "$(grep -c "jobkeep was killed" err)" -eq 1 ]
	}
	batch next
}

# The first keeper is killed as it does its Nth system call of a kind; another one comes.
@test "a keeper that is killed at any system call: every job is served all the same, and nothing is left" {
	need_strace
	imitation
	fake_keeper
	export TMPDIR=$here
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
jobctl_open -r 5,0 2
jobctl_connections ./server || exit 9
for word in a b c d; do jobctl_run jobctl_on query "$word"; done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	INJECT='-e trace=all' in_shell dash script 2>err
	[ "$(tail -n 1 log)" = '4 0' ]
	sed 's/(/ (/' trace | awk '/^[a-z]/ && !/^exit/ {n[$1]++; if (n[$1] < 40) print $1, n[$1]}' | shuf -n 60 >calls
	clean
	[ "$(grep -c . calls)" -ge 40 ]
	while read -r call n; do
		echo "$call $n" >&2
		rm -rf first log
		status=0
		INJECT="-e inject=$call:signal=KILL:when=$n" in_shell dash script >out 2>err </dev/null || status=$?
		[ "$status" -eq 0 ] || { cat err; return 1; }
		[ "$(tail -n 1 log)" = '4 0' ] || { cat log err; return 1; }
		clean
	done <calls
}

@test "a keeper that cannot write once, be it to itself: it does not wait for what has ended" {
	need_strace
	imitation
	fake_keeper
	export TMPDIR=$here
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
jobctl_open -r 5,0 1
jobctl_connections ./server || exit 9
for word in a b; do jobctl_run jobctl_on query "$word"; done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	for n in 2 3 4; do # two answers; its only child has ended
		rm -rf first log
		INJECT="-e trace=write -e inject=write:error=EIO:when=$n" in_shell dash script 2>err
		[ "$(tail -n 1 log)" = '2 0' ]
		clean
		grep -q INJECTED trace
	done
	grep -q '^write(.*, "\\0", 1) *= -1 EIO' trace
}

# Of the two FIFOs of a connection one has lost its name when the job opens them, in one
# second: that would make a file, and the job wait at the other.
@test "a job of a killed script that is about to open its connection does not wait" {
	need_strace
	mkdir fake
	cat >fake/rm <<'S'
#!/bin/sh
PATH=${PATH#*:}
for dir; do
	rm -f "$dir"/*/1.in
done
i=0
until grep -q DELAYED trace 2>/dev/null || [ "$i" -eq 100 ]; do i=$((i + 1)); "$here/sleeper" 0.05; done
exec rm "$@"
S
	chmod +x fake/rm
	cat >script <<'S'
. jobctl.sh
job () { echo 1 >&6; read -r answer <&7; echo "$answer" >>log; }
jobctl_open 1
jobctl_connections sh -c ': >begun; exec cat' # and then it is told of
strace -f -qq -o trace -p "$$" -P "$_jobctl_b_dir/keep/1.in" -e trace=open,openat \
	-e inject=open,openat:delay_enter=1000000 2>err </dev/null >/dev/null &
until grep -q 'TracerPid:.*[1-9]' "/proc/$$/status"; do :; done
jobctl_run jobctl_on job
until [ -e begun ]; do :; done
kill -KILL "$$"
S
	check_about() {
		rm -f begun trace
		status=0
		PATH=$here/fake:$PATH in_shell "$1" "$here/script" 2>err || status=$?
		[ "$status" -eq 137 ]
		clean
		[ -s trace ]
		cat trace >&2
	}
	batch about
}
