load ../helper

# Batches of which a job needs nothing but a lease: the script waits for its jobs itself.

@test "a program is one fork, beside the one of a loop with &" {
	need_strace
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
i=0
while [ "$i" -lt "$1" ]; do
	jobctl_run /bin/true
	i=$((i + 1))
done
jobctl_close
S
	forks() { # SHELL COUNT -- by that script and its children
		strace -f -qq -e trace=fork,vfork,clone,clone3 -o trace "$1" script "$2" \
			</dev/null 3>&-
		grep -cE ' = [0-9]+$' trace
	}
	check_forks() {
		local few many
		case $1 in bash | ksh93 | busybox) return 0 ;; esac # the last is no name of a shell
		few=$(forks "$1" 5) many=$(forks "$1" 25)
		echo "5 jobs: $few, 25 jobs: $many"
		[ "$((many - few))" -eq 20 ]
	}
	batch forks
}

@test "wait of the caller, for all or one, takes no status from the batch, nor in a job" {
	cat >script <<'S'
. jobctl.sh
bad () { return "$1"; }
waits () { (exit 3) & wait; (exit 4) & wait "$!" || echo "in job $?" >>log; }
jobctl_open 3
jobctl_run bad 3; jobctl_run sh -c 'exit 4'
wait; echo "bare $?" >>log
jobctl_run sh -c 'exit 5'
wait "$!" || echo "job $?" >>log
jobctl_run bad 6
wait -- "$!" || echo "job $?" >>log
(exit 7) & wait "$!" || echo "own $?" >>log
jobctl_run waits
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
wait; echo "bare $?" >>log
S
	logs 'bare 0,job 5,job 6,own 7,in job 4,close 1 5 4,bare 0'
}

@test "where the script has a wait of its own, or takes a status, no job that failed is a success" {
	cat >script <<'S'
own () {
	case ${ZSH_VERSION+zsh} in
	zsh) wait () { builtin wait "$@"; } ;;
	*) wait () { command wait "$@"; } ;;
	esac
}
[ "$1" != before ] || own
. jobctl.sh
jobctl_open 2
[ "$1" != after ] || own
jobctl_run sh -c 'exit 4'; jobctl_run sh -c 'exit 5'
wait
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_own() {
		for when in before after; do
			rm -f log
			in_shell "$1" script "$when" 2>err
			is 'close 1 2 2' log
			[ "$(grep -c '^jobctl_run: job' err)" -eq 2 ]
		done
	}
	batch own
}

@test "a program that has closed all its descriptors still runs: no job takes its place" {
	cat >script <<'S'
. jobctl.sh
job () { [ -e over ] || echo early >>log; }
jobctl_open 1
jobctl_run sh -c 'exec 9>&-; sleep 0.2; : >over; exit 3'
jobctl_run job
jobctl_run sh -c 'rm over; exec 9>&-; sleep 0.1; : >over; exit 4'
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
[ -e over ] || echo early >>log
S
	check_closer() {
		rm -f over log
		in_shell "$1" script
		is 'close 1 3 2' log
	}
	batch closer
}

@test "ssh, which closes all its descriptors, has its slot until it ends, and no other job waits" {
	cat >script <<'S'
. jobctl.sh
job () { echo job >>log; }
jobctl_open 2
jobctl_run ./ssh
read -r line <closed
for i in 1 2 3 4; do jobctl_run job; done
jobctl_run sh -c 'echo last >>log; echo >ends'
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	cat >ssh <<'S'
#!/bin/sh
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
echo >closed
read -r line <ends
exit 3
S
	chmod +x ssh
	mkfifo closed ends
	check_ssh() {
		rm -f log
		in_shell "$1" script
		is 'job,job,job,job,last,close 1 6 1' log
	}
	batch ssh
}

@test "a subshell that waits cannot tell how jobs of the script itself ended: it says so, and is no success" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_run sh -c 'exit 3'
(jobctl_wait && echo success >>log)
(jobctl_run true; jobctl_close && echo success >>log)
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_copy_waits() {
		rm -f log
		in_shell "$1" script 2>err
		is 'close 1 3 1' log
		case $1 in bash | ksh93) ;; *)
			grep -qx 'jobctl_run: a subshell waits, and cannot tell how jobs of the script itself ended: 2; call jobctl_wait in the script' err ;;
		esac
	}
	batch copy_waits
}

@test "a job of the script failed, and a subshell has started one in its slot since: it is counted" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --quiet 1
jobctl_run sh -c 'exit 3'
(jobctl_run true)
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	logs 'close 1 2 1'
}

@test "process and workers in a subshell hide no failure of the batch around them, and invent none" {
	cat >script <<'S'
. jobctl.sh
job () { :; }
answer () { :; }
jobctl_open --quiet 4
jobctl_run true
jobctrl 2 | { process 1; jobctl_run sh -c 'exit 4'; wait; }
(jobctl_workers answer cat; jobctl_ask x; jobctl_workers_end; jobctl_run sh -c 'exit 5'; wait)
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	logs 'close 1 3 2'
}

@test "a job gave its token back, and the script waits for it: its status is known" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --quiet 2
for how in 0 9; do
	jobctl_run sh -c "tokput; echo >back; read -r line <gate; exit $how"
	read -r line <back
	(echo >gate) &
	wait "$!"
	wait
done
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	mkfifo back gate
	logs 'close 1 2 1'
}

@test "with -e, a function that fails in a job of a subshell ends there" {
	cat >script <<'S'
. jobctl.sh
job () { sh -c 'exit 3'; echo on >>log; }
set -e
jobctl_open --quiet 2
(jobctl_run job)
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	logs 'close 1 1 1'
}

@test "traps that come often end no wait with a wrong status" {
	cat >script <<'S'
trap 'n=$((n + 1))' USR1
n=0
. jobctl.sh
job () { return "$(($1 % 2 * 3))"; }
jobctl_open --quiet 3
sh -c 'while [ ! -e over ] && kill -s USR1 "$PPID"; do sleep 0.003; done' 2>/dev/null &
ticker=$!
i=0
while [ "$i" -lt 20 ]; do
	jobctl_run job "$i"
	jobctl_run sh -c "exit $((i % 2 * 4))"
	i=$((i + 1))
done
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
: >over
wait "$ticker" || :
S
	check_ticked() {
		case $1 in ksh93 | zsh) return 0 ;; esac # traps that nest break variables and heap
		rm -f over log
		in_shell "$1" script
		is 'close 1 40 20' log
	}
	batch ticked
}

@test "a job may open a batch of the same name, and so may its own" {
	cat >script <<'S'
. jobctl.sh
deep () {
	[ "$1" -gt 0 ] || return 3
	jobctl_open 2
	jobctl_run true; jobctl_run deep "$(($1 - 1))"; jobctl_run true; jobctl_run true
	jobctl_close
}
jobctl_open --quiet 2
jobctl_run true; jobctl_run true; jobctl_run deep 2; jobctl_run true
jobctl_close || echo "close $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	logs 'close 1 4 1'
}

@test "a script that ends without jobctl_close is told of jobs that nobody has waited for" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_wait
[ "$1" = none ] || jobctl_run sh -c 'exit 3'
S
	check_unknown() {
		in_shell "$1" script none 2>err
		until_true no_batch
		[ ! -s err ]
		in_shell "$1" script last 2>err
		until_true grep -qE 'without jobctl_close.* (failed jobs: 1|unfinished: 1|not waited for: 1)' err
	}
	batch unknown
}
