# bats file_tags=waits
load ../helper

# The dispenser of a script is killed, or told to end by others.

# kill_successor -- the next dispenser; a job that wrote while it dies would die of SIGPIPE
kill_successor()
{
	local pid
	successor() { pid=$(ours tokend -r) && [ -n "$pid" ] && kill -KILL $pid; }
	until_true successor
	for pid in $pid; do until_true ended "$pid"; done
}

@test "tokend killed, and what is beside it or next: a message, jobs end in peace, 123, no hang" {
	cat >script <<'S'
. jobctl.sh
job () { echo "in $1" >>log; : <gate; echo C >"$FIFO"; echo "out $1" >>log; }
jobctrl 3 | process 100
S
	mkfifo gate
	all_out() { [ "$(grep -c in log)" -eq "$(grep -c out log)" ]; }
	check_told() {
		for how in next beside; do
			rm -f log
			started "$1" "$here/script"
			until_true lines_in 3 log
			if [ "$how" = next ]; then
				signal_ours KILL tokend -n
				until_true grep -q 'tokend was killed' out
				kill_successor
			else
				tokend=$(ours tokend -n)
				kill -KILL $(ps -o ppid= -p "$tokend") "$tokend"
				until_true grep -q 'its tokend went away' out
			fi
			open_gate gate
			ends_with 123 "$script"
			close_gate
			until_true all_out # after its early return nobody waits for a job
			[ "$(grep -c in log)" -lt 100 ]
			nothing_left
		done
	}
	everywhere told
}

@test "tokstop -f by somebody else, at any moment: no hang, status 123, nothing left" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; }
jobctrl 4 | process 1000000
S
	check_stopped() {
		for moment in 1 40; do
			rm -f log
			started "$1" "$here/script"
			until_true lines_in "$moment" log
			tokstop -f
			ends_with 123 "$script"
			nothing_left
		done
	}
	everywhere stopped
}

@test "tokend killed, and its successor: run and close return 123, and the jobs are waited for" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run sh -c 'echo started >>log; read line <gate; echo ended >>log'
jobctl_run echo never
echo "run $?" >>log
jobctl_close
echo "close $?" >>log
S
	check_killed() {
		started "$1" script
		until_true lines_in 1 log
		signal_ours KILL tokend
		until_true grep -q 'tokend was killed' out
		kill_successor
		echo go >gate
		ends_with 0 "$script"
		is 'started,ended,run 123,close 123' log
	}
	batch killed
}

# The first tokend is one that does not read its bell, and is killed when there is a call.
deaf_tokend()
{
	export top
	fake tokend <<'S'
for fifo; do :; done
case " $* " in *" -r "*) exec "$top/bin/tokend" "$@" ;; esac
mkfifo "$fifo"
mkdir -m 700 "$fifo.d"
mkfifo "$fifo.d/bell"
echo "$$" >"$fifo.d/lock"
echo ready 2 asks
until [ -s "$fifo.d/calls" ]; do :; done
kill -KILL $$
S
}

# no_successor HOW -- tokend is killed, and HOW is what becomes of each other one
no_successor()
{
	fake tokend <<S
case \$* in *' -r '*) $1 ;; esac
PATH=\${PATH#*:} exec tokend "\$@"
S
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run true
echo started >>log
while jobctl_run true; do :; done
jobctl_close
echo "close $?" >>log
job () { echo job >>log; kill -KILL "$(cat "${FIFO%/*}/lock")"; }
jobctrl 1 | process 100
echo "process $?" >>log
S
}

@test "a successor that cannot begin: a message, and no hang" {
	no_successor 'exit 125'
	check_begin() {
		started "$1" script
		until_true lines_in 1 log
		until_true signal_ours KILL tokend
		ends_with 0 "$script"
		is 'started,close 123,job,process 123' log
		rm -rf "$FIFO" "$FIFO.d" # of jobctrl: a next dispenser could recover it
		nothing_left
	}
	batch begin
}

# some ten seconds for one shell, so it is one
@test "a successor that is killed each time is given up: a message, and no hang" {
	no_successor 'kill -KILL $$'
	export TMPDIR=$here
	started dash script
	until_true lines_in 1 log
	until_true signal_ours KILL tokend
	ends_with 0 "$script"
	is 'started,close 123,job,process 123' log
	same 2 "$(grep -c 'tokend was killed, each time that it began' out)"
}

@test "tokend killed just when the script calls it: the script lives, its traps as they were" {
	deaf_tokend
	cat >script <<'S'
set -eu
. jobctl.sh
[ -z "$2" ] || trap 'echo piped >>log' PIPE
case $1 in
process)
	job () { :; }
	jobctrl 2 | { process 4 || echo "$?" >>log; }
	;;
*)
	jobctl_open $1 2
	jobctl_run true || echo "$?" >>log
	jobctl_close || :
	;;
esac
[ -z "$2" ] || kill -s PIPE "$$"
S
	check_pipe() {
		local what trap
		for what in process '' --group; do
			for trap in '' trap; do
				rm -f log
				in_shell "$1" script "$what" "$trap" 2>err
				same "123 ${trap:+piped }" "$(tr '\n' ' ' <log)"
				run -1 grep -i pipe err
			done
		done
	}
	batch pipe
}

# A tokend whose first run is killed as it removes its files, at the Nth of them.
dying_tokend()
{
	fake tokend <<-S
		mkdir "$here/began" 2>/dev/null || exec "$(command -v tokend)" "\$@"
		exec strace -D -qq -o /dev/null -e inject='?unlink,?unlinkat:signal=KILL:when='"\${nth:-1}" \
			"$(command -v tokend)" "\$@"
	S
}

@test "a batch whose dispenser is killed as it ends: the next one is told to end, too" {
	need_strace
	dying_tokend
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_killed_at_end() {
		local instants=3
		[ "$1" != dash ] || instants='1 2 3 4 5'
		for nth in $instants; do
			export nth
			rm -rf began log "$JOBCTL_BOARDS"
			in_shell "$1" script 2>err
			is '1 0' log
			grep -q 'tokend was killed' err
			clean
		done
	}
	batch killed_at_end
}

@test "a signal for process as its dispenser is killed at its end: the next one ends" {
	need_strace
	dying_tokend
	cat >script <<'S'
. jobctl.sh
job () { exec "$here/sleeper" 1000; }
jobctrl 1 >news 2>>out &
process 1 <news
echo "after $?" >>log
S
	check_signal() {
		if [ "$1" = yash ]; then return; fi # waits in read for the next line
		rm -rf began "$JOBCTL_BOARDS"
		[ -p news ] || mkfifo news
		started "$1" script
		until_true signal_ours 0 sleeper
		until_true in_read "$script"
		kill -TERM "$script"
		ends_with 143 "$script"
	}
	everywhere signal
}

# strace counts each kind of system call by itself: from a trace of a whole run,
# the kind and the count of each call that is made.
@test "tokend killed at each of its system calls: no hang, no job lost or run twice, nothing left" {
	need_strace
	cat >script <<'S'
. jobctl.sh
job () { echo "in $1" >>log; echo "out $1" >>log; }
jobctrl 2 | process 4
S
	injected_once tokend
	in_shell dash script
	calls_in trace >calls
	[ "$(grep -c . calls)" -gt 60 ]
	some 25 <calls >chosen
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		rm -rf first log out
		: >log
		status=0
		inject="-e inject=$call:signal=KILL:when=$n"
		in_shell dash script 2>out </dev/null || status=$?
		if grep -q 'was killed' out; then killed=$((killed + 1)); fi
		case $status in 0 | 123) ;; *) echo "status $status"; cat out; false ;; esac
		same "$(sed -n 's/^out //p' log | sort)" "$(sed -n 's/^in //p' log | sort)"
		same '' "$(sed -n 's/^in //p' log | sort | uniq -d)"
		[ "$status" -ne 0 ] || [ "$(grep -c in log)" -eq 4 ]
		nothing_left
	done <chosen
	[ "$killed" -gt 15 ]
}

@test "a dispenser that cannot open the bell again hears the shell all the same" {
	need_strace
	cat >script <<'S'
. jobctl.sh
job () { [ "$1" != 2 ]; }
jobctl_open --on-end : 2
for i in 1 2 3; do jobctl_run job "$i"; done
jobctl_close
echo "$?"
S
	fake tokend <<'S'
PATH=${PATH#*:}
exec strace -D -qq -o trace -P bell -e inject=open,openat:error=EMFILE:when="$n" tokend "$@"
S
	export n TMPDIR=$here
	for n in 3 4 3+; do # the first two are before it is there
		rm -f trace
		in_shell dash "$here/script" >out 2>err
		is 1 out
		grep -q INJECTED trace
		nothing_left
	done
}
