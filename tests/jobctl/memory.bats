# bats file_tags=waits
load ../helper
load ../helpers/limits

# jobctl --load and --memfree.

# begun OPTION... -- the list, in the background, with memory and load as the test has them
begun()
{
	faked fresh jobctl "$@" -a list >>out 2>errors &
	batch=$!
}

# held -- no job is started, and jobctl has looked more than once
held()
{
	until_true signal_ours 0 jobctl
	looked_again "$(ours jobctl)"
	[ ! -s log ]
}

@test "--memfree: no job is started, nor the first, while less is available" {
	need_mounts
	echo 'echo started >>log' >list
	available 976
	begun --memfree 1m
	held
	available 977
	ends_with 0 "$batch"
	same started "$(cat log)"
}

@test "--load: no job is started while the load is as high" {
	need_mounts
	echo 'echo started >>log' >list
	loaded 2.5
	begun --load 2.5
	held
	loaded 2.49
	ends_with 0 "$batch"
	same started "$(cat log)"
}

@test "a limit that is reached does not keep a batch that has no job left, or none to run" {
	need_mounts
	available 1
	: >list
	begun --memfree 1G
	ends_with 0 "$batch"
	echo 'echo never >>log' >list
	begun --memfree 1G --dry-run
	ends_with 0 "$batch"
	same 'echo never >>log' "$(cat out)"
	begun --quiet --memfree 1G --deadline 0.1
	ends_with 124 "$batch"
	[ ! -e log ]
}

# greedy KB -- a script that, as it is ended, leaves so much memory
greedy()
{
	cat >greedy <<-S
		trap 'printf "MemAvailable: %9d kB\n" $1 1<>meminfo; exit 1' TERM
		"$here/sleeper" 1000 &
		echo started >>log
		wait
	S
}

@test "of two jobs that began in one millisecond the later one is the youngest" { units_test youngest; }

@test "below half of --memfree the youngest job is ended, and run again: no try, no failure" {
	need_mounts
	mkfifo gate
	greedy 1023
	cat >list <<'S'
echo old $JOBCTL_TRY >>log; : <gate; echo shown
echo young $JOBCTL_TRY; [ -s again ] || { echo lost; exec sh greedy; }
S
	begun -j 2 -k --memfree 1M --retries 2,0 --joblog joblog
	until_true lines_in 2 log
	available 511
	until_true grep -q 1023 meminfo
	until_true grep -q '^jobctl: job 2: ended, to be run again' errors
	echo >again
	open_gate gate
	available 1024
	ends_with 0 "$batch"
	same $'shown\nyoung 1' "$(cat out)"
	same 1 "$(grep -c old log)"
	same $'1\t0\t0\n2\t0\t0' "$(tail -n +2 joblog | cut -f 1,7,8 | sort)"
	same 1 "$(wc -l <errors)"
}

@test "a job that gave way, and then the batch was stopped: it is counted, and not in the log" {
	need_mounts
	mkfifo gate
	greedy 600
	printf '%s\n' 'echo >>log; : <gate; exit 3' 'exec sh greedy' >list
	begun -j 2 --memfree 1M --halt soon,fail=1 --joblog joblog
	until_true lines_in 2 log
	available 100
	until_true grep -q '^jobctl: job 2: ended, to be run again' errors
	open_gate gate
	ends_with 1 "$batch"
	grep -q '0 succeeded, 1 failed, 1 ended by us' errors
	same $'1\t3\t0' "$(tail -n +2 joblog | cut -f 1,7,8)"
}

@test "--load and --memfree are a number, a part of the processors, a size" {
	for load in 1e999 0x10 -1 '' 1.5.2 inf % 5m; do
		run -125 jobctl --load "$load" true
		[[ "$output" == "jobctl: --load ${load:-"''"}: not a load such as"* ]]
	done
	for size in -9999999999999999999 -1 '' K 0 1X 1MB 99999999999999999999G 9999999T; do
		run -125 jobctl --memfree "$size" true
		[[ "$output" == "jobctl: --memfree ${size:-"''"}: not a size such as"* ]]
	done
	for fits in 1k 1K 1m 1M 1 '1000000 --load 100000%' '1 --load 9999'; do
		same x "$(echo x | jobctl --memfree $fits echo)"
	done
}
