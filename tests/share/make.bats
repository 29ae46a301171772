load ../helper
load ../helpers/jobserver

# jobctl_open within make -jN, whose tokens it takes, in each shell.

in_all_shells() { export TMPDIR=$here; everywhere "$1"; }

# started_make OPTION PREFIX SHELL N -- a make of N recipes, each the script in that shell; sets $make
started_make()
{
	makefile "$2${3/busybox/busybox sh} script" "$4"
	make "$1" >out 2>&1 3>&- &
	make=$!
}

# script BODY -- where waits is a job that waits at the gate
script()
{
	cat - >script <<<"set -eu
. jobctl.sh
waits () { echo in >>log; : <gate; echo out >>log; }
$1"
}

@test "jobctl_open within make -jN: recipes share its tokens, and use all of them" {
	mkfifo gate
	script 'jobctl_open
for i in 1 2 3 4; do jobctl_run waits; done
jobctl_close'
	check_make() {
		started_make -j3 +@ "$1" 2
		until_true running 3
		gate_opens "$make"
		same 3 "$(peak)"
		running 8
		diff /dev/null out
		no_batch
	}
	in_all_shells make
}

@test "jobctl_open: a token that comes is used at once, and given back when its job has ended" {
	mkfifo gate1 gate2 gate3
	script 'numbered () { echo in >>log; : <gate$1; echo out >>log; }
jobctl_open
for i in 1 2 3; do jobctl_run numbered "$i"; done
jobctl_close
echo "$JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED"'
	make_pool ''
	flags "fifo:$here/pool" 9
	check_comes() {
		started "$1" script
		until_true running 1
		tokens ''
		printf x >&6
		until_true running 2
		tokens ''
		open_gate gate2
		until_true running 3 # with the token of the second
		open_gate gate3
		until_true tokens x
		open_gate gate1
		ends_with 0 "$script"
		close_gate
		same 2 "$(peak)"
		is '3 3 0' out
		tokens x
		dd if=pool iflag=nonblock count=1 2>/dev/null >consumed
	}
	in_all_shells comes
}

@test "jobctl_open: no token, one job at a time; jobs that fail, are tried again, ask for more" {
	script 'heard () { echo "$2" >>heard; jobctl_run counted "$2"; }
counted () {
	echo in >>log; echo out >>log
	[ "$1" -ge 8 ] || { jobctl_say "$(($1 * 2))"; jobctl_say "$(($1 * 2 + 1))"; }
}
nth () { [ "$JOBCTL_TRY" = "$1" ]; }
jobctl_open --on-message heard
jobctl_run counted 1
jobctl_close
echo "$JOBCTL_STARTED"
jobctl_open --quiet --retries 3,0
for i in 1 3 4; do jobctl_run nth "$i"; done
got=0; jobctl_close || got=$?
echo "$got $JOBCTL_DONE $JOBCTL_FAILED"
jobctl_open --quiet -k
for i in 1 0 1 0; do jobctl_run eval "echo $i; exit $i" || break; done
got=0; jobctl_close || got=$?
echo "$got"
jobctl_open --dry-run
jobctl_run touch never
jobctl_close
jobctl_open --quiet -b one; jobctl_open -b two
jobctl_in one; jobctl_run false
jobctl_in two; jobctl_run true
jobctl_close; jobctl_close || echo "one failed"'
	make_pool ''
	flags "fifo:$here/pool" 9
	check_serial() {
		for has in '' ab; do
			rm -f log
			printf %s "$has" >&6
			in_shell "$1" script >out 2>err || { cat out err; false; }
			[ "$(peak)" -le $((${#has} + 1)) ]
			is '15,1 3 1,1,0,1,0,1,touch never,one failed' out
			diff /dev/null err
			tokens "$has"
		done
		dd if=pool iflag=nonblock count=1 2>/dev/null >consumed
	}
	in_all_shells serial
}

@test "jobctl_open: a signal to the script, KILL of its jobs and of itself: each token is back" {
	script 'jobctl_open
for i in 1 2 3 4 5; do jobctl_run "$here/sleeper" 1000; done
jobctl_close'
	make_pool ab
	flags "fifo:$here/pool" 9
	check_ends() {
		for sig in TERM HUP INT; do
			[ "$sig$1" != INTyash ] || continue # waits in read for the next line
			started "$1" script
			until_true has_sleepers 3
			tokens ''
			until_true in_read "$script"
			kill -s "$sig" -- "-$script"
			wait "$script" || :
			until_true has_sleepers 0
			until_true tokens ab
			nothing_left
		done
		started "$1" script
		until_true has_sleepers 3
		one=$(ours sleeper | sed -n 1p)
		kill -KILL "$one"
		until_true ended "$one"
		until_true has_sleepers 3
		three=$(ours sleeper)
		# shellcheck disable=SC2086 # words
		kill -KILL $three
		for one in $three; do until_true ended "$one"; done
		until_true has_sleepers 1
		signal_ours KILL sleeper
		wait "$script" || :
		tokens ab
		# The script is killed: its jobs run on, but not with make's tokens.
		started "$1" script
		until_true has_sleepers 3
		kill -KILL "$script"
		wait "$script" 2>/dev/null || :
		until_true tokens ab
		until_true pool_is_free
		has_sleepers 3
		signal_ours KILL sleeper
		nothing_left
	}
	in_all_shells ends
}

@test "jobctl_open: a job that returns its token early, and one that leaves something behind" {
	mkfifo gate
	script 'early () { echo C >&9; echo in >>log; : <gate; echo out >>log; }
jobctl_open
jobctl_run early
jobctl_run early
jobctl_run waits
jobctl_run waits
jobctl_close
echo "$JOBCTL_DONE"'
	make_pool ''
	flags "fifo:$here/pool" 9
	check_early() {
		started "$1" script
		until_true running 3
		gate_opens "$script"
		is 4 out
		tokens ''
	}
	in_all_shells early
}

@test "jobctl_open: in a recipe without '+' a warning, one at a time; a number is what it says" {
	mkfifo gate
	script 'jobctl_open ${1+"$@"}
for i in 1 2 3; do jobctl_run waits; done
jobctl_close'
	make_pool a
	check_ordinary() {
		set -- "${1/busybox/busybox sh}"
		sed 's/: <gate; //' script >serial
		makefile "@$1 serial" 1
		MAKEFLAGS='' make -j3 >out 2>errors 3>&-
		same 1 "$(peak)"
		running 3
		grep -q '^jobctl_open: warning: one job at a time, ' errors
		rm -f log
		flags 5,6 9
		$1 script 3 >out 2>errors 3>&- &
		script=$!
		until_true running 3
		tokens a
		gate_opens "$script"
		diff /dev/null errors
		rm -f log
		export MAKEFLAGS=" -- A=--jobserver-auth=5,6"
		$1 serial >out 2>errors 3>&-
		running 3
		diff /dev/null errors
		tokens a
	}
	in_all_shells ordinary
}

@test "jobctl_open -k in a recipe leaves the descriptors of make alone" {
	printf 'all:\n\t+@$(SH) ./script\n' >makefile
	mkfifo before3 before2
	cat >script <<'S'
. jobctl.sh
last_first () {
	[ "$1" -eq 1 ] || : <"before$1"
	echo "$1"
	[ "$1" -eq 3 ] || : >"before$(($1 + 1))"
}
jobctl_open -k
for i in 3 2 1; do jobctl_run last_first "$i"; done
jobctl_close
S
	check_recipe() {
		make -s -j 3 SH="${1/busybox/busybox sh}" 3>&- | is 3,2,1 -
	}
	in_all_shells recipe
}

@test "jobctl_open within make -j1: one job at a time, unless a number is given" {
	script 'once () { echo in >>log; : <first; echo out >>log; }
jobctl_open
for i in 1 2 3; do jobctl_run once; done
jobctl_close
jobctl_open 2
for i in 1 2; do jobctl_run waits; done
jobctl_close'
	mkfifo first gate
	check_single() {
		started_make -j1 @ "$1" 1
		until_true has_one "$make"
		exec 6<>first # for good
		until_true running 5
		exec 6>&-
		head -n 6 log | is in,out,in,out,in,out -
		gate_opens "$make"
		diff /dev/null out
	}
	in_all_shells single
}
