load ../helper

@test "tokend killed at each of its system calls and started again: all tokens home, no hang" {
	need_strace
	strace -qq -o trace tokend -n 2 "$FIFO" 3>&- &
	until_true pool_says "2 2 0 0"
	tokget "$FIFO" true
	tokget -k 2 "$FIFO" true
	tokstop "$FIFO"
	calls_in trace | some 20 >calls
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		failing "$call:signal=KILL:when=$n" tokend -n 2 "$FIFO" 2>/dev/null &
		tokend=$!
		until_true up_or_dead "$tokend"
		clients=''
		for count in 1 2; do
			tokget -t 0.1 -k "$count" "$FIFO" true </dev/null 2>/dev/null 3>&- &
			clients="$clients $!"
		done
		for client in $clients; do wait "$client" || :; done # served, late, or there is nobody
		# not by tokstop, which waits for another dispenser if this is killed
		[ ! -p "$FIFO" ] || { echo @stop >&8; } 8<>"$FIFO"
		status=0
		wait "$tokend" || status=$?
		[ "$status" -ne 137 ] || killed=$((killed + 1))
		tokend -b -n 2 "$FIFO" 3>&-
		until_true pool_says '2 2 0 0'
		tokget -n -k 2 "$FIFO" true
		tokstop "$FIFO"
		until_true no_files
	done <calls
	[ "$killed" -ge 15 ]
}
