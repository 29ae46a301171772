#!/usr/bin/env bats
load ../helper

# Habits of people who use xargs or GNU parallel.

@test "-t: each command on standard error as it starts, as one would type it" {
	printf '%s\n' 'a b' "it's" | jobctl -t -k -j 2 echo x >out 2>err
	same $'x a b\nx it'"'s" "$(cat out)"
	same $'echo x \'a b\'\necho x \'it\'\\\'\'s\'' "$(sort err)"
}

@test "times may have a unit, such as 0.005m" {
	run -1 jobctl --timeout 0.005m -c "exec $here/sleeper 1000; : {}" <<<''
	[[ "$output" == *'not done within 0.300 s'* ]]
	for time in 1w m 1ms -1 '' 1e3 99999999d; do
		run -125 jobctl --timeout "$time" true <<<a
		[[ "$output" == "jobctl: --timeout ${time:-"''"}: not a time"* ]]
	done
}

@test "--halt never: the default, said" {
	run -2 jobctl --quiet --halt soon --halt never -j 1 false <<<$'1\n2'
	run -1 jobctl --quiet --halt-on-error now,fail=1 -j 1 false <<<$'1\n2'
}

@test "-P, --max-procs, -q: as there" {
	run -0 jobctl -P2 -q echo <<<'$(x)'
	same '$(x)' "$output"
	run -0 jobctl --max-procs=2 --quote echo <<<a
	same a "$output"
}

@test "-n 0, -N0: once for each line, which the command does not get" {
	same hi,hi,hi "$(seq 3 | jobctl -N0 echo hi | paste -sd ,)"
	same '1,2,echo 1,echo 2' "$(seq 2 | jobctl -t -k -n 0 echo {#} 2>&1 | sort | paste -sd ,)"
	run -125 jobctl -n 0
	[[ "$output" == 'jobctl: -n: needs a command'* ]]
}

@test "an option of xargs or parallel that is none here is looked up in jobctl-parallel(7)" {
	for option in --wait -J --skip-first-line; do
		run -125 jobctl "$option" echo
		[[ "$output" == "jobctl: $option: no such option"*'jobctl-parallel(7)'* ]]
	done
}

@test "of two options that contradict each other the last one counts, or both are refused" {
	same a "$(jobctl --line-buffer --group sh -c 'echo "$1"; echo b >&2' sh ::: a 2>/dev/null)"
	run -125 jobctl --tag -u echo ::: a
	[[ "$output" == *'--ungroup'*'--line-buffer'* ]]
	run -1 jobctl --quiet --joblog log false ::: a
	run -0 jobctl --resume-failed --resume --joblog log false ::: a
	run -1 jobctl --quiet --resume --resume-failed --joblog log false ::: a
}

@test "-j 0 is as many as there are labels, or lines, and -X is not undone by it" {
	[ "$(seq 9 | jobctl -j 0 --label a --label b sh -c 'echo "$JOBCTL_LABEL"' sh | sort -u |
		paste -sd ,)" = a,b ]
	same 1 "$(seq 300 | jobctl -X -j 0 echo | wc -l)"
}
