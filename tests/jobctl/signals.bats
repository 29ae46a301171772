load ../helper
load ../helpers/jobctl

# jobctl: signals.

@test "TERM ends us while nobody reads our output" {
	mkfifo pipe
	"$here/sleeper" 100 <pipe 3>&- &
	for last in 'exec ./sleeper 1000' exit; do # it runs still; it has ended
		rm -f log
		echo "seq 100000; echo done >>log; $last" >list
		fresh jobctl --group <list >pipe 2>errors 3>&- &
		batch=$!
		until_true lines_in 1 log
		kill -TERM "$batch"
		until_true ended "$batch"
		ends_with 143 "$batch"
	done
}

@test "the first INT lets the jobs that run end, and starts no more" {
	mkfifo gate
	for ((i = 0; i < 6; i++)); do echo 'echo in >>log; : <gate; echo out >>log'; done >list
	begun -j 2
	until_true lines_in 2 log
	kill -INT "$batch"
	until_true grep -q '2 running jobs' errors
	open_gate gate
	ends_with 130 "$batch"
	same 'in in out out ' "$(tr '\n' ' ' <log)"
	grep -q '2 succeeded, 0 failed; nothing after job 2 was started' errors
}

@test "the second INT ends them, the third kills them" {
	sleepers 9 >list
	begun -j 3
	until_true has_sleepers 3
	kill -INT "$batch"
	until_true grep -q '3 running jobs' errors
	has_sleepers 3
	kill -INT "$batch"
	ends_with 130 "$batch"
	has_sleepers 0
	echo 'trap "echo got >>log" TERM; while :; do "$here/sleeper" 1000 & wait; done' >list
	JOBCTL_GRACE=1000 begun
	until_true has_sleepers 1
	kill -INT "$batch"
	until_true grep -q '1 running job' errors
	kill -INT "$batch"
	until_true lines_in 1 log
	kill -INT "$batch"
	ends_with 130 "$batch"
	until_true has_sleepers 0
}

@test "TERM, HUP and QUIT end the jobs with what they started, and us" {
	for ((i = 0; i < 4; i++)); do
		echo '"$here/sleeper" 1000 & "$here/sleeper" 1001; echo never >>log'
	done >list
	ulimit -c 0
	for sig in TERM HUP QUIT; do
		begun -j 2
		until_true has_sleepers 4
		kill -s "$sig" "$batch"
		ends_with $((128 + $(kill -l "$sig"))) "$batch"
		until_true has_sleepers 0
	done
	[ ! -e log ]
}

@test "what a job started and what ignores TERM is killed after the grace" {
	echo '(trap "" TERM; exec "$here/sleeper" 1000) & wait' >list
	JOBCTL_GRACE=0.2 begun
	until_true has_sleepers 1
	kill -TERM "$batch"
	ends_with 143 "$batch"
	until_true has_sleepers 0
}

@test "TSTP stops the jobs and us, CONT continues" {
	sleepers 1 >list
	begun
	until_true has_sleepers 1
	job=$(pgrep -f "^$here/sleeper")
	kill -TSTP "$batch"
	until_true state T "$batch"
	until_true state T "$job"
	kill -CONT "$batch"
	until_true state S "$job"
	kill -TERM "$batch"
	ends_with 143 "$batch"
	has_sleepers 0
}

@test "a job that wants the terminal is killed, and told" {
	printf '%s\n' 'read -r x </dev/tty' 'echo fine' >list
	timeout 60 script -qec 'jobctl -j 1 -a list' /dev/null >out </dev/null || :
	grep -q '^jobctl: job 1: .*terminal: read -r x' out
	grep -q '^fine' out
	timeout 60 script -qec 'jobctl -c "stty sane </dev/tty; :" ::: 1' /dev/null >out </dev/null || :
	grep -q '^jobctl: job 1: ended, as it wanted to set the terminal: stty' out
}

@test "a job that only writes to the terminal may, though that stops others in the background" {
	for mode in -u --line-buffer; do
		timeout 60 script -qec "stty tostop; jobctl -j2 $mode -c 'echo {}; echo {} >/dev/tty' ::: a b" \
			/dev/null >out </dev/null
		same 'a a b b' "$(tr -d '\r' <out | sort | xargs)"
	done
}
