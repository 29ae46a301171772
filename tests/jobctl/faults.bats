load ../helper

# jobctl: what it cannot have.

@test "with few descriptors all jobs are run all the same" {
	for mode in -g -k; do
		(ulimit -n 20; seq 100 | timeout -s KILL 60 jobctl $mode -j 50 echo) >out 2>errors
		[ "$(sort -n out)" = "$(seq 100)" ]
		[ "$(wc -l <errors)" -le 1 ]
	done
}

@test "with few descriptors, an endless input is not read on and on" {
	(ulimit -n 20; timeout -s KILL 60 jobctl -g -j 50 -H now,success=100 true) < <(yes)
}

@test "with few descriptors, -k and -r do not wait for each other" {
	(ulimit -n 60; seq 200 | timeout -s KILL 60 jobctl -r 2,0.5 -k -j 8 \
		sh -c 'echo "$1"; [ "$1$JOBCTL_TRY" != 31 ]' sh) >out
	[ "$(cat out)" = "$(seq 200)" ]
}

@test "jobctl does not forget a job when a signal interrupts its look" {
	need_strace
	seq 9 >list
	failing wait4:error=EINTR:when=1+2 jobctl -j 2 -f list echo >out
	[ "$(sort -n out)" = "$(seq 9)" ]
}
