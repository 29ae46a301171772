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
	[ "$(wc -c <"$JOBCTL_BOARDS/$batch".*)" -lt 10000 ]
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
	ls "$JOBCTL_BOARDS/$batch".*
	: >"$JOBCTL_BOARDS/$batch.0123456789abcdef.new" # as if it was killed between two calls
	jobctl echo <list >/dev/null
	no_boards
	until_true has_sleepers 0
}

@test "a board that its process replaces while another one looks is not removed, and is shown" {
	need_strace
	setup_boards
	held
	board=$(ls "$JOBCTL_BOARDS/$batch".*)
	strace -qq -o trace -e trace=open,openat -P "$board" -e inject=open,openat:signal=STOP:when=1 \
		env -u FIFO tokstat -o tsv >out 3>&- &
	reader=$!
	until_true grep -q 'stopped by SIGSTOP' trace # it has opened the file
	before=$(stat -c %i "$board")
	kill "$(awk '$1 == "run" {print $5; exit}' "$board")"
	replaced() { [ "$(stat -c %i "$board")" != "$before" ]; }
	until_true replaced
	kill -CONT "$(pgrep -P "$reader")"
	ends_with 0 "$reader"
	same "$batch" "$(awk '$3 == "list" {print $2}' out)"
	[ -e "$board" ]
	open_gate gate
	ends_with 1 "$batch" # a job was killed
	close_gate
}

@test "a file there that is none of ours stays" {
	setup_boards
	mkdir -m 700 "$JOBCTL_BOARDS"
	echo mine >"$JOBCTL_BOARDS/notes"
	mkfifo "$JOBCTL_BOARDS/1.0123456789abcdef"
	ln -s ../list "$JOBCTL_BOARDS/2.0123456789abcdef"
	: >"$JOBCTL_BOARDS/3.0123456789abcdef.old"
	seq 3 >list
	jobctl echo <list >/dev/null
	same mine "$(cat "$JOBCTL_BOARDS/notes")"
	[ -p "$JOBCTL_BOARDS/1.0123456789abcdef" ]
	[ -h "$JOBCTL_BOARDS/2.0123456789abcdef" ]
	[ -e "$JOBCTL_BOARDS/3.0123456789abcdef.old" ]
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

# made NAME LINE... -- that board, of a process that lives and has no other; sets $locker
made()
{
	mkdir -p -m 700 "$JOBCTL_BOARDS"
	printf '%s\n' "${@:2}" >"$JOBCTL_BOARDS/$1"
	python3 - "$JOBCTL_BOARDS/$1" <<'P' 3>&- &
import fcntl, os, signal, sys
fcntl.lockf(os.open(sys.argv[1], os.O_RDWR), fcntl.LOCK_EX)
open("locked", "w").close()
signal.pause()
P
	locker=$!
	until_true test -e locked
}

@test "what is not yet renamed is not read, and stays" {
	setup_boards
	made 1.0123456789abcdef.new 'jobctl	list	1	0	-	jobctl'
	run -0 env -u FIFO tokstat
	same 'no batch and no pool of this user' "$output"
	[ -s "$JOBCTL_BOARDS/1.0123456789abcdef.new" ]
	kill "$locker"
	ends_with 143 "$locker"
	run -0 env -u FIFO tokstat
	no_boards
}

@test "numbers that no batch has are not known, and no text is a board without its fields" {
	setup_boards
	for n in 9223372036854775807 9223372036854775808 -9223372036854775808 99999999999999999999; do
		made 1.0123456789abcdef 'jobctl	list	1	0	-	jobctl' "batch	$n	$n	$n	$n	$n	$n" \
			"run	$n	$n	$n	$n	$n		true"
		for format in tsv json; do
			tokstat -o $format 1 >out
			env -u FIFO tokstat -o $format >>out
		done
		tokstat 1
		kill "$locker"
		rm locked
	done
	made 2.0123456789abcdef 'jobctl	list	2'
	run -0 env -u FIFO tokstat
	same 'no batch and no pool of this user' "$output"
	kill "$locker"
}

@test "tokstat believes no directory where others may write" {
	setup_boards
	mkdir -m 777 "$JOBCTL_BOARDS"
	for what in '' 1; do
		run -125 env -u FIFO tokstat $what
		same "tokstat: $JOBCTL_BOARDS: must be a directory of yours where nobody else may write" "$output"
	done
	rmdir "$JOBCTL_BOARDS"
	run -0 env -u FIFO tokstat
	same 'no batch and no pool of this user' "$output"
}

@test "a batch whose board cannot be read now has not ended: who watches it says so, and goes on" {
	need_strace
	setup_boards
	held
	board=$(ls "$JOBCTL_BOARDS/$batch".*)
	strace -qq -o trace -e trace=read -P "$board" -e inject=read:error=EIO:when=3..5 \
		tokstat -w "$batch" >out 2>err 3>&- & watcher=$!
	until_true grep -q '^sh job 1  ' out
	until_true grep -qx "tokstat: $JOBCTL_BOARDS: cannot show .*: I/O error\|.*: Input/output error" err
	run -1 grep ended err
	timeout 100 "$top/tests/helpers/screen.py" --until "no batch and no pool" --until "not all can be read" \
		--keys q -- strace -qq -o trace2 -e trace=read -P "$board" -e inject=read:error=EIO \
		env -u FIFO tokstat -w >/dev/null 3>&-
	: >out
	until_true grep -q '^sh job 2  ' out
	let_end
	ends_with 0 "$watcher"
	tail -n 1 err | grep "the batch of process $batch has ended"
}

@test "a batch that has no figures yet has just begun" {
	setup_boards
	made 1.0123456789abcdef 'jobctl	list	1	0	-	jobctl'
	tokstat 1 >out
	same 'just begun' "$(sed -n 2p out)"
	rm out # the watcher may not have emptied it yet
	tokstat -w 1 >out 2>err 3>&- & watcher=$!
	until_true grep -q begun out
	kill "$locker"
	ends_with 0 "$watcher"
	is 'tokstat: the batch of process 1 has ended; when last seen: just begun' err
}
