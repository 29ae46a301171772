load ../helper
load ../helpers/pace
# bats file_tags=waits

# The time between starts (-i, -d), of a dispenser for programs.

@test "clients: never two starts of a slot, or two at all, within the time" {
	for option in -i -d; do
		pool -n 2 "$option" 0.2
		before=$(now)
		pids=
		for i in 1 2 3 4 5 6; do
			tokget "$FIFO" sh -c 'echo @begun ${JOBCTL_HELD##*.} $JOBCTL_SLOT >"$FIFO"
				now >>"$1.$JOBCTL_SLOT"' sh "log$option" 3>&- &
			pids="$pids $!"
		done
		for pid in $pids; do ends_with 0 "$pid"; done
		if [ "$option" = -d ]; then # the sixth of all, or of its slot
			cat log-d.* | since "$before" 0.2
		else
			for log in log-i.*; do
				since "$before" 0.2 <"$log"
			done
		fi
		same 6 "$(cat log"$option".* | wc -l)"
		stopped
	done
}

@test "clients: a start that a command tells itself, after it looked at the clock, is the start" {
	pool -n 2 -i 0.2
	pids=
	for i in 1 2 3 4 5 6 7 8; do
		tokget "$FIFO" sh -c 'echo "$JOBCTL_SLOT $(now)" >>log
			echo @begun ${JOBCTL_HELD##*.} $JOBCTL_SLOT >"$FIFO"' 3>&- &
		pids="$pids $!"
	done
	for pid in $pids; do ends_with 0 "$pid"; done
	same 8 "$(wc -l <log)"
	spaced log 0.2
	stopped
}

@test "clients: a slot that rests is not free; one that was out for longer is" {
	pool -n 1 -i 1
	states free
	mkfifo gate
	tokget "$FIFO" sh -c 'echo in >>log; : <gate' 3>&- & one=$!
	until_true lines_in 1 log
	begun=$(now)
	until_true past "$((begun + 1002000))"
	gate_opens $one
	until_true pool_says '1 1 0 0'
	states free
	stopped

	pool -n 2 -i 1000
	tokget "$FIFO" true
	until_true pool_says '2 1 0 0'
	states 'resting free'
	seconds=$(tokstat -o tsv "$FIFO" | awk '$1 == "slot" {print int($5); exit}')
	[ "$seconds" -gt 900 ]
	[ "$seconds" -le 1000 ]
	tokget -n "$FIFO" true
	until_true states 'resting resting'
	run -124 tokget -n "$FIFO" true
	run -124 tokget -t 0.1 "$FIFO" true
	tokput -n 1 "$FIFO" # a slot that goes and comes again has not forgotten
	tokput -n 2 "$FIFO"
	run -124 tokget -n "$FIFO" true
	tokput -n 3 "$FIFO"
	tokget -n "$FIFO" true
	[[ "$(tokstat "$FIFO")" == *' resting, '* ]]
	[[ "$(tokstat -o json "$FIFO")" == *'"resting"'* ]]
	stopped
}

@test "clients: several tokens are had when all their slots may, and are one start" {
	pool -n 3 -i 0.5 -d 0.1
	before=$(now)
	tokget "$FIFO" true
	tokget -k 3 "$FIFO" now >log
	[ "$(cat log)" -gt "$((before + 500000))" ]
	[ "$(tokget "$FIFO" now)" -gt "$((before + 1000000))" ] # for all three have rested
	stopped
}

@test "clients: whoever has priority when the time comes goes first" {
	pool -n 1 -i 1
	mkfifo gate
	tokget "$FIFO" sh -c ': <gate; now >begun
		echo @begun ${JOBCTL_HELD##*.} 1 >"$FIFO"' 3>&- &
	until_true pool_says '1 0 1 0'
	tokget -p 2 "$FIFO" sh -c 'echo low >>log' 3>&- & low=$!
	until_true waiting 1
	tokget -p 8 "$FIFO" sh -c 'echo high >>log' 3>&- & high=$!
	until_true waiting 2
	gate_opens "$high"
	past "$(($(cat begun) + 1000000))"
	ends_with 0 "$low"
	same 'high low ' "$(tr '\n' ' ' <log)"
	stopped
}

# got_77_7 SIZE -- a client of that name gets a token, and does not say that it begins: its pid is $asker
got_77_7()
{
	rm -f answer
	mkfifo "$FIFO.d/w/77_7"
	sh -c 'exec 9>"$FIFO.d/w/77_7"; echo "@get 77_7 1 5 -" >"$FIFO"
		exec "$here/sleeper" 100' 3>&- 8<&- & asker=$!
	head -n 1 <"$FIFO.d/w/77_7" >answer
	is "ok 1 $1 +" answer
}

@test "clients: nobody says for another that it starts" {
	rest() { tokstat -o tsv "$FIFO" | awk '$1 == "slot" && $2 == 2 {print $3, int($5)}'; }
	pool -n 2 -d 1000
	got_77_7 2
	for word in '1 1' '99 1' '77_7 2'; do echo "@begun $word" >"$FIFO"; done
	same 'resting 0' "$(rest)" # nobody can tell how long
	echo '@begun 77_7 1' >"$FIFO"
	[ "$(rest)" != 'resting 0' ]
	kill -KILL "$asker"
	stopped
}

@test "clients: -d, and one that has a token but does not start: nobody else, until it does or dies" {
	pool -n 3 -d 0.2
	for end in begun killed; do
		got_77_7 3
		tokget "$FIFO" now >log 3>&- & other=$!
		until_true waiting 1
		run -124 tokget -t 0.5 "$FIFO" true
		states 'out resting resting'
		before=$(now)
		case $end in
		begun) echo '@begun 77_7 1' >"$FIFO" ;;
		killed) kill -KILL "$asker" ;;
		esac
		ends_with 0 "$other"
		[ "$(cat log)" -gt "$((before + 200000))" ]
		kill -KILL "$asker" || :
		until_true pool_says '3 3 0 0'
	done
	stopped
}

@test "clients: a shell's own token" {
	pool -n 1 -i 0.3
	cat >script <<'S'
. jobctl.sh
for i in 1 2 3; do jobctl_with "$FIFO" now >>log; done
for i in 4 5 6; do jobctl_hold "$FIFO"; now >>log; jobctl_release; done
S
	before=$(now)
	in_shell dash script
	same 6 "$(wc -l <log)"
	since "$before" 0.3 <log
	stopped
}

@test "clients, after the death of another dispenser: all slots wait in full, also those out" {
	pool -n 2
	tokget "$FIFO" "$here/sleeper" 100 3>&- & held=$!
	until_true pool_says '2 1 1 0'
	restarted -n 3 -i 1000
	states 'out resting resting'
	run -124 tokget -n "$FIFO" true
	kill "$held"
	until_true states 'resting resting resting'
	stopped
	pool -n 3 -i 1000
	pool_says '3 3 0 0'
	stopped
}

@test "-x: a dispenser whose slots rest does not forget it by ending" {
	for idle in 1 2 4 8 16; do # tokget may be slower than -x
		pool -n 1 -i "$((2 * idle))" -x "$idle"
		before=$(now)
		! tokget "$FIFO" true 2>>errors || break
		until_true no_files
	done
	until_true no_files
	past "$((before + 2000000 * idle))"
}

@test "nobody looks at the clock while nobody waits for it" {
	need_strace
	pool -n 2 -i 1000 -d 1000
	tokget "$FIFO" true
	tokstat "$FIFO" >out
	run -124 tokget -n "$FIFO" true
	rests
	stopped
}
