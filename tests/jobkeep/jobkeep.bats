# bats file_tags=waits
load ../helper
load ../helpers/connections

# jobkeep, which keeps the connections of a batch: its orders, and resources it cannot have.

# A query writes only the word into the log.
shown='answer to ${answer##* }'

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
			while read -r word rest <&8; do
				echo "$word" >>log
				[ "$word" != "$1" ] || break
			done
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
	same next "$(tail -n 1 log)"
	# A connection exists an instant before its answer: dead2's may, too.
	run -1 grep dead1 log
	clean
}

@test "an answer to a job that died, of which the next one has read a part, does not hide its own" {
	imitation
	cat >script <<'S'
. jobctl.sh
dies () { echo "get dies" >&5; until [ -s servers ]; do :; done; }
reads () {
	dd bs=1 count=2 <&8 2>/dev/null # more than one reads the bytes that were there
	echo "get next" >&5
	sed '/next ready/q' <&8
}
asks () { "$1" 5>"${FIFO%/fifo.d/*}/keep/1.ask" 8<"${FIFO%/fifo.d/*}/keep/1.say"; }
jobctl_open 1
jobctl_connections ./server
jobctl_run asks dies
jobctl_run asks reads
jobctl_close
S
	export TMPDIR=$here
	in_shell dash script >log
	# jobkeep takes away the rest of the first answer, or sed was faster.
	same 'next ready 2 0' "$(tail -n 1 log)"
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
		same aabbcc "$(sed 's/answer to //' log | tr -d '\n')"
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
	export TMPDIR=$here top
	fake jobkeep <<<'ulimit -n 100; exec "$top/bin/jobkeep" "$@"'
	in_shell dash script 2>err
	same '125 1 ' "$(tr '\n' ' ' <log)"
	grep -q '^jobkeep: 40 connections need 340 open files, and this process may have 100$' err
	clean
}

# fake_keeper -- the first keeper runs under strace with the options in $INJECT
fake_keeper()
{
	export REAL=$top/bin/jobkeep
	fake jobkeep <<'S'
if [ "$1" = -s ] && [ -n "$INJECT" ] && mkdir "$here/first" 2>/dev/null; then
	exec strace -D -qq -o "$here/trace" $INJECT "$REAL" "$@"
fi
exec "$REAL" "$@"
S
}

@test "what the keeper cannot have at its start is told; a connection that fails is tried again" {
	need_strace
	imitation
	fake_keeper
	export TMPDIR=$here
	cat >script <<'S'
. jobctl.sh
. ./query
jobctl_open --retries 5,0 1
jobctl_connections ./server || { echo "connections $?" >>log; jobctl_close; exit; }
for word in a b c; do jobctl_run jobctl_on query "$word"; done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	INJECT='-e trace=all' in_shell dash script 2>err
	# The second write and so on are answers: see below.
	calls_in trace | awk '/^(mkn|mkfifo|mkdir|pipe|open|fcntl|write|epoll_)|fork|clone/ &&
		$2 <= (/^fcntl/ ? 8 : /^write/ ? 1 : 24)' | some 20 >calls
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
	run -123 jobkeep -n 1 -d "$here/nowhere" cat
	same "jobkeep: $here/nowhere: No such file or directory" "$output"
	run -123 jobkeep -n 1 -d batch cat
	same 'jobkeep: batch/fifo: No such file or directory' "$output"
	mkfifo batch/fifo batch/news
	run -123 jobkeep -n 1 -d batch cat
	same 'jobkeep: batch/fifo: No such device or address' "$output"
	"$here/sleeper" 100 8<>batch/news 9<>batch/fifo 3>&- &
	until_true is_inlet "$here/batch/fifo"
	: >batch/keep
	run -125 jobkeep -n 1 -d batch cat
	same 'jobkeep: batch/keep: Not a directory' "$output"
	rm batch/keep
	mkdir -p batch/keep/1.say
	run -125 jobkeep -n 1 -d batch cat
	same 'jobkeep: keep/1.say: File exists' "$output"
	for operands in '-n 1 -d batch' '-d batch cat' '-n 1 cat'; do
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
	kill -STOP "$(pgrep -f "^jobkeep -s .*$here/")"
	head -c 60000 /dev/zero | tr '\0' x >&5 # all there at once
	kill -CONT "$(pgrep -f "^jobkeep -s .*$here/")"
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
	[ "$(sed 's/answer to //' log | tr '\n' ,)" = 'a,b,c,d,e,f,8,' ] || { cat log err; false; }
	clean
}

@test "a child of whoever became the keeper is no connection, and waited for" {
	imitation
	fake jobkeep <<-S
		[ "\$1" != -s ] || { "$here/sleeper" 1000 & echo "\$!" >child; }
		exec "$top/bin/jobkeep" "\$@"
	S
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
	in_shell dash script
	same 'answer to a' "$(cat log)"
	clean
}

# queries N WORD... -- a script that asks for each word once, in N slots, with that keeper
queries()
{
	imitation
	fake_keeper
	export TMPDIR=$here
	cat >script <<S
set -eu
. jobctl.sh
. ./query
jobctl_open --retries 5,0 $1
jobctl_connections ./server || exit 9
for word in ${*:2}; do jobctl_run jobctl_on query "\$word"; done
jobctl_close
echo "\$JOBCTL_DONE \$JOBCTL_FAILED" >>log
S
}

# The first keeper is killed at its Nth system call of a kind; another one comes.
@test "a keeper that is killed at any system call: every job is served, and nothing is left" {
	need_strace
	queries 2 a b c d
	INJECT='-e trace=all' in_shell dash script 2>err
	same '4 0' "$(tail -n 1 log)"
	calls_in trace | awk '!/^exit/ && $2 < 40' | some 30 >calls
	clean
	[ "$(grep -c . calls)" -ge 30 ]
	while read -r call n; do
		echo "$call $n" >&2
		rm -rf first log
		status=0
		export INJECT="-e inject=$call:signal=KILL:when=$n"
		in_shell dash script >out 2>err </dev/null || status=$?
		[ "$status" -eq 0 ] || { cat err; return 1; }
		[ "$(tail -n 1 log)" = '4 0' ] || { cat log err; return 1; }
		clean
	done <calls
}

@test "a keeper that cannot write once does not wait for what has ended" {
	need_strace
	queries 1 a b
	for n in 2 3; do # two answers
		rm -rf first log
		INJECT="-e trace=write -e inject=write:error=EIO:when=$n" in_shell dash script 2>err
		same '2 0' "$(tail -n 1 log)"
		clean
		grep -q INJECTED trace
	done
}

@test "the FIFOs of a killed keeper are taken away, not what else has such a name" {
	mkdir batch batch/keep batch/keep/5.out
	mkfifo batch/fifo batch/news batch/keep/3.in
	: >batch/keep/4.in
	ln -s ../news batch/keep/6.out
	exec 6<>batch/fifo 7<>batch/news
	jobkeep -n 1 -d "$here/batch" cat 6>&- 7>&- 3>&-
	signal_ours KILL jobkeep -s
	until_true test ! -e batch/keep/3.in
	until_true follows 6
	[ -z "$(find /proc/$(ours jobkeep -s)/fd -lname '*/3.in *')" ]
	[ -f batch/keep/4.in ]
	[ -d batch/keep/5.out ]
	[ -L batch/keep/6.out ]
	exec 6>&-
	until_true no_ours jobkeep
}
follows() { [ -n "$(ours jobkeep -s "$1")" ]; }

@test "jobkeep that cannot write an answer ends, and the next one gives it; no child is forgotten" {
	need_strace
	imitation='while read -r line; do echo "answer to $line"; done'
	cat >script <<'S'
set -eu
. jobctl.sh
query () { echo "$1" >&6; read -r answer <&7; echo "$answer" >>log; }
jobctl_open --retries 3,0 1
jobctl_connections -u 1 sh -c "$imitation"
jobctl_run jobctl_on query a
jobctl_run jobctl_on query b
jobctl_close
S
	export imitation TMPDIR=$here
	fake_keeper
	for fault in write:error=EIO:when=2 waitid:error=EINTR:when=2 write:error=EINTR:when=2; do
		INJECT="-e inject=$fault" in_shell dash script
		grep -q INJECTED trace
		is 'answer to a,answer to b' log
		rm -r first log
		clean
	done
}
