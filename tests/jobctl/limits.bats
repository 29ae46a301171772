load ../helper
load ../helpers/jobctl
load ../helpers/pace

# jobctl: when a batch ends, when jobs are ended, tried again, or have to wait.

@test "--halt soon: no job is started any more, those that run end by themselves" {
	mkfifo gate
	printf '%s\n' ': <gate; echo out >>log' false 'echo never >>log' >list
	begun -j 2 --halt soon
	until_true grep -q 'job 2: exit status 1' errors
	open_gate gate
	ends_with 1 "$batch"
	same out "$(cat log)"
	grep -q '1 succeeded, 1 failed; nothing after job 2 was started' errors
	run -3 jobctl --quiet -j 1 --halt soon,fail=50% false ::: 1 2 3 4 5 # what else there is: book/terms.bats
}

@test "--halt now: those that run are ended" {
	mkfifo gate
	(sleepers 1; echo ': <gate; exit 3'; echo 'echo never >>log') >list
	begun -j 2 --halt now,fail=1 --joblog joblog
	until_true has_sleepers 1
	open_gate gate
	ends_with 1 "$batch"
	close_gate
	no_process "$here/sleeper"
	[ ! -e log ]
	same $'1\t0\t15\n2\t3\t0' "$(tail -n +2 joblog | cut -f 1,7,8 | sort)"
	seq 100 >list
	run -0 jobctl -j 1 --halt now,success=2 echo <list
	same 2 "${lines[1]}"
	[ "${lines[2]}" != 3 ]
}

@test "--retries: a job that fails is tried again, and only its last output is shown" {
	cat >list <<'S'
echo "try $JOBCTL_TRY" | tee -a log; echo "e $JOBCTL_TRY" >&2; [ "$JOBCTL_TRY" -eq 3 ]
S
	run -0 jobctl --group --retries 3,0 --joblog joblog <list
	[ "$output" = 'try 3
e 3' ]
	same 3 "$(wc -l <log)"
	same 2 "$(wc -l <joblog)"
	run -1 jobctl --quiet --retries 2,0.01 --results d <list
	same 'try 2' "$(cat d/1.out)"
}

@test "a job that waits to be tried again when the batch is stopped has failed, and is told of" {
	printf '%s\n' 'echo lost; exit 3' 'echo shown' 'echo never' >list
	run -1 jobctl -k -j 1 --retries 3,1000 --halt soon,success=1 --joblog log <list
	[ "$output" = "shown
jobctl: job 1: exit status 3: echo lost; exit 3
jobctl: 1 succeeded, 1 failed; nothing after job 2 was started" ]
	same $'1\t3\t0\n2\t0\t0' "$(tail -n +2 log | cut -f 1,7,8 | sort)"
}

# A job that ignores TERM is killed after the grace: signals.bats.
@test "--timeout: TERM after so long, whatever becomes of the job then" {
	(sleepers 1; echo 'trap "exit 0" TERM; "$here/sleeper" 3000 & wait') >list
	run -2 jobctl -j 2 --timeout 0.2 --joblog log <list
	same 2 "$(grep -c 'not done within 0.200 s' <<<"$output")"
	tail -n +2 log | cut -f 1,7,8 | sort | is '1	0	15,2	0	15' -
}

@test "--deadline: the whole batch is ended with 124" {
	sleepers 3 >list
	run -124 jobctl -j 2 --deadline 0.1 <list
	[[ "${lines[0]}" == jobctl:*'time'*over ]]
	no_process "$here/sleeper"
}

@test "--delay: the next start waits; --nice: nicer; --dry-run: nothing is run" {
	seq 3 >list
	run -124 jobctl --quiet -j 3 --delay 1000 --deadline 0.1 true <list
	jobctl --delay 0.01 -j 1 echo <list | cmp - list
	printf 'a b\nit'\''s\n-c\n' >list
	[ "$(jobctl --dry-run --joblog never touch {} {#} <list)" = "touch 'a b' 1
touch 'it'\\''s' 2
touch -c 3" ]
	same "rm 'a b' >'a b'" "$(jobctl --dry-run -c 'rm {} >{/}' <list | head -n 1)"
	same 'rm -rf $x' "$(echo 'rm -rf $x' | jobctl --dry-run)"
	same '' "$(ls never a* 2>/dev/null)"
}

@test "--slot-delay and --delay: never two starts of a slot, or two at all, within the time" {
	seq 6 >list
	before=$(now)
	jobctl -j 2 --slot-delay 0.2 -a list -c 'echo "$JOBCTL_SLOT $(now) {}"' >log
	same '1 2 3 4 5 6 ' "$(cut -d ' ' -f 3 log | sort -n | tr '\n' ' ')"
	for slot in 1 2; do
		sed -n "s/^$slot \(.*\) .*/\1/p" log | since "$before" 0.2
	done
	before=$(now)
	jobctl -j 3 --delay 0.1 -a list -c 'now' >log
	same 6 "$(wc -l <log)"
	since "$before" 0.1 <log
	before=$(now)
	run -1 jobctl --quiet -j 1 --slot-delay 0.2 --retries 4,0 -c 'now >>tries; exit 1' <<<x
	same 4 "$(wc -l <tries)"
	since "$before" 0.2 <tries
	same 6 "$(jobctl --dry-run --slot-delay 1000 echo <list | wc -l)"
	run -124 jobctl --quiet -j 1 --slot-delay 1000 --deadline 0.1 true <list
}

@test "--slot-delay: a job that took longer frees its slot at once" {
	# Another start at once is seen once; where it had to wait again, never.
	at_once() { printf '%s\n' 'sleep 0.61; now' now | jobctl -j 1 --slot-delay 0.6 >log && less_apart 0.6; }
	less_apart() { awk -v most="$1" '{at[NR] = $1} END {exit !(at[2] - at[1] < most * 1000000)}' log; }
	until_true at_once
}

@test "jobctl --nice takes a niceness, and one below zero where it may" {
	same "$(($(nice) > 12 ? 19 : $(nice) + 7))" "$(echo nice | jobctl --nice 7)"
	if [ "$(id -u)" -eq 0 ]; then
		same "$(($(nice) - 3))" "$(echo nice | jobctl --nice -3)"
	fi
	echo x >list
	run -125 jobctl --nice x -a list true
}
