load ../helper

# How tokget, tokput, tokstat and tokstop ask a dispenser.

@test "tokput and tokstop say 123 where no dispenser is, 125 where no FIFO is" {
	for tool in tokput tokstop 'tokstop -f'; do
		run -123 $tool "$FIFO"
		same 1 "${#lines[@]}"
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
	is precious "$FIFO"
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
	for words in "tokput -n 1x f" "tokput -a '' f" "tokput -a a@b f" \
		"tokput -d x" "tokput a b" "tokstat a b" "tokstat -z f" "tokstat -o xml f" \
		"tokstop a b" "tokstop -g x f" "tokget -j any f true" "tokend -a -l 0 f" \
		"tokend -a -l x f"; do
		eval "run -125 $words"
		[[ "${#lines[@]}" -eq 1 || "$output" == *'usage: tok'* ]]
	done
	for words in 'tokput f -n 2' 'tokstop f --kill' 'tokstat f -w' 'tokend f -b'; do
		run -125 $words
		[[ "$output" == *': options stand before the FIFO; '* ]]
	done
	for tool in tokput tokstat tokend tokget tokstop; do
		run -125 "$tool" -Z
		same "$tool: -Z: no such option; $tool --help lists them" "$output"
	done
}

@test "a directory or a file in place of the FIFO: what to give is said, and nothing is made" {
	mkdir dir
	: >file
	for tool in tokput tokstat tokstop 'tokstop -f' 'tokget -n' 'tokget -N 1' 'tokend -b'; do
		command=
		[[ "$tool" != 'tokget -'[nN]* ]] || command=true
		run -125 $tool "$here/dir" $command
		[[ "$output" == *"$here/dir: is a directory: give the path of a FIFO"* ]]
		run -125 $tool "$here/file" $command
		[[ "$output" == *"$here/file: "*'not a FIFO'* ]]
		same 1 "${#lines[@]}"
	done
	[ -f file ]
	[ ! -s file ]
	same '' "$(ls -A dir)"
	same $'dir\nfile\nsleeper' "$(ls)"
}

@test "a symbolic link to the FIFO is as good as the FIFO; tokend says what to write" {
	mkdir at
	FIFO=$here/at/pool
	pool -j -n 1
	ln -s at/pool link
	run -0 tokget link sh -c 'tokget link tokget at/pool echo "$JOBCTL_SLOT"'
	same 1 "$output"
	lease=$(tokget -l link)
	[ -p "$lease" ]
	tokput "$lease"
	run -0 tokput -n 2 link
	pool_says '2 2 0 0'
	same "$(tokstat "$FIFO")" "$(tokstat link)"
	for option in -b -r; do
		run -125 tokend "$option" link
		same 'tokend: link: is a symbolic link: write the path that it leads to' "$output"
	done
	run -125 tokget link tokstop link
	[[ "$output" == *'holds a token of that pool'* ]]
	tokstop link
	nothing_left
	run -123 tokget link true
	run -125 tokget -N 1 link true
	[ -L link ]
}

# full_inlet -- of a dispenser that does not run; blanks say nothing
full_inlet()
{
	tokend=$(cat "$FIFO.d/lock")
	kill -STOP "$tokend"
	while printf '%4096s' '' |
		dd of="$FIFO" bs=4096 oflag=nonblock conv=nocreat,notrunc 2>/dev/null; do :; done
}

@test "an inlet that is full is waited for, and one whose dispenser dies meanwhile is not" {
	pool -n 2
	full_inlet
	tokget "$FIFO" true 3>&- & one=$!
	tokstop "$FIFO" 3>&- & two=$!
	until_true state S "$one"
	until_true state S "$two"
	kill -CONT "$tokend"
	wait "$one" || : # whoever was first
	ends_with 0 "$two"
	pool -n 2
	full_inlet
	tokget "$FIFO" true 2>err 3>&- & one=$!
	until_true state S "$one"
	kill -KILL "$tokend"
	ends_with 123 "$one"
	grep -q 'no tokend runs there' err
	pool -n 2
	stopped
}

# all_say_stopped N -- everybody who waits for no token has an answer while tokend is stopped; N
# changes come when it goes on
all_say_stopped()
{
	local i=0 status ends=()
	rm -f said.*
	while read -r status words; do
		: $((i += 1))
		$words >"said.$i" 2>&1 3>&- &
		ends+=("$status $!")
	done <<-EOF
		124 tokget -n $FIFO true
		124 tokget -n -N 2 $FIFO true
		124 tokget -n -l $FIFO
		124 tokget -n -j both $FIFO true
		7 tokget -n -E 7 -l $FIFO
		125 tokput -n 5 $FIFO
		125 tokput -a more $FIFO
		125 tokput -d x $FIFO
		125 tokstat $FIFO
	EOF
	for i in "${ends[@]}"; do ends_with $i; done
	same "${#ends[@]}" "$(cat said.* | wc -l)"
	same "${#ends[@]}" "$(cat said.* | grep -c "$FIFO: .*its tokend is stopped, or too busy to answer$")"
	same "$1" "$(cat said.* | grep -c 'not changed yet')"
	[ ! -e record ]
}

@test "a tokend that is stopped: who does not wait for a token has an answer" {
	pool -j -n 2
	full_inlet
	tokget "$FIFO" touch ran 3>&- & one=$!
	all_say_stopped 0
	kill -CONT "$tokend"
	ends_with 0 "$one"
	pool_says '2 2 0 0'
	kill -STOP "$tokend"
	tokget "$FIFO" touch again 3>&- & one=$!
	all_say_stopped 3
	[ ! -e again ]
	kill -CONT "$tokend"
	ends_with 0 "$one"
	changed() { pool_says '6 6 0 0' || pool_says '5 5 0 0'; } # in either order
	until_true changed
	stopped
}

@test "a FIFO that somebody reads, but no dispenser does, is none" {
	mkfifo "$FIFO"
	cat "$FIFO" >read 3>&- & reader=$!
	exec 8>"$FIFO"
	run -123 tokstat "$FIFO"
	run -123 tokget -n "$FIFO" true
	run -125 tokend -b "$FIFO"
	[[ "$output" == *'a program reads'* ]]
	exec 8>&-
	wait "$reader"
	[ ! -s read ]
}

# answered TEXT STATUS COMMAND... -- of the command whose request is answered by somebody who
# is no dispenser, with TEXT
answered()
{
	rm -rf "$FIFO" "$FIFO.d"
	mkfifo "$FIFO"
	mkdir -p "$FIFO.d/w"
	{
		IFS=' ' read -r _ name _
		printf '%b' "$1" >"$FIFO.d/w/$name"
	} <>"$FIFO" 3>&- &
	local answerer=$!
	until_true is_inlet "$FIFO"
	run "-$2" "${@:3}"
	wait "$answerer" || : # of what is too long not all is read
}

# no_answer TEXT COMMAND... -- such an answer is refused
no_answer()
{
	answered "$1" 125 "${@:2}"
	[[ "$output" == *'it is no tokend that answers'* ]]
	[ ! -e pwned ]
}

@test "an answer that is none of a dispenser's is refused; one that breaks off is the end of it" {
	long=$(printf '%9000s' x)
	no_answer "$long" tokstat "$FIFO"
	no_answer 'nonsense\nend\n' tokstat "$FIFO"
	pool='pool\t2\t1\t1\t0\t1\t0\t0\t0.1\t0.1\n'
	for answer in 'end\n' "$pool${pool}end\n" "${pool}run\t1\t1\t1\t1\t1\t\t\nend\n"; do
		no_answer "$answer" tokstat "$FIFO" # the pool comes first, and once
	done
	for answer in "$long" 'ok 1\nx y\n' "ok 1\n1 ${long:0:3000}\n"; do
		answered "$answer" 125 tokget "$FIFO" true
	done
	answered 'pool\t' 123 tokstat "$FIFO"
}

@test "tokstat gives a shell nothing that somebody wrote in place of the dispenser" {
	pool='pool\t2\t1\t1\t0\t1\t0\t0\t0.1\t0.1\n'
	no_answer "${pool}slot\t1\tout\t1;touch pwned\t4.0\t1\tlabel\nend\n" tokstat "$FIFO"
	no_answer "${pool}holder\t1\t1;touch pwned\t1\t1\t5\t-\t-\t\tx\nend\n" tokstat "$FIFO"
	no_answer "pool\t2,\"x\":1\t1\t1\t0\t1\t0\t0\t0.1\t0.1\nend\n" tokstat -o json "$FIFO"
}

@test "tokget gives neither a script a path nor make a word that somebody wrote there" {
	no_answer 'ok 1\n../../home/me/.profile\n' tokget -l "$FIFO"
	no_answer 'ok 1\n1/../x label\n' tokget -l "$FIFO"
	no_answer 'ok 1 8 /x --eval=$(shell touch pwned)\n1\n' tokget "$FIFO" true
	no_answer 'ok 1 8 x\n1\n' tokget "$FIFO" true
}
