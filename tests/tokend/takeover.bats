load ../helper

# A dispenser that takes over from a dead one and fails, or is killed, changes nothing, and the next
# one knows of all tokens held.

# held N FREE OPTION... -- a pool with N tokens held and FREE tokens free; sets $holders
held()
{
	holders=
	pool -n "$(($1 + $2))" "${@:3}"
	for ((i = 0; i < $1; i++)); do
		tokget "$FIFO" "$here/sleeper" 10000 3>&- & holders="$holders $!"
	done
	until_true pool_says "$(($1 + $2)) $2 $1 0"
}

# serves TRACE -- sets $served to the line where the dispenser first waits
serves()
{
	served=$(grep -nE '^(epoll_p?wait|poll|p?select6?|_newselect)\(' "$1" |
		grep -vE ', 0(, NULL, [0-9]+)?\) |tv_sec=0, tv_[a-z]*=0\}' | head -n 1 | cut -d : -f 1)
	[ -n "$served" ]
}

# files -- the inlet and all files in the directory
files() { find "$FIFO" "$FIFO.d" | sort; }

# refused_descriptors COMMAND... -- a take-over with too few of them changes nothing
refused_descriptors()
{
	local most
	files >before
	for most in 12 15 17 19 21; do # from 15 on tokend begins, for a token
		run -125 fresh bash -c "ulimit -n $most; exec $* '$FIFO' 3>&-"
		files | cmp - before
	done
}

took_over_or_ended() { ended "$1" || pool_says '4 1 3 0' 2>/dev/null; }

# are_home N -- the holders end, and all tokens come home
are_home()
{
	kill $holders
	all_home "$1"
}

@test "a take-over that fails for want of descriptors forgets no holder: the next one has them all" {
	held 16 0
	for most in 12 15 17 19 21; do # from 15 on tokend begins, for a token
		killed
		files >before
		run -125 fresh bash -c "ulimit -n $most; exec tokend -b -n 1 '$FIFO' 3>&-"
		files | cmp - before
		pool -n 16
		pool_says '16 0 16 0'
		run -124 tokget -n "$FIFO" true
	done
	are_home 16
}

@test "a take-over that fails with ENOMEM at any descriptor it waits for forgets no holder" {
	need_strace
	held 3 1
	failed=0
	for n in {1..5}; do
		killed
		files >before
		strace -qq -o trace -e inject="?epoll_ctl:error=ENOMEM:when=$n" \
			tokend -n 4 "$FIFO" 2>errors 3>&- & tokend=$!
		until_true took_over_or_ended "$tokend"
		if ended "$tokend"; then
			ends_with 125 "$tokend"
			files | cmp - before
			failed=$((failed + 1))
			pool -n 4
		fi
		until_true pool_says '4 1 3 0'
	done
	[ "$failed" -ge 4 ] || run -1 grep epoll_ctl trace
	are_home 4
}

@test "tokend killed at each step of a take-over: the next one has all holders" {
	need_strace
	held 3 1
	killed
	strace -qq -o trace tokend -n 4 "$FIFO" 2>/dev/null 3>&- &
	until_true pool_says '4 1 3 0'
	killed
	serves trace
	head -n "$((served - 1))" trace >takeover
	calls_in takeover >calls
	[ "$(grep -c . calls)" -gt 30 ]
	while read -r call n; do
		echo "$call $n" >&2
		failing "$call:signal=KILL:when=$n" tokend -n 4 "$FIFO" 2>/dev/null & tokend=$!
		until_true took_over_or_ended "$tokend"
		ended "$tokend" || killed || : # it may have ended now
		wait "$tokend" || :
		pool -n 4
		pool_says '4 1 3 0'
		killed
	done < <(some 16 <calls)
	pool -n 4
	are_home 4
}

@test "a dispenser that cannot wait any more forgets no holder: the next one, or that of -k, has them all" {
	need_strace
	for next in '' -k; do
		held 3 1 $next
		one=$(cat "$FIFO.d/lock")
		strace -qq -o trace -p "$one" -e \
			inject='epoll_wait,epoll_pwait,poll,?ppoll,?select,?pselect6:error=ENOMEM' 3>&- &
		tracer=$!
		until_true ended "$one"
		wait "$tracer" || :
		[ -n "$next" ] || pool -n 4
		until_true pool_says '4 1 3 0'
		are_home 4
	done
}

@test "a start that fails where the lock alone is gone forgets no holder" {
	held 16 0
	tokend=$(cat "$FIFO.d/lock")
	kill -STOP "$tokend" # it would see that its lock is gone
	rm "$FIFO.d/lock"
	kill -KILL "$tokend"
	until_true ended "$tokend"
	refused_descriptors tokend -b -n 1
	pool -n 16
	pool_says '16 0 16 0'
	kill $holders
	until_true pool_says '16 16 0 0'
	tokstop "$FIFO"
	[ ! -e "$FIFO.d" ]
	rm "$FIFO" # no lock said that a dispenser had made it
}

@test "after a take-over tokend rests, though who holds a token reads what it is told no more" {
	need_strace
	held 3 1
	killed
	strace -qq -o trace tokend -n 4 "$FIFO" 2>/dev/null 3>&- &
	looks() { serves trace && [ "$(tail -n "+$served" trace | grep -c '"[^"]*f", ')" -ge 3 ]; }
	until_true looks
	[ "$(tail -n "+$served" trace | grep -c .)" -lt 1000 ] # a busy loop makes 70,000 each second
	are_home 4
}

# held_leases N -- a batch with N leases, all open in one process, whose dispenser is killed
held_leases()
{
	dispenser -a -n "$1"
	until_true lines_in "$(($1 + 1))" lines
	(
		for ((k = 1; k <= $1; k++)); do exec {fd}>"$FIFO.d/$k"; done
		exec "$here/sleeper" 10000
	) 3>&- & holder=$!
	until_true signal_ours 0 sleeper
	kill -KILL "$tokend"
	wait "$tokend" "$reader" || :
	rm pipe lines
}

@test "a take-over of a batch that fails, or is killed, leaves the leases of jobs to the next one" {
	for how in '-r' '-a -n 1'; do
		held_leases 16
		refused_descriptors tokend $how
		# shellcheck disable=SC2086 # options
		tokend $how "$FIFO" >again 3>&- & tokend=$!
		until_true is_inlet "$FIFO"
		kill -KILL "$tokend"
		wait "$tokend" || :
		tokend -r "$FIFO" >again 3>&- & tokend=$!
		until_true is_inlet "$FIFO.d/16"
		[ -p "$FIFO.d/1" ]
		[ -p "$FIFO.d/16" ]
		kill -0 "$tokend"
		kill "$holder"
		ends_with 0 "$tokend"
		no_files
	done
}
