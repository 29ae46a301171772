#!/usr/bin/env bats
# The display of a batch of a script, while it runs.

load ../helper
load ../helpers/display

@test "batches have the same bar, and output that does not mix with it" {
	held_jobs
	cat >script <<'S'
. jobctl.sh
jobctl_open --status --total-jobs 4 2 || exit
for i in 1 2 3 4; do jobctl_run sh job "$i"; done
jobctl_close
S
	at_terminal --size 80x20 --until '2 running' --show --run 'echo >open' -- dash script || :
	grep '^1  0:[0-9]*     sh job 1$' screen
	grep '^0/4  \[> *\]  0%  2 running  0:' screen
	sed -i '1,/^-$/d' screen
	same 4 "$(grep -c '^job [1-4]$' screen)"
	same 4 "$(grep -c '^its end$' screen)"
	grep '^4/4  \[=*\]  100%  1 failed  [0-9.]*/s  0:[0-9]*$' screen
}

@test "a batch that was stopped by Ctrl-Z erases none of the shell's lines after fg" {
	held_jobs
	cat >script <<'S'
. jobctl.sh
jobctl_open --status 2
for i in 1 2; do jobctl_run sh hold open; done
jobctl_close
S
	export TMPDIR=$here
	# "stop": tokend does not run before SIGCONT takes its SIGTSTP away
	for shell in dash mksh stop; do
		stop=:
		[ "$shell" != stop ] || shell=dash stop='kill -STOP "$(cat jobctl.*/fifo.d/lock)"'
		command -v "$shell" || continue
		rm -f open
		at_terminal --size 60x20 --until '1#' --keys "$shell script\r" --until '2 running' \
			--run "$stop" --keys '\x1a' --until '2#' --keys 'echo be""fore; fg\r' --until before \
			--run 'echo >open' --until '3#' --keys 'exit\r' \
			-- env PS1='\##' bash --norc --noprofile -i || :
		grep -q 'Stopped .*script$' screen
		grep -x before screen || { cat screen; false; }
		grep -q '^2 done  ' screen
	done
}

@test "a batch with more jobs than it has said is not at 150 %" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --total-jobs 2 1
for i in 1 2 3; do jobctl_run true; done
jobctl_close
S
	run -0 sh script
	[[ "$output" == 'jobctl_run: 3 done, '*'/s, 0:'* ]]
}

@test "what a job's own redirection takes is in that file, and nowhere else, with each display" {
	cat >script <<'S'
. jobctl.sh
jobctl_open "$@" 2 || exit
f () { echo taken; echo taken >&2; }
jobctl_run sh ./job >file1
jobctl_run f 2>file2
jobctl_run sh ./job >file3 2>&1
for i in 4; do jobctl_run sh ./job; done >>file4
jobctl_close
S
	echo 'echo taken; echo taken >&2' >job
	check_taken() {
		local run=$1
		[ "$run" != busybox ] || run='busybox sh'
		for options in --bar --status --tag -k --group '--results d' \
			'--bar --retries 2' -u; do
			rm -rf file? d
			# shellcheck disable=SC2086 # several words
			at_terminal -- $run script $options
			same 'taken,taken,taken,taken,taken,' "$(cat file? | tr '\n' ,)"
			wanted=3 # the other halves
			[ "$options" != '--results d' ] || wanted=0
			same "$wanted" "$(grep -c taken screen || :)"
		done
	}
	export TMPDIR=$here
	everywhere taken
}
