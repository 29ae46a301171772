# bats file_tags=waits
load ../helper

# The dispenser of a script is killed, or told to end by others.

# tokend_dies all|ROLES -- is killed, and the script knows it
tokend_dies()
{
	if [ "$1" = all ]; then
		signal_ours KILL tokend
		until_true grep -q 'its tokend went away' out
	else
		kill_tokends $1
		until_true grep -q 'tokend was killed' out
	fi
}

@test "tokend killed, alone, with its parent or with all: a message, jobs end in peace, 123, no hang" {
	cat >script <<'S'
. jobctl.sh
job () { echo "in $1" >>log; : <gate; echo C >"$FIFO"; echo "out $1" >>log; }
jobctrl 3 | process 100
S
	mkfifo gate
	all_out() { [ "$(grep -c in log)" -eq "$(grep -c out log)" ]; }
	check_told() {
		for how in dispenser 'guard dispenser' all; do
			rm -f log
			started "$1" "$here/script"
			until_true lines_in 3 log
			tokend_dies "$how"
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

@test "tokend killed, alone, with its parent or with all: run and close return 123, and the jobs are waited for" {
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
		for how in dispenser 'guard dispenser' all; do
			rm -f log
			started "$1" script
			until_true lines_in 1 log
			tokend_dies "$how"
			echo go >gate
			ends_with 0 "$script"
			is 'started,ended,run 123,close 123' log
			clean
		done
	}
	batch killed
}

@test "a loop behind a pipe, whose tokend is killed: its jobs are waited for, too" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
job () { echo started >>log; : <gate; echo ended >>log; }
jobctl_open 2
seq 9 | while read -r i; do jobctl_run job || break; done
jobctl_close
echo "close $?" >>log
S
	check_loop() {
		rm -f log
		started "$1" script
		until_true lines_in 2 log
		kill_tokends dispenser
		until_true grep -q 'tokend was killed' out
		open_gate gate
		ends_with 0 "$script"
		close_gate
		is 'started,started,ended,ended,close 123' log
	}
	batch loop
}

@test "tokend killed just when the script calls it: the script lives, its traps as they were" {
	cat >script <<'S'
set -eu
. jobctl.sh
[ -z "$2" ] || trap 'echo piped >>log' PIPE
job () {
	[ "$1" != 0 ] || deaf "${FIFO%/*}"
	echo >>log.job
}
deaf () { # it is killed when there is a call, or a job
	kill -STOP "$(cat "$1/lock")"
	(until [ -s "$1/calls" ] || [ -e log.job ]; do :; done; kill -KILL "$(cat "$1/lock")") &
}
case $1 in
process)
	jobctrl 2 | { process 4 || echo "$?" >>log; }
	;;
*)
	jobctl_open $1 2
	deaf "$(echo "$here"/jobctl.*/fifo.d)"
	jobctl_run true || :
	jobctl_close || echo "$?" >>log
	;;
esac
[ -z "$2" ] || kill -s PIPE "$$"
S
	check_pipe() {
		local what trap
		for what in process '' --group; do
			for trap in '' trap; do
				rm -f log log.job
				in_shell "$1" script "$what" "$trap" 2>err
				same "123 ${trap:+piped }" "$(tr '\n' ' ' <log)"
				run -1 grep -i pipe err
			done
		done
	}
	batch pipe
}

@test "a batch whose dispenser is killed as it ends: its figures stay, and nothing is left" {
	need_strace
	attachable
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 2
attach "$(echo "$here"/jobctl.*/fifo)"
jobctl_run true
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	export TMPDIR=$here
	check_killed_at_end() {
		local instants=3 n
		[ "$1" != dash ] || instants='1 2 3 4 5'
		for n in $instants; do
			inject="-e inject=?unlink,?unlinkat:signal=KILL:when=$n"
			rm -rf log "$JOBCTL_BOARDS"
			in_shell "$1" script 2>err
			is '1 0' log
			grep -q 'tokend was killed' err
			clean
		done
	}
	batch killed_at_end
}

@test "a signal for process as its dispenser is killed at its end: its parent ends" {
	need_strace
	attachable
	inject='-e inject=?unlink,?unlinkat:signal=KILL:when=1'
	cat >script <<'S'
. jobctl.sh
job () { exec "$here/sleeper" 1000; }
jobctrl 1 >news 2>>out &
exec 7<news
until [ -e "$FIFO.d/lock" ]; do :; done
attach "$FIFO"
process 1 <&7 7<&-
echo "after $?" >>log
S
	check_signal() {
		if [ "$1" = yash ]; then return; fi # waits in read for the next line
		rm -rf "$JOBCTL_BOARDS"
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
	attachable
	cat >script <<'S'
. jobctl.sh
job () { echo "in $1" >>log; echo "out $1" >>log; }
jobctrl 2 | {
	until [ -e "$FIFO.d/lock" ]; do :; done
	attach "$FIFO"
	process 4
}
S
	in_shell dash script
	calls_in trace >calls
	[ "$(grep -c . calls)" -gt 60 ]
	some 25 <calls >chosen
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		rm -f log out
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

@test "tokend killed under any umask and limit of files: 123, and no hang" {
	cat >script <<'S'
. jobctl.sh
umask 777
ulimit -S -n 30
jobctl_open 60
for i in 1 2 3; do jobctl_run :; done
kill -KILL "$(cat "$here"/jobctl.*/fifo.d/lock)"
until ! jobctl_run :; do :; done
jobctl_close
echo "close $?"
S
	export TMPDIR=$here
	chmod 777 .
	check_limits() {
		local as=()
		[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=65534 --clear-groups)
		rm -f out
		"${as[@]}" "$(type -P env)" timeout -k 1 20 $1 "$here/script" >out 2>err 3>&-
		cat err >&2
		is 'close 123' out
	}
	SHELLS='dash mksh zsh' batch limits
}

@test "tokend killed, and the end of a job interrupts the open of a lease: 123" {
	cat >script <<'S'
. jobctl.sh
job () { : <gate; }
jobctl_open 4
jobctl_run job
dispenser=$(cat "$here"/jobctl.*/fifo.d/lock)
ps -o ppid= -p "$dispenser" >guard
kill -STOP $(cat guard)
kill -KILL "$dispenser"
echo >killed
jobctl_run job
jobctl_close
echo "close $?"
S
	export TMPDIR=$here
	mkfifo gate
	opens() { [ "$(cat "/proc/$script/wchan")" = wait_for_partner ]; }
	over() { case $(cut -d ' ' -f 3 "/proc/$job/stat" 2>&1) in Z | cut:*) ;; *) false ;; esac; }
	check_interrupted() {
		local job
		rm -f killed
		started "$1" script
		until_true test -e killed
		if [ -s "/proc/$script/wchan" ]; then until_true opens; fi
		job=$(pgrep -P "$script")
		open_gate gate
		until_true over
		kill -CONT $(cat guard)
		ends_with 0 "$script"
		close_gate
		grep -qx 'close 123' out
	}
	SHELLS='dash mksh' batch interrupted
}

@test "script and dispenser of a process killed: nothing is left" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; : <gate; }
jobctrl 2 | process 9
S
	mkfifo gate
	check_orphans() {
		rm -f log
		started "$1" "$here/script"
		until_true lines_in 2 log
		dispenser=$(tokends dispenser)
		kill -STOP "$dispenser" # else it may end the jobs before it is killed
		kill -KILL "$script" "$dispenser"
		ends_with 137 "$script" 2>/dev/null
		open_gate gate
		nothing_left
		close_gate
	}
	everywhere orphans
}

@test "while a spare is stopped, a batch ends, and nothing is left" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_wait # the end of a job could interrupt an open
echo >begun
: <gate
jobctl_close
echo "close $?"
S
	mkfifo gate
	check_stopped_spare() {
		local dispenser pid
		rm -f begun
		started "$1" script
		until_true test -e begun
		dispenser=$(tokends dispenser)
		for pid in $(pgrep -P "$(tokends guard)"); do
			[ "$pid" = "$dispenser" ] || kill -STOP "$pid"
		done
		open_gate gate
		ends_with 0 "$script"
		close_gate
		grep -qx 'close 0' out
		clean
	}
	batch stopped_spare
}

@test "jobctl_open with standard output closed: jobs run, and are waited for" {
	cat >script <<'S'
. jobctl.sh
jobctl_open "$@" 2
jobctl_run sh -c 'echo done >>log'
jobctl_close
S
	check_closed() {
		rm -f log
		in_shell "$1" script >&-
		in_shell "$1" script --results "$here/kept/" >&-
		is done,done log
		rm -r kept
	}
	batch closed
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
exec strace -f -D -qq -o trace -P bell -e inject=open,openat:error=EMFILE:when="$n" tokend "$@"
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
