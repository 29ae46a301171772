load ../helper

@test "tokget runs the command with a token, in its environment slot and label, and gives its status" {
	pool -s 'gpu 0' -s b
	run -7 tokget "$FIFO" sh -c 'echo "$JOBCTL_SLOT|$JOBCTL_LABEL|$1"; exit 7' sh 'a b'
	[ "$output" = '1|gpu 0|a b' ]
	run -0 tokget -k 2 "$FIFO" sh -c 'echo "$JOBCTL_SLOT|$JOBCTL_LABEL" | sort'
	[ "$output" = '2 1|b
gpu 0|' ] || [ "$output" = 'gpu 0
2 1|b' ] || [ "${#lines[@]}" -eq 2 ]
	run -137 tokget "$FIFO" sh -c 'kill -KILL $$'
	run -127 tokget "$FIFO" ./missing
	: >plain
	run -126 tokget "$FIFO" ./plain
	[ "${#lines[@]}" -eq 1 ]
	echo 'echo "$# $1"' >plain; chmod +x plain
	for option in '' -o -x; do
		run -0 tokget $option "$FIFO" ./plain 'a b'
		[ "$output" = '1 a b' ]
	done
	for option in -o -x; do
		run -7 tokget "$option" "$FIFO" sh -c 'exit 7'
		run -127 tokget "$option" "$FIFO" ./missing
	done
	until_true pool_says '2 2 0 0'
	stopped
}

@test "at most N at once, first come first served" {
	pool -n 2
	mkfifo gate
	for i in 1 2; do tokget "$FIFO" bash -c 'cat_gate held' 3>&- & done
	until_true lines_in 2 log
	pids=
	for i in 1 2 3 4 5; do
		tokget "$FIFO" bash -c "echo $i >>log" 3>&- &
		pids="$pids $!"
		until_true waiting "$i"
	done
	until_true pool_says '2 0 2 5'
	[ "$(wc -l <log)" -eq 2 ]
	tokput -n 1 "$FIFO"
	open_gate gate
	for pid in $pids; do ends_with 0 "$pid"; done
	[ "$(tail -n 5 log | tr '\n' ' ')" = '1 2 3 4 5 ' ]
	until_true pool_says '1 1 0 0'
	close_gate
	stopped
}

@test "-n and -t: status 124, and the place in the queue is given up" {
	pool -n 1
	tokget "$FIFO"
	run -124 tokget -n "$FIFO" true
	run -124 tokget -t 0.05 "$FIFO" true
	run -124 tokget -t 0 "$FIFO" true
	tokput "$FIFO"
	run -0 tokget -n "$FIFO" true
	run -0 tokget -t 5 "$FIFO" true
	until_true pool_says '1 1 0 0'
	[ "$(ls "$FIFO.d" | grep '^w')" = '' ]
	stopped
}

@test "only the waiter that is served wakes up" {
	pool -n 1
	mkfifo gate
	tokget "$FIFO"
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- &
	one=$!
	until_true waiting 1
	tokget "$FIFO" true 3>&- &
	two=$!
	until_true waiting 2
	slept() { awk '/ctxt/ {n += $2} END {print n}' "/proc/$two/status"; }
	before=$(slept)
	tokget -t 0 "$FIFO" true || :
	tokput "$FIFO"
	until_true lines_in 1 log
	after=$(slept)
	open_gate gate
	ends_with 0 "$one"
	ends_with 0 "$two"
	close_gate
	[ "$before" -eq "$after" ] || { echo "woke $((after - before)) times"; false; }
	stopped
}

@test "the plain pair: a return too many makes no token" {
	pool -n 2
	tokput "$FIFO"
	until_true pool_says '2 2 0 0'
	tokget "$FIFO"; tokget "$FIFO"
	until_true pool_says '2 0 2 0'
	tokput "$FIFO"; tokput "$FIFO"; tokput "$FIFO"
	until_true pool_says '2 2 0 0'
	stopped
}

@test "-k takes all at once, without deadlock; more than there are is refused" {
	pool -n 3
	for i in 1 2 3 4 5 6; do
		tokget -k 2 "$FIFO" true 3>&- &
		pids="${pids-} $!"
		tokget -k 3 "$FIFO" true 3>&- &
		pids="$pids $!"
	done
	for pid in $pids; do ends_with 0 "$pid"; done
	run -125 tokget -k 4 "$FIFO" true
	until_true pool_says '3 3 0 0'
	stopped
}

@test "who waits for many and is killed keeps nobody waiting" {
	pool -n 2
	tokget "$FIFO"
	tokget -k 2 "$FIFO" true 3>&- &
	many=$!
	until_true waiting 1
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true waiting 2
	kill -KILL "$many"
	ends_with 0 "$one"
	tokput "$FIFO"
	until_true pool_says '2 2 0 0'
	stopped
}

@test "-p: higher first, and the lowest is served after 15 others at the latest" {
	pool -n 1
	tokget "$FIFO"
	pids=
	n=0
	for p in 0 5 5 9; do
		tokget -p "$p" "$FIFO" sh -c "echo p$p >>log" 3>&- &
		pids="$pids $!"
		until_true waiting $((n += 1))
	done
	tokput "$FIFO"
	for pid in $pids; do ends_with 0 "$pid"; done
	[ "$(tr '\n' ' ' <log)" = 'p9 p5 p5 p0 ' ]
	rm log
	tokget "$FIFO"
	pids=
	n=0
	for p in 0 $(yes 9 | head -n 20); do
		tokget -p "$p" "$FIFO" sh -c "echo p$p >>log" 3>&- &
		pids="$pids $!"
		until_true waiting $((n += 1))
	done
	tokput "$FIFO"
	for pid in $pids; do ends_with 0 "$pid"; done
	[ "$(grep -n p0 log)" = 16:p0 ]
	stopped
}

@test "the token stays out while anything that the command started has it open, not with -o" {
	pool -n 1
	mkfifo gate
	tokget "$FIFO" bash -c '(: <gate) >/dev/null 2>&1 & echo' 3>&-
	until_true pool_says '1 0 1 0'
	open_gate gate
	until_true pool_says '1 1 0 0'
	close_gate
	tokget -o "$FIFO" bash -c '(: <gate) >/dev/null 2>&1 & echo' 3>&-
	until_true pool_says '1 1 0 0'
	open_gate gate
	close_gate
	stopped
}

@test "a command that closes all descriptors keeps the token; a SIGKILL of tokget alone does not free it" {
	pool -n 1
	mkfifo gate
	tokget "$FIFO" fresh -c bash -c 'cat_gate in' 3>&- &
	one=$!
	until_true lines_in 1 log
	until_true pool_says '1 0 1 0'
	open_gate gate
	ends_with 0 "$one"
	close_gate
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- &
	one=$!
	until_true lines_in 2 log
	kill -KILL "$one"
	wait "$one" || :
	until_true pool_says '1 0 1 0'
	open_gate gate
	until_true pool_says '1 1 0 0'
	close_gate
	stopped
}

@test "signals sent to tokget reach the command; its stop and continue are passed both ways" {
	pool -n 1
	for sig in TERM INT HUP USR1; do
		rm -f log
		fresh tokget "$FIFO" bash -c "trap 'echo got; exit 9' $sig; echo up >>log; while :; do read -rt 1 x <> <(:) || :; done" >out 3>&- &
		one=$!
		until_true lines_in 1 log
		kill -s "$sig" "$one"
		ends_with 9 "$one"
		[ "$(cat out)" = got ]
	done
	"$here/sleeper" 0 && tokget "$FIFO" "$here/sleeper" 1000 3>&- &
	until_true pgrep -f "^$here/sleeper 1000"
	command=$(pgrep -f "^$here/sleeper 1000")
	one=$(ps -o ppid= -p "$command")
	kill -TSTP $one
	until_true state T "$command"
	until_true state T $one
	kill -CONT $one
	until_true state S "$command"
	kill -TERM $one
	until_true pool_says '1 1 0 0'
	stopped
}

@test "tokget -l: a shell holds the token by a descriptor" {
	pool -n 1
	lease=$(tokget -l "$FIFO" 3>&-)
	[ -p "$lease" ]
	exec 9>"$lease"
	echo + >&9
	until_true pool_says '1 0 1 0'
	run -124 tokget -t 0.1 "$FIFO" true
	exec 9>&-
	until_true pool_says '1 1 0 0'
	lease=$(tokget -l "$FIFO") # and is never opened
	until_true pool_says '1 0 1 0'
	tokget -t 10 "$FIFO" true
	lease=$(tokget -l "$FIFO")
	exec 9>"$lease" # and says nothing
	tokget -t 3.5 "$FIFO" true || status=$?
	[ "$status" -eq 124 ]
	exec 9>&-
	until_true pool_says '1 1 0 0'
	stopped
}

@test "-N: 50 that start at once have one dispenser, which ends by itself" {
	pids=
	for i in {1..50}; do
		tokget -N 3 "$FIFO" sh -c 'echo in >>log; echo out >>log' 3>&- &
		pids="$pids $!"
	done
	for pid in $pids; do ends_with 0 "$pid"; done
	[ "$(grep -c in log)" -eq 50 ]
	[ "$(awk '/in/ {n++} /out/ {n--} n > m {m = n} END {print m}' log)" -le 3 ]
	[ "$(pgrep -fc "tokend -b -x 10 -n 3 -- $FIFO")" -eq 1 ]
	tokstop "$FIFO"
	nothing_left
	tokend -b -x 1 -n 1 "$FIFO" 3>&-
	nothing_left
}

@test "resize: up at once, down as tokens come home; labels by name" {
	pool -s a -s b
	tokget "$FIFO"; tokget "$FIFO"
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true waiting 1
	tokput -n 3 "$FIFO"
	ends_with 0 "$one"
	tokput -n 1 "$FIFO"
	until_true pool_says '1 0 2 0'
	tokput "$FIFO"
	until_true pool_says '1 0 1 0'
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	tokput -a 'new one' "$FIFO"
	tokstat "$FIFO" | grep -q 'new one'
	tokput -d 'new one' "$FIFO"
	until_true pool_says '1 1 0 0'
	run ! grep -q 'new one' <(tokstat "$FIFO")
	stopped
}

@test "tokstop waits for the tokens, tells waiters at once that it closes: 123; -f does not wait" {
	pool -n 1
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- &
	one=$!
	until_true lines_in 1 log
	tokget "$FIFO" true 3>&- 2>err &
	two=$!
	until_true waiting 1
	tokstop "$FIFO" 3>&- &
	stop=$!
	ends_with 123 "$two"
	grep -q closing err
	run -123 tokget "$FIFO" true
	kill -0 "$stop"
	open_gate gate
	ends_with 0 "$one"
	ends_with 0 "$stop"
	nothing_left
	close_gate
	pool -n 1
	tokget "$FIFO"
	tokstop -f "$FIFO"
	nothing_left
	run -123 tokget "$FIFO" true
	run -123 tokstat "$FIFO"
}

@test "tokend killed and started again: held tokens stay out, waiters are served, never one too many" {
	pool -n 2
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate held' 3>&- &
	one=$!
	tokget "$FIFO" true
	until_true lines_in 1 log
	tokget -k 2 "$FIFO" bash -c 'echo both >>log' 3>&- &
	two=$!
	until_true waiting 1
	pkill -KILL -f "^tokend -b -n 2 $FIFO"
	until_true no_process "^tokend -b -n 2 $FIFO"
	pool -n 2
	until_true pool_says '2 1 1 1'
	[ "$(wc -l <log)" -eq 1 ]
	open_gate gate
	ends_with 0 "$one"
	ends_with 0 "$two"
	close_gate
	until_true pool_says '2 2 0 0'
	[ "$(ls "$FIFO.d" | grep '^w')" = '' ]
	stopped
}

@test "a holder of several tokens is adopted whole, and so is one that has not read its answer" {
	pool -n 3
	mkfifo gate
	tokget -k 2 "$FIFO" bash -c 'cat_gate held' 3>&- &
	one=$!
	until_true lines_in 1 log
	pkill -KILL -f "^tokend -b -n 3 $FIFO"
	until_true no_process "^tokend -b -n 3 $FIFO"
	pool -n 3
	until_true pool_says '3 1 2 0'
	open_gate gate
	ends_with 0 "$one"
	close_gate
	until_true pool_says '3 3 0 0'
	tokget "$FIFO"; tokget "$FIFO"; tokget "$FIFO"
	tokget "$FIFO" bash -c 'echo late >>log' 3>&- &
	two=$!
	until_true waiting 1
	kill -STOP "$two"
	tokput "$FIFO"
	pkill -KILL -f "^tokend -b -n 3 $FIFO"
	until_true no_process "^tokend -b -n 3 $FIFO"
	pool -n 3
	until_true pool_says '3 2 1 0'
	kill -CONT "$two"
	ends_with 0 "$two"
	grep -q late log
	until_true pool_says '3 3 0 0'
	stopped
}

@test "tokstat shows holders and waiters as a table, tsv and json, and says no when it cannot" {
	pool -s 'a "b\c'
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- &
	one=$!
	until_true lines_in 1 log
	tokget -p 7 "$FIFO" true 3>&- &
	two=$!
	until_true waiting 1
	tokstat "$FIFO" | grep -q "out .* pid $one .*cat_gate in"
	tokstat -o json "$FIFO" >json
	if command -v python3 >/dev/null; then python3 -c 'import json; d = json.load(open("json"))
assert d["slots"][0]["label"] == "a \"b\\c" and d["waits"][0]["priority"] == 7, d'; fi
	run -125 tokstat -o xml "$FIFO"
	run -125 bash -c 'tokstat >/dev/full'
	open_gate gate
	ends_with 0 "$one"
	ends_with 0 "$two"
	close_gate
	stopped
}

@test "a dispenser that serves an attendant turns clients away" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	run -125 tokget "$FIFO" true
	[[ "$output" == *"serves one script only"* ]]
	run -125 tokstat "$FIFO"
	tokstop "$FIFO"
	nothing_left
}

@test "tokend -f reads labels, -m opens the pool to a group, -b says what failed" {
	printf 'one\n\ntwo\n' >list
	pool -f list -m 660
	[ "$(stat -c %a "$FIFO")" = 660 ]
	[ "$(stat -c %a "$FIFO.d")" = 3770 ]
	run -0 tokget "$FIFO" sh -c 'echo $JOBCTL_LABEL'
	[ "$output" = one ]
	run -125 tokend -b -m 660 "$FIFO"
	[[ "$output" == *'is running there'* ]]
	stopped
	for bad in '-m 888' '-m 1000' '-m 066' '-m x' '-x 0' '-x x' '-f missing' '-a -b' '-a -x 3'; do
		run -125 tokend $bad "$FIFO"
	done
	no_files
}

@test "tokend -b keeps nothing of its caller's open" {
	mkfifo pipe
	cat pipe >out 3>&- &
	reader=$!
	tokend -b -n 1 "$FIFO" 7>pipe 9>pipe >pipe 2>pipe 3>&-
	ends_with 0 "$reader"
	stopped
}

@test "closed descriptors, an ignored SIGCHLD and a strange umask of the caller do no harm" {
	(umask 777; pool -n 1)
	run -7 bash -c 'trap "" CHLD; tokget "$FIFO" sh -c "exit 7"'
	run -7 bash -c 'exec tokget "$FIFO" sh -c "exit 7" <&- >&- 2>&-'
	run -124 bash -c 'tokget "$FIFO"; exec tokget -n "$FIFO" true <&- >&- 2>&-'
	run -125 bash -c 'exec tokget -k 9 "$FIFO" true 2>&-'
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "another user of the group gets a token; one outside does not" {
	if [ "$(id -u)" -ne 0 ]; then skip "needs root"; fi
	chmod 755 "$here"
	pool -n 1 -m 660
	as() { setpriv --reuid="$1" --regid="$2" --clear-groups env FIFO="$FIFO" "${@:3}"; }
	run -0 as daemon 0 tokget "$FIFO" echo mine
	run -125 as daemon daemon tokget "$FIFO" echo mine
	until_true pool_says '1 1 0 0'
	stopped
}

@test "tokget says in one line what is wrong, with 125, and 123 where no dispenser is" {
	run -123 tokget "$FIFO" true
	[ "${#lines[@]}" -eq 1 ]
	for bad in '-k 0' '-k x' '-p 10' '-p x' '-t x' '-t -1' '-t 1.2.3' '-l -x' '-z'; do
		run -125 tokget $bad "$FIFO" true
	done
	run -125 tokget
	echo precious >"$FIFO"
	run -125 tokget "$FIFO" true
	[ "$(cat "$FIFO")" = precious ]
	rm "$FIFO"
	run -125 tokget -N x "$FIFO" true
	no_files
}

@test "jobctl_with runs a function in the shell itself, holding a token; its status is kept" {
	cat >script <<'S'
set -eu
. jobctl.sh
id=1
work () { id=2; tokget -n "$FIFO" true || echo "taken $?"; echo "$# $1"; return "$2"; }
jobctl_with "$FIFO" work 'a b' 0
jobctl_with "$FIFO" work 'a b' 7 || echo "status $?"
echo "id $id"
tokget -n -t 5 "$FIFO" echo free || tokget -t 5 "$FIFO" echo free
jobctl_with "$FIFO.none" work x 0 2>/dev/null || echo "none $?"
jobctl_hold "$FIFO"
tokget -n "$FIFO" true || echo "held $?"
jobctl_release
tokget -t 5 "$FIFO" echo released
jobctl_hold "$FIFO"
S
	pool -n 1
	for shell in $(shells); do
		echo "in $shell" >&2
		in_shell "$shell" script >out
		diff out - <<'W'
taken 124
2 a b
taken 124
2 a b
status 7
id 2
free
none 123
held 124
released
W
		until_true pool_says '1 1 0 0'
	done
	stopped
}
