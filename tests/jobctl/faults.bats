# bats file_tags=waits
load ../helper

# jobctl: what it cannot have.

@test "too few descriptors for any job: that is said, and nothing waits for what does not come" {
	export ASAN_OPTIONS=detect_leaks=0 # it needs some itself
	seq 3 >list
	refused=0
	for most in {5..14}; do
		for mode in -k --group '--results out' ''; do
			status=0
			(ulimit -n "$most"; exec jobctl $mode -j 2 -a list true) 2>err || status=$?
			[ "$status" -ne 0 ] || continue
			[ "$status" -ne 127 ] || continue # nor could its libraries be opened
			same 125 "$status"
			grep -q 'descriptors\|open files' err
			refused=$((refused + 1))
		done
	done
	[ "$refused" -gt 0 ]
	[ "$refused" -lt 40 ]
}

@test "with few descriptors all jobs are run all the same" {
	for mode in --group -k; do
		(ulimit -n 20; seq 100 | timeout -s KILL 60 jobctl $mode -j 50 echo) >out 2>errors
		sort -n out | cmp - <(seq 100)
		[ "$(wc -l <errors)" -le 1 ]
	done
}

@test "with few descriptors, an endless input is not read on and on" {
	(ulimit -n 20; timeout -s KILL 60 jobctl --group -j 50 --halt now,success=100 true) < <(yes)
}

@test "with few descriptors, -k and --retries do not wait for each other" {
	(ulimit -n 60; seq 200 | timeout -s KILL 60 jobctl --retries 2,0.5 -k -j 8 \
		sh -c 'echo "$1"; [ "$1$JOBCTL_TRY" != 31 ]' sh) >out
	cmp out <(seq 200)
}

@test "jobctl does not forget a job when a signal interrupts its look" {
	need_strace
	seq 9 >list
	failing wait4:error=EINTR:when=1+2 jobctl -j 2 -a list echo >out
	sort -n out | cmp - list
}

@test "without memory for its arguments, a job is not made of those there is room for" {
	if grep -q __asan_init "$top/bin/jobctl"; then skip "the sanitizer has its own memory"; fi
	printf '%0100000d\n' 0 >list
	jobctl --dry-run -a list echo {} {} {} {} >whole
	for kilobytes in $(seq 400 50 8000 | some 40); do
		status=0
		(ulimit -v "$kilobytes"; exec jobctl --dry-run -a list echo {} {} {} {}) >out 2>errors ||
			status=$?
		if [ "$status" -eq 0 ]; then cmp out whole; else [ ! -s out ]; fi
	done
	same 0 "$status" 'with 8 MB'
}

@test "without memory jobctl exits, and leaves no job" {
	if grep -q __asan_init "$top/bin/jobctl"; then skip "the sanitizer has its own memory"; fi
	{
		echo 1
		until_true signal_ours 0 sleeper
		printf '%010000000d\n' 2
	} | (
		ulimit -v 50000
		run -125 jobctl -j 2 sh -c 'exec "$0" 1000' "$here/sleeper" {} {} {} {} {} {}
		[[ "$output" == 'jobctl: no memory: '* ]]
	)
	until_true no_ours sleeper
}
