load ../helper
load ../helpers/jobctl
load ../helpers/parallel

# jobctl: several arguments for a job, where they come from, and how the input is split.

@test "several arguments, columns and lists are as GNU parallel has them" {
	seq 3 >f
	seq 2 >g
	as_parallel -k <<-'E'
		seq 5 | P -n2 echo => 1 2\n3 4\n5
		seq 5 | P -n2 echo a{1}b{2} {} => a1b2 1 2\na3b4 3 4\na5b 5
		seq 4 | P -n2 echo {2} {1} {-1} x{3} => 2 1 2 x\n4 3 4 x
		seq 5 | P -N2 echo a{}b{}c d => a1b1c a2b2c d\na3b3c a4b4c d\na5b5c d
		seq 5 | P -L2 echo a{}b => a1b a2b\na3b a4b\na5b
		seq 5 | P -j1 -X echo a{}b => a1b a2b a3b a4b a5b
		seq 5 | P -j2 --xargs -N2 echo a{}b => a1b a2b\na3b a4b\na5b
		seq 12 | P -X -s 15 -j1 echo a{}b => a1b a2b\na3b a4b\na5b a6b\na7b a8b\na9b a10b\na11b a12b
		seq 23 | P -X -s 25 -j3 echo => 1 2 3 4 5 6 7 8 9\n10 11 12 13 14 15\n16 17 18 19 20 21\n22\n23
		seq 10 | P -X -j3 echo {#} {} => 1 1 2 3 4\n2 5 6 7 8\n3 9 10
		seq 2 | P -X -j3 echo => 1\n2
		seq 10 | P -n3 -j3 echo {#} {} {/.} {.} => 1 1 2 3 1 2 3 1 2 3\n2 4 5 6 4 5 6 4 5 6\n3 7 8 9 7 8 9 7 8 9\n4 10 10 10
		printf 'a,b,c\n1,,3\nx\n' | P -C, echo {1}-{2}-{3}-{4}-{-1}. {1} => a-b-c--c. a\n1--3--3. 1\nx----x. x
		printf 'a,b,c\n1,,3\nx\n' | P -C, -n2 echo {1}-{2}-{3}-{4}-{-1}. => a-b-c-1-3.\nx----x.
		printf 'a\tb\n' | P --colsep '\t' echo {2} {1} => b a
		printf 'a  b c\n' | P -C ' +' echo {2} {1} {3} => b a c
		printf 'a  b\t c\n' | P -C '\s+' echo {2} {1} {3} => b a c
		printf ' a , b\t\n,\n  c\r\n' | P -k $Q -C , printf '<%s|%s>' {1} {2}; echo => <a|b><|><c|>
		printf ' a , b c \n' | P $Q -C , printf '<%s>'; echo => <a><b c>
		P $Q -C , printf '<%s>' ::: ' x , y'; echo => <x><y>
		printf 'a|b,c\n' | P -C '[|,]' echo {2} {1} {3} => b a c
		P -N2 echo {1} {3} ::: a b ::: c d => a a\nb b
		P -X -j1 echo x{1}y{} {2} ::: a b c d => xaya xayb xayc xayd b
		P -n2 echo {} ::: a b ::: c d => a c a d\nb c b d
		P echo :::: f g => 1 1\n1 2\n2 1\n2 2\n3 1\n3 2
		P -a f -a g echo ::: x => 1 1 x\n1 2 x\n2 1 x\n2 2 x\n3 1 x\n3 2 x
		P echo ::: a b :::: - <f => a 1\na 2\na 3\nb 1\nb 2\nb 3
		P echo :::: - ::: a b <f => 1 a\n1 b\n2 a\n2 b\n3 a\n3 b
		P -E 3 echo ::: 1 2 3 4 ::: a b => 1 a\n1 b\n2 a\n2 b
		P -r echo ::: '' a ' ' b => a\nb
		printf 'a\n\n \nb\nc' | P -r -n2 echo => a b\nc
		printf 'a.b\n' | P -I % echo {} {.} x%y => {} a xa.by
		P -C, echo {2} {1} ::: a,b c,d ::: x => b a\nd c
		seq 4 | P -X --tag -j1 echo => 1 2 3 4\t1 2 3 4
		seq 5 | P --dry-run -N2 echo {} => echo 1 2\necho 3 4\necho 5
		printf 'axb\tc' | P -d x echo => a\nb\tc
		P echo {..} {+1} {1/} {1.} {1//} {-1/.} ::: a/b.c => {..} {+1} b.c a/b a b
		P -j1 ::: 'echo a' 'echo b' => a\nb
	E
}

@test "groups, delimiters and -E are as xargs has them" {
	as_xargs <<-'E'
		seq 1201 | P -n 100 echo
		printf 'a b\0c\0' | P -0 -n 2 printf '<%s>'
		seq 9 | P -L 2 echo
		seq 5 | P -I % echo a%b%
	E
	is_gnu xargs || skip 'the rest needs GNU xargs'
	as_xargs <<-'E'
		printf 'a:b b:c' | P -d : -n 2 printf '<%s>'
		printf 'a;b;c' | P -d ';' -n 2 printf '<%s>'
		printf 'a\tb' | P -d '\t' -n 2 printf '<%s>'
		seq 9 | P -E 5 -n 2 echo
		printf '' | P -r echo
	E
}

@test "1201 names: -n 100 is 13 jobs, -X one for each slot, with all of them in order" {
	printf '/some/directory/with a name %s\n' {1..1201} >list
	jobctl -k -n 100 sh -c 'printf "%s\n" "$@"; echo >>jobs' sh <list | cmp - list
	same 13 "$(wc -l <jobs)"
	: >jobs
	jobctl -k -j 3 -X sh -c 'printf "%s\n" "$@"; echo >>jobs' sh <list | cmp - list
	same 3 "$(wc -l <jobs)"
}

@test "-X: more than fits into a command becomes several, however large the environment is" {
	seq -f %0100.f 30000 >list
	filler=$(head -c 100000 /dev/zero | tr '\0' x)
	export filler
	jobctl -k -X printf '%s\n' <list | cmp - list
	for stack in 8192 unlimited; do
		(ulimit -s "$stack" 2>/dev/null || :
		jobctl -k -X -s 1000000000 printf '%s\n' <list | cmp - list)
	done
	jobctl -k -X -c 'printf "%s\n" {}' <list | cmp - list
	jobctl -X printf '%s%s\n' {1} a{}b{1} {} <list >/dev/null
}

@test "-X: memory does not grow with the input" {
	(ulimit -v 12000; exec jobctl --version) >/dev/null 2>&1 ||
		skip "jobctl needs more memory to begin: a sanitizer, an emulator"
	seq 1000000 | (ulimit -v 12000; jobctl -X -j 1 true)
}

@test "-n: a group waits until it is full, or the input ends" {
	mkfifo list
	begun -n 2 sh -c 'echo "$*" >>log' sh
	exec 8>list
	printf '1\n2\n3\n' >&8
	until_true lines_in 1 log
	printf '4\n' >&8
	until_true lines_in 2 log
	printf '5\n' >&8
	exec 8>&-
	ends_with 0 "$batch"
	[ "$(cat log)" = '1 2
3 4
5' ]
}

@test "-s: an argument that is too long for it fails its job alone" {
	run -1 jobctl -j 1 -X -s 12 echo ::: a bbbbbbbbbb c
	same a "${lines[0]}"
	[[ "${lines[1]}" == 'jobctl: job 2: its command is longer than -s allows: echo bbb'* ]]
	same c "${lines[2]}"
}

@test "an expression that also matches nothing splits where it matches something" {
	[ "$(jobctl -C 'x*' echo {1} {2} {3} <<<axxbxc 2>&1)" != 'a b c' ] # that is refused
	same 'a b c' "$(jobctl -C '\<|x' echo {1} {2} {3} <<<axbxc)"
}

@test "-d takes the escapes of xargs" {
	for tab in $'\t' '\t'; do
		same 'a b' "$(printf 'a\tb' | jobctl -k -d "$tab" echo | paste -sd ' ')"
	done
	same 'a b' "$(printf 'a\\b' | jobctl -k -d '\' echo | paste -sd ' ')"
}

@test "-E with an empty word ends nothing" {
	same a,,b "$(printf 'a\n\nb\n' | jobctl -k -E '' echo | paste -sd ,)"
}

@test "an empty column, and one that is not there, is an empty argument" {
	same '<><c><c><><><x><><>' "$(printf '%s\n' a,,c x | jobctl -j 1 -C , printf '<%s>' {2} {-1} {3} {9})"
	same '<><b><>' "$(printf '%s\n' ,b, | jobctl -C , printf '<%s>')"
	same '<><><>' "$(echo a | jobctl -n 2 printf '<%s>' {2} {2//} {2.})"
}

@test "-c: several arguments are the parameters, {} is each of them, a number one of them" {
	printf '%s\n' 'a b' '$(touch bad)' "it's" '*' >list
	jobctl -j 1 -n 2 -c 'printf "<%s>" {} . "$@" "{1}" {2} '"'{-1}'"' {3}; echo' <list >out
	sed -n 1p out | grep -Fx '<a b><$(touch bad)><.><a b><$(touch bad)><a b><$(touch bad)><$(touch bad)><>'
	sed -n 2p out | grep -Fx "<it's><*><.><it's><*><it's><*><*><>"
	jobctl -j 1 -n 2 -c 'printf "<%s>"' <list >out
	same "<a b><\$(touch bad)><it's><*>" "$(cat out)"
	same b-a "$(jobctl -c 'echo {2}-{1.}' ::: a.x ::: b)"
	same "echo b-'a b' 'a b.x' b" "$(jobctl --dry-run -c 'echo {2}-{1.} {}' ::: 'a b.x' ::: b)"
	same 'one one' "$(echo one | jobctl -c 'echo {} "$1"')"
	[ ! -e bad ]
}

@test "the log, messages and tags have all arguments" {
	run -1 jobctl --joblog log -n 2 sh -c 'exit 1' sh ::: 'a b' c
	[[ "${lines[0]}" == *"sh -c 'exit 1' sh 'a b' c"* ]]
	[[ "$(tail -n 1 log)" == *"	sh -c 'exit 1' sh 'a b' c" ]]
	same 'a b+a b c	c' "$(jobctl -n 2 --tagstring '{1}+{}' echo {2} ::: 'a b' c)"
}

@test "--resume leaves out the groups that have run" {
	seq 4 >list
	jobctl --joblog log -n 2 echo <list
	seq 6 >list
	same '5 6' "$(jobctl --joblog log --resume -n 2 echo <list)"
}

@test "an empty list makes no combination, and standard input stays unread without a list of it" {
	same '' "$(jobctl echo ::: a b ::: </dev/null)"
	same '' "$(jobctl echo ::: </dev/null)"
	[ "$(seq 2 | { jobctl echo ::: a; cat; })" = 'a
1
2' ]
}

@test "what makes no sense is refused, with what to write" {
	refused()
	{
		local message=$1
		shift
		run -125 jobctl "$@" </dev/null
		[[ "$output" == "jobctl: "*"$message"* ]] || { echo "$*: $output"; false; }
	}
	refused '-L 0' -L 0 echo
	refused '::::: needs a file' echo ::::
	refused '::::: needs a file' echo :::: ::: a
	refused ':::+: lists are not linked' echo ::: a :::+ b
	refused '::::+: lists are not linked' echo ::::+ b
	refused 'nothing would ever start' --load 0 echo ::: a
	refused 'nothing would ever start' --load 0% echo ::: a
	refused 'not one byte' -d '' echo
	refused 'not one byte' -d ab echo
	refused 'not one byte' -d '\q' echo
	refused 'not one byte' -d '\tt' echo
	refused 'write: -I %' -I '' echo
	refused 'not a regular expression' -C '(' echo
	refused 'for a bar write \|' -C '|' echo
	refused '-n: needs a command' -n 2
	refused 'second list of arguments: needs a command' ::: a ::: b
	refused 'write {1.}' -n 2 -c 'echo {.}'
	refused 'can be only one' -a - echo :::: -
	refused 'missing' echo ::: a :::: missing
}

@test "a NUL in a line fails its job alone, in a list that is held, too" {
	printf 'a\0b\nc\n' >list
	run -1 jobctl -j 1 echo ::: 1 :::: list
	[[ "${lines[0]}" == 'jobctl: job 1: '*NUL* ]]
	same '1 c' "${lines[1]}"
}

@test "-c: --dry-run shows a command that a shell runs with the same arguments" {
	for argument in 'a b' "it's" '"' '$x' '`x`' '\' '' '* ~' "' a '" $'a\nb'; do
		for script in '{}' '"x{}y"' "'x{}y'" '"$(echo "{}-")"' $'\'c\nd\' "e\nf" g\\\nh {}'; do
			script="printf '<%s>' $script {/}"
			shown=$(jobctl --dry-run -c "$script" ::: "$argument")
			[[ "$shown" != *$'\n'* ]]
			same "$(jobctl -c "$script" ::: "$argument")" "$(bash -c "$shown")"
		done
	done
	same "<a><x'b c><a><x'b c>" "$(bash -c "$(jobctl --dry-run -n 2 -c "printf '<%s>' \"{}\" {}" \
		::: a "x'b c")")"
}
