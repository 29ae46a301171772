load ../helper
load ../helpers/pace

@test "-i: a lease that comes home too soon is gone, and free when its slot's time has come" {
	dispenser -a -n 1 -i 0.3
	until_true is_line 1 'free 1'
	for n in 2 4; do
		exec 8>"$FIFO.d/1"
		before=$(now)
		echo + >&8
		exec 8>&-
		until_true says "$n" 'gone 1 *'
		until_true is_line "$((n + 1))" 'free 1'
		past "$((before + 300000))"
	done
	stopped
}

@test "-i: a job that took longer frees its slot at once" {
	dispenser -a -n 1 -i 1
	until_true is_line 1 'free 1'
	exec 8>"$FIFO.d/1"
	printf '+:it has begun\n' >&8
	until_true is_line 2 'said 1 it has begun'
	begun=$(now)
	until_true past "$((begun + 1002000))"
	exec 8>&-
	until_true says 3 '* 1 *'
	says 3 'done 1 *'
	stopped
}

@test "-i: the start is the last '+', and the end where there was none, however long free was said before" {
	dispenser -a -n 1 -i 0.5
	until_true is_line 1 'free 1'
	began=$(now)
	until_true past "$((began + 500000))" # it lies ready
	exec 8>"$FIFO.d/1"
	printf '+:one\n' >&8
	until_true is_line 2 'said 1 one'
	until_true past "$((began + 1000000))"
	last=$(now)
	printf '+:two\n' >&8
	until_true is_line 3 'said 1 two'
	exec 8>&-
	until_true is_line 5 'free 1'
	past "$((last + 500000))"
	exec 8>"$FIFO.d/1"
	end=$(now)
	until_true past "$((end + 600000))"
	end=$(now)
	exec 8>&-
	until_true is_line 7 'free 1'
	past "$((end + 500000))"
	says 6 'gone 1 *'
	stopped
}

@test "-i: a token that is returned early waits for its slot's time, too" {
	dispenser -a -n 1 -i 0.4
	until_true is_line 1 'free 1'
	exec 8>"$FIFO.d/1"
	began=$(now)
	printf +C >&8
	until_true is_line 2 'free 1_1'
	past "$((began + 400000))"
	echo + >&8 # this is nothing to the slot any more
	exec 8>&-
	until_true says 3 'gone 1 *'
	exec 8>"$FIFO.d/1_1"
	printf '+:begun\n' >&8
	until_true is_line 4 'said 1_1 begun'
	began=$(now)
	until_true past "$((began + 402000))"
	printf C >&8
	until_true is_line 5 'early 1_1 1'
	exec 8>&-
	stopped
}

@test "-d: one slot is announced at a time, and the next when that job has begun, so long ago" {
	dispenser -a -n 3 -d 0.2
	until_true is_line 1 'free 1'
	exec 8>"$FIFO.d/1"
	printf ':one\n' >&8
	until_true is_line 2 'said 1 one'
	before=$(now)
	until_true past "$((before + 300000))"
	printf ':two\n' >&8
	until_true is_line 3 'said 1 two'
	before=$(now)
	echo + >&8
	until_true is_line 4 'free 2'
	past "$((before + 200000))"
	held_lease 2 # killed before it says that it begins
	before=$(now)
	kill -KILL "$holder"
	until_true says 5 'gone 2 *'
	until_true says 6 'free *'
	past "$((before + 200000))"
	exec 8>&-
	until_true says 7 'gone 1 *'
	[ "$(grep -c free lines)" -eq 3 ]
	stopped
}

@test "what needs no pace is as it was: done, and all slots at once" {
	dispenser -a -n 2 -i 0 -d 0
	until_true lines_in 2 lines
	held_lease 2
	kill "$holder"
	until_true says 3 'done 2 *'
	stopped
}

@test "-a, after the death of another dispenser: all slots wait in full" {
	killed_dispenser
	before=$(now)
	dispenser -a -n 2 -i 0.5
	until_true is_line 1 'free 1'
	past "$((before + 500000))"
	kill "$holder"
	until_true is_line 2 'free 2'
	stopped
}

@test "clients: never two starts of a slot, or two at all, within the time" {
	for option in -i -d; do
		pool -n 2 "$option" 0.2
		before=$(now)
		pids=
		for i in 1 2 3 4 5 6; do
			tokget "$FIFO" sh -c 'echo "@begun 1 $JOBCTL_SLOT" >"$1"; now >>"$2.$JOBCTL_SLOT"' sh "$FIFO" "log$option" 3>&- &
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
		[ "$(cat log"$option".* | wc -l)" -eq 6 ]
		stopped
	done
}

@test "clients: what a command says itself, after it looked at the clock, holds to the microsecond" {
	pool -n 2 -i 0.2
	pids=
	for i in 1 2 3 4 5 6 7 8; do
		tokget "$FIFO" sh -c 'echo "$JOBCTL_SLOT $(now)" >>log; echo "@begun 1 $JOBCTL_SLOT" >"$1"' sh "$FIFO" 3>&- &
		pids="$pids $!"
	done
	for pid in $pids; do ends_with 0 "$pid"; done
	[ "$(wc -l <log)" -eq 8 ]
	spaced log 0.2
	stopped
}

@test "clients: a slot that rests is not free, for tokstat, -n and -t; one that was out for longer is" {
	pool -n 1 -i 1
	states free
	mkfifo gate
	tokget "$FIFO" sh -c 'echo in >>log; : <gate' 3>&- & one=$!
	until_true lines_in 1 log
	begun=$(now)
	until_true past "$((begun + 1002000))"
	open_gate gate
	ends_with 0 "$one"
	close_gate
	nothing_out() { [[ "$(tokstat -o tsv "$FIFO" | head -n 1)" == pool$'\t'1$'\t'?$'\t'0$'\t'* ]]; }
	until_true nothing_out
	pool_says '1 1 0 0'
	stopped

	pool -n 2 -i 1000
	tokget "$FIFO" true
	until_true pool_says '2 1 0 0'
	states 'resting free'
	seconds=$(tokstat -o tsv "$FIFO" | awk '$1 == "slot" {print int($5); exit}')
	[ "$seconds" -gt 900 ] && [ "$seconds" -le 1000 ]
	tokget -n "$FIFO" true
	until_true states 'resting resting'
	run -124 tokget -n "$FIFO" true
	run -124 tokget -t 0.1 "$FIFO" true
	tokput -n 1 "$FIFO" # a slot that goes and comes again has not forgotten
	tokput -n 2 "$FIFO"
	run -124 tokget -n "$FIFO" true
	tokput -n 3 "$FIFO"
	tokget -n "$FIFO" true
	tokstat "$FIFO" | grep -q 'slot 3 *resting'
	tokstat -o json "$FIFO" | grep -q '"resting"'
	stopped
}

@test "clients: several tokens are had when all their slots may, and are one start" {
	pool -n 3 -i 0.5 -d 0.1
	before=$(now)
	tokget "$FIFO" true
	tokget -k 3 "$FIFO" now >log
	[ "$(cat log)" -gt "$((before + 500000))" ]
	until_true states 'resting resting resting'
	stopped
}

@test "clients: whoever has priority when the time comes goes first" {
	pool -n 1 -i 1
	tokget "$FIFO" true
	tokget -p 2 "$FIFO" sh -c 'echo low >>log' 3>&- & low=$!
	until_true waiting 1
	tokget -p 8 "$FIFO" sh -c 'echo high >>log' 3>&- & high=$!
	until_true waiting 2
	ends_with 0 "$high"
	ends_with 0 "$low"
	[ "$(tr '\n' ' ' <log)" = 'high low ' ]
	stopped
}

@test "clients: -d, and one that was given a token but does not start: nobody else, until it does or dies" {
	pool -n 3 -d 0.2
	for end in begun killed; do
		rm -f answer
		mkfifo "$FIFO.d/w.77_7"
		sh -c 'exec 9>"$1.d/w.77_7"; echo "@get 77_7 1 5 -" >"$1"; exec "$2" 100' sh "$FIFO" "$here/sleeper" 3>&- 8<&- & asker=$!
		head -n 1 <"$FIFO.d/w.77_7" >answer
		[ "$(cat answer)" = 'ok 1 +' ]
		tokget "$FIFO" now >log 3>&- & other=$!
		until_true waiting 1
		run -124 tokget -t 0.5 "$FIFO" true
		states 'out resting resting'
		before=$(now)
		if [ "$end" = begun ]; then echo '@begun 77_7 1' >"$FIFO"; else kill -KILL "$asker"; fi
		ends_with 0 "$other"
		[ "$(cat log)" -gt "$((before + 200000))" ]
		kill -KILL "$asker" || :
		until_true pool_says '3 3 0 0'
	done
	stopped
}

@test "clients: a shell's own token, and one without a holder" {
	pool -n 1 -i 0.3
	cat >script <<'S'
. jobctl.sh
for i in 1 2 3; do jobctl_with "$FIFO" now >>log; done
for i in 4 5 6; do jobctl_hold "$FIFO"; now >>log; jobctl_release; done
for i in 7 8 9; do tokget "$FIFO"; now >>log; tokput "$FIFO"; done
S
	before=$(now)
	in_shell dash script
	[ "$(wc -l <log)" -eq 9 ]
	since "$before" 0.3 <log
	stopped
}

@test "clients, after the death of another dispenser: all slots wait in full, those that are out, too" {
	pool -n 2
	tokget "$FIFO" "$here/sleeper" 100 3>&- & held=$!
	until_true pool_says '2 1 1 0'
	kill -KILL "$(cat "$FIFO.d/lock")"
	until_true pool -n 3 -i 1000
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
	pool -n 1 -i 2 -x 1
	before=$(now)
	tokget "$FIFO" true
	until_true no_files
	past "$((before + 2000000))"
}

@test "options that do not go with a pace, and what is no time" {
	for options in '-c -i 1' '-c -d 1' '-r -i 1' '-r -a -d 1' '-j -i 1' '-J 2 -d 1' '-i x' '-d -1' '-i 1e3'; do
		run -125 tokend $options "$FIFO"
		[ ! -e "$FIFO" ]
	done
	run -125 jobctl -i x true
	run -125 dash -c '. jobctl.sh; jobctl_open -i x 1'
	run -125 dash -c '. jobctl.sh; jobctl_open -i'
}

@test "nobody looks at the clock while nobody waits for it" {
	need_strace
	pool -n 2 -i 1000 -d 1000
	tokget "$FIFO" true
	strace -qq -o trace -e trace='epoll_wait,epoll_pwait,poll,?select,?pselect6' -p "$(cat "$FIFO.d/lock")" 3>&- & tracer=$!
	until_true test -s trace # it has a line when the call has begun
	tokstat "$FIFO" >out
	run -124 tokget -n "$FIFO" true
	until_true lines_in 2 trace
	kill "$tracer"; wait "$tracer" || :
	run ! grep -E '\], [0-9]+, [1-9]|tv_[a-z]*=[1-9]' trace
	stopped
}

@test "channels.sh: nine calls on two channels, never two starts of a channel within a second, in every shell" {
	export TMPDIR=$here
	pids=
	for shell in $(shells); do # side by side: it is time that they wait for
		in_shell "$shell" -eu "$top/share/examples/channels.sh" 2 9 >"log.$shell" &
		pids="$pids $!"
	done
	for pid in $pids; do ends_with 0 "$pid"; done
	for shell in $(shells); do
		echo "in $shell" >&2
		[ "$(cut -d ' ' -f 1 "log.$shell" | sort -n | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 9 ' ]
		[ "$(cut -d ' ' -f 2 "log.$shell" | sort -u | tr '\n' ' ')" = '1 2 ' ]
		awk '{print $2, $3 * 1000000}' "log.$shell" >starts
		spaced starts 1
		[ "$(sort -k 3,3n -k 1,1nr "log.$shell" | head -n 2 | cut -d ' ' -f 1 | sort | tr '\n' ' ')" = '8 9 ' ]
	done
	until_true eval '! ls -d "$here"/jobctl.* 2>/dev/null'
}

@test "jobctl_open -i: retries, callbacks that add jobs, early returns, in every shell" {
	cat >script <<'S'
set -eu
. jobctl.sh
job () { # NUMBER
	echo "$JOBCTL_SLOT $(now)" >>log
	echo + >&9
	if [ "$1" -eq 1 ]; then echo C >"$FIFO"; fi
	[ "$1" -ne 2 ] || [ "$JOBCTL_TRY" -eq 2 ]
}
ended () { # ID STATUS SECONDS SLOT
	echo "$1 $2" >>ends
	[ "$1" -ge 4 ] || jobctl_run job 9
}
now >before
jobctl_open -e ended -r 2,0 "$@" 2
for i in 1 2 3; do jobctl_run job "$i"; done
jobctl_close
echo "$JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED"
more () { [ "$JOBCTL_STARTED" -ge 3 ] || jobctl_run true; } # while the only slot rests
jobctl_open -e more "$@" 1
jobctl_run true
jobctl_close
echo "$JOBCTL_STARTED"
S
	check_pace() {
		for options in '-i 0.2 -l jobs.log' '-i 0.1 -d 0.05'; do
			rm -f log ends
			[ "$(in_shell "$1" script $options)" = $'6 6 0\n3' ]
			[ "$(wc -l <log)" -eq 7 ]
			[ "$(sort -n ends | tr '\n' ';')" = '1 0;2 0;3 0;4 0;5 0;6 0;' ]
			case $options in
			'-i 0.2'*) spaced log 0.2 ;;
			*)
				spaced log 0.1
				cut -d ' ' -f 2 log | since "$(cat before)" 0.05
				;;
			esac
		done
	}
	batch pace
}

@test "jobctl_open -i: a job that took longer frees its slot at once" {
	export TMPDIR=$here
	cat >script <<'S'
. jobctl.sh
job () { sleep 2.01; now >>log; }
jobctl_open -i 2 1
jobctl_run job
jobctl_run eval 'now >>log'
jobctl_close
S
	in_shell dash script
	awk '{at[NR] = $1} END {exit !(at[2] - at[1] < 2000000)}' log # else it is four
	clean
}

@test "jobctl_open -d: the script is not asleep, and hears of what ends and of the time limit" {
	export TMPDIR=$here
	cat >script <<'S'
. jobctl.sh
ended () { echo "$1 ended"; }
jobctl_open -e ended -d 1000 -L 0.5 2
jobctl_run true
jobctl_run true || echo "run $?"
jobctl_close || echo "close $?"
rm -f log
job () { echo in >>log; until [ "$(wc -l <log)" -ge 2 ]; do "$here/sleeper" 0.01; done; }
jobctl_open -d 0.01 2
jobctl_run job # each waits for the other
jobctl_run job
jobctl_close
S
	for shell in $(shells); do
		[ "$(in_shell "$shell" script | tr '\n' ';')" = '1 ended;run 124;close 124;' ]
		clean
	done
}

@test "jobctrl -i | process: every job once, its end told at once, in every shell" {
	cat >script <<'S'
. jobctl.sh
job () {
	echo "$JOBCTL_SLOT $(now)" >>log
	[ "$how" != -i ] || echo + >&9
	until [ "$(wc -l <log)" -ge 2 ]; do "$here/sleeper" 0.01; done # with -d, too, two run at once
	return "$(($1 == 3))"
}
[ -z "$1" ] || job_done () { echo "$1 $2" >>ends; }
shift
how=$1
jobctrl 2 "$@" | { process 6; echo "$? $JOBCTL_DONE $JOBCTL_FAILED $JOBCTL_FIRST" >out; }
S
	check_paced() {
		for hook in '' 1; do
			for options in '-i 0.1' '-d 0.05'; do
				rm -f log ends out
				before=$(now)
				in_shell "$1" script "$hook" $options
				[ "$(cat out)" = '1 6 1 3' ]
				[ "$(wc -l <log)" -eq 6 ]
				case $options in
				-i*) spaced log 0.1 ;;
				*) cut -d ' ' -f 2 log | since "$before" 0.05 ;;
				esac
				[ -z "$hook" ] || [ "$(sort ends | tr '\n' ';')" = '0 0;1 0;2 0;3 1;4 0;5 0;' ]
			done
		done
	}
	everywhere paced
}

@test "jobctl_open -i within make -j: its tokens, and a slot's time" {
	export TMPDIR=$here
	cat >script <<'S'
. jobctl.sh
job () { echo "$$-$JOBCTL_SLOT $(now)" >>log; echo + >&9; }
jobctl_open "$@"
for i in 1 2 3 4 5 6; do jobctl_run job; done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>done
S
	for options in '-i 0.2' '-d 0.1'; do
		rm -f log done
		printf 'all: a b\na b:; +@dash script %s\n' "$options" >Makefile
		before=$(now)
		make -j 3 >out 2>&1 3>&-
		[ ! -s out ] || { cat out; false; }
		[ "$(cat done)" = $'6 0\n6 0' ]
		[ "$(wc -l <log)" -eq 12 ]
		if [ "$options" = '-i 0.2' ]; then
			spaced log 0.2
		else
			for pid in $(cut -d - -f 1 log | sort -u); do
				sed -n "s/^$pid-.* //p" log | since "$before" 0.1
			done
		fi
		clean
	done
}

@test "jobctl -i and -d: never two starts of a slot, or two at all, within the time; a longer job frees its slot" {
	seq 6 >list
	before=$(now)
	jobctl -j 2 -i 0.2 -f list -c 'echo "$JOBCTL_SLOT $(now) {}"' >log
	[ "$(cut -d ' ' -f 3 log | sort -n | tr '\n' ' ')" = '1 2 3 4 5 6 ' ]
	for slot in 1 2; do
		sed -n "s/^$slot \(.*\) .*/\1/p" log | since "$before" 0.2
	done
	before=$(now)
	jobctl -j 3 -d 0.1 -f list -c 'now' >log
	[ "$(wc -l <log)" -eq 6 ]
	since "$before" 0.1 <log
	before=$(now)
	run -1 jobctl -q -j 1 -i 0.2 -r 4,0 -c 'now >>tries; exit 1' <<<x
	[ "$(wc -l <tries)" -eq 4 ]
	since "$before" 0.2 <tries
	printf '%s\n' 'sleep 2.01; now' now | jobctl -j 1 -i 2 >log
	awk '{at[NR] = $1} END {exit !(at[2] - at[1] < 2000000)}' log
	[ "$(jobctl -D -i 1000 echo <list | wc -l)" -eq 6 ]
	run -124 jobctl -q -j 1 -i 1000 -L 1 true <list
}
