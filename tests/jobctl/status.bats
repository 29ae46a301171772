load ../helper

# jobctl: its exit status, and what it says of failures.

@test "exit status: 0, the number of failed jobs, 101 for more than 100" {
	for n in 0 1 100 101 150; do
		seq "$n" >list
		run -"$((n < 101 ? n : 101))" jobctl --quiet false <list
		same '' "$output"
	done
	printf 'exit 7\ntrue\nkill -KILL $$\n' >list
	run -2 jobctl -j 1 <list
	same 'jobctl: job 1: exit status 7: exit 7' "${lines[0]}"
	same 'jobctl: job 3: killed by signal 9: kill -KILL $$' "${lines[1]}"
	same 'jobctl: 1 succeeded, 2 failed' "${lines[2]}"
	same 3 "${#lines[@]}"
}

@test "126 and 127 for a command that cannot be run" {
	printf 'a\nb\n' >list
	: >plain
	run -126 jobctl -j 1 ./plain {} <list
	[[ "${lines[0]}" == 'jobctl: ./plain: '* ]]
	run -127 jobctl -j 1 ./missing <list
	[[ "${lines[0]}" == 'jobctl: ./missing: '* ]]
	same 1 "${#lines[@]}"
	run -1 bash -c 'echo ./missing | jobctl' # there it is a job's own affair
}

@test "a message about a command that ends with a colon says no more" {
	echo a: | jobctl false >out 2>&1 || :
	same 'jobctl: job 1: exit status 1: false a:' "$(head -n 1 out)"
}

@test "what jobctl cannot do it says in one line, with 125" {
	echo a >list
	for options in '-j x' '-j -' '-j 999999' '--timeout x' '--deadline -1' '--delay 1x' \
		'--halt x' '--nice x' \
		'--nice 99' '--retries 0' '--retries x' '--retries 1,' '--resume-failed' '--sync' \
		'-c' '-c a b' '--label a -j 2' '--joblog /' '-a missing' \
		'--results /dev/null/d' '-Z' '--zoo' '-j' '--timeout'; do
		run -125 jobctl $options <list
		[ "${#lines[@]}" -eq 1 ] || { echo "$options"; false; }
		[[ "$output" == 'jobctl: '* ]]
	done
	for label in '' $'a\tb' $'a\nb'; do
		run -125 jobctl --label "$label" echo <list
		[[ "$output" == 'jobctl: --label '* ]]
	done
	JOBCTL_GRACE=x run -125 jobctl echo <list
}
