#!/usr/bin/env bats
load ../helper

# Operands of jobctl, its terminal, and a reader that goes.

@test "a single word that is neither a program nor a list is refused, with and without input" {
	for input in /dev/null <(echo a); do
		run -127 jobctl nosuch.txt <"$input"
		same 'jobctl: nosuch.txt: no such program, and no such file of commands' "$output"
	done
	mkdir d
	run -126 jobctl d </dev/null
	same 'jobctl: d: neither a program nor a list of commands' "$output"
	run -125 jobctl '' </dev/null
	same 'jobctl: the command is an empty word; is a variable empty?' "$output"
}

@test "options behind a list are told to come before it, and the log is left alone" {
	echo 'echo job' >list
	echo precious >log
	run -127 jobctl list --joblog log </dev/null
	[[ "$output" == 'jobctl: list: '*'for a list of commands write: jobctl [option...] list'* ]]
	same precious "$(cat log)"
}

@test "a list that can be executed, as on some file systems all can, is not guessed at" {
	echo 'echo job' >list
	chmod 755 list
	for word in list ./list; do
		run -125 jobctl "$word" </dev/null
		[[ "$output" == "jobctl: $word: can be executed"*"jobctl -a $word"*"jobctl sh $word"* ]]
	done
	same job "$(jobctl -a list)"
	same job "$(echo x | jobctl sh list)"
	printf '#!/bin/sh\necho "script $1"\n' >script
	chmod 755 script
	same 'script x' "$(echo x | jobctl ./script)"
	cp list true # in PATH there is another one
	run -0 jobctl true <<<x
}

@test "shell syntax in the first word: jobctl says once that it needs -c" {
	echo a >list
	f () { :; }
	export -f f
	for how in '' '-a list' '-I @' "-a list -S 1/$here"; do
		for word in "grep {} it's | wc -l" 'echo {} >x' 'echo $((6 * 7))' '{ echo {}; }' 'eval echo {}'; do
			run -127 jobctl $how "$word" <list
			same "jobctl: $word: no such program; for a pipeline or shell syntax write: \
jobctl -c 'SCRIPT'" "$output"
		done
	done
	run -127 jobctl 'echo "{}" |' wc -c <list
	run -125 jobctl -c two words
	[[ "$output" == *'-c: needs one word'*'::: before arguments'* ]]
	run -127 jobctl f <list
	same "jobctl: f: a function of bash: write jobctl bash -c 'f \"\$@\"' -" "$output"
}

@test "a path with a blank is no shell syntax: a program, a list, or one for each line" {
	mkdir 'a dir'
	printf '#!/bin/sh\necho "run $1"\n' >'a dir/program'
	chmod 755 'a dir/program'
	same 'run x' "$(jobctl 'a dir/program' ::: x)"
	same 'run y' "$(jobctl './a dir/{}' y ::: program)"
	echo 'echo job' >'a list'
	same job "$(jobctl 'a list')"
}

@test "a command that only a shell knows: jobctl says once that -c has it" {
	seq 3 >list
	for how in '' '-a list' '-I @'; do
		run -127 jobctl $how -j 2 eval 'echo {}' <list
		same "jobctl: eval: no such program on PATH; if only a shell knows it, write: \
jobctl -c 'SCRIPT'" "${lines[0]}"
		[[ "$output" != *'job 1'* || "$output" == *'nothing after job 1 was started' ]]
	done
	echo '#!/nowhere/sh' >broken
	chmod 755 broken
	PATH=$here:$PATH run -127 jobctl -a list broken
	same 'jobctl: broken: No such file or directory' "${lines[0]}"
}

@test "a program that only the other machine has is run there" {
	mkdir there
	printf '#!/bin/sh\necho "there $1"\n' >there/onlythere
	chmod 755 there/onlythere
	printf '#!/bin/sh\nshift; PATH=$here/there:$PATH exec sh -c "$*"\n' >rsh
	chmod 755 rsh
	JOBCTL_RSH=$here/rsh run -0 jobctl -S 1/host1 onlythere ::: x
	same 'there x' "$output"
	run -127 jobctl onlythere ::: x
}

@test "a pipe, a list of commands or & among the words is refused, and a redirection noted" {
	export DEST=there
	: >a.pattern >job.sh
	chmod 755 job.sh
	while IFS= read -r words; do
		eval "run -125 jobctl $words ::: a"
		[[ "$output" == *": no shell parses this command; for one write: jobctl -c 'SCRIPT'; -q "* ]] ||
			{ echo "$words: $output"; false; }
		eval "run -0 jobctl --dry-run -q $words ::: a"
	done <<-'E'
		echo {} '|' wc -c
		test -e {} '&&' echo {}
		test -e {} '||' false
		ls {} ';' true
		sleep {} '&' true
		true '&&' echo {}
		sh job.sh {} '|' wc
	E
	while IFS= read -r words; do
		for quiet in -q --quiet; do
			eval "run -0 jobctl $quiet --dry-run $words ::: a b"
			same 2 "${#lines[@]}"
		done
		eval "run -0 jobctl --dry-run $words ::: a b"
		[[ "${lines[0]}" == "jobctl: note: '"*"passed as it is"*"jobctl -c 'SCRIPT'"*-q* && "${#lines[@]}" = 3 ]] ||
			{ echo "$words: $output"; false; }
	done <<-'E'
		sort {} '>' {.}.out
		sort {} '>>' out
		sort {} '<' out
		ls -l {} '2>' /dev/null
		ls -l {} '2>&1'
		ls -l {} '2>/dev/null'
		sort {} '>out'
		sort {} '&>out'
		cp {} '"$nowhere"'
		cp {} '$DEST'
		cp {} '${nowhere}'
		./job.sh {} '>' {}.out
		ls {} '*.pattern'
		echo {} '>'
	E
}

@test "words that only look like shell syntax are arguments" {
	export DEST=there d=1
	: >a.pattern
	while IFS= read -r words; do
		eval "run -0 jobctl --dry-run $words ::: a" || { echo "$words"; false; }
	done <<-'E'
		awk '{print $1}' {}
		awk -F '|' '{print $NF}'
		grep -c '>' {}
		grep '|' {}
		grep '$nowhere' {}
		find -name '*.c' -exec rm {} ';'
		cut -d '|' -f 1
		sort -t '&' {}
		sed '$d' {}
		ssh {} uptime '|' wc
		printf '%s %s' a '|' {}
		cp -t '$DEST' {}
		ls '*.nosuch' {}
		find -name '*.pattern'
		sh -c 'echo "$1" | wc' sh
		printf '<%s>' {}
		-c 'echo "$PARALLEL_SEQ$JOBCTL_ID" {}'
	E
}

@test "{= =} and PARALLEL_SEQ of GNU parallel are refused, with what to write, in a script, too" {
	for c in '' -c; do
		run -125 jobctl $c 'mv{= s/x/y/ =}' ::: a
		[[ "$output" == *"jobctl -c 'x={}; ...'"* ]]
		run -0 jobctl $c -q --dry-run 'mv{=s/x/y/=}' ::: a
		run -125 jobctl $c 'echo$PARALLEL_SEQ' ::: a
		[[ "$output" == *'write {#} for $PARALLEL_SEQ'* ]]
		run -125 jobctl $c 'echo$PARALLEL_JOBSLOT' ::: a
	done
	PARALLEL_SEQ=3 run -0 jobctl -c 'echo $PARALLEL_SEQ{#}' ::: a
	same '31 a' "$output"
	run -125 jobctl echo :::a
	[[ "$output" == 'jobctl: :::a: ::: is a word of its own'* ]]
}

@test "files without ::: are no list, at a terminal and with no input: jobctl says what to type" {
	touch a.log b.log
	# in_terminal WORD... -- jobctl with these at a terminal, whose input ends at once
	in_terminal() { printf '\004' | script -eqc "jobctl $*" /dev/null 2>&1; }
	run -125 in_terminal -j2 gzip -9 a.log b.log
	[[ "$output" == *'gzip: the list of arguments is missing; write ::: before a.log'* ]]
	run -0 in_terminal ls a.log
	[[ "$output" == *'until Ctrl-D; for arguments on the command line, write ::: before them'$'\r'* ]]
	run -0 in_terminal ls a.log b.log {}
	run -125 jobctl ls a.log b.log </dev/null
	[[ "$output" == *'ls: the list of arguments is missing; write ::: before a.log'* ]]
	run -0 jobctl ls a.log b.log < <(:)
}

@test "a line is never executed because a script ends before it, or is empty" {
	printf '#!/bin/sh\n: >bad\n' >evil
	chmod 755 evil
	for script in '' ' ' 'true;' 'true &&' 'true |' $'true\n' 'true # note' '(' 'true &'; do
		run -125 jobctl -c "$script" ::: ./evil
		[[ "$output" == 'jobctl: -c: '* ]]
		[ ! -e bad ]
	done
	same '; a' "$(jobctl -c 'echo \;' ::: a)"
	same '' "$(jobctl -c 'echo # {}' ::: a)"
	[ "$(jobctl -c 'echo b;' -n 0 2>&1 ::: a)" != b ]
	same b "$(jobctl -n 0 -c 'echo b;' ::: a)"
}

@test "functions that bash has exported are jobs, by its -c" {
	double () { echo "$1$1 ${2-}"; }
	export -f double
	same "a ba b it's a b" "$(jobctl bash -c 'double "$@"' - {} "it's {}" <<<'a b')"
	same 'bb ' "$(jobctl bash -c <<<'double b')"
}

@test "input from a terminal is announced, unless --quiet" {
	for quiet in '' --quiet; do
		printf '\004' | script -qc "jobctl $quiet echo" /dev/null >out 2>&1
		! grep -q 'reading jobs from the terminal' out || [ -z "$quiet" ]
		grep -q 'reading jobs from the terminal' out || [ -n "$quiet" ]
	done
}

@test "where SIGPIPE is ignored, a reader that has gone is told, with 125" {
	yes | (trap '' PIPE; jobctl --group -j 2 echo 2>errors; echo "$?" >status) | head -n 1 >out || :
	same 125 "$(cat status)"
	same 'jobctl: output: nobody reads it any more' "$(head -n 1 errors)"
}

@test "a pipe that does not block, and has a slow reader, loses no line of ours" {
	seq 20000 >list
	late() { bash -c 'dd oflag=nonblock count=0 2>/dev/null; exec "$@"' - "$@" |
		while IFS= read -r line; do echo "$line"; done; } # byte by byte
	late jobctl --dry-run echo <list >out
	is 20000 <(wc -l <out)
	late bash -c 'exec jobctl -t -j1 false 2>&1' - <<<"$(seq 2000)" >out || :
	is 4001 <(wc -l <out)
}

@test "a job that cannot be started is named by its words" {
	printf 'a\0b\n' >list
	run -1 jobctl echo {} x <list
	same 'jobctl: job 1: its line has a NUL, and no argument can; write -0 if NUL ends lines: '\
'echo a x' "${lines[0]}"
}

@test "an input, a log or a directory that is empty or no such thing is named" {
	for option in -a --joblog --results; do
		run -125 jobctl "$option" '' true
		same "jobctl: $option '': not a path; is a variable empty?" "$output"
	done
	run -125 jobctl -q echo :::: .
	[[ "$output" == 'jobctl: reading .: Is a directory'* ]]
	for wrong in my.csv d/my.tsv my.json 'd/{}'; do
		run -125 jobctl --results "$wrong" echo ::: a
		[[ "$output" == "jobctl: --results $wrong: one directory"*--joblog* ]]
		[ ! -e "${wrong%/*}" ]
	done
	mkdir -p results/1.out
	run -125 jobctl --results results echo ::: x
	[[ "$output" == 'jobctl: results: a file for the output of job 1: Is a directory'* ]]
}
