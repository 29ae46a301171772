load ../helper
# bats file_tags=waits

# tokend -b -k: its parent starts another dispenser if one was killed.

# supervised OPTION... -- a pool; sets $parent and $dispenser
supervised()
{
	pool -k "$@"
	dispenser=$(cat "$FIFO.d/lock")
	parent=$(ps -o ppid= -p "$dispenser" | tr -d ' ')
}
another() { now=$(cat "$FIFO.d/lock") && [ -n "$now" ] && [ "$now" != "$dispenser" ] && serves; }
serves() { timeout 5 tokstat "$FIFO" >/dev/null 2>&1; }
kill_it() { kill -KILL "$dispenser" && until_true another && dispenser=$now; }

@test "-k: who waits gets its token, who holds one keeps it, however often the dispenser is killed" {
	supervised -n 2
	mkfifo gate
	for i in 1 2; do
		tokget "$FIFO" bash -c 'cat_gate held' 3>&- & pids[i]=$!
	done
	until_true lines_in 2 log
	for i in 3 4 5; do
		tokget "$FIFO" sh -c 'echo ran >>log' 3>&- & pids[i]=$!
	done
	until_true waiting 3
	for i in 1 2 3; do
		kill_it
		until_true pool_says '2 0 2 3'
	done
	same 0 "$(grep -c ran log)"
	open_gate gate
	for i in 1 2 3 4 5; do ends_with 0 "${pids[i]}"; done
	same 3 "$(grep -c ran log)"
	stopped
	until_true ended "$parent"
}

@test "-k: a signal to the dispenser ends both, and nothing is left; one to its parent alone, none" {
	for whom in dispenser 'parent dispenser'; do
		for signal in TERM INT HUP; do
			supervised -n 1
			kill "-$signal" "$parent"
			pool_says '1 1 0 0'
			for who in $whom; do kill "-$signal" "${!who}"; done
			nothing_left
			until_true ended "$parent"
		done
	done
}

@test "-k: a parent that is killed leaves the dispenser as it is" {
	supervised -n 1
	kill -KILL "$parent"
	until_true ended "$parent"
	run -0 tokget "$FIFO" echo ran
	stopped
}

@test "-k: both killed, and the next dispenser takes over as ever" {
	supervised -n 1
	holder
	kill -KILL "$parent" "$dispenser"
	until_true ended "$dispenser"
	until_true locks_nothing "$dispenser"
	supervised -n 1
	pool_says '1 0 1 0'
	gate_opens "$one"
	stopped
}

@test "-k: ten that are killed as soon as they begin are enough; the parent ends, the files stay" {
	need_strace
	supervised -n 1
	strace -f -qq -o trace -p "$parent" -e inject=ftruncate,?ftruncate64:signal=KILL 3>&- & tracer=$!
	until_true traced "$parent"
	kill -KILL "$dispenser"
	until_true ended "$parent" # nine seconds
	wait "$tracer" || :
	[ "$(grep -c '+++ killed by SIGKILL' trace)" -ge 9 ]
	[ -p "$FIFO" ]
	pool -n 1
	stopped
}

@test "-k: a restart that fails changes nothing, and is tried again" {
	need_strace
	supervised -n 1
	holder
	strace -f -qq -o trace -p "$parent" -e inject=ftruncate,?ftruncate64:error=ENOSPC:when=1 3>&- & tracer=$!
	until_true traced "$parent"
	kill -KILL "$dispenser"
	failed() { grep -q ENOSPC trace; }
	until_true failed
	kill "$tracer"
	wait "$tracer" || :
	until_true another
	pool_says '1 0 1 0'
	gate_opens "$one"
	stopped
}

@test "-k: the first that cannot begin says why, and there is no second; nor without -b, nor with -u" {
	pool -n 1
	run -123 tokend -b -k -n 1 "$FIFO"
	[[ "$output" == *'is running there'* ]]
	stopped
	run -125 tokend -k "$FIFO"
	[[ "$output" == 'tokend: -k: needs -b; '* ]]
	refused 1 -b -k -u make "$FIFO"
}

@test "-k: names that were taken away end both" {
	supervised -n 1
	rm -r "$FIFO" "$FIFO.d"
	until_true ended "$parent"
	until_true ended "$dispenser"
	nothing_left
}

@test "-k: where another dispenser was started meanwhile, the parent ends and comes not back" {
	supervised -n 2
	kill -STOP "$parent"
	kill -KILL "$dispenser"
	until_true locks_nothing "$dispenser"
	pool -n 5
	kill -CONT "$parent"
	until_true ended "$parent"
	pool_says '5 5 0 0'
	stopped
}
