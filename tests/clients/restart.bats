# bats file_tags=waits
load ../helper

# A dispenser is killed or ends, and another one takes its place: what becomes of clients
# that hold tokens, wait, or are about to. strace makes short instants long: it stops a
# program at a system call.

@test "tokend killed and started again: held tokens stay out, and waiters are served" {
	pool -n 2
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate held' 3>&- & one=$!
	tokget "$FIFO" true
	until_true lines_in 1 log
	tokget -k 2 "$FIFO" bash -c 'echo both >>log' 3>&- & two=$!
	until_true waiting 1
	restarted -n 2
	until_true pool_says '2 1 1 1'
	same 1 "$(wc -l <log)"
	gate_opens $one $two
	until_true pool_says '2 2 0 0'
	names 0
	stopped
}

@test "a holder of several tokens is adopted whole, and so is one that has not read its answer" {
	pool -n 3
	mkfifo gate
	tokget -k 2 "$FIFO" bash -c 'cat_gate held' 3>&- & one=$!
	until_true lines_in 1 log
	restarted -n 3
	until_true pool_says '3 1 2 0'
	gate_opens $one
	until_true pool_says '3 3 0 0'
	take_tokens 3
	tokget "$FIFO" bash -c 'echo late >>log' 3>&- & two=$!
	until_true waiting 1
	kill -STOP "$two"
	give_tokens 1
	until_true pool_says '3 0 3 0' # the answer is there
	restarted -n 3
	until_true pool_says '3 0 3 0'
	kill -CONT "$two"
	ends_with 0 "$two"
	give_tokens 2
	grep -q late log
	all_home 3
}

@test "a waiter that does not run while tokend is killed and started again asks anew" {
	pool -n 1
	take_tokens 1
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1
	kill -STOP "$one"
	restarted -n 1
	kill -CONT "$one"
	give_tokens 1
	ends_with 0 "$one"
	all_home 1
}

@test "a waiter that does not run while tokend is killed on the way to its answer asks anew" {
	need_strace
	pool -n 1
	take_tokens 1
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1 # its request is there
	kill -STOP "$one"
	strace -qq -o trace -p "$(cat "$FIFO.d/lock")" -e inject=write:signal=KILL 3>&- & tracer=$!
	until_true test -s trace # attached
	give_tokens 1
	wait "$tracer" || :
	pool -n 1
	kill -CONT "$one"
	until_true ended "$one"
	ends_with 0 "$one"
	all_home 1
}

# the_open -- sets $opens to the call, and its number, after which tokget has both ends of
# its FIFO open
the_open()
{
	pool -n 1
	strace -qq -o trace -e trace='?open,?openat' tokget "$FIFO" true
	opens=$(awk -F'(' '{n[$1]++} /\/w\/.*O_WRONLY/ {print $1 ":when=" n[$1]}' trace)
	stopped
}

# A tracer stops it for a moment at other calls, too.
about_to_ask()
{
	stops_at "$opens" tokget "$FIFO" true
	until_true names 1
	until_true is_stuck
}

@test "a client about to ask, while tokend ends and another one takes its FIFO, asks anew" {
	need_strace
	the_open
	mkfifo "$FIFO" # so it stays
	pool -n 1
	about_to_ask
	tokstop "$FIFO"
	until_true [ ! -e "$FIFO.d" ]
	pool -n 1
	kill -CONT "$stuck"
	until_true ended "$tracer"
	ends_with 0 "$tracer"
	until_true pool_says '1 1 0 0'
	tokstop "$FIFO"
}

@test "a client about to ask, while tokend is killed as it ends, and started again, asks anew" {
	need_strace
	the_open
	for call in '?unlink:when=1' '?unlinkat:when=2' '?renameat,?renameat2:when=1' write:when=1; do
		echo "$call" >&2
		strace -f -qq -o /dev/null -e inject="$call:signal=KILL" \
			tokend -n 1 "$FIFO" 2>/dev/null 3>&- & tokend=$!
		until_true is_inlet "$FIFO"
		about_to_ask
		tokstop "$FIFO" || :
		wait "$tokend" || :
		pool -n 1
		kill -CONT "$stuck"
		until_true ended "$tracer"
		ends_with 0 "$tracer"
		all_home 1
	done
}

@test "tokend started again while a client is between mkfifo and open: it is served" {
	need_strace
	pool -n 1
	stops_at "$MKFIFO" tokget "$FIFO" true
	killed
	touch -d '1 second' "$FIFO.d"/w/* # a new name for two more seconds
	pool -n 1
	names 1
	touch -d '1 hour ago' "$FIFO.d"/w/*
	restarted -n 1
	names 0
	kill -CONT "$stuck"
	ends_with 0 "$tracer"
	all_home 1
}

@test "the second restart of tokend in a waiter's life is waited for like the first" {
	pool -n 1
	take_tokens 1
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1
	killed
	until_true names 0 # it has seen that
	kill -STOP "$one"
	pool -n 1
	kill -CONT "$one"
	until_true waiting 1
	"$here/sleeper" 2.1 # longer than an outage may be
	killed
	until_true names 0
	pool -n 1
	give_tokens 1
	ends_with 0 "$one"
	stopped
}

@test "a restart of tokend adopts each slot once, whatever other names there are" {
	pool -n 3
	one=$(tokget -l "$FIFO")
	exec 9>"$one"
	killed
	ln "$one" "$FIFO.d/0${one##*/}"
	mkfifo "$FIFO.d/2147483647" "$FIFO.d/2147483647.1_1"
	exec 7<>"$FIFO.d/2147483647" 8<>"$FIFO.d/2147483647.1_1"
	ln -s ../precious "$FIFO.d/3"
	ln -s ../precious "$FIFO.d/3.1_1"
	pool -n 3
	until_true pool_says '3 2 1 0'
	take_tokens 2
	run -124 tokget -n "$FIFO" true
	exec 7<&- 8<&- 9>&-
	give_tokens 2
	until_true pool_says '3 3 0 0'
	rm "$FIFO.d/0${one##*/}" "$FIFO.d"/2147483647*
	stopped
}

@test "a dispenser of one kind removes what a dead one of the other left" {
	pool -n 1
	take_tokens 1
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1
	kill -KILL "$one"
	killed
	give_tokens 1
	tokend -r "$FIFO"
	nothing_left
	killed_dispenser
	mkfifo "$FIFO.d/2_1"
	: >"$FIFO.d/answer"
	kill "$holder"
	pool -n 2
	stopped
}
