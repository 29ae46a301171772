load ../helper

# tokend --joblog FILE: a line for each use of a token, as it ends.

# uses COLUMNS -- of all lines but the first, from the log
uses() { sed 1d log | cut -f "$1"; }
has_lines() { [ "$(wc -l <log)" -eq "$1" ] || { cat log >&2; return 1; }; }

# takes N -- the command of a build that takes N tokens beside its first, and holds them until the
# gate is opened
takes()
{
	exec 5<>"${MAKEFLAGS##*fifo:}"
	dd bs=1 count="$1" <&5 >took 2>/dev/null
	: <gate
}
export -f takes

@test "each use is a line of the table: slot or label, start, time, exit status, command" {
	pool --joblog log -s gpu0 -s $'gpu\t1'
	before=$(date +%s%3N)
	run -3 tokget "$FIFO" sh -c 'exit 3' 'me@host it'\''s'
	until_true has_lines 2
	after=$(date +%s%3N)
	same 'Seq Host Starttime JobRuntime Send Receive Exitval Signal Command' \
		"$(head -n 1 log | tr '\t' ' ')"
	same $'1\tgpu0\t0\t0\t3\t0\tsh -c \'exit 3\' \'me@host it\'\\\'\'s\'' "$(uses 1,2,5-9)"
	start=$(uses 3 | tr -d .)
	[ "$start" -ge $((before - 20)) ] # the clocks are two
	[ $((start + 10#$(uses 4 | tr -d .))) -le $((after + 20)) ]
	tokget -k 2 "$FIFO" true
	until_true has_lines 4
	same $'gpu 1\tgpu0\t' "$(uses 2 | tail -n 2 | sort | paste -s)"$'\t'
	same 'true true' "$(uses 9 | tail -n 2 | paste -sd ' ')"
	jobplot --text log >said
	grep -q '^3 jobs: 2 ok, 1 failed' said
	stopped
}

@test "a token whose tokget was killed has signal 9, when what that has left has ended" {
	pool --joblog log -n 1
	tokget "$FIFO" "$here/sleeper" 1000 3>&- & one=$!
	until_true signal_ours 0 sleeper
	kill -KILL "$one"
	wait "$one" || :
	has_lines 1
	signal_ours KILL sleeper
	until_true has_lines 2
	same $'0\t9' "$(uses 7,8)"
	tokget -x "$FIFO" true # whose status nobody knows
	until_true has_lines 3
	same $'0\t0' "$(uses 7,8 | tail -n 1)"
	stopped
}

@test "a command that cannot be run has the status of its tokget, which was not killed" {
	pool --joblog log -n 1
	touch data
	run -127 tokget "$FIFO" no-such-program
	run -127 tokget -x "$FIFO" no-such-program
	run -127 tokget -b "$FIFO" no-such-program 3>&-
	run -126 tokget "$FIFO" ./data
	until_true has_lines 5
	same '127 127 127 126' "$(uses 7 | paste -sd ' ')"
	same '0 0 0 0' "$(uses 8 | paste -sd ' ')"
	same '4 4 0' "$(tokstat -o tsv "$FIFO" | awk 'NR == 1 { print $6, $7, $8 }')"
	stopped
}

@test "a build has a line for each token that it took, and none for those that lay ready" {
	pool -j --joblog log -n 5
	mkfifo gate
	tokget -j fifo "$FIFO" bash -c 'takes 2' 3>&- & one=$!
	until_true pool_says '5 2 3 0'
	looked_again "$(cat "$FIFO.d/lock")"
	gate_opens "$one"
	until_true has_lines 4
	is "bash -c 'takes 2',bash -c 'takes 2',bash -c 'takes 2'" <(uses 9)
	same 3 "$(uses 2 | sort -u | wc -l)"
	tokget "$FIFO" true # it is a build, too, and takes none
	until_true has_lines 5
	tokget -j fifo "$FIFO" bash -c 'takes 1' 3>&- & one=$!
	until_true pool_says '5 3 2 0'
	looked_again "$(cat "$FIFO.d/lock")"
	restarted -j --joblog log -n 5
	until_true pool_says '5 3 2 0'
	looked_again "$(cat "$FIFO.d/lock")"
	has_lines 5 # what lies ready is no use, nor is what is still out
	tokstop -f "$FIFO"
	has_lines 5
	open_gate gate
	ends_with 0 "$one"
	close_gate
}

@test "the log goes on after the dispenser was killed, with numbers of its own" {
	pool --joblog log -n 2
	tokget "$FIFO" true
	tokget "$FIFO" "$here/sleeper" 1000 3>&- & one=$!
	until_true pool_says '2 1 1 0'
	restarted --joblog log -n 2
	kill "$one"
	until_true has_lines 3
	same '1 2' "$(uses 1 | paste -sd ' ')"
	stopped
	pool --joblog log -n 2
	tokget "$FIFO" true
	until_true has_lines 4
	same 3 "$(uses 1 | tail -n 1)"
	stopped
}

@test "what is no log, or cannot be one, is refused, and left as it is" {
	echo mine >file
	for wrong in file "$here" x.json - '' nowhere/log; do
		run -125 tokend -b -n 1 --joblog "$wrong" "$FIFO" 3>&-
		[[ "$output" == *"--joblog"* ]]
		[ ! -e "$FIFO" ]
	done
	is mine file
	[ ! -e x.json ]
	pool --joblog log -n 1
	run -125 tokend -b -n 1 --joblog log "$here/other" 3>&-
	[[ "$output" == *"writes this log now"* ]]
	stopped
	run -125 tokend -a --joblog log "$FIFO" </dev/null
	umask 027
	pool --joblog other -n 1
	same -rw-r----- "$(ls -l other | cut -c 1-10)"
	stopped
}

@test "a log that cannot be written any more is said once, and the pool goes on" {
	(ulimit -f 1 && exec tokend -n 1 --joblog log "$FIFO") 2>err 3>&- & tokend=$!
	until_true is_inlet "$FIFO"
	for i in $(seq 40); do tokget "$FIFO" true; done
	pool_says '1 1 0 0'
	tokstop "$FIFO"
	ends_with 125 "$tokend"
	is 'tokend: --joblog log: File too large' err
}
