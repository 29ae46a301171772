load ../helper

# One dispenser inside another.

nobody_waits() { ! tokstat -o tsv "$1" | grep -q '^wait'; }

@test "tokend -u PARENT: a pool inside another takes what it needs, and no more than both allow" {
	pool -j -n 4
	for how in -b -a; do
		child=$here/child
		if [ "$how" = -b ]; then
			tokend -b -u "$FIFO" -n 3 "$child" 3>&-
			until_true pool_says '4 4 0 0' # nobody needs its first token
			mkfifo gate
			for i in 1 2 3 4 5; do
				tokget "$child" sh -c 'echo in >>log; : <gate; echo out >>log' 3>&- &
			done
			until_true pool_says '4 1 3 0'
			until_true lines_in 3 log
			tokget -n "$FIFO" true
			run -124 tokget -n -k 2 "$FIFO" true
			open_gate gate
			until_true lines_in 10 log
			close_gate
			same 3 "$(peak)"
			until_true pool_says '4 4 0 0'
			tokget -k 3 "$child" true
			tokget -k 4 "$FIFO" true
			tokget "$FIFO" "$here/sleeper" 100 3>&- & other=$!
			until_true pool_says '4 3 1 0'
			tokget -k 2 "$child" true
			tokget -k 3 "$child" true
			tokget "$FIFO" "$here/sleeper" 101 3>&- & another=$!
			until_true pool_says '4 2 2 0'
			run -124 tokget -t 0.2 -k 3 "$child" true
			until_true nobody_waits "$child"
			until_true pool_says '4 2 2 0'
			kill "$other" "$another"
			tokstop "$child"
		else
			tokend -a -u "$FIFO" -n 3 "$child" 3>&- | {
				read -r line
				echo "$line" >out
				until_true pool_says '4 3 1 0'
				for n in 1 2; do
					echo n >>"$child.d/calls"
					: >"$child.d/bell"
					read -r line
					echo "$line" >>out
					until_true pool_says "4 $((4 - n)) $n 0"
				done
				tokstop "$child"
			}
			is 'ready 3 asks tells,1 1,2 2' out
		fi
		until_true pool_says '4 4 0 0'
		[ ! -e "$child" ]
		[ ! -e "$child.d" ]
	done
	stopped
}

@test "tokend -u PARENT killed: its tokens are home; a parent without -j, or none, is refused" {
	pool -j -n 4
	for signal in TERM KILL; do
		tokend -b -u "$FIFO" -n 4 "$here/child" 3>&-
		for i in 1 2 3; do tokget "$here/child" "$here/sleeper" 100 3>&- & done
		until_true pool_says '4 1 3 0'
		until_true has_sleepers 3
		signal_ours TERM sleeper
		until_true pool_says '4 4 0 0'
		if [ "$signal" = KILL ]; then
			tokget -k 2 "$here/child" "$here/sleeper" 101 3>&- &
			until_true pool_says '4 2 2 0'
		fi
		child=$(cat "$here/child.d/lock")
		kill "-$signal" "$child"
		until_true ended "$child"
		until_true pool_says '4 4 0 0'
	done
	signal_ours TERM sleeper
	rm -rf "$here/child" "$here/child.d"
	stopped
	pool -n 2
	run -125 tokend -b -u "$FIFO" "$here/child"
	[ "${#lines[@]}" -eq 1 ]
	stopped
	run -125 tokend -b -u "$FIFO" "$here/child"
	run -125 tokend -b -j -u "$FIFO" "$here/child"
	[ ! -e "$here/child" ]
}

@test "a pool within another waits for the other's token, and has it when it is free" {
	pool -j -n 2
	tokend -b -u "$FIFO" -n 2 inner 3>&-
	tokget "$FIFO" "$here/sleeper" 100 3>&- & outer=$!
	tokget inner "$here/sleeper" 101 3>&- & one=$!
	until_true signal_ours 0 sleeper 101
	until_true pool_says '2 0 2 0'
	tokget inner touch done 3>&- & two=$!
	has_one_waiting() { tokstat -o tsv inner | grep -q '^wait'; }
	until_true has_one_waiting
	[ ! -e done ]
	kill "$outer"
	ends_with 0 "$two"
	[ -e done ]
	kill "$one"
	wait "$one" "$outer" || :
	tokstop inner
	until_true pool_says '2 2 0 0'
	stopped
}

@test "a pool within another that nobody uses has none of its tokens, and asks again" {
	pool -j -n 2
	tokend -b -u "$FIFO" -n 2 inner 3>&-
	for i in 1 2; do
		tokget -k all "$FIFO" true
		tokget -k 2 inner true
	done
	tokget -k 2 "$FIFO" "$here/sleeper" 100 3>&- &
	until_true pool_says '2 0 2 0'
	run -124 tokget -n inner true
	tokget inner touch done 3>&- & one=$!
	until_true waiting 1
	tokend -b -u "$FIFO" other 3>&- & another=$!
	until_true waiting 2
	[ ! -e done ]
	signal_ours TERM sleeper
	ends_with 0 "$one"
	ends_with 0 "$another"
	tokget -n other true
	tokget inner "$here/sleeper" 101 3>&- &
	until_true has_sleepers 1
	tokstop inner 3>&- & stopping=$!
	signal_ours TERM sleeper
	ends_with 0 "$stopping"
	tokstop "$FIFO"
	! tokget other true 2>said
	until_true nothing_left
}

@test "a pool within another whose process that holds the first token is killed asks for it again" {
	need_proc
	pool -j -n 2
	tokend -b -u "$FIFO" -n 2 inner 3>&-
	tokget inner true
	until_true pool_says '2 2 0 0'
	tokget inner "$here/sleeper" 100 3>&- & one=$!
	until_true has_sleepers 1
	for kept in 1 2; do
		kill -KILL "$(ps -o pid= --ppid "$(cat inner.d/lock)" | tr -d ' ')"
		until_true pool_says '2 2 0 0'
		tokget inner "$here/sleeper" 101 3>&- & two=$!
		until_true pool_says '2 0 2 0' # for both
		signal_ours TERM sleeper 101
		ends_with 143 "$two"
		until_true pool_says '2 1 1 0'
	done
	signal_ours TERM sleeper
	ends_with 143 "$one"
	tokstop inner
	stopped
}
