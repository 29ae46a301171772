load ../helper
load ../helpers/jobctl
load ../helpers/container

# jobctl where orphans are nobody's to wait for, or its own. With a grace that nobody waits for.

export JOBCTL_GRACE=1000

# A job with a child, which is an orphan once both are sent TERM.
with_child() { echo "$here/sleeper 1001 & $here/sleeper 1002; :"; }

@test "zombies that nobody waits for do not keep a job that was ended" {
	with_child >list
	run -1 timeout 60 careless jobctl --timeout 0.5 -a list
	[[ "${lines[0]}" == *'job 1: not done within 0.500 s'* ]]
	(with_child; echo "until [ \$(pgrep -fc ^$here/sleeper) = 2 ]; do :; done; false") >list
	run -1 timeout 60 careless jobctl -j 2 --halt now,fail=1 -a list
	[[ "$output" == *'job 2: exit status 1'* ]]
}

@test "jobctl as process 1 waits for the orphans of its jobs" {
	need_container
	with_child >list
	run -1 first "$top/bin/jobctl" --timeout 0.5 -a list
	[[ "${lines[0]}" == *'job 1: not done within 0.500 s'* ]]
	printf '%s\n' "$here/sleeper 0 & $here/sleeper 0 &" \
		'while ps -e -o stat= | grep -q Z; do :; done; echo clean' >list
	same clean "$(first "$top/bin/jobctl" -j 1 -a list)"
}

@test "beside zombies, who is still at work after TERM has its grace" {
	mkfifo begun gate
	cat >slow <<-'S'
		trap ': <gate; echo done >>log; exit' TERM
		# A child that is not yet another program may miss TERM, which is caught here.
		sh -c ': >begun; exec "$here/sleeper" 1001' &
		while :; do wait; done
	S
	printf '%s\n' "sh $here/slow & $here/sleeper 1002; :" ': <begun; false' >list
	careless jobctl --quiet -j 2 --halt now,fail=1 -a list 3>&- &
	open_gate gate # read when TERM has come
	ends_with 1 "$!"
	close_gate
	is done log
}
