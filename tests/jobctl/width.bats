load ../helper
load ../helpers/jobctl

# jobctl: how many jobs at once, while it runs.

# Each job says its slot and waits for a line of the FIFO "gate".
waiters()
{
	mkfifo gate
	exec 7<>gate
	for ((i = 1; i <= $1; i++)); do echo 'echo $JOBCTL_SLOT >>log; read -r x <gate'; done >list
}
end_one() { echo >&7; }
slots() { is "$1" <(sort log); } # in whatever order they began
run_now() { [ "$(pgrep -P "$batch" -fc "^sh -c .*JOBCTL_SLOT")" -eq "$1" ]; }
told() { kill -"$1" "$batch"; }

@test "SIGUSR1: one job more; SIGUSR2: one fewer, when one has ended; never none" {
	waiters 12
	begun -j 2
	until_true slots 1,2
	told USR1
	until_true slots 1,2,3
	told USR2
	told TSTP # which it obeys after that
	until_true state T "$batch"
	told CONT
	end_one
	until_true run_now 2
	for slot in 4 5; do
		end_one
		until_true lines_in "$slot" log
	done
	for ((i = 0; i < 4; i++)); do
		told USR2
		told TSTP
		until_true state T "$batch"
		told CONT
	done
	end_one
	until_true run_now 1
	same 5 "$(wc -l <log)"
	end_one
	until_true lines_in 6 log
	run_now 1
	same 1 "$(tail -n 1 log)"
	for ((i = 6; i < 12; i++)); do
		until_true lines_in "$i" log
		end_one
	done
	until_true lines_in 12 log
	end_one
	ends_with 0 "$batch"
}

@test "SIGUSR1 makes no slot without a label where there are labels" {
	waiters 4
	sed -i 's/SLOT/SLOT.$JOBCTL_LABEL/' list
	begun -j 1 --label a --label b
	until_true is 1.a log
	told USR1
	until_true is 1.a,2.b log
	told USR1
	told TSTP
	until_true state T "$batch"
	told CONT
	end_one
	until_true lines_in 3 log
	end_one
	until_true lines_in 4 log
	end_one
	end_one
	ends_with 0 "$batch"
	same $'1.a\n2.b' "$(sort -u log)"
}

@test "-j takes a number of jobs, and nothing else" {
	for jobs in 5x list '' -- 0x1; do
		run -125 jobctl "--jobs=$jobs" true
		same "jobctl: --jobs ${jobs:-"''"}: not a number of jobs up to 100000; SIGUSR1 and SIGUSR2 change it while jobs run" "$output"
	done
	same 2 "$(jobctl -j 200% echo ::: a b | wc -l)"
}
