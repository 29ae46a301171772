load ../helper

# tokget is killed, a system call fails it, or its time ends at the wrong moment.

# at_the_last_look -- tokget -t 0, stopped when it has seen no answer; it
# is granted a token then
at_the_last_look()
{
	need_strace
	pool -n 1
	take_tokens 1
	for try in {1..20}; do # a sanitizer reads of its own, and not always as often
		run -124 strace -qq -o trace -e trace=read tokget -x -t 0 "$FIFO" true
		stops_at "read:when=$(grep -c '^read' trace)" tokget -x -t 0 "$FIFO" mkdir ran
		if names 1; then break; fi
		kill -CONT "$stuck"
		ends_with 124 "$tracer"
	done
	names 1
	give_tokens 1
	until_true names 0 # granted
}

@test "a token that is granted as the time ends is not lost" {
	at_the_last_look
	kill -CONT "$stuck"
	ends_with 0 "$tracer"
	[ -d ran ]
	all_home 1
}

@test "a client that cannot ask, or wait, takes the name of its request away" {
	need_strace
	pool -n 1
	run -125 failing write:error=ENOSPC:when=1 tokget "$FIFO" true
	[[ "$output" == "tokget: $FIFO: "* ]]
	run -125 failing write:error=EIO:when=1 tokstat "$FIFO"
	names 0
	take_tokens 1
	run -125 failing poll:error=ENOMEM:when=1 tokget "$FIFO" true
	[[ "$output" == "tokget: $FIFO: poll: "* ]]
	give_tokens 1
	until_true names 0
	all_home 1
}

@test "tokget gives up though the name of its request cannot be removed" {
	need_strace
	pool -n 1
	take_tokens 1
	run -124 failing unlink:error=EIO:when=1 tokget -t 0.1 "$FIFO" true
	give_tokens 1
	all_home 1
}

@test "tokget killed at each of its system calls: all tokens home, no file left" {
	need_strace
	pool -n 2
	strace -qq -o trace tokget "$FIFO" true
	calls_in trace >calls
	[ "$(grep -c . calls)" -gt 8 ]
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		status=0
		failing "$call:signal=KILL:when=$n" tokget "$FIFO" true || status=$?
		case $status in
		137) killed=$((killed + 1)) ;;
		*) [ "$status" -eq 0 ] ;; # there are fewer such calls when tokend is quicker
		esac
		until_true pool_says '2 2 0 0'
		run -0 tokget -n -k 2 "$FIFO" true
	done < <(some 20 <calls)
	[ "$killed" -gt 8 ]
	stopped
}

@test "tokget killed at each system call of a build's start: all tokens home, no file left" {
	need_strace
	pool -j -n 3
	for call in open,openat write read fcntl,?fcntl64 mknod,mknodat; do
		echo "$call" >&2
		status=137
		for ((when = 1; status == 137; when++)); do
			status=0
			failing "$call:signal=KILL:when=$when" tokget -j fifo "$FIFO" true || status=$?
			until_true pool_says '3 3 0 0'
		done
		same 0 "$status"
		[ "$when" -gt 2 ] # it was killed at one of these calls
	done
	stopped
}

@test "tokget -l that cannot print the path: 125, and the token is home at once" {
	pool -n 1
	for out in '>&-' '>/dev/full' '<&- >&- 2>&-'; do
		run -125 bash -c "tokget -l '$FIFO' $out 3>&-"
		run -0 tokget "$FIFO" true
	done
	# Six were given and returned: none was taken back in the end, after three seconds.
	returned() { [ "$(tokstat -o tsv "$FIFO" | sed -n 's/^pool.//p' | cut -f 5-7)" = '6	6	0' ]; }
	until_true returned
	stopped
}
