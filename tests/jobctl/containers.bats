load ../helper
load ../helpers/jobctl
load ../helpers/container

# jobctl where orphans are its own to wait for. With a grace that nobody waits for.

export JOBCTL_GRACE=1000

# A job with a child, which is an orphan once both are sent TERM.
with_child() { echo "$here/sleeper 1001 & $here/sleeper 1002; :"; }

@test "jobctl as process 1 waits for the orphans of its jobs" {
	need_container
	with_child >list
	run -1 first "$top/bin/jobctl" --timeout 0.5 -a list
	[[ "${lines[0]}" == *'job 1: not done within 0.500 s'* ]]
	printf '%s\n' "$here/sleeper 0 & $here/sleeper 0 &" \
		'while ps -e -o stat= | grep -q Z; do :; done; echo clean' >list
	same clean "$(first "$top/bin/jobctl" -j 1 -a list)"
}
