load ../helper

# A client that already runs with a token of the same pool is lent that one. ("seat" counts, by
# locks, how many are at work at once.)

# script NAME -- makes a script of standard input, in the directory of the test
script() { { echo '#!/bin/sh -eu' && cat; } >"$1" && chmod +x "$1"; }
highest_seat() { awk '$2 > m {m = $2} END {print m + 0}' seats; }
setup_file() { export SEATS=seats; }

@test "a command in a command in a command has the one token, however deep" {
	pool -n 1
	script deeper <<-'S'
	[ "$1" -gt 0 ] || exec echo "$JOBCTL_SLOT $JOBCTL_COUNT"
	tokget "$FIFO" ./deeper $(($1 - 1))
	S
	same '1 1' "$(tokget "$FIFO" ./deeper 130)"
	script endless <<-'S'
	JOBCTL_HELD=$(echo "$JOBCTL_HELD" | sed "1s/ [^ ]*/&$(printf '%01010d' 0 | sed 's/0/.1/g')/")
	export JOBCTL_HELD
	tokget -n "$FIFO" true
	S
	run -125 tokget "$FIFO" ./endless
	[[ "$output" == *"$FIFO: too many commands within commands" ]]
	until_true pool_says '1 1 0 0'
	tokget -n "$FIFO" true # from outside
	stopped
	nothing_left
}

@test "of what a script starts at once, one has its token, and others what is free" {
	pool -n 2
	mkfifo gate
	script three <<-'S'
	for i in 1 2 3; do tokget "$FIFO" seat a sh -c ': <gate' & done
	wait
	S
	tokget "$FIFO" ./three 3>&- &
	until_true lines_in 2 seats
	until_true waiting 1
	pool_says '2 0 2 1'
	exec 7<>gate
	ends_with 0 $!
	exec 7>&-
	[ "$(highest_seat)" -le 2 ]
	all_home 2
}

@test "with -n there is a token as long as the script's own is not lent" {
	pool -n 1
	mkfifo gate
	script busy <<-'S'
	tokget -n "$FIFO" sh -c ': >lent; : <gate' &
	until [ -e lent ]; do :; done
	status=0
	tokget -n "$FIFO" true || status=$?
	: >gate
	wait "$!"
	tokget -n "$FIFO" echo "$status"
	S
	same 124 "$(tokget "$FIFO" ./busy)"
	stopped
}

@test "several tokens are lent together or one by one, and more than there are is refused" {
	pool -n 5
	script lends <<-'S'
	tokget -n -k 3 "$FIFO" sh -c 'echo $JOBCTL_COUNT'
	tokget -n -k 2 "$FIFO" tokget -n "$FIFO" echo inner
	tokget -n -k 2-9 "$FIFO" sh -c 'echo $JOBCTL_COUNT'
	tokget -n -k all "$FIFO" true || echo $?
	tokget -k 4 "$FIFO" true || echo $?
	S
	run --separate-stderr tokget -k 3 "$FIFO" ./lends
	[ "$output" = "3
inner
3
125
125" ]
	[[ "$stderr" == *"$FIFO: this command runs with fewer tokens of that pool than -k 4"* ]]
	[[ "$stderr" == *"take them in the tokget around it"* ]]
	all_home 5
}

@test "several tokens of a pool for builds are lent at once to what a script starts" {
	pool -j -n 4
	mkfifo gate
	script many <<-'S'
	for i in 1 2 3 4 5 6; do tokget "$FIFO" seat a sh -c ': <gate' & done
	wait
	tokget -n -k 3 "$FIFO" true
	S
	lease=$(tokget -l "$FIFO") && exec 8>"$lease" && echo + >&8 # somebody else has one
	tokget -k 3 "$FIFO" ./many 3>&- 8>&- &
	until_true lines_in 3 seats
	until_true waiting 3
	exec 7<>gate
	ends_with 0 $!
	exec 7>&- 8>&-
	lines_in 6 seats
	same 3 "$(highest_seat)"
	all_home 4
}

@test "a request that would wait for itself is refused: -l, tokstop without -f" {
	pool -n 1
	run -125 tokget "$FIFO" tokget -l "$FIFO"
	[[ "$output" == *"$FIFO: -l: this command runs with a token of that pool"* ]]
	run -125 tokget "$FIFO" tokstop "$FIFO"
	[[ "$output" == "tokstop: $FIFO: this command holds a token of that pool"* ]]
	until_true pool_says '1 1 0 0' # and not closing
	run -0 tokget "$FIFO" tokstop -f "$FIFO"
	nothing_left
}

@test "with -n, which does not wait, they say what is so" {
	pool -n 2
	tokget -k 2 "$FIFO" sh -c 'tokget -n -l "$FIFO" || echo "$?" >>out'
	lease=$(tokget "$FIFO" tokget -t 9 -l "$FIFO") # there is another one
	exec 9>"$lease"
	is 124 out
	until_true pool_says '2 1 1 0'
	exec 9>&-
	stopped
}

@test "a loan needs nothing of the dispenser, which may be stopped, or have no descriptor left" {
	command -v prlimit >/dev/null || skip 'no prlimit here'
	pool -n 1
	script asks <<-'S'
	kill -STOP "$1"
	tokget "$FIFO" tokget "$FIFO" echo stopped
	kill -CONT "$1"
	prlimit --pid "$1" --nofile=3:
	tokget "$FIFO" echo full
	prlimit --pid "$1" --nofile=100:
	S
	tokget "$FIFO" ./asks "$(cat "$FIFO.d/lock")" >out
	is stopped,full out
	all_home 1
}

@test "the token of a script is out as long as what it has left behind has it" {
	pool -n 1
	for kill in '' yes; do
		script leaves <<-'S'
		tokget -b -o "$FIFO" "$here/sleeper" 1000
		[ -z "$1" ] || kill -KILL $$
		S
		tokget -o "$FIFO" ./leaves "$kill" || [ -n "$kill" ]
		pool_says '1 0 1 0'
		run -124 tokget -n "$FIFO" true
		signal_ours TERM sleeper
		until_true pool_says '1 1 0 0'
	done
	stopped
	nothing_left
}

@test "a token is lent by any path to the pool, and from any directory" {
	pool -n 1
	mkdir sub && ln -s "$here" link
	tokget f sh -c 'cd sub && tokget -n ../f true && tokget -n "$here/f" true &&
		tokget -n ../link/f true'
	stopped
}

@test "a pool of another name is not lent from, and both may be held" {
	pool -n 1
	tokend -b -n 1 other 3>&-
	tokget f tokget other sh -c 'tokget -n f tokget -n other echo both' >out
	is both out
	tokget f sh -c 'tokget -n other true'
	tokstop other
	stopped
}

@test "a client that claims to hold a token which is home waits like any other" {
	pool -n 1
	JOBCTL_HELD=$(tokget "$FIFO" sh -c 'echo "$JOBCTL_HELD"')
	until_true pool_says '1 1 0 0'
	export JOBCTL_HELD
	tokget -k all "$FIFO" true
	lease=$(tokget -l "$FIFO") && exec 8>"$lease" && echo + >&8
	run -124 tokget -n "$FIFO" true
	exec 8>&-
	# and a dispenser that does not know of it
	stopped
	pool -n 1
	tokget "$FIFO" true
	JOBCTL_HELD=$FIFO.d/1.99999_123456789012345 tokget -k 1 "$FIFO" true
	stopped
}

@test "who waits for its script's token gets it, though another one died that was next" {
	pool -n 2
	mkfifo gate open
	script lends <<-'S'
	tokget "$FIFO" sh -c ': >lent; : <gate' &
	until [ -e lent ]; do :; done
	tokget "$FIFO" true & last=$!
	until tokstat "$FIFO" | grep -q ' 1 waiting'; do :; done
	echo "@get 77_7 1 5 - $(cat other)" >"$FIFO" # nobody's any more
	tokstat "$FIFO" >before
	: >gate
	wait "$last"
	: >open
	S
	tokget "$FIFO" sh -c 'echo "${JOBCTL_HELD##*/*.}" >other; : <open' 3>&- & other=$!
	until_true test -s other
	tokget "$FIFO" ./lends
	ends_with 0 "$other"
	all_home 2
}

@test "a shell that has opened a lease says so, and lends it" {
	pool -n 1
	for s in $(shells); do
		in_shell "$s" -c 'lease=$(tokget -l "$FIFO") && exec 9>"$lease" && echo + >&9 &&
			JOBCTL_HELD=$lease && export JOBCTL_HELD &&
			tokget -n "$FIFO" echo "$0"' "$s" >>out
		until_true pool_says '1 1 0 0'
	done
	is "$(shells | paste -sd ,)" out
	stopped
}

# A new client is told that the end was asked for.
closing() { local status=0; tokget -n "$FIFO" true || status=$?; [ "$status" -eq 123 ]; }

# lent -- a script has token 1, a command of it has that, too
lent()
{
	mkfifo gate again
	script lends <<-'S'
	tokget "$FIFO" sh -c ': >lent; : <gate; : >done' &
	: <again
	status=0
	tokget -n "$FIFO" true || status=$?
	echo "$status" >out
	: >gate
	wait "$!"
	tokget -n "$FIFO" true
	S
	tokget "$FIFO" ./lends 3>&- & job=$!
	until_true test -e lent
}

@test "a dispenser that takes over knows what is lent" {
	pool -n 1
	lent
	restarted -n 1
	pool_says '1 0 1 0'
	run -124 tokget -n "$FIFO" true
	token_is_left
}

@test "a lender that is killed leaves its token with whom it lent it to, also over a restart" {
	pool -n 1
	script lends <<-'S'
	exec tokget -b -o "$FIFO" "$here/sleeper" 1000
	S
	script waits <<-'S'
	./lends
	exec "$here/sleeper" 2000
	S
	fresh -s tokget -o "$FIFO" ./waits 3>&- & lender=$!
	until_true signal_ours 0 sleeper 1000
	until_true signal_ours 0 sleeper 2000
	kill -KILL "$lender"
	wait "$lender" || :
	until_true has_leases 1
	restarted -n 1
	until_true pool_says '1 0 1 0'
	run -124 tokget -n "$FIFO" true
	signal_ours TERM sleeper 1000
	until_true pool_says '1 1 0 0'
	signal_ours TERM sleeper 2000
	stopped
	nothing_left
}
has_leases() { [ "$(lease '[0-9]' | wc -l)" -eq "$1" ]; }

# left_by_borrower -- a script's command leaves a process behind; both outlive their lender
left_by_borrower()
{
	script middle <<-'S'
	tokget -b -o "$FIFO" sh -c 'echo "$$" >pid; exec "$here/sleeper" 1000'
	until [ -s pid ]; do :; done
	: >left
	: <end
	S
	script lends <<-'S'
	tokget -o "$FIFO" ./middle
	: >ended
	: <again
	status=0
	tokget -n "$FIFO" true || status=$?
	echo "$status" >out
	kill "$(cat pid)"
	tokget "$FIFO" true
	S
	mkfifo end again
	tokget "$FIFO" ./lends 3>&- & job=$!
	until_true test -e left
}
token_is_left()
{
	: >again
	ends_with 0 "$job"
	is 124 out
	all_home 1
	nothing_left
	rm -f left ended end again out pid
}

@test "a process left behind by a command of a command has the token, and the first waits for it" {
	for j in '' -j; do
		pool $j -n 1
		left_by_borrower
		: >end
		until_true test -e ended
		token_is_left
	done
}

@test "a process left behind by a command of a command has the token when a dispenser takes over" {
	for j in '' -j; do
		for when in before after; do
			pool $j -n 1
			left_by_borrower
			[ "$when" = after ] || { : >end && until_true test -e ended; }
			killed
			[ "$when" = before ] || { : >end && until_true test -e ended; }
			pool $j -n 1
			pool_says '1 0 1 0'
			token_is_left
		done
	done
}

@test "tokstop waits for who lends and who borrows, who get on" {
	pool -n 1
	lent
	tokstop "$FIFO" 3>&- & stopping=$!
	until_true closing
	: >again
	ends_with 0 "$job"
	is 124 out
	ends_with 0 "$stopping"
	nothing_left
}

@test "where a loan cannot be made, tokget says so, and nothing is lost" {
	need_strace
	pool -n 1
	script asks <<-'S'
	for call in mknod,mknodat ftruncate link,linkat; do
		status=0
		strace -qq -o /dev/null -e inject="$call:error=ENOSPC" tokget "$FIFO" echo no || status=$?
		echo "$status"
		tokget -n "$FIFO" echo lent
	done
	S
	run --separate-stderr tokget "$FIFO" ./asks
	[ "$output" = "$(printf '%s\n' 125 lent 125 lent 125 lent)" ]
	[ "$(grep -c 'a loan of the token of this command: No space' <<<"$stderr")" -eq 3 ]
	all_home 1
}

@test "a token that a child pool and its parent share is lent once, by either" {
	pool -j -n 1
	tokend -b -u "$FIFO" -n 1 child 3>&-
	mkfifo gate
	tokget child sh -c 'for p in child "$FIFO" child "$FIFO"; do
		tokget "$p" seat a sh -c ": <gate" & done; wait' 3>&- & job=$!
	until_true lines_in 1 seats
	all_ask() { [ "$({ tokstat -o tsv child; tokstat -o tsv "$FIFO"; } | grep -c ^wait)" -eq 3 ]; }
	until_true all_ask
	gate_opens "$job"
	same 1 "$(highest_seat)"
	lines_in 4 seats
	tokstop child
	stopped
}

@test "who lives on when its loan has ended borrows nothing more" {
	pool -n 1
	mkfifo gate again
	script lives <<-'S'
	echo "$$" >pid
	: <gate
	tokget -n "$FIFO" echo borrowed || echo "$?"
	: >told
	S
	script around <<-'S'
	tokget -o "$FIFO" ./lives & inner=$!
	until [ -s pid ]; do :; done
	kill -KILL "$inner"
	wait "$inner" || :
	tokget "$FIFO" sh -c ': >gate; until [ -e told ]; do :; done'
	S
	tokget "$FIFO" ./around >out 3>&-
	is 124 out
	all_home 1
}

@test "a child pool that was started with a token of a script gives it back, and is lent it again" {
	pool -j -n 1
	script around <<-'S'
	tokend -b -u "$FIFO" -n 1 child 3>&-
	tokget child echo one
	tokget "$FIFO" echo two # the child rests
	tokget child echo three
	tokstop child
	S
	same $'one\ntwo\nthree' "$(tokget "$FIFO" ./around)"
	stopped
}

@test "who lives on when its loan has ended is lent what that was a loan of" {
	pool -n 1
	mkfifo gate
	script lives <<-'S'
	echo "$$" >pid
	: <gate
	tokget "$FIFO" echo borrowed
	S
	script around <<-'S'
	exec 4>&1
	tokget -o "$FIFO" ./lives | cat >&4 & read_by=$!
	until [ -s pid ]; do :; done
	read -r _ _ _ inner _ <"/proc/$(cat pid)/stat"
	kill -KILL "$inner"
	: >gate
	wait "$read_by"
	S
	need_proc
	same borrowed "$(tokget "$FIFO" ./around 3>&-)"
	all_home 1
}

@test "a build's tokens are lent again after borrowers that had too few descriptors" {
	pool -j -n 24
	mkfifo first second
	script lends <<-'S'
	tokget -k 12 "$FIFO" sh -c ': >one; : <first' & one=$!
	until [ -e one ]; do :; done
	tokget -k 12 "$FIFO" sh -c ': >two; : <second' & two=$!
	until [ -e two ]; do :; done
	: >first && wait "$one"
	n=9
	while n=$((n + 1)) && [ "$n" -lt 40 ]; do
	    (ulimit -n "$n" && tokget -n -k 1-24 "$FIFO" true) 2>/dev/null || :
	done
	tokget -n -k 12 "$FIFO" sh -c 'echo $JOBCTL_COUNT'
	: >second && wait "$two"
	tokget -n -k 24 "$FIFO" sh -c 'echo $JOBCTL_COUNT'
	S
	same $'12\n24' "$(tokget -k 24 "$FIFO" ./lends 3>&-)"
	all_home 24
}

@test "several tokens of a pool for builds are lent again after a borrower was killed" {
	pool -j -n 2
	script lends <<-'S'
	tokget -k 2 "$FIFO" sh -c 'kill -KILL "$PPID" "$$"' || :
	tokget -k 2 "$FIFO" tokget -n "$FIFO" true # once these two have closed the loan
	tokget -n -k 2 "$FIFO" sh -c 'echo $JOBCTL_COUNT'
	S
	same 2 "$(tokget -k 2 "$FIFO" ./lends)"
	all_home 2
}
