load ../helper
load ../helpers/jobctl

# jobctl --joblog and --resume-failed: whatever kills jobctl or takes its output, the next run shows
# what did not come.

# said N -- what jobs 1 to N said has come, all of it, with or without a tag
said() { sed 's/^.*	//' out | grep -x 'job [0-9]*' | sort -u | diff - <(printf 'job %d\n' $(seq "$1")); }

@test "killed while kept output waits for its turn: the job is run again" {
	mkfifo gate
	printf '%s\n' ': <gate; echo job 1' 'echo job 2; echo $$ >pid' >list
	begun -k -j 2 --joblog log
	until_true test -s pid
	until_true ended "$(cat pid)"
	kill -KILL "$batch"
	ends_with 137 "$batch"
	same 1 "$(grep -c . log)"
	open_gate gate
	jobctl --resume-failed -j 1 --joblog log -a list >out
	is 'job 1,job 2' out
}

@test "killed at each of its system calls: all output comes, now or with --resume-failed" {
	need_strace
	printf 'echo job %d\n' 1 2 3 >list
	for mode in -k --tag; do
		rm -f log
		strace -qq -o trace jobctl $mode -j 2 --joblog log -a list >out
		calls_in trace | some 20 >calls
		killed=0
		while read -r call n; do
			echo "$mode $call $n" >&2
			rm -f log
			failing "$call:signal=KILL:when=$n" jobctl $mode -j 2 --joblog log -a list >out ||
				killed=$((killed + 1))
			jobctl $mode --resume-failed --joblog log -a list >>out
			said 3
		done <calls
		[ "$killed" -ge 15 ] # how many calls there are depends on who is quicker
	done
}

@test "output that nobody takes is not logged: on a full disk, without a reader" {
	mkfifo to
	exec 6<>to 5>to 6>&-
	seq 3 >list
	for mode in --group -k --tag; do
		for to in /dev/full '&5'; do
			rm -f log
			want=125
			[ "$to" = /dev/full ] || want=141 # SIGPIPE
			run "-$want" bash -c "jobctl $mode -j 1 --joblog log -a list echo >$to"
			same 1 "$(grep -c . log)"
			jobctl --resume-failed -j 1 --joblog log -a list echo >out
			is 1,2,3 out
		done
	done
	exec 5>&-
}

@test "interrupted twice while its reader has stopped: what was dropped is run again" {
	printf '%s\n' 'head -c 1000000 /dev/zero' 'echo job 2' >list
	ln -sf "$top/bin/jobctl" jobctl
	mkfifo to
	for signals in 'INT INT' TERM; do
		for mode in --group -k; do
			rm -f log
			exec 6<>to
			fresh "$here/jobctl" $mode -j 1 --joblog log -a list >to 2>errors 3>&- 6>&- &
			batch=$!
			head -c 1 <&6 >/dev/null # the job has ended
			for sig in $signals; do
				kill -s "$sig" "$batch"
				until_true taken
			done
			ends_with $((128 + $(kill -l "$sig"))) "$batch"
			exec 6>&- # what is in the pipe is lost
			same 1 "$(grep -c . log)"
			jobctl --resume-failed -j 1 --joblog log -a list >out
			same '1000000/job 2' "$(tr -cd '\0' <out | wc -c)/$(tail -n 1 out | tr -d '\0')"
		done
	done
}
taken() { ! grep -q '^S[ih][gd]Pnd:.*[1-9a-f]' "/proc/$batch/status" 2>/dev/null; }
