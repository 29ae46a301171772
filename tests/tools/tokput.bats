load ../helper

@test "tokput returns a lease early" {
	dispenser -a -n 1 -B who=tokend
	until_true lines_in 2 lines
	exec 9>"$FIFO.d/1"
	tokput "$FIFO.d/1"
	tokput "$FIFO.d/1"
	until_true grep -qx '1_1 2' lines
	exec 9>&-
	until_true grep -qx 'who 1 1' lines
	same 1 "$(grep -c ^early lines)"
	tokstop
	nothing_left
}

@test "tokput with the path that tokget -l printed returns that token at once, open or not" {
	pool -n 1
	lease=$(tokget -l "$FIFO" 3>&-)
	tokput "$lease"
	run -0 tokget "$FIFO" true
	until_true test ! -e "$lease"
	# both were returned: the dispenser has not taken back the first one, after three seconds
	both_home() { [ "$(tokstat -o tsv "$FIFO" | sed -n 's/^pool.//p' | cut -f 5-7)" = '2	2	0' ]; }
	until_true both_home
	run -123 tokput "$lease"
	lease=$(tokget -l "$FIFO" 3>&-)
	exec 9>"$lease"
	echo + >&9
	tokput "$lease"
	until_true pool_says '1 1 0 0'
	run -0 tokget -n "$FIFO" true
	9>&- take_tokens 1
	exec 9>&- # of a token that is home: that of somebody else stays out
	run -124 tokget -t 0.1 "$FIFO" true
	run -125 tokput "$FIFO"
	[[ "$output" == "tokput: $FIFO: is a pool: "* ]]
	give_tokens 1
	stopped
}

@test "a letter in the lease of a command changes nothing until the command ends" {
	pool -n 1
	holder
	tokput "$(lease 1)"
	run -124 tokget -t 0.1 "$FIFO" true
	gate_opens $one
	stopped
}

@test "tokput succeeds when the pool is changed, and says why it is not" {
	pool -n 2 -s one
	tokput -n 3 "$FIFO"
	tokput -a more "$FIFO"
	pool_says '4 4 0 0'
	run -125 tokput -d none "$FIFO"
	same "tokput: $FIFO: -d none: no slot has this label" "$output"
	tokput -d one "$FIFO"
	pool_says '3 3 0 0'
	run -125 tokput -a a -d b "$FIFO"
	same "tokput: one change at a time: -a, -d or -n" "$output"
	stopped
	run -123 tokput -n 3 "$FIFO"
	dispenser -a -n 1
	for change in '-n 3' '-a more' '-d more'; do
		run -125 tokput $change "$FIFO"
		[[ "$output" == *'serves one script only' ]]
	done
	tokstop "$FIFO"
	nothing_left
}

@test "tokput whose dispenser is killed before it answers has changed nothing it is sure of: 123" {
	pool -n 2
	tokend=$(cat "$FIFO.d/lock")
	kill -STOP "$tokend"
	tokput -n 3 "$FIFO" 2>err 3>&- & one=$!
	until_true names 1
	kill -STOP "$one" # so that it is no question of time
	kill -KILL "$tokend"
	kill -CONT "$one"
	ends_with 123 "$one"
	grep -q 'its tokend went away' err
	pool -n 2
	pool_says '2 2 0 0'
	stopped
}
