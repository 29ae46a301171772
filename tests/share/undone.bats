load ../helper

# Work that is not done: the status of the batch or of the workers is not 0, or the end of the
# script is told of.

@test "a batch that has refused a job or a task ends with 125, and runs the others" {
	cat >script <<'S'
. jobctl.sh
worker () { echo result; }
result () { cat >>log; }
status () { "$@" 2>>said; echo "$?" >>log; }
jobctl_open --retries 3 2
jobctl_tasks worker result 2>>said
jobctl_task a 2>>said
jobctl_task b 2>>said
status jobctl_wait
status jobctl_close
jobctl_open 1
jobctl_run 2>>said
jobctl_run sh -c 'echo ran >>log'
status jobctl_close
jobctl_open 1
echo x | while read -r x; do jobctl_run 2>>said; done
jobctl_run false 2>/dev/null
status jobctl_close
jobctl_open 1
jobctl_run 2>>said
jobctl_run false 2>/dev/null
jobctl_tasks worker result || exit
jobctl_task 2>>said
jobctl_task a
status jobctl_close
ended () { jobctl_run 2>>said; }
jobctl_open --on-end ended 1
jobctl_run true
status jobctl_close
jobctl_open 1
status jobctl_close
S
	check_refused() {
		rm -f log said
		in_shell "$1" script
		is 125,125,ran,125,125,result,125,125,0 log
		cut -d : -f 1 said >who
		is jobctl_tasks,jobctl_task,jobctl_run,jobctl_run,jobctl_run,jobctl_task,jobctl_run who
	}
	batch refused
}

@test "without a batch it is said once that none is open, and not of each job" {
	cat >script <<'S'
. jobctl.sh
for n in 1 2 3; do jobctl_run true; done 2>>said
echo "$?" >>log
seq 3 | while read -r n; do jobctl_run true || echo "$?" >>log; done 2>/dev/null
jobctl_open 1
jobctl_close
for n in 1 2 3; do jobctl_run true; done 2>>said
jobctl_close 2>/dev/null
echo "$?" >>log
S
	check_once() {
		rm -f said log
		in_shell "$1" script
		is 125,125,125,125,125 log
		same 2 "$(grep -c '^jobctl_run: no batch is open; jobctl_open opens one$' said)"
		same 2 "$(wc -l <said)"
	}
	batch once
}

@test "workers that have refused a request end with 125, and so does jobctl_answers" {
	cat >script <<'S'
. jobctl.sh
worker () { while read -r x; do echo "$x"; done; }
answer () { echo "$2" >>log; }
jobctl_workers -j 1 answer worker
jobctl_ask one
(jobctl_ask two words) 2>/dev/null
jobctl_answers
echo "$?" >>log
jobctl_workers_end
echo "$?" >>log
jobctl_workers -j 1 answer worker
jobctl_ask one
jobctl_workers_end
echo "$?" >>log
S
	logs one,125,125,one,0
}

@test "a script that ends with an open batch: the jobs that failed or run are counted, once" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
failed () { :; }
jobctl_open --on-failure failed 3
jobctl_run false
jobctl_wait
jobctl_run sh -c 'read x <gate'
jobctl_run sh -c 'read x <gate'
S
	cat >good <<'S'
. jobctl.sh
jobctl_open 3
jobctl_run true
jobctl_wait
S
	check_open() {
		: >said
		in_shell "$1" script >>said 2>&1 </dev/null
		until_true lines_in 1 said
		open_gate gate
		close_gate
		in_shell "$1" good >>said 2>&1
		clean
		is 'jobctl_run: the script ended without jobctl_close, which waits; failed jobs: 1, unfinished: 2' said
	}
	batch open
}

@test "a script that ends without jobctl_workers_end: its requests without an answer are counted" {
	cat >script <<'S'
. jobctl.sh
worker () { while read -r x; do { read -r y <gate; } 2>/dev/null; echo "$x"; done; }
jobctl_workers -j 1 : worker
for n in 1 2 3 4 5 6; do jobctl_ask "$n"; done
S
	mkfifo gate
	check_workers() {
		: >said
		in_shell "$1" script >>said 2>&1 </dev/null
		until_true lines_in 1 said
		is 'jobpool: the script ended without jobctl_workers_end: 6 of 6 requests have no answer' said
	}
	batch workers
}
