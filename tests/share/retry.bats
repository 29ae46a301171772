load ../helper

# Batches of jobctl.sh, in each shell: a job says when its next try is to come.

@test "jobctl_retry_after: the next try comes then, and not after the pause; later, or sooner" {
	cat >script <<'S'
. jobctl.sh
job () {
	now >>times
	[ "$JOBCTL_TRY" -eq 1 ] || return 0
	jobctl_retry_after 7200
	jobctl_retry_after "$1"
	return 1
}
jobctl_open --retries 2,0 1
jobctl_run job 0.3
jobctl_close
jobctl_open --retries 2,1000 2
jobctl_run job 0.2
jobctl_run sh -c 'now >>times; echo ">0" >"$FIFO"; [ "$JOBCTL_TRY" -eq 2 ]'
jobctl_close
S
	check_after() {
		rm -f times
		in_shell "$1" script
		same 6 "$(wc -l <times)"
		[ "$(sed -n 2p times)" -ge "$(($(sed -n 1p times) + 300000))" ]
	}
	batch after
}

@test "jobctl_retry_after: what is no number of seconds is refused; one that succeeds is not tried again" {
	cat >script <<'S'
. jobctl.sh
job () {
	echo try >>log
	for seconds in '' . 1.1.1 -1 'Wed, 25 Nov 2026 12:00:00 GMT' 1000000000; do
		jobctl_retry_after "$seconds" 2>>log
		echo "$?" >>log
	done
	jobctl_retry_after 0.1
}
jobctl_open --retries 2,0 1
jobctl_run job
jobctl_close
S
	check_wrong() {
		rm -f log
		in_shell "$1" script
		same 6 "$(grep -c '^125$' log)"
		same 6 "$(grep -c '^jobctl_retry_after: .*: not a number of seconds$' log)"
		same 1 "$(grep -c try$ log)"
	}
	batch wrong
}
