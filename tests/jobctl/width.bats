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

@test "--jobs FILE is read anew when a job has ended" {
	waiters 9
	echo 1 >jobs
	begun --jobs jobs
	until_true is 1 log
	echo 3 >jobs
	end_one
	until_true lines_in 4 log
	run_now 3
	echo many >jobs
	end_one
	until_true lines_in 5 log
	: >jobs
	end_one
	until_true lines_in 6 log
	rm jobs
	end_one
	until_true lines_in 7 log
	run_now 3
	same 'jobctl: --jobs jobs: not a number of jobs; still 3 at once' "$(cat errors)"
	echo 1 >jobs
	end_one
	end_one
	until_true run_now 1
	for ((i = 7; i < 9; i++)); do
		end_one
		until_true lines_in "$((i + 1))" log
	done
	end_one
	ends_with 0 "$batch"
}

@test "-j takes a number of jobs, or a file with one" {
	echo 50% >half
	printf 'x\ny\n' >list
	same $'x\ny' "$(jobctl -j half -a list echo | sort)"
	run -125 jobctl -j 5x true
	same 'jobctl: -j 5x: not a number of jobs up to 100000, nor a file with one' "$output"
	run -125 jobctl --jobs list true
	same 'jobctl: --jobs list: its first line is not a number of jobs' "$output"
	: >empty
	run -125 jobctl --jobs empty true
	run -125 jobctl --jobs . true
	same 'jobctl: --jobs .: Is a directory' "$output"
}
