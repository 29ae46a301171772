load helper

# What may go wrong in batches of jobctl.sh.

@test "a bare wait of the caller returns while a batch is open" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_run true
jobctl_wait
wait
jobctl_run true
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >log
S
	check_bare_wait() {
		in_shell "$1" script
		[ "$(cat log)" = '3 0' ]
	}
	batch bare_wait
}

@test "close returns 125 when the log cannot be written, or is of another batch" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -l jobs.log $2 1
jobctl_run eval "$1"
jobctl_run true; jobctl_run true
echo "run $?" >>log
jobctl_close
echo "close $?" >>log
S
	check_refused() {
		rm -f jobs.log
		in_shell "$1" script 'rm jobs.log; mkdir jobs.log' '' 2>err
		[ "$(cat log)" = 'run 125
close 125' ]
		[ "$(cat err)" = "jobctl_run: $here/jobs.log: cannot be written" ]
		rmdir jobs.log
		rm log
		in_shell "$1" script true ''
		[ "$(cat log)" = 'run 0
close 0' ]
		rm log
		in_shell "$1" script : -R 2>err
		[ "$(cat log)" = 'run 125
close 125' ]
		[ "$(grep -c . err)" -eq 1 ]
	}
	batch refused
}

@test "close in a callback is refused in one line, and the batch goes on" {
	cat >script <<'S'
set -eu
. jobctl.sh
ended () { jobctl_close || echo "in $?" >>log; jobctl_wait || echo "in $?" >>log; }
jobctl_open -e ended 1
jobctl_run true
jobctl_run true
jobctl_close
echo "out $? $JOBCTL_DONE" >>log
S
	check_callback() {
		in_shell "$1" script 2>err
		[ "$(cat log)" = 'in 125
in 125
in 125
in 125
out 0 2' ]
		[ "$(uniq -c err | awk '{print $1, $2}')" = '1 jobctl_close:
1 jobctl_wait:
1 jobctl_close:
1 jobctl_wait:' ]
	}
	batch callback
}

# A signal that is seen in a callback ends everything all the same.
@test "TERM while a callback runs ends the jobs and the script" {
	cat >script <<'S'
. jobctl.sh
ended () { [ "$1" -eq 1 ] || { sh -c 'kill -TERM "$PPID"'; while :; do :; done; }; }
jobctl_open -e ended 2
jobctl_run "$here/sleeper" 1000
jobctl_run true
jobctl_close
echo never >log
S
	check_in_callback() {
		started "$1" script
		ends_with 143 "$script"
		run ! grep jobctl out # posh and mksh say "Terminated"
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
			fresh -s strace -f -o trace -e trace=nanosleep,clock_nanosleep $shell script </dev/null >out 2>&1 3>&- &
			strace=$!
			until_true test -e log
			script=$(pgrep -P "$strace")
			kill -s "$sig" "$script"
			ends_with "$((128 + $(kill -l "$sig")))" "$strace"
			run ! grep "^$script .*sleep(" trace
		done
	}
	batch death
}
