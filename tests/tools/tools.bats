load ../helper

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

@test "what a tool does not know it refuses, with a line or its usage, and asks nobody" {
	for words in "tokput -n 0 f" "tokput -n 1x f" "tokput -a '' f" "tokput -a a@b f" "tokput -d x" \
		"tokput a b" "tokstat a b" "tokstat -z f" "tokstat -o xml f" \
		"tokstop a b" "tokstop -g x f" "tokget -j any f true" "tokend -a -l 0 f" "tokend -a -l x f"; do
		eval "run -125 $words"
		[ -n "$output" ]
	done
	for tool in tokput tokstat tokend tokget jobctl; do
		run -125 "$tool" -Z
		[[ "$output" == *usage:* ]]
	done
}

@test "tokstat -w shows what changes until it is ended, or the dispenser is" {
	pool -n 1
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 2 shown
	tokput -n 3 "$FIFO"
	until_true grep -q '3' shown
	kill "$one"
	ends_with 143 "$one"
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 2 shown
	stopped
	ends_with 123 "$one"
	grep -q '^tokstat: .*: ' shown
}

@test "tokget - understands the brief form" {
	[ "$(printf '3\n17\n' | { tokget -; tokget -; })" = "$FIFO.d/3
$FIFO.d/17" ]
}

@test "a signal makes tokstop -k hurry: the grace is over" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	bash -c '(trap "echo >asked" TERM; echo >ready; while :; do "$here/sleeper" 0.02; done) & job=$!
		until [ -s ready ]; do :; done
		tokstop -k -g 1000 "$FIFO" "$job" & echo "$!" >stopping; wait "$!"' 3>&- & script=$!
	until_true lines_in 1 asked
	kill -TERM "$(cat stopping)"
	ends_with 0 "$script"
	nothing_left
}

# full_inlet -- of a dispenser that does not run; blanks say nothing
full_inlet()
{
	tokend=$(cat "$FIFO.d/lock")
	kill -STOP "$tokend"
	until ! printf '%4096s' '' | dd of="$FIFO" bs=4096 oflag=nonblock conv=nocreat,notrunc 2>/dev/null; do :; done
}
sleeps_in() { grep -q "$2" "/proc/$1/wchan" 2>/dev/null || [ "$(cut -d ' ' -f 3 "/proc/$1/stat")" = S ]; }

@test "an inlet that is full is waited for, and one whose dispenser dies meanwhile is not" {
	pool -n 2
	full_inlet
	tokput -n 5 "$FIFO" 3>&- & one=$!
	tokget "$FIFO" true 3>&- & two=$!
	until_true sleeps_in "$one" poll && until_true sleeps_in "$two" poll
	kill -CONT "$tokend"
	ends_with 0 "$one"
	ends_with 0 "$two"
	until_true pool_says '5 5 0 0'
	full_inlet
	tokput -n 6 "$FIFO" 2>one 3>&- & one=$!
	tokstat "$FIFO" 2>two 3>&- & two=$!
	until_true sleeps_in "$one" poll && until_true sleeps_in "$two" poll
	kill -KILL "$tokend"
	ends_with 123 "$one"
	ends_with 123 "$two"
	grep -q 'went away' one && grep -q 'went away' two
}

@test "a FIFO that somebody reads, but no dispenser does, is none" {
	mkfifo "$FIFO"
	cat "$FIFO" >read 3>&- & reader=$!
	exec 8>"$FIFO"
	run -123 tokstat "$FIFO"
	run -123 tokstat -m "$FIFO"
	run -123 tokget -n "$FIFO" true
	run -125 tokend -b "$FIFO"
	[[ "$output" == *'somebody reads'* ]]
	exec 8>&-
	wait "$reader"
	[ ! -s read ]
}

# impostor TEXT -- answers one request with that, and ends
impostor()
{
	rm -rf "$FIFO" "$FIFO.d" ready
	mkfifo "$FIFO"
	mkdir "$FIFO.d"
	{ echo >ready; read -r verb name rest; printf '%b' "$1" >"$FIFO.d/w.$name"; } <>"$FIFO" 3>&- & reader=$!
	until_true test -s ready
}

@test "an answer that is none of a dispenser's is refused" {
	long=$(printf '%9000s' x)
	for answer in "$long" 'nonsense\nend\n' 'pool\t1\nend\n' 'slot\t1\nend\n' 'end\n'; do
		impostor "$answer"
		run -125 timeout 20 tokstat "$FIFO"
		[[ "$output" == *'not the answer of a dispenser'* ]]
		wait "$reader" || : # of what is too long not all is read
	done
	impostor 'ok 0 x\n'
	run -125 timeout 20 tokstat -m "$FIFO"
	wait "$reader" || :
	for answer in "$long" 'ok 1\nx y\n' "ok 1\n1 ${long:0:3000}\n"; do
		impostor "$answer"
		run -125 timeout 20 tokget "$FIFO" true
		wait "$reader" || :
	done
	impostor 'pool\t'
	run -123 timeout 20 tokstat "$FIFO"
	wait "$reader" || :
}
