load ../helper

# Clients and a dispenser killed at every instant, junk in every place: no token
# is lost, none made, and nobody waits for what does not come.

@test "tokget killed at each of its system calls: all tokens home, no file left" {
	need_strace
	pool -n 2
	strace -qq -o trace tokget "$FIFO" true
	sed 's/(.*//' trace | awk '/^[a-z]/ {print $1, ++n[$1]}' >calls
	[ "$(grep -c . calls)" -gt 30 ]
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		status=0
		strace -qq -o /dev/null -e inject="$call":signal=KILL:when="$n" tokget "$FIFO" true \
			</dev/null 2>/dev/null 3>&- || status=$?
		if [ "$status" -eq 137 ]; then killed=$((killed + 1)); fi
		until_true pool_says '2 2 0 0'
		run -0 tokget -n -k 2 "$FIFO" true
	done <calls
	[ "$killed" -gt 30 ]
	stopped
}

@test "tokend killed at each of its system calls and started again: all tokens home, no hang" {
	need_strace
	strace -qq -o trace tokend -n 2 "$FIFO" 3>&- &
	until_true pool_says "2 2 0 0"
	tokget "$FIFO" true; tokget -k 2 "$FIFO" true
	tokstop "$FIFO"
	sed 's/(.*//' trace | awk '/^[a-z]/ {print $1, ++n[$1]}' >calls
	[ "$(grep -c . calls)" -gt 60 ]
	while read -r call n; do
		echo "$call $n" >&2
		strace -qq -o /dev/null -e inject="$call":signal=KILL:when="$n" tokend -n 2 "$FIFO" \
			</dev/null 2>/dev/null 3>&- &
		tokend=$!
		up_or_dead() { [ -p "$FIFO" ] || ended "$tokend"; }
		until_true up_or_dead
		tokget -t 0.1 "$FIFO" true </dev/null 2>/dev/null 3>&- &
		one=$!
		tokget -t 0.1 -k 2 "$FIFO" true </dev/null 2>/dev/null 3>&- &
		two=$!
		wait "$one" || :
		wait "$two" || :
		tokstop "$FIFO" 2>/dev/null || :
		wait "$tokend" || :
		tokend -b -n 2 "$FIFO" 3>&-
		until_true pool_says '2 2 0 0'
		tokget -n -k 2 "$FIFO" true
		tokstop "$FIFO"
		until_true no_files
	done <calls
}

@test "hostile requests and names: tokend serves on, and touches nothing that is not its own" {
	pool -n 1
	echo precious >"$FIFO.d/../precious"
	ln -s ../precious "$FIFO.d/w.1"
	echo mine >"$FIFO.d/w.2"
	mkdir "$FIFO.d/w.3"
	mkfifo "$FIFO.d/w.4"
	for request in 'get' 'get 1' 'get 1 1 5 -' 'get 2 1 5 -' 'get 3 1 5 -' 'get 4 1 5 -' 'get ../precious 1 5 -' \
		'get . 1 5 -' 'get 1 0 5 -' 'get 1 -1 5 -' 'get 1 1 10 -' 'get 1 99999999999999 5 -' 'get 9_ 1 5 -' \
		'stat 1' 'stat 2' 'stat 3' 'stat ../precious' 'size 0' 'size x' 'drop nobody' 'end of it' 'nothing'; do
		printf '@%s\n' "$request" >"$FIFO"
	done
	printf '@get 5 1' >"$FIFO"
	head -c 100000 /dev/urandom | tr -d 'S@' >"$FIFO"
	(yes '@get 77 1 5 -' | head -n 20000) >"$FIFO"
	tokget "$FIFO" true
	until_true pool_says '1 1 0 0'
	[ "$(cat precious)" = precious ]
	[ "$(cat "$FIFO.d/w.2")" = mine ]
	[ -L "$FIFO.d/w.1" ] && [ -d "$FIFO.d/w.3" ]
	rm -r "$FIFO.d/w.1" "$FIFO.d/w.2" "$FIFO.d/w.3"
	stopped
}

@test "a client that asks and is stopped, or never reads, holds up nobody else" {
	pool -n 2
	tokget "$FIFO"; tokget "$FIFO"
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true waiting 1
	kill -STOP "$one"
	tokput "$FIFO"; tokput "$FIFO"
	tokget "$FIFO" true
	until_true pool_says '2 1 1 0'
	kill -CONT "$one"
	ends_with 0 "$one"
	until_true pool_says '2 2 0 0'
	stopped
}

@test "a storm: 60 clients, killed, stopped and continued at random; at most N at once, N free at the end" {
	# Who looks for leaks is stopped in the middle of it, and does not come out again.
	export ASAN_OPTIONS=detect_leaks=0
	pool -n 4
	# A lock of the slot's own goes with its holder: two in one slot would meet.
	cat >holder <<'S'
exec 8>"slot.$JOBCTL_SLOT"
flock -n 8 || echo "two in $JOBCTL_SLOT" >>fault
S
	for i in {1..60}; do
		(
			for j in 1 2 3 4 5; do
				fresh tokget "$FIFO" sh holder 2>/dev/null || :
			done
		) 3>&- &
		pids="${pids-} $!"
	done
	for i in {1..150}; do
		victim=$(pgrep -f "^tokget $FIFO" | shuf -n 1) || :
		[ -n "$victim" ] || continue
		sig=$(printf 'KILL\nSTOP\nTERM\nCONT\n' | shuf -n 1)
		kill -s "$sig" "$victim" 2>/dev/null || :
		[ "$(tokstat -o tsv "$FIFO" | grep -c '	out	')" -le 4 ]
	done
	storm_over() { pkill -CONT -f "^tokget $FIFO" || :; ! pgrep -f "^tokget $FIFO" >/dev/null; }
	until_true storm_over
	for pid in $pids; do wait "$pid" || :; done
	until_true pool_says '4 4 0 0'
	[ ! -e fault ]
	stopped
}
