load ../helper

# What tokget, tokput, tokstat and tokstop have in common: asking a dispenser.

@test "tokput and tokstop say 123 where no dispenser is, 125 where no FIFO is" {
	for tool in tokput tokstop 'tokstop -f'; do
		run -123 $tool "$FIFO"
		[ "${#lines[@]}" -eq 1 ]
	done
	mkfifo "$FIFO"
	for tool in tokput tokstop; do
		run -123 $tool "$FIFO"
	done
	rm "$FIFO"; echo precious >"$FIFO"
	for tool in tokput tokstop; do
		run -125 $tool "$FIFO"
		run -125 $tool
		run -125 $tool -z
	done
	[ "$(cat "$FIFO")" = precious ]
	unset FIFO
	for tool in tokput tokstop; do
		run -125 $tool
		[[ "$output" == *FIFO* ]]
		run -0 $tool -h
		[[ "$output" == usage:* ]]
		run -0 $tool -V
	done
}

@test "what a tool does not know it refuses, with a line or its usage, and asks nobody" {
	for words in "tokput -n 0 f" "tokput -n 1x f" "tokput -a '' f" "tokput -a a@b f" "tokput -d x" \
		"tokput a b" "tokstat a b" "tokstat -z f" "tokstat -o xml f" \
		"tokstop a b" "tokstop -g x f" "tokget -j any f true" "tokend -a -l 0 f" "tokend -a -l x f"; do
		eval "run -125 $words"
		[ -n "$output" ]
	done
	for tool in tokput tokstat tokend tokget jobctl; do
		run -125 "$tool" -Z
		[[ "$output" == *usage:* ]]
	done
}

# full_inlet -- of a dispenser that does not run; blanks say nothing
full_inlet()
{
	tokend=$(cat "$FIFO.d/lock")
	kill -STOP "$tokend"
	until ! printf '%4096s' '' | dd of="$FIFO" bs=4096 oflag=nonblock conv=nocreat,notrunc 2>/dev/null; do :; done
}

sleeps_in() { grep -q "$2" "/proc/$1/wchan" 2>/dev/null || [ "$(cut -d ' ' -f 3 "/proc/$1/stat")" = S ]; }

@test "an inlet that is full is waited for, and one whose dispenser dies meanwhile is not" {
	pool -n 2
	full_inlet
	tokput -n 5 "$FIFO" 3>&- & one=$!
	tokget "$FIFO" true 3>&- & two=$!
	until_true sleeps_in "$one" poll
	until_true sleeps_in "$two" poll
	kill -CONT "$tokend"
	ends_with 0 "$one"
	ends_with 0 "$two"
	until_true pool_says '5 5 0 0'
	full_inlet
	tokput -n 6 "$FIFO" 2>one 3>&- & one=$!
	tokstat "$FIFO" 2>two 3>&- & two=$!
	until_true sleeps_in "$one" poll
	until_true sleeps_in "$two" poll
	kill -KILL "$tokend"
	ends_with 123 "$one"
	ends_with 123 "$two"
	grep -q 'went away' one
	grep -q 'went away' two
}

@test "a FIFO that somebody reads, but no dispenser does, is none" {
	mkfifo "$FIFO"
	cat "$FIFO" >read 3>&- & reader=$!
	exec 8>"$FIFO"
	run -123 tokstat "$FIFO"
	run -123 tokstat -m "$FIFO"
	run -123 tokget -n "$FIFO" true
	run -125 tokend -b "$FIFO"
	[[ "$output" == *'somebody reads'* ]]
	exec 8>&-
	wait "$reader"
	[ ! -s read ]
}

# impostor TEXT -- answers one request with that, and ends
impostor()
{
	rm -rf "$FIFO" "$FIFO.d" ready
	mkfifo "$FIFO"
	mkdir "$FIFO.d"
	{ echo >ready; read -r verb name rest; printf '%b' "$1" >"$FIFO.d/w.$name"; } <>"$FIFO" 3>&- & reader=$!
	until_true test -s ready
}

@test "an answer that is none of a dispenser's is refused" {
	long=$(printf '%9000s' x)
	for answer in "$long" 'nonsense\nend\n' 'pool\t1\nend\n' 'slot\t1\nend\n' 'end\n'; do
		impostor "$answer"
		run -125 timeout 20 tokstat "$FIFO"
		[[ "$output" == *'not the answer of a dispenser'* ]]
		wait "$reader" || : # of what is too long not all is read
	done
	impostor 'ok 0 x\n'
	run -125 timeout 20 tokstat -m "$FIFO"
	wait "$reader" || :
	for answer in "$long" 'ok 1\nx y\n' "ok 1\n1 ${long:0:3000}\n"; do
		impostor "$answer"
		run -125 timeout 20 tokget "$FIFO" true
		wait "$reader" || :
	done
	impostor 'pool\t'
	run -123 timeout 20 tokstat "$FIFO"
	wait "$reader" || :
}

# answered TEXT COMMAND... -- the command, whose request is answered by somebody who is no
# dispenser
answered()
{
	local text=$1 answerer
	shift
	mkdir -p "$FIFO.d"
	[ -p "$FIFO" ] || mkfifo "$FIFO"
	exec 7<>"$FIFO"
	{
		IFS=' ' read -r _ name _ <&7
		printf "$text" >"$FIFO.d/w.$name"
	} 3>&- &
	answerer=$!
	run -125 "$@" 7>&-
	wait "$answerer" || : # it may not be let finish
	exec 7>&-
	[[ "$output" == *'not the answer of a dispenser'* || "$output" == *'no tokens for builds'* ]]
	[ ! -e pwned ]
}

@test "tokstat gives a shell nothing that somebody wrote in place of the dispenser" {
	pool='pool\t2\t1\t1\t0\t1\t0\t0\t0.1\t0.1\n'
	answered "${pool}slot\t1\tout\t1;touch pwned\t4.0\tlabel\nend\n" tokstat "$FIFO"
	answered "${pool}wait\t1\t1;touch pwned\t1\t5\t4.0\nend\n" tokstat "$FIFO"
	answered "pool\t2,\"x\":1\t1\t1\t0\t1\t0\t0\t0.1\t0.1\nend\n" tokstat -o json "$FIFO"
	answered 'end\n' tokstat -o json "$FIFO"
	answered "slot\t1\tfree\t0\t0\t\nend\n" tokstat -o json "$FIFO"
	answered "ok 8 /x';touch pwned;'\n" tokstat -m "$FIFO"
	answered 'ok 8 x\n' tokstat -m "$FIFO"
}

@test "tokget gives neither a script a path nor make a word that somebody wrote there" {
	answered 'ok 1\n../../home/me/.profile\n' tokget -l "$FIFO"
	answered 'ok 1\n1/../x label\n' tokget -l "$FIFO"
	answered 'ok 1 8 /x --eval=$(shell touch pwned)\n1\n' tokget "$FIFO" true
	answered 'ok 1 8 x\n1\n' tokget "$FIFO" true
}
