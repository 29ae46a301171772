load ../helper

# Batches of jobctl.sh, in each shell: signals.

@test "INT, TERM and HUP end the jobs and the script; a trap of the caller comes first" {
	cat >script <<'S'
. jobctl.sh
[ -z "$1" ] || trap 'echo caught >>log; jobctl_stop' INT TERM HUP
jobctl_open 2
for i in 1 2 3; do jobctl_run "$here/sleeper" 100 || break; done
jobctl_close
echo "closed $?" >>log
S
	check_signals() {
		for sig in HUP INT TERM; do
			[ "$sig$1" != INTyash ] || continue # it waits in read for the next line
			rm -f log
			started "$1" script ''
			until_true has_sleepers 2
			until_true in_read "$script"
			kill -s "$sig" -- "-$script"
			ends_with "$((128 + $(kill -l "$sig")))" "$script"
			[ ! -e log ]
			clean
		done
		started "$1" script trap
		until_true has_sleepers 2
		until_true in_read "$script"
		kill -TERM -- "-$script"
		ends_with 0 "$script"
		is 'caught,closed 123' log
	}
	batch signals
}

@test "what a job has left whose shell was killed ends with the batch, or by --timeout, for a try" {
	cat >script <<'S'
. jobctl.sh
job () {
	[ "${JOBCTL_TRY:-1}" -eq 1 ] || return 0
	"$here/sleeper" 1000 &
	sh -c 'kill -9 "$PPID"; echo >>killed'
}
jobctl_open "$@"
jobctl_run job
jobctl_close
echo "$?"
S
	check_left() {
		same 124 "$(in_shell "$1" script --quiet --deadline 0.2 2 2>/dev/null)"
		no_ours sleeper
		for limit in 0.2 2 20; do # the first that is enough here for the second try
			result=$(in_shell "$1" script --quiet --retries 2 --timeout "$limit" 2 2>/dev/null)
			no_ours sleeper
			if [ "$result" = 0 ]; then break; fi
		done
		same 0 "$result"
		[ "$1" != yash ] || return 0 # it waits in read for the next line
		rm -f killed
		started "$1" script --quiet 2
		until_true lines_in 1 killed
		until_true in_read "$script"
		kill -TERM "$script"
		ends_with 143 "$script"
	}
	batch left
}

@test "TERM ends what a subshell of a job has left in the background, too, but no daemon" {
	cat >script <<'S'
. jobctl.sh
job () {
	("$here/sleeper" 1000 &)
	setsid -f "$here/sleeper" 2000
	"$here/sleeper" 1000
}
jobctl_open --quiet 2
jobctl_run job
jobctl_close
S
	check_orphan() {
		[ "$1" != yash ] || return 0 # it waits in read for the next line
		started "$1" script
		until_true has_sleepers 3
		until_true in_read "$script"
		kill -TERM "$script"
		ends_with 143 "$script"
		no_ours sleeper 1000
		signal_ours KILL sleeper 2000
	}
	batch orphan
}

@test "TERM before the shell knows the pid of its first job: the job ends, and the script" {
	need_strace
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
jobctl_run sh -c 'kill -TERM "$1"; exec "$here/sleeper" 1000' sh "$$"
jobctl_close
S
	run -143 failing '?clone,?fork,?vfork:delay_exit=300000' dash script
	no_ours sleeper
	nothing_left
}

# A signal that is seen in a callback ends everything all the same.
@test "TERM while a callback runs ends the jobs and the script" {
	cat >script <<'S'
. jobctl.sh
ended () { [ "$1" -eq 1 ] || { sh -c 'kill -TERM "$PPID"'; while :; do :; done; }; }
jobctl_open --on-end ended 2
jobctl_run "$here/sleeper" 1000
jobctl_run true
jobctl_close
echo never >log
S
	check_in_callback() {
		started "$1" script
		ends_with 143 "$script"
		run -1 grep jobctl out # posh and mksh say "Terminated"
		[ ! -e log ]
	}
	batch in_callback
}

@test "no shell sleeps when a signal has ended it" {
	need_strace
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run "$here/sleeper" 1000
: >log
jobctl_run true
S
	check_death() {
		local shell=$1 sig
		if [ "$shell" = busybox ]; then shell='busybox sh'; fi
		if [ "$1" = yash ]; then return; fi # waits in read for the next line
		for sig in HUP INT; do
			rm -f log
			fresh -s strace -f -o trace -e trace=nanosleep,clock_nanosleep \
				$shell script </dev/null >out 2>&1 3>&- &
			strace=$!
			until_true test -e log
			script=$(pgrep -P "$strace")
			until_true in_read "$script"
			kill -s "$sig" "$script"
			ends_with "$((128 + $(kill -l "$sig")))" "$strace"
			run -1 grep "^$script .*sleep(" trace
		done
	}
	batch death
}

# bash and ksh93 may lose a status when the signal comes while a job dies.
@test "a signal that the caller traps is not taken for the end of a job" {
	cat >script <<'S'
. jobctl.sh
trap 'caught=$((caught + 1))' USR1
job () { kill -s USR1 $$; return "$(($1 % 2 * 3))"; }
ended () { echo "$2" >>log; }
caught=0 i=0
jobctl_open --on-end ended 2
while [ "$i" -lt 30 ]; do jobctl_run job "$i"; i=$((i + 1)); done
jobctl_close
echo "$JOBCTL_STARTED $JOBCTL_DONE" >>log
S
	check_trapped() {
		in_shell "$1" script
		same '30 30' "$(tail -n 1 log)"
		case $1 in bash | ksh93) return ;; esac
		same 15 "$(grep -cx 0 log)"
		same 15 "$(grep -cx 3 log)"
	}
	batch trapped
}

@test "JOBCTL_GRACE may have a fraction; what is no time is refused at once, and never run" {
	cat >script <<'S'
. jobctl.sh
job () { :; }
try () { "$@" 2>>err; echo "$1 $?" >>log; }
JOBCTL_GRACE='0; touch bad'
try jobctl_open 1
try jobctl_workers job job
try process 1 </dev/null
JOBCTL_GRACE=1234567890
try jobctl_open 1
JOBCTL_GRACE=0.1
jobctl_open 1
stubborn () { trap '' TERM; : >running; while :; do "$here/sleeper" 0.1; done; }
jobctl_run stubborn
: <running
try jobctl_stop
try jobctl_close
jobctl_open 1
JOBCTL_GRACE='0; touch bad'
try jobctl_connections cat
JOBCTL_GRACE=0
jobctl_close
S
	mkfifo running
	check_grace() {
		rm -f err
		in_shell "$1" script
		head -n 4 log | is 'jobctl_open 125,jobctl_workers 125,process 125,jobctl_open 125' -
		tail -n 3 log | is 'jobctl_stop 0,jobctl_close 123,jobctl_connections 125' -
		grep -o 'JOBCTL_GRACE: .*: not a number of seconds' err | cut -d : -f 2 | uniq -c | tr -s ' ' |
			is ' 3 0; touch bad, 1 1234567890' -
		[ ! -e bad ]
	}
	batch grace
}

@test "a trap that the caller sets while a batch is open stays when it is closed" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
trap 'echo mine >>log' TERM
jobctl_run true
jobctl_close
kill -TERM $$
trap - TERM
kill -INT $$
echo "not ended by INT" >>log
S
	check_late() {
		: >log
		run -130 in_shell "$1" script
		is mine log
	}
	batch late
}

@test "a caller whose traps cannot be asked keeps them" {
	cat >script <<'S'
set -eu
. jobctl.sh
pool=$FIFO
job () { [ "$1" -eq 0 ] || rmdir "$pool.d/answer"; }
jobctrl 1 | {
	trap 'echo caught' TERM
	until mkdir "$pool.d/answer" 2>/dev/null; do :; done # where they would be written
	process 2
	sh -c 'kill -TERM "$PPID"'
	echo "$? $JOBCTL_DONE"
}
S
	check_keeps() {
		FIFO=$here/pool in_shell "$1" script >out 2>err
		is 'caught,0 2' out
		grep -q answer err
	}
	batch keeps
}

@test "figures from the environment are no commands" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -b '' 1
echo "$?"
S
	check_figures() {
		JOBCTL_STARTED='; echo no' in_shell "$1" script >out 2>&1
		is 'jobctl_open: -b : a name is letters, digits and _, no digit first,125' out
	}
	batch figures
}

@test "a trap of the caller while the library reads: no line is lost, nor taken for the end" {
	cat >script <<'S'
. jobctl.sh
trap : USR1
job () { [ "$1" != 0 ] || read -r line <gate; }
worker () { while read -r x; do read -r line <gate; echo "$x!"; done; }
answer () { echo "answer $2" >>log; }
case $1 in
batch)
	jobctl_open 1
	jobctl_run job 0
	jobctl_run job 1
	jobctl_close
	;;
workers)
	jobctl_workers answer worker
	jobctl_ask x
	jobctl_workers_end
	;;
process) process 3 <news ;;
esac
echo "$1 $?" >>log
S
	check_harassed() {
		local part i
		mkfifo gate
		for part in batch workers process; do
			rm -f news
			mkfifo news
			[ "$part" != process ] || in_shell "$1" -c '. jobctl.sh; jobctrl 1 >news' &
			started "$1" script "$part"
			for i in {1..6}; do
				until_true in_read "$script"
				kill -s USR1 "$script"
				pause 10 # a signal that comes too early proves less
			done
			echo go >gate
			ends_with 0 "$script"
		done
		is 'batch 0,answer x!,workers 0,process 0' log
		rm gate news
	}
	batch harassed
}

@test "a batch that is closed in an EXIT trap" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
trap 'jobctl_close; echo "closed $?" >>log' EXIT
jobctl_run true
exit 0
S
	logs 'closed 0'
}
