load ../helper
load ../helpers/jobctl
load ../helpers/jobserver

# A client of make's jobserver, such as jobctl: how it finds a jobserver, and uses it.

@test "the first job needs no token, others wait for one, each is given back with its job" {
	make_pool ''
	mkfifo gate1 gate2 gate3
	for k in 1 2 3; do echo "echo in >>log; : <gate$k; echo out >>log"; done >list
	flags "fifo:$here/pool" 9
	begun -a list
	until_true running 1
	until_true state S "$batch"
	running 1
	printf x >&6
	until_true running 2
	tokens ''
	open_gate gate2
	until_true running 3 # with the token of the second
	open_gate gate3
	until_true tokens x
	open_gate gate1
	ends_with 0 "$batch"
	tokens x
	same 2 "$(peak)"
}

@test "no token is taken without a job for it; no token, strictly one at a time" {
	make_pool ab
	mkfifo gate lines
	(exec "$top/bin/jobctl" 3>&- <lines) &
	batch=$!
	exec 8>lines
	cat_jobs 1 >&8
	until_true running 1
	tokens ab
	cat_jobs 1 >&8
	until_true running 2
	until_true tokens b
	exec 8>&-
	open_gate gate
	ends_with 0 "$batch"
	tokens ab
	rm log
	exec 5<&- 6>&-
	make_pool ''
	cat_jobs 5 | sed 's/: <gate; //' >list
	jobctl list
	same 1 "$(peak)"
	running 5
}

# A batch of three slots, three jobs: with the pool of one token two run, without a token one,
# without a jobserver three.
runs() # N WARNING
{
	rm -f log
	jobctl --label a --label b --label c list >out 2>errors 3>&- &
	batch=$!
	until_true running "$1"
	until_true state S "$batch"
	gate_opens "$batch"
	[ "$(peak)" -eq "$1" ] || { echo "peak $(peak) for $MAKEFLAGS"; false; }
	[ -z "${2-}" ] || grep -q "^jobctl: warning: one job at a time, .*: $2" errors
	[ "$(wc -l <errors)" -eq "$([ -z "${2-}" ] && echo 0 || echo 1)" ] || { cat errors; false; }
	tokens a
}

@test "MAKEFLAGS: which word announces the jobserver, and which does not" {
	make_pool a
	mkfifo gate
	cat_jobs 3 >list
	closed='--jobserver-auth=88,89' auth=--jobserver-auth=5,6
	path=--jobserver-auth=fifo:$here/pool
	for flags in " -j9 $auth" "k -j9 $auth" "$auth" "-j9 $auth" "-n -j9 $auth" \
		" -j9 --jobserver-fds=5,6" " -j9 $path" " -j9 $closed $auth" \
		" -j9 --jobserver-fds=88,89 $path" " -j9 $auth -- A=$closed" \
		" -j9 $auth -- A=x $closed" " -j9 $auth -I/a\\ $closed" \
		" -j9 --jobserver-fds=88,89 $closed -- A=1 $path" \
		" -j9 --jobserver-fds=5,6 $auth -- ${path}no"; do
		export MAKEFLAGS=$flags
		runs 2
	done
	for flags in '' ' -j9' "n -j9 $auth" "kn -j9 $auth" " -j9 -- A=$auth" ' -- ' \
		" -I/a\\ $auth" " -j9 -- $path"; do
		export MAKEFLAGS=$flags
		runs 3
	done
	for flags in " -j9 $closed -- $path" " -j9 --jobserver-fds=88,89 -- $path"; do
		export MAKEFLAGS=$flags # as make hands it on, without the descriptors
		runs 1 'descriptor 88 is closed'
	done
	export MAKEFLAGS=" -j1 $auth"
	runs 1
}

@test "MAKEFLAGS: a jobserver that cannot be used gets a warning, and one job runs at a time" {
	make_pool a
	mkfifo gate other
	cat_jobs 3 >list
	: >plain
	for flags in '88,89/descriptor 88 is closed' '5,89/descriptor 89 is closed' \
		'6,5/descriptor 6 is something else' '0,6/descriptor 0 is something else' \
		'-2,-2/it is switched off' 'x/x: of a kind unknown' '/: of a kind unknown' \
		'5,/5,: of a kind' '5,6,7/5,6,7: of a kind' '99999999999,6/9*,6: of a kind'; do
		flags "${flags%%/*}" 9
		runs 1 "${flags#*/}"
	done
	flags "fifo:$here/missing" 9
	runs 1 "$here/missing: No such file"
	flags "fifo:$here/other" 9
	runs 1 "$here/other: no make is behind it"
	flags "fifo:$here/plain" 9
	runs 1 "$here/plain: not a FIFO"
	[ ! -s plain ]
	flags "5,88" 9
	runs 1 'descriptors 5 and 88 are of different pipes' 88> >(cat)
}

@test "two FIFOs with names are as good as one" {
	make_pool a
	mkfifo back gate
	exec 8<>back
	flags 5,8 9
	cat_jobs 3 >list
	jobctl list 3>&- &
	batch=$!
	until_true running 2
	gate_opens "$batch"
	same a "$(dd if=back iflag=nonblock bs=9 count=1 2>/dev/null)"
	same 2 "$(peak)"
}

@test "what all clients share of the pipe stays as it was: blocking" {
	make_pool abc
	before=$(cat /proc/self/fdinfo/[56] | grep flags)
	seq 20 | jobctl --quiet true
	same "$before" "$(cat /proc/self/fdinfo/[56] | grep flags)"
	tokens abc
}

@test "a pipe that cannot be opened anew is not used, and what helps is said" {
	need_strace
	make_pool abc
	run -0 strace -f -qq -o trace -e trace=openat -P /dev/fd/5 -e inject=openat:error=EACCES \
		jobctl true <<<a
	[[ "$output" == *"jobctl: warning: one job at a time, "*": descriptors 5 and 6 cannot be opened anew: "*"--jobserver-style=fifo"* ]]
	tokens abc
}

@test "a jobserver that is none is not waited for: jobctl runs its jobs without" {
	mkfifo alone
	echo >file
	for auth in fifo:{"$here"/{none,alone,file},"$here"} nonsense -3,-4; do
		for j in '' -j -j0 -jx -j2; do
			export MAKEFLAGS=" $j --jobserver-auth=$auth"
			run -0 jobctl echo <<<'a job'
			[[ "$output" == *'a job' ]]
		done
	done
}

@test "jobctl leaves the standard descriptors alone that its caller has closed, with a jobserver" {
	mkfifo pool
	exec 8<>pool
	printf ++ >&8
	echo a >list
	MAKEFLAGS=" -j3 --jobserver-auth=fifo:$here/pool" timeout 100 jobctl -a list true <&- 2>&-
	same ++ "$(dd bs=9 count=1 <&8 2>/dev/null)"
}
