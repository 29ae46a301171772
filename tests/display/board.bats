#!/usr/bin/env bats
# Boards: files in which batches and dispensers show their state to programs of the same user.

# bats file_tags=waits
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
	gate_opens "$batch"
}

@test "jobctl shows its figures and its jobs, and takes them away at its end" {
	setup_boards
	held
	grep -qx "jobctl	list	$batch	[0-9]*	-	$here/jobctl -j 2 sh job" "$JOBCTL_BOARDS"/*
	grep -qx 'batch	2	2	-1	0	0	[0-9]\{13\}' "$JOBCTL_BOARDS"/*
	grep -qx 'run	1	1	1	[0-9]*	[0-9]\{13\}		sh job 1' "$JOBCTL_BOARDS"/*
	same end "$(tail -n 1 "$JOBCTL_BOARDS"/*)"
	let_end
	no_boards
}

@test "the command is shown as it was typed, arguments are counted before they are read; both are cut" {
	setup_boards
	begun_with() { # ARGUMENT...
		ln -sf "$top/bin/jobctl" jobctl
		fresh "$here/jobctl" "$@" </dev/null >out 2>errors 3>&- &
		batch=$!
		until_true on_board '^run	1	1	1	'
	}
	begun_with -j 1 sh job ::: a "$(printf '%020000d' 0)"
	grep -q "^jobctl	list	$batch	[0-9]*	-	$here/jobctl -j 1 sh job ::: a 0" "$JOBCTL_BOARDS"/*
	grep -q '^batch	1	1	2	0	0	' "$JOBCTL_BOARDS"/*
	[ "$(wc -c <"$JOBCTL_BOARDS/$batch.0")" -lt 10000 ]
	let_end
	no_boards
}

@test "jobs that a log leaves out are none of those that are over, nor of all" {
	setup_boards
	cat >script <<'S'
. jobctl.sh
jobctl_open --total-jobs 3 --joblog log "$@" 1 || exit
jobctl_run true
jobctl_run sh job
jobctl_run true 2
jobctl_close
S
	open_gate gate 3>&- & # ends with the first run
	in_shell dash script
	wait $!
	seq 3 >list
	sed -i '/	sh job$/d' log
	started dash script --resume
	until_true on_board '^batch	1	1	1	0	0	'
	gate_opens "$script"
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
		gate_opens "$script"
		until_true no_boards
	}
	everywhere shown
	tokend -b -n 2 f
	grep -qx "jobctl	pool	[0-9]*	0	$here/f	" "$JOBCTL_BOARDS"/*
	tokstop f
	until_true no_boards
	nothing_left
}

@test "the board of a killed process is nobody's, and the next one removes it" {
	setup_boards
	held
	kill -KILL "$batch"
	ends_with 137 "$batch"
	[ -e "$JOBCTL_BOARDS/$batch.0" ]
	jobctl echo <list >/dev/null
	no_boards
	until_true has_sleepers 0
}

@test "a process about to remove the board of a killed one removes no other board of that name" {
	need_strace
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	: >"$JOBCTL_BOARDS/1.0"
	strace -qq -o trace -e trace=fcntl -P "$JOBCTL_BOARDS/1.0" \
		-e inject=fcntl:signal=STOP:when=1 jobctl true </dev/null 3>&- &
	reader=$!
	until_true grep -q 'stopped by SIGSTOP' trace # it has the lock, and has not looked again
	rm "$JOBCTL_BOARDS/1.0"
	echo other >"$JOBCTL_BOARDS/1.0"
	kill -CONT "$(pgrep -P "$reader")"
	ends_with 0 "$reader"
	same other "$(cat "$JOBCTL_BOARDS/1.0")"
}

@test "a file there that is none of ours stays" {
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	echo mine >"$JOBCTL_BOARDS/notes"
	mkfifo "$JOBCTL_BOARDS/1.0"
	ln -s ../list "$JOBCTL_BOARDS/2.0"
	seq 3 >list
	jobctl echo <list >/dev/null
	same mine "$(cat "$JOBCTL_BOARDS/notes")"
	[ -p "$JOBCTL_BOARDS/1.0" ]
	[ -h "$JOBCTL_BOARDS/2.0" ]
	is 1,2,3 list
}

@test "no board can be made: no word of it, and all is done" {
	setup_boards
	seq 3 >list
	refused() { # WHERE
		JOBCTL_BOARDS=$1 jobctl echo <list >out 2>err
		sort out | is 1,2,3 -
		is '' err
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

# locks FILE OFFSET KIND -- a process holds that lock for ever, by fcntl.lockf; sets $locker
locks()
{
	python3 - "$@" <<'P' 3>&- &
import fcntl, os, signal, sys
f = os.open(sys.argv[1], os.O_RDWR)
for offset in sys.argv[2].split(","):
    fcntl.lockf(f, getattr(fcntl, sys.argv[3]), 1, 65536 * 1024 + int(offset))
open("locked", "w").close()
signal.pause()
P
	locker=$!
	until_true test -e locked
}

@test "a reader that never lets go of the board stops nobody" {
	setup_boards
	held
	locks "$JOBCTL_BOARDS/$batch.0" 1 LOCK_SH
	let_end
	kill "$locker"
	no_boards
}

# others_seen NAME WHY [COMMAND...] -- tokstat, under COMMAND, still shows the other boards, and
# says why it does not show that one
others_seen()
{
	tokend -b -n 1 f 3>&-
	status=0
	timeout 100 env -u FIFO "${@:3}" tokstat -o tsv >out 2>err || status=$?
	same 125 "$status"
	cut -f 3,4 out >seen
	is "pool	$here/f" seen
	is "tokstat: $JOBCTL_BOARDS: $2" err
	tokstop f
	kill "$locker"
	rm "$JOBCTL_BOARDS/$1"
}

@test "one that was stopped while it wrote its board keeps no reader" {
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	printf 'jobctl\tlist\t1\t0\t-\tjobctl\nend\n' >"$JOBCTL_BOARDS/1.0"
	locks "$JOBCTL_BOARDS/1.0" 0,1 LOCK_EX
	others_seen 1.0 'cannot show all that runs: Resource temporarily unavailable'
}

@test "a board that is larger than any is not read" {
	need_strace
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	truncate -s 100M "$JOBCTL_BOARDS/1.0"
	locks "$JOBCTL_BOARDS/1.0" 0 LOCK_EX
	others_seen 1.0 'cannot show all that runs: File too large' strace -qq -o trace -e trace=read -P "$JOBCTL_BOARDS/1.0"
	[ ! -s trace ]
}

@test "one that could not be written is missed by a list, not by who watches another" {
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	: >"$JOBCTL_BOARDS/1.0"
	locks "$JOBCTL_BOARDS/1.0" 0 LOCK_EX
	held
	tokstat "$batch" >out 2>err
	grep -q 'sh job 1$' out
	is '' err
	run -125 env -u FIFO tokstat 1
	same "tokstat: $JOBCTL_BOARDS: a program could not write there what it does: is the disk full?" "$output"
	rm out # the watcher may not have emptied it yet
	tokstat -w "$batch" >out 2>err 3>&- &
	until_true grep -q 'sh job 1$' out
	let_end
	ends_with 0 $!
	others_seen 1.0 'a program could not write there what it does: is the disk full?'
}

@test "tokstat believes no directory where others may write" {
	setup_boards
	mkdir -m 777 "$JOBCTL_BOARDS"
	for what in '' 1 .; do
		run -125 env -u FIFO tokstat $what
		same "tokstat: $JOBCTL_BOARDS: must be a directory of yours where nobody else may write" "$output"
	done
	rmdir "$JOBCTL_BOARDS"
	run -0 env -u FIFO tokstat
	same 'no batch and no pool of this user' "$output"
}

@test "a batch whose board cannot be read now has not ended: who watches it says so, and goes on" {
	setup_boards
	held
	tokstat -w "$batch" >out 2>err 3>&- & watcher=$!
	until_true grep -q 'sh job 1$' out
	locks "$JOBCTL_BOARDS/$batch.0" 1 LOCK_EX
	until_true grep -qx "tokstat: $JOBCTL_BOARDS: cannot show .*: Resource temporarily unavailable" err
	run -1 grep ended err
	timeout 100 "$top/tests/helpers/screen.py" --until "0 batches and pools; not all can be read" \
		--keys q -- env -u FIFO tokstat -w >/dev/null 3>&-
	kill "$locker"
	: >out
	until_true grep -q 'sh job 2$' out
	let_end
	ends_with 0 "$watcher"
	tail -n 1 err | grep "the batch of process $batch has ended"
}

@test "a batch that has no figures yet has just begun" {
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	printf 'jobctl\tlist\t1\t0\t-\tjobctl\nend\n' >"$JOBCTL_BOARDS/1.0"
	locks "$JOBCTL_BOARDS/1.0" 0 LOCK_EX
	tokstat 1 >out
	same 'just begun' "$(sed -n 2p out)"
	rm out # the watcher may not have emptied it yet
	tokstat -w 1 >out 2>err 3>&- & watcher=$!
	until_true grep -q begun out
	kill "$locker"
	ends_with 0 "$watcher"
	is 'tokstat: the batch of process 1 has ended; when last seen: just begun' err
}
