load ../helper
# bats file_tags=waits

# A dispenser whose names were removed, such as by a cleaner of /tmp: rm -r of its directory.

told() { grep -q 'was taken away; no more' err; }
closes() { [[ "$(tokget "$FIFO" true 2>&1)" == *'is closing'* ]]; }
alive() { kill -0 "$tokend" 2>/dev/null; }
serving() { tokend "$@" "$FIFO" 2>err 3>&- & tokend=$!; until_true is_inlet "$FIFO"; }

options=

@test "the names are taken away: who waits is told, nobody else gives tokens, until all are home" {
	for way in 'rm -r "$FIFO" "$FIFO.d"' 'rm "$FIFO"' 'rm -r "$FIFO.d"' 'mv "$FIFO.d" elsewhere' \
		'rm -r "$FIFO.d"/*' 'rm "$FIFO.d/lock"' 'mv "$FIFO.d/w" elsewhere'; do
		rm -rf elsewhere gate log
		serving -n 1 $options
		case $options in -j) options= ;; *) options=-j ;; esac
		holder
		tokget "$FIFO" true 2>waiter.err 3>&- & two=$!
		until_true waiting 1
		eval "$way"
		ends_with 123 "$two"
		until_true told
		until_true closes # it says so before the path is its own again
		run -123 tokend -b -n 1 "$FIFO"
		[[ "$output" == *'is running there'* ]]
		alive
		gate_opens $one
		ends_with 123 "$tokend"
		rm -rf elsewhere
		nothing_left
	done
}

@test "another file takes the place of FIFO: it stays, and FIFO.d goes with the last token" {
	for way in 'echo mine >new' 'ln -s gate new' 'mkfifo new'; do
		rm -f gate log
		serving -n 1
		holder
		eval "$way"
		before=$(ls -il new | cut -d ' ' -f 1-2)
		mv -f new "$FIFO"
		until_true told
		alive
		gate_opens $one
		ends_with 123 "$tokend"
		same "$before" "$(ls -il "$FIFO" | cut -d ' ' -f 1-2)"
		rm "$FIFO"
		nothing_left
	done
}

@test "another dispenser is there before that is seen: the first says so, and touches nothing of it" {
	serving -n 1
	holder
	kill -STOP "$tokend"
	rm -r "$FIFO" "$FIFO.d"
	pool -n 1
	kill -CONT "$tokend"
	until_true grep -q 'is running there' err
	run -0 tokget "$FIFO" echo other
	alive
	gate_opens "$one"
	ends_with 123 "$tokend"
	run -0 tokget "$FIFO" echo other
	stopped
}

@test "a directory that cannot be made again: those who hold tokens are waited for" {
	mkdir sub
	FIFO=$here/sub/f
	serving -n 1
	holder
	rm -r sub
	until_true told
	alive
	kill "$tokend" # it has no inlet to be told by
	gate_opens "$one"
	ends_with 123 "$tokend"
	[ ! -e sub ]
}

@test "names that nobody can look at just now stand: an error is no sign that they are gone" {
	need_strace
	pool -n 1
	strace -qq -o trace -p "$(cat "$FIFO.d/lock")" \
		-e inject=lstat,?newfstatat,?statx:error=EIO 3>&- & tracer=$!
	until_true grep -q EIO trace
	kill "$tracer"
	wait "$tracer" || :
	run -0 tokget "$FIFO" echo ran
	stopped
}

@test "an attendant is told to stop, and of the end, though it cannot be heard any more" {
	for way in 'rm -r "$FIFO" "$FIFO.d"' 'rm -r "$FIFO.d"' 'rm "$FIFO.d/calls"'; do
		dispenser -a -n 1 -B who=tokend
		until_true grep -qx '1 1' lines
		held_lease 1
		eval "$way"
		until_true grep -qx 'stop 123 away' lines
		grep -q 'was taken away; no more jobs' errors
		kill "$holder"
		until_true grep -q '^all 123' lines
		ends_with 123 "$tokend"
		wait "$reader"
		nothing_left
		rm pipe
	done
}

@test "what a shell writes anew, as its calls were taken away, is read to the end" {
	dispenser -a -n 1 -B who=tokend
	until_true grep -qx '1 1' lines
	held_lease 1
	rm "$FIFO.d/calls"
	calls 'y 1'
	until_true grep -qx 'sync 1' lines
	is '' <(grep -v 'was taken away; no more jobs' errors)
	calls 'y 2'
	until_true grep -qx 'sync 2' lines
	kill "$holder"
	ends_with 123 "$tokend"
	nothing_left
}

