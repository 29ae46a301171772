load helper

@test "tokput and tokstop say 123 where no dispenser is, 125 where no FIFO is" {
	for tool in tokput tokstop 'tokstop -f'; do
		run -123 $tool "$FIFO"
		[ "${#lines[@]}" -eq 1 ]
	done
	mkfifo "$FIFO"
	for tool in tokput tokstop; do
		run -123 $tool "$FIFO"
	done
	rm "$FIFO"; echo precious >"$FIFO"
	for tool in tokput tokstop; do
		run -125 $tool "$FIFO"
		run -125 $tool
		run -125 $tool -z
	done
	[ "$(cat "$FIFO")" = precious ]
	unset FIFO
	for tool in tokput tokstop; do
		run -125 $tool
		[[ "$output" == *FIFO* ]]
		run -0 $tool -h
		[[ "$output" == usage:* ]]
		run -0 $tool -V
	done
}

@test "tokput returns into the byte form's inlet, and finds it in \$FIFO" {
	dispenser -c -n 1
	tokput
	tokput "$FIFO"
	tokstop
	wait "$reader"
	[ "$(cat lines)" = CCC. ]
	nothing_left
}

@test "tokput returns a lease early" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	exec 9>"$FIFO.d/1"
	tokput "$FIFO.d/1"
	tokput "$FIFO.d/1"
	until_true grep -qx 'early 1 1_1' lines
	exec 9>&-
	until_true grep -q '^gone 1 ' lines
	tokstop
	nothing_left
}

@test "tokstop waits for the tokens to come home, -f does not" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	held_lease 1
	tokstop 3>&- &
	stop=$!
	until_true grep -qx 'stop asked' lines
	[ -p "$FIFO" ] && kill -0 "$stop"
	kill "$holder"
	ends_with 0 "$stop"
	nothing_left
	wait "$reader"; rm pipe
	dispenser -a -n 1
	until_true lines_in 1 lines
	held_lease 1
	tokstop -f
	no_files
	kill -0 "$holder"
}

@test "tokstop -k ends only children of its parent, with all that descends from them" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	"$here/sleeper" 200 3>&- &
	other=$!
	mkfifo gate
	bash -c '
		("$here/sleeper" 100; :) & one=$!
		(trap "" TERM; "$here/sleeper" 101; :) & two=$!
		: <gate
		tokstop -k -g 0 "$FIFO" "$one" "$two" "$1" "$PPID"
	' sh "$other" 3>&- &
	script=$!
	both_sleep() { [ "$(pgrep -fc "$here/sleeper 10[01]")" -eq 2 ]; }
	until_true both_sleep
	open_gate gate
	ends_with 0 "$script"
	no_process "$here/sleeper 10[01]"
	kill -0 "$other"
	run -125 tokstop -k "$FIFO" 1x
	run -125 tokstop -k "$FIFO" 0
	run -125 tokstop -k "$FIFO" -1
	run -125 tokstop -k -g x "$FIFO"
	no_files
}

@test "tokget - takes a byte, or a line and prints the lease; leaves the rest in the pipe" {
	[ "$(printf 'CCx' | { tokget -; tokget -; cat; })" = x ]
	[ "$(printf 'slot 1 a\nfree 1\ngone 7 0.1\ndone 2 0.1\nearly 1 1_1\nrest\n' |
		{ tokget -; tokget -; tokget -; cat; })" = "$FIFO.d/1
$FIFO.d/2
$FIFO.d/1_1
rest" ]
	for end in '' . 'stop asked\n' 'fre'; do
		run -123 bash -c "printf '$end' | tokget -"
		[ "${#lines[@]}" -eq 1 ]
	done
	run -125 tokget
	run -125 tokget - -
	run -125 bash -c 'printf "free 1\n" | tokget - >/dev/full'
	run -0 tokget -h
	run -0 tokget -V
}

@test "a script with a loop of its own is safe and bounded with tokget -" {
	cat >script <<'S'
jobctrl () { exec tokend -a -n "$1" "$FIFO"; }
job () { echo in >>"$here/log"; [ "$1" -ne 3 ] || sh -c 'kill -KILL "$PPID"' ; echo out >>"$here/log"; }
process () {
	id=0
	while [ "$id" -lt "$1" ]; do
		lease=$(tokget -) || exit
		{ job "$id"; exit "$?"; } 9>"$lease" </dev/null &
		pids="${pids-} $!"
		id=$((id + 1))
	done
	for pid in $pids; do wait "$pid"; done
	tokstop
}
jobctrl 2 | process 50
S
	timeout 20 dash script 3>&-
	[ "$(grep -c in log)" -eq 50 ]
	[ "$(awk '/in/ {n++} /out/ {n--} n > m {m = n} END {print m}' log)" -le 3 ]
	nothing_left
}
