# bats file_tags=waits
load ../helper
load ../helpers/places

# jobctl -S: jobs at places, which here are this machine.

# held N OPTION... -- jobctl with a job for each slot, held until so many run; "slots" has a line of
# each: its slot and label
held()
{
	local n=$1
	shift
	rm -f slots gate
	mkfifo gate
	seq "$n" | fresh jobctl "$@" -c "echo \$JOBCTL_SLOT \$JOBCTL_LABEL {} \$JOBCTL_ID >>$here/slots
		: <$here/gate" >out 2>err 3>&- &
	jobctl=$!
	until_true lines_in "$n" slots
	gate_opens "$jobctl"
	[ ! -s err ]
}

@test "the slots of the places are dealt in turn, and Host in the log is the place" {
	local_places
	held 4 -S 2/a,1/b -S 1/: --joblog log
	same '1 a,2 b,3 :,4 a' "$(sort slots | cut -d ' ' -f 1,2 | paste -sd ,)"
	same '' "$(awk '$3 != $4' slots)"
	same ' 1 :, 1 Host, 2 a, 1 b' "$(cut -f 2 log | tally)"
	same ' 2 a, 1 b' "$(tally ran)"
	no_places
}

@test "places of a file; without a number they have that of -j, or as many slots as processors" {
	local_places
	printf '%s\n' '# ours' '2/a # two' '' '  b' >list
	held 5 --sshloginfile list -j 3
	same ' 2 a, 3 b' "$(cut -d ' ' -f 2 slots | tally)"
	held "$(getconf _NPROCESSORS_ONLN)" -S a
	same "$(getconf _NPROCESSORS_ONLN)" "$(sort -n slots | tail -n 1 | cut -d ' ' -f 1)"
	same 'echo x' "$(echo x | jobctl --slf list --dry-run echo)"
	for wrong in '' , a, 0/a 3/ -a 'a b' 3/-a; do
		run -125 jobctl -S "$wrong" true </dev/null
		[[ "$output" == *'not places such as'* ]]
	done
	for wrong in '2/a 2/b' '8 /a' 'ssh -p 22 a' '0/a'; do
		printf '%s\n' '1/ok' "$wrong" >wrong
		run -125 jobctl --slf wrong true </dev/null
		[[ "$output" == *'not places such as'* ]]
	done
	printf '1/a \t # first\r\n 1/b\r\n' >list
	held 2 --slf list
	run -125 jobctl --slf - true </dev/null
	[[ "$output" == *'no place is there'* ]]
	run -125 jobctl --slf none true
	[[ "$output" == *none* ]]
	run -125 jobctl -S a --label x true
	run -125 jobctl -S a --env 'A b' true
	[[ "$output" == *'not the name of a variable'* ]]
	run -125 jobctl --once true
	[[ "$output" == *'there is no -S'* ]]
	no_places
}

@test "output of all kinds, by a place as here" {
	local_places
	for mode in -k --group '--group --tag' --line-buffer '--line-buffer --tag' '--results out'; do
		for place in : a; do
			rm -rf out
			seq 3 | jobctl $mode -S "2/$place" -c 'echo "a {}"; echo "b {}" >&2; echo c' \
				2>err.$place | sort >out.$place
			sort err.$place >err && mv err err.$place
			[ ! -d out ] || cat out/* | sort >>out.$place
			[ -s "out.$place" ]
		done
		cmp out.: out.a
		cmp err.: err.a
	done
	no_places
}

@test "a job that fails, is late, or is killed there, has failed as one here has" {
	local_places
	printf '%s\n' 'exit 3' 'kill -9 $$' true >list
	run -2 jobctl -S 1/a --joblog log -a list
	[[ "$output" == *'job 1: exit status 3'*'job 2: exit status 137'* ]]
	run -1 jobctl -S 1/a --timeout 0.1 --joblog late ./sleeper ::: 1000
	[[ "$output" == *'job 1: not done within 0.1'* ]]
	same 'Exitval Signal,3 0,137 0,0 0' "$(columns 7,8 log)"
	same 'Exitval Signal,0 15' "$(columns 7,8 late)"
	no_places
}

@test "status 122 and 123 of a command are its own, and no failure of the place" {
	local_places
	run -2 jobctl -S 1/a --joblog log -c 'exit {}' ::: 122 123
	same Exitval,122,123 "$(columns 7 log)"
	same 1 "$(wc -l <ran)"
	no_places
}

@test "a place that refuses rests, and its jobs go elsewhere, each once, without a try" {
	local_places
	export JOBCTL_REST=100
	: >dead.a
	seq 40 | jobctl -S 2/a,2/b --joblog log -c "echo {} \$JOBCTL_TRY >>$here/done" 2>err
	same "$(seq 40 | sed 's/$/ 1/')" "$(sort -n done)"
	same 1 "$(grep -c '^jobctl: a: cannot be used, and is tried again: rsh: no route to a$' err)"
	same Host,b "$(cut -f 2 log | sort -u | paste -sd ,)"
	no_places
}

@test "a place that comes back is used again" {
	local_places
	export JOBCTL_REST=0.5 # in 15 s it is used again, or left out
	: >dead.a
	mkfifo gate
	fresh jobctl -S 1/a,1/b --joblog log -c ": {}; [ \$JOBCTL_LABEL = a ] || read _ <$here/gate" \
		<<<$'1\n2\n3' 2>err 3>&- &
	jobctl=$!
	until_true grep -q 'cannot be used' err
	rm dead.a
	a_worked() { grep -q "	a	" log; }
	until_true a_worked
	echo >gate
	ends_with 0 "$jobctl"
}

@test "no place is left: 123, and the log resumes the rest" {
	local_places
	export JOBCTL_REST=0.02
	jobctl -S 1/a --joblog log -c "echo {} >>$here/done" ::: 1 2
	: >dead.a
	run -123 jobctl -S 1/a --joblog log --resume-failed -c "echo {} >>$here/done" ::: 1 2 3 4
	[[ "$output" == *'a: left out from now on, after six failures: rsh: no'*'no place is left'* ]]
	[[ "$output" == *'; once this works, run the list again with --resume-failed: jobat a true'* ]]
	rm dead.a
	jobctl -S 1/a --joblog log --resume-failed -c "echo {} >>$here/done" ::: 1 2 3 4
	same 1,2,3,4 "$(paste -sd , done)"
}

@test "a place that cannot say how many slots it has is left out, in the words of its transport" {
	local_places
	: >dead.a
	run -123 jobctl -S a echo ::: 1 2
	same 'jobctl: no place is left' "${lines[1]}"
	same 'jobctl: a: left out, as its processors cannot be counted: jobat: a: not begun: '\
'rsh: no route to a' "${lines[0]}"
	run -0 jobctl -S a,b -k echo ::: 1 2
	[[ "$output" == *$'\n1\n2' ]]
}

@test "a job that was lost has failed with 122; --retries begins it again, and --once does not" {
	local_places
	kill_far="[ \$JOBCTL_TRY = 2 ] && exit; kill -9 \$(ps -o ppid= -p \$PPID)
		exec ./sleeper 1000"
	run -1 jobctl -S 1/a --beat 0.5 --retries 2,0 --once --joblog log -c "$kill_far" ::: 1
	[[ "$output" == *'job 1: lost at a: the connection was lost'* ]]
	same Exitval,122 "$(columns 7 log)"
	run -0 jobctl -S 1/a --beat 0.5 --retries 2,0 -c "$kill_far" ::: 1
	no_places
}

@test "KILL of a job's jobat ends that job there, and its slot has the next one" {
	local_places
	fresh jobctl -S 1/a --joblog log -c '[ {} = 2 ] || exec ./sleeper 1000' ::: 1 2 2>err 3>&- &
	jobctl=$!
	until_true has_sleepers 1
	kill -KILL "$(pgrep -P "$jobctl")" # whose server is another process
	until_true no_ours sleeper
	ends_with 1 "$jobctl"
	same 'Exitval Signal,0 9,0 0' "$(columns 7,8 log)"
	no_places
}

@test "jobctl is ended or killed: the jobs there end, and nothing is left" {
	local_places
	for sig in TERM:143 KILL:137; do
		fresh jobctl -S 2/a --beat "$BEAT" -c "exec ./sleeper 1000" <<<$'1\n2\n3' 2>err 3>&- &
		jobctl=$!
		until_true has_sleepers 2
		kill -"${sig%:*}" "$jobctl"
		ends_with "${sig#*:}" "$jobctl"
		no_places
	done
}

@test "what a job left behind writes is not in the output of the next one" {
	local_places
	mkfifo gate
	# the second one lets it write, and sees that it has
	jobctl -S 1/a --group -c "case {} in
		1) { trap '' PIPE; read _ <$here/gate; echo late; : >$here/wrote; } & ;;
		2) echo >$here/gate; while [ ! -e $here/wrote ]; do :; done; echo second ;;
		esac" ::: 1 2 >out
	same second "$(cat out)"
	same 2 "$(wc -l <ran)" # a session of its own
	no_places
}
