load ../helper

# tokend -a: its lines about the leases of one shell; and -c, the byte form.

@test "tokend gives each lease once, for a job with a number" {
	dispenser -a -n 3
	until_true lines_in 4 lines
	is 'ready 3,1 1,2 2,3 3' lines
	[ -p "$FIFO.d/1" ]
	[ -p "$FIFO.d/2" ]
	[ -p "$FIFO.d/3" ]
	[ -p "$FIFO.d/bell" ]
	last_word
}

@test "a lease is for the next job when the last process has closed it, not before" {
	dispenser -a -B who=tokend -n 1
	until_true lines_in 2 lines
	{ "$here/sleeper" 100 & one=$!; "$here/sleeper" 101 & two=$!; } 9>"$FIFO.d/1" 3>&-
	kill -KILL "$one"
	wait "$one" || :
	echo ':one has gone' >"$FIFO.d/1"
	until_true grep -qx 'said 1 one has gone' lines
	same 3 "$(wc -l <lines)"
	kill -KILL "$two"
	until_true grep -qx 'who 1 1' lines
	calls 's 1 137'
	until_true lines_in 5 lines
	is 'ready 1,1 1,said 1 one has gone,who 1 1,1 2' lines
	last_word
}

@test "a token may be returned early, once; its job goes on, and is told of by its own lease" {
	dispenser -a -B who=tokend -n 1
	until_true lines_in 2 lines
	exec 9>"$FIFO.d/1"
	echo C >"$FIFO.d/1"
	until_true lines_in 4 lines
	echo CC >"$FIFO.d/1"
	exec 8>"$FIFO.d/1_1"
	echo C >"$FIFO.d/1"
	echo ':still here' >&9
	until_true lines_in 5 lines
	exec 9>&-
	until_true lines_in 6 lines
	exec 8>&-
	until_true grep -qx 'who 2 1_1' lines
	calls 's 2 0'
	until_true lines_in 8 lines
	is 'ready 1,1 1,early 1,1_1 2,said 1 still here,who 1 1,who 2 1_1,1_1 3' lines
	last_word
}

@test "tokend passes a job's messages on whole" {
	dispenser -a -n 1
	until_true lines_in 2 lines
	exec 9>"$FIFO.d/1"
	printf ':hello  *  world\n' >&9
	until_true grep -qxF 'said 1 hello  *  world' lines
	for bad in '\377' 'a\200' '\303' '\340\200\200' '\355\240\200' '\360\200\200\200' \
		'\364\220\200\200' '\033[2J'; do
		printf ":$bad\n" >&9
	done
	printf ':gr\303\274n \360\237\214\262\n' >&9
	until_true grep -qx "$(printf 'said 1 gr\303\274n \360\237\214\262')" lines
	same 2 "$(grep -c ^said lines)"
	exec 9>&-
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
}

@test "a slot whose name something else has taken is withdrawn; the others are not" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	held_lease 1
	rm "$FIFO.d/1"
	mkdir "$FIFO.d/1"
	kill "$holder"
	until_true grep -qx 'who 1 1' lines
	until_true grep -q 'slot 1 is withdrawn' errors
	job_ends 2
	until_true grep -qx '2 3' lines
	rmdir "$FIFO.d/1"
	last_word
}

@test "when the last slot is withdrawn no more jobs are started" {
	dispenser -a -n 1
	until_true lines_in 2 lines
	exec 9>"$FIFO.d/1"
	rm "$FIFO.d/1"
	mkdir "$FIFO.d/1"
	echo '=0' >&9
	exec 9>&-
	until_true grep -qx 'stop 123 withdrawn' lines
	rmdir "$FIFO.d/1"
	calls q
	ends_with 0 "$tokend"
	wait "$reader"
	same 'all 123 1 1 0' "$(tail -n 1 lines)"
	nothing_left
}

@test "tokend ends and removes its files when its reader is gone" {
	dispenser -a -n 2
	until_true lines_in 3 lines
	kill -KILL "$reader"
	ends_with 0 "$tokend"
	nothing_left
}

# is_full FIFO -- its reader has as much as it wants; a newline says nothing there
is_full() { ! echo | dd of="$1" oflag=nonblock conv=nocreat,notrunc 2>/dev/null; }

@test "a flood of messages waits in its job's lease, and tokens still come home" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	kill -STOP "$reader"
	until_true state T "$reader"
	exec 9>"$FIFO.d/1" # held from here on, so is_full is not the job that ends
	awk 'BEGIN {for (; i < 20000; i++) {print ":message " i; fflush()}}' >&9 3>&- & flood=$!
	until_true is_full "$FIFO.d/1"
	exec 9>&-
	printf ':the last word\n=0\n' >"$FIFO.d/2"
	kill -CONT "$reader"
	ends_with 0 "$flood"
	until_true grep -qx 'who 1 1' lines
	same 20000 "$(grep -c '^said 1 message' lines)"
	grep -qx 'said 2 the last word' lines
	grep -qx '2 3' lines
	run -1 grep 'who 2' lines
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
}

@test "TERM asks the attendant to stop, when it answers; INT and HUP are its business" {
	dispenser -a -k -n 1
	until_true lines_in 2 lines
	kill -TERM "$tokend" # the parent
	pid=$(cat "$FIFO.d/lock")
	kill -INT "$pid"; kill -HUP "$pid"; kill -TERM "$pid"
	until_true grep -qx 'stop 123 asked' lines
	[ -p "$FIFO" ]
	last_word
}

@test "labels are said once, before the leases" {
	dispenser -a -s 'host one' -s two
	until_true lines_in 5 lines
	is 'ready 2,slot 1 host one,slot 2 two,1 1,2 2' lines
	printf S >"$FIFO"
	until_true ended "$tokend"
	for label in '' $'a\nb'; do refused 1 -a -s "$label" "$FIFO"; done
	refused 1 -a -n 1 -s a -s b "$FIFO"
}

@test "a word to the attendant that cannot be written is told of and the last" {
	need_strace
	mkfifo pipe
	strace -D -qq -o /dev/null -P "$here/pipe" -e inject=write:error=EIO:when=1 \
		tokend -a -n 1 "$FIFO" >pipe 2>err 3>&- &
	cat pipe >lines 3>&- & reader=$!
	wait "$reader"
	[ ! -s lines ]
	[[ "$(cat err)" == 'tokend: standard output: '* ]]
	nothing_left
}
