load ../helper

# Options of all programs, which options.c reads from a table of each: src/lib/options.c.

programs=(jobctl jobend jobkeep jobplot jobpool tokend tokget tokput tokstat tokstop)

@test "an option with its argument beside it, joined to it, behind a =, or after other letters" {
	printf '%s\n' a b >list
	for form in '-j 1 -k' -j1\ -k '-kj 1' -kj1 '--jobs 1 -k' '--jobs=1 --keep-order'; do
		jobctl $form sh -c 'echo "$1 $JOBCTL_SLOT"' sh <list | is 'a 1,b 1' -
	done
	run -125 jobctl -kj100001 <list
	same 'jobctl: -j 100001: not a number of jobs up to 100000; SIGUSR1 and SIGUSR2 change it while jobs run' "$output"
	run -0 jobctl --halt=now,fail=1 -j 1 echo <list # the first = only
	run -125 jobctl --label= echo <list
	[[ "$output" == "jobctl: --label '': not a line"* ]]
	run -125 jobctl -j '' echo <list
	same "jobctl: -j '': not a number of jobs up to 100000; SIGUSR1 and SIGUSR2 change it while jobs run" "$output"
}

@test "a name may be cut short where no other begins so; other names of an option are no others" {
	echo a >list
	same 'echo a' "$(jobctl --dry echo <list)" # --dry-run and --dryrun
	same 'echo a' "$(jobctl --dry-run echo <list)"
	run -125 jobctl --re echo <list
	[[ "$output" == 'jobctl: --re: which one? --re'*' --re'* ]]
	run -0 tokend --vers
	run -125 tokstat --zoo=1
	same 'tokstat: --zoo: no such option; tokstat --help lists them' "$output"
}

@test "-- ends options, and so does the first operand; a lone - is one" {
	echo a >list
	run -0 jobctl --dry-run -c -- '--group {}' <list
	same '--group a' "$output"
	run -0 jobctl --dry-run echo -Z --zoo -- <list
	same 'echo -Z --zoo -- a' "$output"
	run -0 jobctl --dry-run -c - <list
	same '- a' "$output"
}

@test "an argument that is missing, or one too many, is told, and what no option is" {
	for wrong in '-j:-j: needs N' '--jobs:--jobs: needs N' '-kj:-j: needs N' \
		'--group=x:--group: takes no argument; leave out =x' \
		'--group=:--group: takes no argument; leave out =' \
		'-kZ:-Z: no such option; jobctl --help lists them, and jobctl-parallel(7) those of xargs and parallel' \
		'--=x:--: no such option; jobctl --help lists them, and jobctl-parallel(7) those of xargs and parallel'; do
		run -125 jobctl "${wrong%%:*}"
		same "jobctl: ${wrong#*:}" "$output"
	done
}

@test "did you mean: the option that begins like one that is none; not one that is refused" {
	for wrong in 'jobctl --timeouts --timeout' 'jobctl --job-log=x --joblog' \
		'jobctl --keeporder --keep-order' 'tokget --time-out --timeout'; do
		read -r program option meant <<<"$wrong"
		run -125 "$program" "$option" 3
		same "$program: ${option%=*}: no such option; did you mean $meant?" "$output"
	done
	run -125 tokget --idle true
	same 'tokget: --idle: write tokget -k all FIFO true' "$output"
	for wrong in 'jobctl --semaphorename' 'jobctl --retired' 'jobctl --arg-sep' 'tokput -q'; do
		run -125 $wrong
		[[ "$output" == *': no such option; '*' --help lists them'* ]]
	done
}

@test "--help fits 80 columns, has each option once, and goes to standard output" {
	grep -oh '"[a-z][a-z-]*"' "$top"/src/*/*.[ch] | tr -d '"' | sort -u >names
	for program in "${programs[@]}"; do
		echo "$program" >&2
		$program --help >help 2>errors
		[ ! -s errors ]
		$program -h | cmp - help
		[[ "$(head -n 1 help)" == "usage: $program "* ]]
		same '' "$(awk 'length($0) > 80' help)"
		grep -o '^  [ -][^ ],\{0,1\} *\(--[a-z-]*\)\{0,1\}' help >options
		same '' "$(tr -s ', ' '\n' <options | grep '^-' | sort | uniq -d)"
		tr -s ', ' '\n' <options | sed -n 's/^--\([a-z]\)/\1/p' | sort | comm -23 - names | is '' -
		grep -q '^  -h, --help ' help
	done
}

@test "a program takes each option that its --help has" {
	for program in "${programs[@]}"; do
		for option in $($program --help | sed -n 's/^  \(-[^ ,]\),.*/\1/p;
			s/^  .*\(--[a-z-]*\)  *.*/\1/p'); do
			run "$program" "$option" ''
			[[ "$output" != *'no such option;'* ]] || { echo "$program $option"; false; }
		done
	done
}

@test "--version and -V print the name and the version, and end the options" {
	for program in "${programs[@]}"; do
		[ "$program" != jobend ] || continue
		run -0 "$program" --version -Z
		[[ "$output" == "$program "[0-9]* ]]
		same "$output" "$("$program" -V)"
	done
}

@test "a --help or --version that cannot be written is 125, and says so" {
	for program in jobctl tokend tokstat; do
		for option in --help --version; do
			run -125 bash -c "$program $option >/dev/full"
			[[ "$output" == "$program: standard output: "* ]]
		done
	done
}

@test "wrong operands: what is wrong, and the usage, on standard error" {
	tokget >out 2>errors && status=0 || status=$?
	same 125 "$status"
	[ ! -s out ]
	same 'tokget: needs a FIFO; tokget --help tells more' "$(head -n 1 errors)"
	[[ "$(sed -n 2p errors)" == 'usage: tokget '* ]]
}

@test "a name in a message forges no line, and moves no cursor: it is shown as in tokstat" {
	name=$'a\n\t\e[1m\xff\xc2\x9b\u00e4' shown='a\x0a\x09\x1b[1m\xff\xc2\x9b'$'\u00e4'
	for program in "${programs[@]}" jobat; do
		run -125 "$program" "--$name"
		[[ "$output" == "$program: --$shown: no such option; $program --help lists them"* ]]
		same 1 "${#lines[@]}"
	done
	for words in 'tokget @ true' 'tokget -k @ f true' 'tokput @' 'tokput -n @ f' 'tokstat @' \
		'tokstop @' 'tokend -n @ f' 'tokend -m @ f' 'jobctl -j @' 'jobctl -a @ echo' \
		'jobplot @' 'jobat --beat @ h true'; do
		read -ra words <<<"$words"
		run "${words[@]/@/$name}"
		[ "$status" -ne 0 ]
		[[ "$output" == "${words[0]}: "*"$shown"* ]]
		same 1 "${#lines[@]}"
	done
}
