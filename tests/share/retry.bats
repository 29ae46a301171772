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

@test "a further try is the job as it was started: its directory, its descriptors, its variables" {
	mkdir -p here/a here/b
	cat >script <<'S'
. jobctl.sh
set -eu
job () {
	echo "$1 $JOBCTL_TRY in ${PWD##*/} $word $own: slot $JOBCTL_SLOT $JOBCTL_LABEL ${FIFO##*/}"
	echo "$1 $JOBCTL_TRY" >&2
	echo "$1 $JOBCTL_TRY" >&3
	own=changed
	cd / && exec 3>&-
	[ "$JOBCTL_TRY" -eq 3 ]
	exit
}
own=its
cd here
jobctl_open --retries 3,0 ${1+"$@"} --label one --label two 2
for word in a b; do
	cd "$word"
	jobctl_run job "$word" >../"$word.out" 2>../"$word.err" 3>../"$word.3"
	cd ..
done
jobctl_run sh -c 'echo "$PWD $JOBCTL_TRY"; [ "$JOBCTL_TRY" -eq 2 ]' >program
jobctl_close
echo "$? $JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED" >figures
S
	check_same() {
		local option word
		for option in '' -k; do
			rm -f here/*.* here/program
			in_shell "$1" script $option
			cd here
			is '0 3 3 0' figures
			is "$here/here 1,$here/here 2" program
			for word in a b; do
				sed 's/: .*//' "$word.out" | is "$word 1 in $word $word its,\
$word 2 in $word $word its,$word 3 in $word $word its" -
				! grep -v -e ' slot 1 one 1[_0-9]*$' -e ' slot 2 two 2[_0-9]*$' "$word.out"
				is "$word 1,$word 2,$word 3" "$word.err"
				is "$word 1,$word 2,$word 3" "$word.3"
			done
			cd ..
		done
	}
	batch same
}

@test "a job that waits for its next try ends with its batch, whatever ends or kills that" {
	mkfifo gate now
	cat >script <<'S'
. jobctl.sh
echo "$$" >pid
jobctl_open --quiet --retries 2,1000 1
jobctl_run sh -c 'exit 3'
jobctl_run cat gate # the slot is free meanwhile
[ "$1" != stop ] || { read -r line <now; jobctl_stop; }
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >status
S
	check_ends() {
		local how job shell
		for how in stop term shell tokend both script; do
			[ "$how$1" != termyash ] || continue # it waits in read for the next line
			rm -f status
			in_shell "$1" script "$how" 2>err & shell=$!
			open_gate gate # once the second job runs
			until_true signal_ours 0 jobend -w
			case $how in
			stop) echo >now ;;
			term) kill "$(<pid)" ;;
			shell)
				job=$(ours jobend -w)
				kill -9 "$(awk '/^PPid:/ {print $2}' "/proc/${job%% *}/status")"
				;;
			tokend) kill_tokends dispenser ;;
			both) kill_tokends guard dispenser ;;
			script) kill -9 "$(<pid)" ;;
			esac
			close_gate
			wait "$shell" || :
			case $how in
			stop) grep -qx '123 . .' status ;;
			shell) is '1 2 1' status ;;
			tokend | both) grep -q '^123 ' status ;;
			*) [ ! -e status ] ;;
			esac
			clean
			until_true ended_all
		done
	}
	ended_all() { ! signal_ours 0 jobend -w; }
	batch ends
}

@test "tokend is killed while a job runs that fails then: it gets no other try, and nobody hangs" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
fails () { read -r line <gate; echo "try $JOBCTL_TRY" >>tries; return 1; }
jobctl_open --quiet --retries 3,0 1
jobctl_run fails
jobctl_close
echo "$?" >status
S
	check_killed() {
		local shell
		rm -f tries status
		in_shell "$1" script 2>err & shell=$!
		open_gate gate # once the job runs
		kill_tokends dispenser
		close_gate
		wait "$shell" || :
		is 123 status
		is 'try 1' tries
	}
	batch killed
}
