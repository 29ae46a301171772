load ../helper

# Tasks of jobctl.sh, in each shell: each has one result, whatever dies.

@test "a job that hangs, or was killed and has left a program that does: another one has its task" {
	cat >script <<'S'
. jobctl.sh
work () {
	echo half
	case $1/$JOBCTL_TRY in
	hangs/1) "$here/sleeper" 1000 ;;
	killed/1)
		"$here/sleeper" 1000 &
		sh -c 'kill -9 "$PPID"'
		;;
	esac
	echo whole
}
result () { echo "$1 $(tail -n 1)" >>log; }
jobctl_open --timeout 0.3 $1 2
jobctl_tasks --retries 1000 work result # for a machine that is slow
jobctl_task hangs
jobctl_task killed
jobctl_close
echo "$? $JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_late() {
		for more in '' --group; do # a batch that is told little, and one that is told all
			rm -f log
			in_shell "$1" script "$more" 2>/dev/null
			sort log | is '0 2 2 0,hangs whole,killed whole' -
		done
	}
	batch late
}

@test "what a dead job has left behind, and still writes, is in no result" {
	mkfifo gate done
	cat >script <<'S'
. jobctl.sh
stray () { read -r line <gate; echo stray; echo stray >done; }
work () {
	echo half
	case $JOBCTL_TRY in
	1) { exec 9>&-; stray; } & sh -c 'kill -9 "$PPID"' ;;
	2) echo go >gate; read -r line <done ;;
	esac
	echo whole
}
result () { cat >>log; }
jobctl_open 1
jobctl_tasks --retries 2 work result
jobctl_task stray
jobctl_close
S
	check_stray() {
		in_shell "$1" script 2>/dev/null
		is half,whole log
	}
	batch stray
}

# Try N of a task is killed at step N: before it has written, in the middle, when it has written all.
@test "kill -9 of a job at any of its steps loses no result and delivers none twice" {
	cat >script <<'S'
. jobctl.sh
step () { [ "$JOBCTL_TRY" -ne "$1" ] || sh -c 'kill -9 "$PPID"'; }
work () {
	step 1
	printf '%s ' "$1"
	step 2
	printf "%0$((12 * $1))d\n" "$1"
	step 3
}
result () {
	read -r text
	echo "$text" >>log
	[ "$1" -ge 4 ] || { jobctl_task "$((2 * $1))"; jobctl_task "$((2 * $1 + 1))"; }
}
jobctl_open 4
jobctl_tasks --retries 4 work result
jobctl_task 1
jobctl_close
S
	check_killed() {
		in_shell "$1" script 2>err
		for n in 1 2 3 4 5 6 7; do printf "%s %0$((12 * n))d\n" "$n" "$n"; done >wanted
		sort -n log | diff wanted -
	}
	batch killed
}

@test "a full disk: the task fails, with a message; what comes after has room" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	cat >script <<'S'
. jobctl.sh
work () { case $1 in big*) head -c 300000 /dev/zero ;; *) echo small ;; esac; }
result () { echo "$1 $(wc -c)" >>log; }
error () { echo "error $1" >>log; }
jobctl_open 1
jobctl_tasks --retries 2 work result error
for name in first big1 big2 last; do jobctl_task "$name"; done
jobctl_close
echo "$?" >>log
S
	mkdir tmp
	check_full() {
		local shell=${1/busybox/busybox sh}
		unshare -m sh -c 'mount -t tmpfs -o size=128k none tmp &&
			TMPDIR=$here/tmp exec "$@"' sh $shell script 2>err 3>&-
		tr -s ' ' <log | sort | is '1,error big1,error big2,first 6,last 6' -
		same 4 "$(grep -c 'No space left' err)"
	}
	batch full
}

@test "a result that cannot be read is no result that came: the batch ends with 125" {
	cat >script <<'S'
. jobctl.sh
work () { echo "$1"; rm -f "${FIFO%/*}/$JOBCTL_ID.result"; }
result () { echo "result $1"; }
jobctl_open 1
jobctl_tasks work result
jobctl_task a
jobctl_close
echo "status $?"
S
	check_lost() {
		in_shell "$1" script >out 2>err
		is 'status 125' out
		[ -s err ]
	}
	batch lost
}
