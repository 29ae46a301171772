load ../helper

# tokget is killed, a system call fails it, or its time ends at the wrong moment.

# at_the_last_look -- tokget -t 0, stopped when it has seen no answer; it
# is granted a token then
at_the_last_look()
{
	need_strace
	pool -n 1
	tokget "$FIFO"
	run -124 strace -qq -o trace -e trace=read tokget -t 0 "$FIFO"
	stops_at "read:when=$(grep -c '^read' trace)" tokget -t 0 "$FIFO"
	names 1
	tokput "$FIFO"
	until_true pool_says '1 0 1 0'
}

@test "a plain token that is granted as the time ends is not lost" {
	at_the_last_look
	kill -CONT "$stuck"
	ends_with 0 "$tracer"
	until_true pool_says '1 0 1 0'
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "a plain token that is granted to one who is just ended by a signal is returned" {
	at_the_last_look
	kill -TERM "$stuck"
	kill -CONT "$stuck"
	ends_with 143 "$tracer"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "a client that cannot ask, or wait, takes the name of its request away" {
	need_strace
	pool -n 1
	run -125 failing write:error=ENOSPC:when=1 tokget "$FIFO" true
	[[ "$output" == "tokget: $FIFO: "* ]]
	run -125 failing write:error=EIO:when=1 tokstat "$FIFO"
	names 0
	tokget "$FIFO"
	for how in '' true; do
		run -125 failing poll:error=ENOMEM:when=1 tokget "$FIFO" $how
		[[ "$output" == 'tokget: poll: '* ]]
	done
	names 0
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "tokget gives up though the name of its request cannot be removed" {
	need_strace
	pool -n 1
	tokget "$FIFO"
	run -124 failing unlink:error=EIO:when=1 tokget -t 0.1 "$FIFO" true
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "tokget killed at each of its system calls: all tokens home, no file left" {
	need_strace
	pool -n 2
	strace -qq -o trace tokget "$FIFO" true
	sed 's/(.*//' trace | awk '/^[a-z]/ {print $1, ++n[$1]}' >calls
	[ "$(grep -c . calls)" -gt 30 ]
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		status=0
		strace -qq -o /dev/null -e inject="$call":signal=KILL:when="$n" tokget "$FIFO" true \
			</dev/null 2>/dev/null 3>&- || status=$?
		if [ "$status" -eq 137 ]; then killed=$((killed + 1)); fi
		until_true pool_says '2 2 0 0'
		run -0 tokget -n -k 2 "$FIFO" true
	done <calls
	[ "$killed" -gt 30 ]
	stopped
}

# build NAME STYLE [OPTION...] -- without an end, with jobs of 0.02 s, in a process
# group of its own; sets $build
build()
{
	local name=$1 style=$2
	shift 2
	[ "$style" != pipe ] || set -- -j pipe "$@"
	fresh -s tokget "$@" "$FIFO" greedy "$style" 0 0.02 "$name" 3>&- &
	build=$!
}

@test "tokget killed at each system call of a build's start: all tokens home, no file left" {
	strace -o /dev/null true || skip "no strace here"
	export ASAN_OPTIONS=detect_leaks=0
	pool -j -n 3
	for call in open,openat write read fcntl unlink,unlinkat mkfifo,mknod,mknodat; do
		for ((when = 1; when < 30; when++)); do
			run strace -qq -o trace -e trace="$call" -e inject="$call:signal=KILL:when=$when" \
				tokget -j fifo "$FIFO" true
			until_true pool_says '3 3 0 0'
			[ "$status" -ne 0 ] || break
		done
	done
	[ "$when" -gt 1 ]
	stopped
}
