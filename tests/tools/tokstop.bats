# bats file_tags=waits
load ../helper

# A sanitizer looks for leaks by a child process, and spins for ever if that gets a signal.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

@test "tokstop waits for the tokens, tells waiters at once that it closes: 123; -f does not wait" {
	pool -n 1
	holder
	tokget "$FIFO" true 3>&- 2>err & two=$!
	until_true waiting 1
	tokstop "$FIFO" 3>&- & stop=$!
	ends_with 123 "$two"
	grep -q 'was stopped' err
	run -123 tokget "$FIFO" true
	kill -0 "$stop"
	open_gate gate
	ends_with 0 "$one"
	ends_with 0 "$stop"
	nothing_left
	close_gate
	pool -n 1
	take_tokens 1
	tokstop -f "$FIFO"
	give_tokens 1
	nothing_left
	run -123 tokget "$FIFO" true
	run -123 tokstat "$FIFO"
}

@test "who waits with -N when tokstop comes ends with 123, and starts no other dispenser" {
	for option in '' -f; do
		tokget -N 1 "$FIFO" true
		take_tokens 1
		pids=
		for i in 1 2 3; do
			tokget -N 1 "$FIFO" true 2>>err 3>&- &
			pids="$pids $!"
		done
		until_true waiting 3
		tokstop $option "$FIFO" 3>&- & stop=$!
		for pid in $pids; do ends_with 123 "$pid"; done
		give_tokens 1
		ends_with 0 "$stop"
		nothing_left
	done
	same 6 "$(grep -c "^tokget: $FIFO: its tokend was stopped$" err)"
}

@test "a dispenser that is killed has not ended: tokstop asks the one that follows, or says so" {
	pool -k -n 1
	tokget "$FIFO" "$here/sleeper" 1000 3>&- & one=$!
	until_true pool_says '1 0 1 0'
	tokstop "$FIFO" 3>&- & stop=$!
	closing() { ( run -123 tokget "$FIFO" true ); }
	until_true closing
	kill -STOP "$stop" # it sees nothing of the change
	until_true state T "$stop"
	killed
	until_true pool_says '1 0 1 0'
	kill -CONT "$stop"
	until_true closing # so the other one was asked
	kill -0 "$stop"
	kill "$one"
	ends_with 0 "$stop"
	wait "$one" || :
	nothing_left
	pool -n 1
	take_tokens 1
	tokstop "$FIFO" 2>err 3>&- & stop=$!
	until_true closing
	killed
	ends_with 123 "$stop"
	grep -q 'was killed; remove what it left: tokend -r' err
	give_tokens 1
	tokend -r "$FIFO"
	nothing_left
	run -123 tokstop "$FIFO"
	same "tokstop: $FIFO: no tokend runs there" "$output"
}

@test "somebody else who reads the inlet does not keep tokstop waiting" {
	pool -n 1
	exec 8<>"$FIFO"
	tokstop "$FIFO" 3>&- 8>&-
	exec 8>&-
	nothing_left
}

@test "tokstop refuses options of the other kind" {
	run -125 tokstop -g 1 "$FIFO"
	[[ "$output" == *'are for -p'* ]]
	run -125 tokstop -d "$FIFO"
	run -125 tokstop -f -p 12
}

@test "tokstop waits for the tokens to come home, -f does not" {
	dispenser -a -n 1
	until_true lines_in 2 lines
	held_lease 1
	tokstop 3>&- & stop=$!
	until_true grep -qx 'stop 123 asked' lines
	[ -p "$FIFO" ]
	kill -0 "$stop"
	kill "$holder"
	ends_with 0 "$stop"
	nothing_left
	wait "$reader"; rm pipe
	dispenser -a -n 1
	until_true lines_in 2 lines
	held_lease 1
	tokstop -f
	no_files
	kill -0 "$holder"
}

@test "tokstop --kill ends what runs under the pool, by TERM and then KILL, and nobody else" {
	pool -n 6
	"$here/sleeper" 200 8>"$FIFO" 3>&- & other=$! # it has only the inlet open
	until_true test -e "/proc/$other/fd/8"
	tokget "$FIFO" "$here/sleeper" 101 3>&- & one=$!
	tokget -o "$FIFO" sh -c 'trap "" TERM; "$0" 102; :' "$here/sleeper" 3>&- & two=$!
	tokget "$FIFO" bash -c 'exec setsid "$0" 103 >&- 2>&- &' "$here/sleeper" # a daemon holds it
	tokget -b "$FIFO" bash -c 'for i in {3..99}; do eval "exec $i>&-"; done; "$0" 104; :' \
		"$here/sleeper" 3>&-
	lease=$(tokget -l "$FIFO")
	( exec 9>"$lease"; echo + >&9; exec "$here/sleeper" 105 3>&- ) & five=$!
	tokget -x "$FIFO" "$here/sleeper" 106 3>&- & six=$!
	until_true has_sleepers 7
	until_true pool_says '6 0 6 0'
	tokget "$FIFO" touch ran 2>err 3>&- & waits=$!
	until_true waiting 1
	tokstop --kill -g 3600 "$FIFO" 3>&- & stop=$!
	ends_with 143 "$one"
	ends_with 143 "$five"
	ends_with 143 "$six"
	ends_with 123 "$waits"
	until_true has_sleepers 2
	kill "$stop"
	ends_with 143 "$stop"
	tokstop --kill -g 0 "$FIFO"
	no_files
	ends_with 137 "$two"
	until_true has_sleepers 1
	kill "$other"
	nothing_left
	[ ! -e ran ]
}

@test "tokstop --kill: builds, and a pool that borrows from it" {
	pool -j -n 3
	printf 'all: a b\na b:; "%s" 100\n' "$here/sleeper" >makefile
	tokget "$FIFO" make -f makefile >out 2>&1 3>&- & build=$!
	until_true has_sleepers 2
	tokend -b -u "$FIFO" -n 1 child 3>&-
	tokget child "$here/sleeper" 101 3>&- & below=$!
	until_true has_sleepers 3
	tokstop --kill -g 60 "$FIFO"
	ends_with 143 "$below"
	wait "$build" || :
	nothing_left
	[ ! -e child ]
}

@test "tokstop --kill is refused to who would end itself, and where a script has the tokend" {
	pool -n 1
	run -125 tokget "$FIFO" tokstop --kill "$FIFO"
	run -125 tokget "$FIFO" env -u JOBCTL_HELD tokstop --kill "$FIFO"
	same "tokstop: $FIFO: this command holds a token of that pool, and would end itself: run tokstop after it" "$output"
	pool_says '1 1 0 0'
	run -0 tokget "$FIFO" true
	for words in '-f --kill' '-p --kill' '-f -g 1' '-g 1' '-d f' '-s 5' '--kill -s 5'; do
		run -125 tokstop $words "$FIFO"
	done
	tokstop --kill "$FIFO"
	nothing_left
	run -123 tokstop --kill "$FIFO"
	dispenser -a -n 1
	run -125 tokstop --kill "$FIFO"
	[[ "$output" == *'serves one script only: end that' ]]
	tokstop "$FIFO"
	nothing_left
}

@test "tokstop -p ends only children of its parent, with all that descends from them" {
	("$here/sleeper" 200 3>&- & echo "$!" >other)
	other=$(cat other)
	mkfifo gate
	bash -c '
		("$here/sleeper" 100; :) & one=$!
		(trap "" TERM; "$here/sleeper" 101; :) & two=$!
		: <gate
		tokstop -p -g 0 "$one" "$two" "$1" "$PPID"
	' sh "$other" 3>&- & script=$!
	both_sleep() { signal_ours 0 sleeper 100 && signal_ours 0 sleeper 101; }
	until_true both_sleep
	gate_opens "$script"
	no_ours sleeper 100
	no_ours sleeper 101
	kill -0 "$other"
	for bad in 1x 0 -- -1; do run -125 tokstop -p "$bad" 1; done
	run -125 tokstop -p -g x 5
	run -125 tokstop -p -s 0 5
	run -125 tokstop -k "$FIFO"
	[[ "$output" == *'no such option'* ]]
}

@test "tokstop -p -s and -d: who descends from the script, or has a lease; nobody else" {
	dispenser -a -n 3
	until_true lines_in 4 lines
	held_lease 1
	bash -c '"$here/sleeper" 101 & echo "$!" >below; wait; :' 3>&- & script=$!
	until_true lines_in 1 below
	"$here/sleeper" 102 3>&- & other=$!
	(exec setsid tokstop -p -g 0 -s "$script" "$(cat below)" "$other" "$holder" 3>&-)
	until_true ended "$script"
	kill -0 "$other"
	kill -0 "$holder"
	(exec setsid tokstop -p -g 0 -d "$FIFO" "$other" "$holder" 3>&-)
	until_true ended "$holder"
	kill -0 "$other"
	held_lease 2
	(exec setsid tokstop -p -g 0 -s 1000000 -d "$FIFO" "$other" "$holder" 3>&-)
	until_true ended "$holder"
	kill "$other"
	tokstop "$FIFO"
	nothing_left
}

@test "tokstop -p of a shell that is gone ends who has its lease, and nobody else" {
	dispenser -a -n 2
	until_true lines_in 3 lines
	held_lease 1
	left=$holder
	"$here/sleeper" 101 9<"$FIFO.d/1" 3>&- & # no holder, but who reads it
	reader=$!
	until_true test -e "/proc/$reader/fd/9"
	held_lease 2
	gone=$(sh -c 'echo "$$"')
	tokstop -p -g 0 -s 1000000 -d "$FIFO" "$gone/1" "$gone/none" "$gone/" "$gone"
	until_true ended "$left"
	kill -0 "$holder"
	kill "$reader"
	# the next job on that lease is the script's
	tokstop -p -g 0 -s "$BASHPID" -d "$FIFO" "$gone/2"
	tokstop -p -g 0 -s "$holder" -d "$FIFO" "$gone/2" # a script that is about to start a job there
	kill -0 "$holder"
	tokstop -p -g 0 -d "$FIFO" "$gone/2" # and with no script all are others
	until_true ended "$holder"
	tokstop "$FIFO"
	nothing_left
}

@test "tokstop -p of a shell that ends as it is looked at ends who has its lease" {
	need_proc
	need_strace
	dispenser -a -n 1
	until_true lines_in 2 lines
	bash -c '"$1" 101 3>&- & echo $! >left; wait' sh "$here/sleeper" 9>"$FIFO.d/1" 3>&- & shell=$!
	until_true lines_in 1 left
	left=$(cat left)
	until_true signal_ours 0 sleeper 101
	strace -o trace -qq -P "/proc/$shell/stat" -P "/proc/$left/stat" \
		-e inject=openat,open:delay_enter=500000:when=2 \
		tokstop -p -g 0 -s "$$" -d "$FIFO" "$shell/1" 3>&- & stop=$!
	until_true grep -qs "/proc/$shell/stat" trace
	kill -KILL "$shell"
	ends_with 0 "$stop"
	until_true ended "$left"
	tokstop "$FIFO"
	nothing_left
}

@test "tokstop -p of a shell that starts something and ends as it is looked at ends that, too" {
	need_proc
	need_strace
	dispenser -a -n 1
	until_true lines_in 2 lines
	mkfifo gate
	bash -c ': <gate; "$1" 101 3>&- & echo $! >left; kill -KILL $$' sh "$here/sleeper" \
		9>"$FIFO.d/1" 3>&- & shell=$!
	until_true test -e "/proc/$shell/fd/9"
	strace -o trace -qq -P "/proc/$$/stat" -P "/proc/$shell/stat" \
		-e inject=openat,open:delay_enter=500000:when=2 \
		tokstop -p -g 0 -s 1000000 -d "$FIFO" "$shell/1" 3>&- & stop=$!
	until_true grep -qs "/proc/$$/stat" trace
	open_gate gate
	until_true lines_in 1 left
	ends_with 0 "$stop"
	until_true ended "$(cat left)"
	tokstop "$FIFO"
	nothing_left
}

@test "tokstop -p: who begins to read the lease of a job is not of it, as a child of the dispenser" {
	need_proc
	dispenser -a -n 1
	until_true lines_in 2 lines
	bash -c 'trap "echo >asked" TERM; echo >ready; while :; do "$1" 0.02; done' sh \
		"$here/sleeper" 9>"$FIFO.d/1" 3>&- & job=$!
	until_true test -e ready
	tokstop -p -g 1000 -s 1000000 -d "$FIFO" "$job/1" 3>&- & stop=$!
	until_true test -e asked
	"$here/sleeper" 101 9<"$FIFO.d/1" 3>&- & reader=$!
	until_true test -e "/proc/$reader/fd/9"
	kill -TERM "$stop" # it looks once more
	ends_with 0 "$stop"
	until_true ended "$job"
	kill "$reader"
	tokstop "$FIFO"
	nothing_left
}

@test "a signal makes tokstop -p hurry: the grace is over" {
	bash -c '(
			trap "echo >asked" TERM
			echo >ready
			while :; do "$here/sleeper" 0.02; done
		) & job=$!
		until [ -s ready ]; do :; done
		tokstop -p -g 1000 "$job" & echo "$!" >stopping; wait "$!"' 3>&- & script=$!
	until_true lines_in 1 asked
	kill -TERM "$(cat stopping)"
	ends_with 0 "$script"
	nothing_left
}

@test "tokstop -p does not take a part of the processes for all" {
	need_strace
	grep -q sched_getaffinity "$top/src/lib/processors.o" || skip "the portable build asks ps"
	"$here/sleeper" 100 3>&- & holder=$!
	run -125 strace -D -qq -o /dev/null -e inject=getdents64:error=EIO:when=1 \
		tokstop -p -g 1 "$holder"
	[[ "$output" == "tokstop: cannot list the processes of the jobs: "* ]]
	kill "$holder"
	nothing_left
}

@test "a dispenser that is stopped at once takes the tokens of those who hold them with it" {
	pool -j -n 4
	tokget "$FIFO" sh -c 'echo >in; exec "$here/sleeper" 100' 3>&- & one=$!
	until_true lines_in 1 in
	lease=$(tokget -l "$FIFO")
	tokstop -f "$FIFO"
	no_files
	kill "$one"
	wait "$one" || :
}
