load ../helper
load ../helpers/places

# jobat: a command at a place, which here is this machine, with sh.

@test "output, status and arguments of any bytes are those of the command" {
	local_places
	printf '%s\n' 'a b' '' "it's" '$x `y` \z' '*' '-n' ';' $'new\nline' $'\xff\xfe\t' .. >words
	mapfile -d '' -t all < <(tr '\n' '\0' <words; printf 'x\ny\0')
	for shell in $(shells); do
		echo "$shell" >&2
		# yash reads characters, and any other byte ends it
		[ "$shell" != yash ] || all[9]=none
		printf '#!/bin/sh\nexec %s\n' "${shell/busybox/busybox sh}" >sh-here
		chmod +x sh-here
		printf '#!/bin/sh\nexec %s\n' "$here/sh-here" >rsh
		run -7 --separate-stderr jobat a sh -c 'echo out; echo err >&2; exit 7'
		[ "$output,$stderr" = out,err ]
		jobat a printf '%s\0' "${all[@]}" >got
		printf '%s\0' "${all[@]}" | cmp - got
		run -137 jobat -c a 'kill -9 $$'
		run -127 jobat a nonesuch
		[[ "$output" == *nonesuch* ]]
		run -126 jobat a /etc
	done
	no_places
}

@test "the job has the directory here, or --workdir, JOBCTL_ID and its kin, --env, and no input" {
	local_places
	mkdir 'a dir'
	export ONE="it's 1" TWO=2
	same "$here/a dir" "$(cd 'a dir' && jobat a pwd)"
	same / "$(jobat --workdir / a pwd)"
	same '3,2,1,x y' "$(JOBCTL_ID=3 JOBCTL_SLOT=2 JOBCTL_TRY=1 JOBCTL_LABEL='x y' jobat -c a \
		'echo "$JOBCTL_ID,$JOBCTL_SLOT,$JOBCTL_TRY,$JOBCTL_LABEL"')"
	printf '#!/bin/sh\nshift\nexec env -i PATH="$PATH" "$@"\n' >rsh
	same "it's 1,,none" "$(jobat --env ONE --env UNSET -c a 'echo "$ONE,$TWO,${UNSET-none}"')"
	same '' "$(echo input | jobat a cat)"
	run -123 jobat --workdir "$here/none" a echo x
	same "jobat: a: not begun: $here/none is no directory there; --workdir names another one" "$output"
}

@test "much output comes whole, whatever is in it, also to a slow reader" {
	local_places
	head -c 20000000 /dev/urandom >random
	jobat a cat "$here/random" | cmp - random
	jobat -c a "cat $here/random >&2" 2>&1 >/dev/null | { read -r -n 1 _ || :; wc -c; } >count
	head -c 3000000 /dev/zero | tr '\0' '\036' >marks # the byte that begins our words
	jobat a cat "$here/marks" | cmp - marks
	mkfifo slow
	fresh jobat --beat 0.5 a cat "$here/random" >slow 2>err 3>&- &
	jobat=$!
	exec 8<slow
	# for longer than a place may be silent
	looked_at() { [ "$(ps -o etimes= -p "$jobat")" -ge 3 ]; }
	until_true looked_at
	cmp random - <&8
	ends_with 0 "$jobat"
	no_places
}

@test "output that nobody reads, or that finds no room, ends the job" {
	local_places
	set +o pipefail
	jobat a yes 2>err | head -n 1 >out
	[ "${PIPESTATUS[0]},$(cat out)" = 141,y ]
	[ ! -s err ]
	same y "$(jobat -c a 'yes 2>&1 | head -n 1')" # SIGPIPE kills there, too
	if [ -w /dev/full ]; then
		status=0
		jobat a yes >/dev/full 2>err || status=$?
		[ "$status" -eq 125 ]
		[[ "$(cat err)" == 'jobat: output: No space left'* ]]
	fi
	no_places
}

@test "wrong use is refused, with what to write" {
	local_places
	run -125 jobat
	[[ "$output" == *'needs a place and a command'* ]]
	run -125 jobat a
	[[ "$output" == *'needs a command'* ]]
	run -125 jobat '' true
	[[ "$output" == *'the place is empty'* ]]
	run -125 jobat a ''
	[[ "$output" == *'the command is empty'* ]]
	run -125 jobat -- -oProxyCommand=x true
	[[ "$output" == *'a place does not begin with -'* ]]
	run -125 jobat a 'cd / && ls'
	[[ "$output" == *"jobat -c host "* ]]
	run -125 jobat --env 'A=b' a true
	[[ "$output" == *'not the name of a variable'* ]]
	JOBCTL_RSH=' ' run -125 jobat a true
	[[ "$output" == *'JOBCTL_RSH'* ]]
	[ ! -e ran ]
}

@test "a place that cannot be reached: 123, and what its transport said" {
	local_places
	: >dead.a
	run -123 jobat a true
	same 'jobat: a: not begun: rsh: no route to a' "$output"
	JOBCTL_RSH=$here/none run -123 jobat a true
	[[ "$output" == 'jobat: a: not begun: No such file'* ]]
	JOBCTL_RSH='sh -c exit' run -123 jobat a true
	same 'jobat: a: not begun: it ended at once' "$output"
	# a terminal would make one of both outputs
	printf '#!/bin/sh\nexec sh 2>&1\n' >rsh
	rm dead.a
	run -123 jobat a true
	[[ "$output" == *'it must have no terminal' ]]
	no_places
}

@test "what is no frame of jobat is refused" { units_test talk; }

@test "what a login prints before is not the job's" {
	local_places
	printf '#!/bin/sh\necho welcome\necho news >&2\nshift\nexec "$@"\n' >rsh
	run -0 jobat a echo x
	same x "$output"
	no_places
}

@test "a place where no directory can be made: 123, and why" {
	local_places
	TMPDIR=$here/none run -123 jobat a true
	[[ "$output" == 'jobat: a: not begun: '*"$here/none/jobat."* ]]
	no_places
}

@test "where there is no setsid, a sh with set -m will do, and no other" {
	local_places
	mkdir tools
	for tool in bash sleep mkdir rm mv ls echo; do ln -s "$(command -v $tool)" tools; done
	ln -s "$(command -v bash)" tools/sh
	printf '#!/bin/sh\nPATH=%s exec bash\n' "$here/tools" >rsh
	run -3 jobat a bash -c 'echo x; exit 3'
	same x "$output"
	printf '#!/bin/sh\nPATH=%s exec dash\n' "$here/tools" >rsh
	ln -s "$(command -v dash)" tools
	ln -sf dash tools/sh
	run -123 jobat a bash -c 'echo x'
	[[ "$output" == *'neither setsid nor set -m'* ]]
}

@test "in jobctl_run, under tokget and as the SHELL of make it is a command like another" {
	local_places
	for shell in $(shells); do
		in_shell "$shell" -eu -c '. jobctl.sh; jobctl_open --group 2
			for i in 1 2 3; do jobctl_run jobat -c a "echo $i \$JOBCTL_ID"; done
			jobctl_close' sh | sort >out
		same '1 1,2 2,3 3' "$(paste -sd , out)"
	done
	same held "$(tokget -N 1 "$FIFO" jobat a echo held 3>&-)"
	printf 'all: x y\nx y:\n\t@echo $@ $$HERE\n' >Makefile
	same 'x no,y no' "$(HERE=no make -s -j 2 SHELL=jobat .SHELLFLAGS='-c a' | sort | paste -sd ,)"
	tokstop "$FIFO"
}

@test "a sleep there that takes whole seconds only: no beat with a fraction; wrong times are refused" {
	local_places
	mkdir tools
	printf '#!/bin/sh\ncase $1 in *.*) exit 1 ;; esac\nexec %s "$@"\n' "$(command -v sleep)" >tools/sleep
	chmod +x tools/sleep
	printf '#!/bin/sh\nPATH=%s:$PATH exec sh\n' "$here/tools" >rsh
	run -123 jobat --beat 0.5 a true
	same 'jobat: a: not begun: sleep there takes whole seconds only; so should --beat' "$output"
	run -0 jobat --beat 1 a true
	run -125 jobat --beat 0.05 a true
	[[ "$output" == *'not a time from 0.1 to 3600 seconds' ]]
	JOBCTL_REST=x run -125 jobctl -S a true ::: 1
	[[ "$output" == *'JOBCTL_REST: x: not a number of seconds' ]]
	JOBCTL_REST=x jobctl true ::: 1 # no place
	no_places
}
