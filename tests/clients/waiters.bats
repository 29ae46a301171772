load ../helper
# bats file_tags=waits

# Clients that wait for tokens: the order in which they are served, and those that go.

@test "at most N at once, first come first served" {
	pool -n 2
	mkfifo gate
	for i in 1 2; do tokget "$FIFO" bash -c 'cat_gate held' 3>&- & done
	until_true lines_in 2 log
	pids=
	for i in 1 2 3 4 5; do
		tokget "$FIFO" bash -c "echo $i >>log" 3>&- &
		pids="$pids $!"
		until_true waiting "$i"
	done
	until_true pool_says '2 0 2 5'
	same 2 "$(wc -l <log)"
	tokput -n 1 "$FIFO"
	open_gate gate
	for pid in $pids; do ends_with 0 "$pid"; done
	same '1 2 3 4 5 ' "$(tail -n 5 log | tr '\n' ' ')"
	until_true pool_says '1 1 0 0'
	close_gate
	stopped
}

@test "only the waiter that is served wakes up" {
	pool -n 1
	mkfifo gate
	take_tokens 1
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- & one=$!
	until_true waiting 1
	tokget "$FIFO" true 3>&- & two=$!
	until_true waiting 2
	until_true state S "$two"
	slept() { awk '/ctxt/ {n += $2} END {print n}' "/proc/$two/status"; }
	before=$(slept)
	run -124 tokget -t 0 "$FIFO" true
	give_tokens 1
	until_true lines_in 1 log
	after=$(slept)
	gate_opens $one $two
	[ "$before" -eq "$after" ] || { echo "woke $((after - before)) times"; false; }
	stopped
}

@test "-k takes all at once, without deadlock; more than there are is refused" {
	pool -n 3
	for i in 1 2 3 4 5 6; do
		tokget -k 2 "$FIFO" true 3>&- &
		pids="${pids-} $!"
		tokget -k 3 "$FIFO" true 3>&- &
		pids="$pids $!"
	done
	for pid in $pids; do ends_with 0 "$pid"; done
	run -125 tokget -k 4 "$FIFO" true
	all_home 3
}

@test "who waits for many and is killed keeps nobody waiting" {
	pool -n 2
	take_tokens 1
	tokget -k 2 "$FIFO" true 3>&- & many=$!
	until_true waiting 1
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 2
	kill -KILL "$many"
	ends_with 0 "$one"
	give_tokens 1
	all_home 2
}

# asked_by P... -- while the token is out, a client asks with each priority; then all are served
asked_by()
{
	local p pids=()
	rm -f log
	take_tokens 1
	for p; do
		tokget -p "$p" "$FIFO" sh -c "echo p$p >>log" 3>&- &
		pids+=($!)
		until_true waiting "${#pids[@]}"
	done
	give_tokens 1
	for pid in "${pids[@]}"; do ends_with 0 "$pid"; done
}

@test "-p: higher first, and the lowest is served after 15 others at the latest" {
	pool -n 1
	asked_by 0 5 5 9
	same 'p9 p5 p5 p0 ' "$(tr '\n' ' ' <log)"
	asked_by 0 $(yes 9 | head -n 20)
	same 16:p0 "$(grep -n p0 log)"
	stopped
}

@test "who gave up is not counted as waiting, nor keeps others from it" {
	pool -n 1
	take_tokens 1
	n=0
	for p in 9 1 5; do
		tokget -p "$p" "$FIFO" true 3>&- &
		eval "p$p=$!"
		until_true names "$((n += 1))"
	done
	run -124 tokget -t 0 "$FIFO" true
	until_true pool_says '1 0 1 3'
	kill -KILL "$p9"
	until_true pool_says '1 0 1 2'
	# with these two, as many as may wait
	awk 'BEGIN {for (i = 3; i <= 100000; i++) {print "@get " i " 1 5 -"; fflush()}}' >"$FIFO"
	tokget "$FIFO" true 3>&- & one=$!
	until_true pool_says '1 0 1 3'
	give_tokens 1
	for one in "$p1" "$p5" "$one"; do ends_with 0 "$one"; done
	all_home 1
}

need_containers() { unshare -pf true || skip "no process namespaces here"; }

@test "a request that was given up is not served to the next client with its pid" {
	need_containers
	pool -n 3
	take_tokens 3
	run -124 unshare -pf tokget -t 0.1 -k 2 "$FIFO" true
	unshare -pf tokget "$FIFO" true 3>&- & one=$!
	until_true names 1
	give_tokens 3
	ends_with 0 "$one"
	all_home 3
}

@test "two clients with one pid, the second between mkfifo and open of the first: both are served" {
	need_strace
	need_containers
	pool -n 1
	take_tokens 1
	stops_at "$MKFIFO" unshare -pf tokget "$FIFO" echo A >A
	unshare -pf tokget "$FIFO" echo B >B 3>&- & two=$!
	until_true waiting 1
	kill -CONT "$stuck"
	until_true waiting 2
	give_tokens 1
	ends_with 0 "$two"
	ends_with 0 "$tracer"
	same 'A B ' "$(cat A B | tr '\n' ' ')"
	all_home 1
}

@test "a client that asks and is stopped, or never reads, holds up nobody else" {
	pool -n 2
	take_tokens 2
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1
	kill -STOP "$one"
	give_tokens 2
	tokget "$FIFO" true
	until_true pool_says '2 1 1 0'
	kill -CONT "$one"
	ends_with 0 "$one"
	all_home 2
}

@test "a dispenser that serves an attendant turns clients away" {
	dispenser -a -n 1
	until_true lines_in 2 lines
	run -125 tokget "$FIFO" true
	[[ "$output" == *"serves one script only"* ]]
	JOBCTL_BOARDS=$here/none run -125 tokstat "$FIFO" # else tokstat shows the batch
	[[ "$output" == *"serves one script only"* ]]
	tokstop "$FIFO"
	nothing_left
}

@test "what a client that was killed before it asked has left is removed after a while" {
	pool -n 1
	mkfifo "$FIFO.d/w/1_1" "$FIFO.d/w/2_2" "$FIFO.d/w/3_3"
	touch -d '1 hour ago' "$FIFO.d/w/1_1" "$FIFO.d/w/2_2"
	touch -d '1 hour' "$FIFO.d/w/3_3" # in an hour: its owner can set that
	exec 8<>"$FIFO.d/w/2_2"
	removed() { tokget "$FIFO" true && [ ! -e "$FIFO.d/w/1_1" ] && [ ! -e "$FIFO.d/w/3_3" ]; }
	until_true removed # 10 seconds
	[ -p "$FIFO.d/w/2_2" ]
	exec 8>&-
	stopped
}
