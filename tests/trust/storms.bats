load ../helper

# Clients and a dispenser killed at every instant: no token is lost, none made, and nobody
# waits for what does not come.

# "seat" counts who is in a slot. (Not flock: as a process dies, Linux closes the lease before
# files whose descriptors are below it. The lock of fcntl that seat has goes before any file.)
@test "a storm: 60 clients, killed, stopped and continued at random; never two in a slot" {
	# Who looks for leaks is stopped in the middle of it, and does not come out again.
	export ASAN_OPTIONS=detect_leaks=0
	pool -n 4
	echo 'SEATS=slot.$JOBCTL_SLOT exec seat client true' >holder
	for i in {1..60}; do
		(
			for j in 1 2 3 4 5; do
				fresh tokget "$FIFO" sh holder 2>/dev/null || :
			done
		) 3>&- &
		pids="${pids-} $!"
	done
	for i in {1..150}; do
		victim=$(ours tokget | shuf -n 1)
		[ -n "$victim" ] || continue
		sig=$(printf 'KILL\nSTOP\nTERM\nCONT\n' | shuf -n 1)
		kill -s "$sig" "$victim" 2>/dev/null || :
		[ "$(tokstat -o tsv "$FIFO" | grep -c '	out	')" -le 4 ]
	done
	storm_over() { ! signal_ours CONT tokget; }
	until_true storm_over
	for pid in $pids; do wait "$pid" || :; done
	until_true pool_says '4 4 0 0'
	[ "$(cat slot.* | wc -l)" -gt 60 ]
	run ! grep -v '^client 1$' slot.*
	stopped
}

go_on() { signal_ours CONT tokget || :; signal_ours CONT sleeper || :; }

# strike -- something happens to a client, or to what it runs; whoever was stopped before goes on:
# as many as there are tokens, each stopped with one, would be the end of the storm
strike()
{
	local victim
	go_on
	victim=$({ ours tokget; ours sleeper; } | shuf -n 1)
	[ -z "$victim" ] || kill -s "$(printf 'KILL\nTERM\nSTOP\n' | shuf -n 1)" "$victim" || :
}

# fails_to_take_over N -- in one of three ways; where it succeeds nevertheless it is killed
fails_to_take_over()
{
	case $(($1 % 3)) in
	0) fresh bash -c "ulimit -n 19; exec tokend -b -n 1 '$FIFO' 3>&-" ;;
	1) fresh bash -c "ulimit -v $((RANDOM % 900 + 100)); exec tokend -b -n 1 '$FIFO' 3>&-" ;;
	2)
		tokend -n 12 "$FIFO" 3>&- &
		sleep "0.00$((RANDOM % 8))"
		kill -KILL "$!"
		wait "$!"
		;;
	esac 2>/dev/null && killed
	return 0
}

# The witness is a program of its own: it sees locks that the holders have, no file of ours.
@test "a storm: dispensers are killed, others fail to take over; never more at work than tokens" {
	need_native
	export ASAN_OPTIONS=detect_leaks=0
	export SEATS=$here/seats
	witness "$SEATS" 12 >seen 3>&- &
	witness=$!
	pool -n 12
	for i in {1..20}; do
		while [ ! -e over ]; do
			fresh tokget "$FIFO" seat holder "$here/sleeper" 0.2 2>/dev/null || sleep 0.02
		done 3>&- &
		clients="${clients-} $!"
	done
	for round in {1..30}; do
		strike
		tokput -n "$((RANDOM % 4 + 9))" "$FIFO"
		printf 'x%s\n@get 1 x\n@begun 3\n' "$RANDOM" >"$FIFO"
		until_true lines_in "$((round * 12))" seats # so many began
		killed
		fails_to_take_over "$round"
		pool -n 12
	done
	mkdir over
	come_to_rest() { go_on; pool_says '12 12 0 0'; }
	until_true come_to_rest
	for pid in $clients; do wait "$pid" || :; done
	kill -TERM "$witness" || cat seen # it has seen more
	ends_with 0 "$witness"
	[ "$(cut -d ' ' -f 1 seen)" -gt 3 ]
	stopped
}

is_fifo_or_ended() { [ -p "$FIFO" ] || ended "$1"; }
over_or_ended() { ended "$1" || { ended "$2" && ended "$3"; }; }

@test "a dispenser killed at each step of a build's life: nothing is lost, nothing there twice" {
	need_strace
	steps=0
	for call in mkfifoat,mknodat linkat unlinkat renameat,renameat2 write read; do
		for ((when = 1; when < 40; when++)); do
			echo "$call $when" >&2
			rm -f log
			strace -qq -f -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$when" \
				tokend -n 3 -j "$FIFO" 3>&- 2>/dev/null & tokend=$!
			until_true is_fifo_or_ended "$tokend"
			tokget -j fifo "$FIFO" greedy make 6 0.01 a 3>&- 2>/dev/null & one=$!
			tokget -j pipe "$FIFO" greedy pipe 6 0.01 a 3>&- 2>/dev/null & two=$!
			until_true over_or_ended "$tokend" "$one" "$two"
			killed=1
			ended "$tokend" || killed=0
			signal_ours KILL tokend || :
			wait "$tokend" || :
			pool -n 3 -j
			until_true ended "$one"
			until_true ended "$two"
			[ ! -e log ] || [ "$(peak)" -le 3 ]
			until_true pool_says '3 3 0 0'
			[ "$(cd "$FIFO.d" && echo * w/*)" = 'lock w w/*' ]
			tokstop "$FIFO"
			until_true no_files
			steps=$((steps + killed))
			[ "$killed" -eq 1 ] || break
		done
	done
	[ "$steps" -ge 20 ]
}
