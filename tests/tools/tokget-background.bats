# bats file_tags=waits
load ../helper

# tokget -b, which returns when the command has started; tokget -k all waits for all of them.

# at_rest -- the commands of before have ended
at_rest() { tokget -k all -t 60 "$FIFO" true; }

@test "tokget -b in a loop: returns as each command starts, in order, never more than tokens" {
	pool -n 2
	for i in {1..12}; do
		tokget -b "$FIFO" sh -c 'echo "in $1" >>log; "$here/sleeper" 0.02; echo out >>log' sh "$i"
	done 3>&-
	at_rest
	same 12 "$(grep -c out log)"
	[ "$(peak)" -le 2 ]
	# A command that has started need not have written yet: so the next one may be before it.
	same '1 2 3 4 5 6 7 8 9 10 11 12' "$(sed -n 's/^in //p' log | sort -n | paste -sd ' ')"
	rm log
	tokput -n 1 "$FIFO"
	for i in {1..12}; do tokget -b "$FIFO" sh -c 'echo "$1" >>log' sh "$i"; done 3>&-
	at_rest
	is 1,2,3,4,5,6,7,8,9,10,11,12 log
	stopped
}

@test "tokget -b: a status that is not 0 is said, once, with the words of the command" {
	pool -n 1
	tokget -b "$FIFO" sh -c 'exit 3' sh 'a b' 2>err 3>&-
	at_rest
	until_true lines_in 1 err
	is "tokget: $FIFO: exit status 3: sh -c 'exit 3' sh 'a b'" err
	tokget -b "$FIFO" true 2>err 3>&-
	at_rest
	[ ! -s err ]
	tokget -b "$FIFO" sh -c 'kill -KILL $$' 2>err 3>&-
	at_rest
	until_true grep -q 'exit status 137: sh -c' err
	run -0 bash -c 'exec tokget -b "$FIFO" sh -c "exit 3" 2>&- 3>&-' # nobody to tell
	at_rest
	stopped
}

@test "tokget -b of what cannot be run: 126 and 127, one message, and the token is home" {
	need_native
	pool -n 1
	run -127 tokget -b "$FIFO" ./missing
	same 1 "${#lines[@]}"
	: >plain
	run -126 tokget -b "$FIFO" ./plain
	same 1 "${#lines[@]}"
	until_true pool_says '1 1 0 0'
	take_tokens 1
	run -124 tokget -b -n "$FIFO" true
	run -9 tokget -b -t 0.05 -E 9 "$FIFO" true
	give_tokens 1
	stopped
}

@test "tokget -b: the command reads nothing of ours, has our output, and dies of a closed pipe" {
	pool -n 1
	printf '1\n2\n3\n' >list
	while read -r line; do tokget -b "$FIFO" sh -c 'cat; echo "$1"' sh "$line"; done <list >out 3>&-
	at_rest
	is 1,2,3 out
	tokget -b "$FIFO" sh -c 'trap "" HUP; kill -PIPE $$; echo lived >lived' 2>err 3>&-
	at_rest
	[ ! -e lived ]
	grep -q 'exit status 141' err
	# and so with the signals that our caller ignores or blocks
	run -0 bash -c 'trap "" PIPE; tokget -b "$FIFO" sh -c "kill -PIPE \$\$; echo lived >lived" 3>&-'
	at_rest
	[ -e lived ]
	run -0 bash -c 'exec tokget -b "$FIFO" sh -c "echo ran >ran" <&- >&- 2>&- 3>&-'
	at_rest
	is ran ran
	stopped
}

@test "tokget -b: tokstat shows who stays beside the command; TERM to that one ends the command" {
	need_native
	pool -n 1
	tokget -b "$FIFO" "$here/sleeper" 1000 2>err 3>&-
	pid=$(tokstat -o tsv "$FIFO" | sed -n 's/^slot	1	out	\([0-9]*\)	.*/\1/p')
	[[ "$(ps -o args= -p "$pid")" == "tokget -b $FIFO "* ]]
	until_true signal_ours 0 sleeper 1000
	kill "$pid"
	at_rest
	until_true grep -q 'exit status 143: .*sleeper 1000' err
	stopped
}

@test "tokget -b -o: the token is home with the command, whatever that leaves" {
	pool -n 1
	mkfifo gate
	tokget -b -o "$FIFO" bash -c '(: <gate) >/dev/null 2>&1 &' 3>&-
	at_rest
	tokget -b "$FIFO" bash -c '(: <gate) >/dev/null 2>&1 &' 3>&-
	run -124 tokget -k all -t 0.1 "$FIFO" true
	open_gate gate
	at_rest
	close_gate
	stopped
}

@test "tokget -b of a build: the jobserver is there as long as the command runs" {
	need_native
	pool -j -n 3
	tokget -b "$FIFO" greedy make 3 0.01 a 3>&-
	at_rest
	same 6 "$(cat log | wc -l)"
	stopped
}

@test "tokget -k all waits for all that hold a token or waited before; with -n it only looks" {
	pool -n 2
	run -0 tokget -n -k all "$FIFO" true
	take_tokens 1
	run -124 tokget -n -k all "$FIFO" true
	mkfifo gate
	tokget -k 2 "$FIFO" bash -c 'cat_gate in' 3>&- & two=$!
	until_true waiting 1
	tokget -k all "$FIFO" sh -c 'echo all >>log' 3>&- & all=$!
	until_true waiting 2
	give_tokens 1
	until_true lines_in 1 log
	pool_says '2 0 2 1'
	gate_opens "$two" "$all"
	same 'in all' "$(echo $(cat log))"
	close_gate
	stopped
}

# next_is_alone -- a token that is given now has no command beside it that got it before
next_is_alone() { tokget -t 60 "$FIFO" bash -c '[ -z "$(ours sleeper)" ]'; }
export -f ours
runs_or_ended() { signal_ours 0 sleeper || ended "$tracer"; }

@test "tokget -b killed at each of its system calls: the token is home, or the command has it" {
	need_strace
	pool -n 1
	strace -f -qq -o trace tokget -b "$FIFO" "$here/sleeper" 0.02 3>&-
	at_rest
	for pid in $(awk '!seen[$1]++ {print $1}' trace | head -n 2); do # the caller, and who stays
		sed -n "s/^$pid *//p" trace >of
		calls_in of
	done | sort -u >calls
	[ "$(grep -c . calls)" -gt 20 ]
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		status=0
		strace -f -qq -o /dev/null -e "inject=$call:signal=KILL:when=$n" \
			tokget -b "$FIFO" "$here/sleeper" 0.2 </dev/null 2>/dev/null 3>&- &
		tracer=$!
		until_true runs_or_ended
		next_is_alone
		wait "$tracer" || status=$?
		[ "$status" -eq 0 ] || killed=$((killed + 1))
		at_rest
	done < <(some 20 <calls)
	[ "$killed" -gt 10 ]
	stopped
}
