#!/usr/bin/env bats
# Boards: what batches and dispensers show to others of the same user, in a directory of files.

load ../helper
load ../helpers/jobctl

setup_boards()
{
	export JOBCTL_BOARDS=$here/boards
	echo ': <gate' >job
	mkfifo gate
}

on_board() { cat "$JOBCTL_BOARDS"/* 2>/dev/null | grep -q "$1"; }
no_boards() { [ -z "$(ls -A "$JOBCTL_BOARDS" 2>/dev/null)" ]; }

# held -- a batch with two of its three jobs at work; they end when the gate is opened
held()
{
	seq 3 >list
	begun -j 2 sh job
	until_true on_board '^run	2	2	1	'
}

let_end()
{
	open_gate gate
	ends_with 0 "$batch"
	close_gate
}

@test "jobctl shows its figures and its jobs, and takes them away at its end" {
	setup_boards
	held
	grep -qx "jobctl	list	$batch	[0-9]*	-	$here/jobctl -j 2 sh job" "$JOBCTL_BOARDS"/*
	grep -qx 'batch	2	2	-1	0	0	[0-9]\{13\}' "$JOBCTL_BOARDS"/*
	grep -qx 'run	1	1	1	[0-9]*	[0-9]\{13\}		sh job 1' "$JOBCTL_BOARDS"/*
	[ "$(tail -n 1 "$JOBCTL_BOARDS"/*)" = end ]
	let_end
	no_boards
}

@test "a batch of a script, and a dispenser, have one; each is away at the end" {
	setup_boards
	cat >script <<'S'
. jobctl.sh
jobctl_open 2 || exit
jobctl_run sh job
jobctl_close
S
	check_shown() {
		started "$1" script
		until_true on_board "^jobctl	batch	[0-9]*	$script	/"
		until_true on_board '^run	1	1	1	'
		open_gate gate
		ends_with 0 "$script"
		close_gate
		until_true no_boards
	}
	everywhere shown
	cd "$here"
	tokend -b -n 2 f
	grep -qx "jobctl	pool	[0-9]*	0	$here/f	" "$JOBCTL_BOARDS"/*
	tokstop f
	until_true no_boards
	nothing_left
}

@test "what a killed one has left is nobody's, and the next one removes it" {
	setup_boards
	held
	kill -KILL "$batch"
	ends_with 137 "$batch"
	[ -e "$JOBCTL_BOARDS/$batch.0" ]
	jobctl echo <list >/dev/null
	no_boards
	until_true asleep 0
}

@test "who is about to remove what a killed one has left removes no other board of that name" {
	need_strace
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	: >"$JOBCTL_BOARDS/1.0"
	strace -qq -o trace -e trace=fcntl -P "$JOBCTL_BOARDS/1.0" \
		-e inject=fcntl:delay_enter=1000000 jobctl true </dev/null 3>&- &
	reader=$!
	until_true grep -q fcntl trace
	rm "$JOBCTL_BOARDS/1.0"
	echo other >"$JOBCTL_BOARDS/1.0"
	ends_with 0 "$reader"
	[ "$(cat "$JOBCTL_BOARDS/1.0")" = other ]
}

@test "a file there that is none of ours stays" {
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	echo mine >"$JOBCTL_BOARDS/notes"
	mkfifo "$JOBCTL_BOARDS/1.0"
	ln -s ../list "$JOBCTL_BOARDS/2.0"
	seq 3 >list
	jobctl echo <list >/dev/null
	[ "$(cat "$JOBCTL_BOARDS/notes")" = mine ]
	[ -p "$JOBCTL_BOARDS/1.0" ] && [ -h "$JOBCTL_BOARDS/2.0" ] && [ -s list ]
}

@test "no board can be made: no word of it, and all is done" {
	setup_boards
	seq 3 >list
	refused() { # WHERE
		JOBCTL_BOARDS=$1 jobctl echo <list >out 2>err
		[ "$(wc -l <out)" -eq 3 ] && [ ! -s err ]
	}
	refused "$here/none/there"
	refused "$here/list"
	mkdir -m 777 open
	refused "$here/open"
	[ -z "$(ls open)" ]
	mkdir -m 700 real
	ln -s real link
	refused "$here/link"
	[ -z "$(ls real)" ]
	refused "$here/$(printf '%0300d' 1)"
	(ulimit -f 0; JOBCTL_BOARDS=$here/boards jobctl -j 1 echo <list 2>&1) | cmp - list
	no_boards
}

@test "a reader that never lets go of the board stops nobody" {
	setup_boards
	held
	python3 - "$JOBCTL_BOARDS/$batch.0" <<'P' 3>&- &
import fcntl, sys, time
f = open(sys.argv[1])
fcntl.lockf(f, fcntl.LOCK_SH, 1, 65536 * 1024 + 1)
open("locked", "w").close()
time.sleep(1000)
P
	reader=$!
	until_true test -e locked
	let_end
	kill "$reader"
	no_boards
}
