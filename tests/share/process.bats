load ../helper

# jobctrl and process, in each shell.

@test "process runs each id once, at most N at a time, and N do run at the same time" {
	cat >script <<'S'
. jobctl.sh
job () {
	echo "in $1" >>log
	[ "$1" -gt 3 ] || : <gate
	echo "out $1" >>log
}
jobctrl 4 | process 40
S
	mkfifo gate
	check_all() {
		in_shell "$1" script 3>&- &
		run=$!
		until_true lines_in 4 log
		same 4 "$(wc -l <log)"
		gate_opens "$run"
		same "$(seq 0 39 | sed 's/^/in /')" "$(grep '^in' log | sort -k2n)"
		same 4 "$(peak)"
	}
	everywhere all
}

@test "process keeps each job's status, tells job_done, counts failures, returns 1" {
	cat >script <<'S'
set -eu
. jobctl.sh
job () { case $1 in 3) exit 7;; 5) sh -c 'kill -KILL "$PPID"';; 6) return 1;; esac; return 0; }
job_done () { echo "$@" >>log; read -r x || echo eof >>log; false; }
jobctrl 3 | {
	process 8 || st=$?
	echo "$st $JOBCTL_DONE $JOBCTL_FAILED $JOBCTL_FIRST" >out
}
S
	check_status() {
		in_shell "$1" script
		read -r st jobs failed first <out
		[ "$st $jobs $failed" = '1 8 3' ] || { cat out log; return 1; }
		case $first in 3 | 5 | 6) ;; *) false ;; esac
		same 8 "$(grep -c eof log)"
		grep -v eof log | cut -d' ' -f1,2 | sort -n | is '0 0,1 0,2 0,3 7,4 0,5 137,6 1,7 0' -
		grep -v eof log | while read -r _ _ seconds slot; do
			[[ "$seconds" =~ ^[0-9]+\.[0-9][0-9][0-9]$ ]]
			[[ "$slot" =~ ^[123]$ ]]
		done
	}
	everywhere status
}

@test "job_done may have a batch of its own: the rest is told, counted and ended as before" {
	cat >script <<'S'
set -u
. jobctl.sh
job () { [ "$1" -ne 0 ]; }
job_done () {
	echo "$1 $2 $JOBCTL_FAILED" >>log
	jobctl_open 2
	jobctl_run false
	jobctl_run :
	jobctl_close
	echo "$? $JOBCTL_DONE" >>batches
}
jobctrl 1 | {
	process 3
	echo "$? $JOBCTL_DONE $JOBCTL_FAILED $JOBCTL_FIRST" >out
}
S
	check_own_batch() {
		rm -f batches
		in_shell "$1" script
		is '1 3 1 0' out
		is '0 1 1,1 0 1,2 0 1' log
		is '1 2,1 2,1 2' batches
	}
	everywhere own_batch
}

@test "a caller's set -e is in force in its jobs" {
	cat >script <<'S'
set -e
. jobctl.sh
job () { echo in >>log; false; echo never >>log; }
jobctrl 2 | process 3
S
	check_errexit() {
		run -1 in_shell "$1" script
		same 'in in in ' "$(sort log | tr '\n' ' ')"
	}
	everywhere errexit
}

@test "process - gives each line of a file or descriptor, of any bytes, or none; jobs see no list" {
	cat >script <<'S'
. jobctl.sh
job () {
	printf '%s|%s\n' "$JOBCTL_ID" "$1" >>log
	cat >>log
	[ ! -e /proc/self/fd/8 ] || echo list >>log
}
jobctrl 1 | process - list
jobctrl 1 | process - 5 5<list
jobctrl 2 | process - /dev/null && jobctrl 2 | process 000 && echo none >>log
S
	printf '%s\n' 'plain' '' '  two  blanks ' '$(touch bad) `touch bad`; touch bad' \
		"a'b\"c\\d" '-n' '*' >list
	printf 'no newline' >>list
	check_list() {
		in_shell "$1" script
		{ awk 'FNR == 1 {n = 0} {print n++ "|" $0}' list list; echo none; } | diff log -
		[ ! -e bad ]
	}
	everywhere list
}

@test "a job sees its id, slot and label; so do the programs it starts; the caller's own stay" {
	cat >script <<'S'
JOBCTL_ID=mine; FIFO=$here/f; before=$FIFO
. jobctl.sh
job () { sh -c 'echo "$JOBCTL_ID $JOBCTL_SLOT $JOBCTL_LABEL $FIFO"' >>log; }
jobctrl 2 -s red -s 'dark blue' | { process 6; echo "$JOBCTL_ID ${JOBCTL_SLOT-unset}" >out; }
[ "$FIFO" = "$before" ]
S
	check_sees() {
		in_shell "$1" script
		same '0 1 2 3 4 5 ' "$(cut -d' ' -f1 log | sort | tr '\n' ' ')"
		sed -n 's/^[0-5] 1 //p' log | sort -u >one
		sed -n 's/^[0-5] 2 //p' log | sort -u >two
		is "red $FIFO.d/1" one
		is "dark blue $FIFO.d/2" two
		grep -q '^mine' out
	}
	everywhere sees
}

@test "a return early, and a second one, free one token; the job's end is told all the same" {
	cat >script <<'S'
. jobctl.sh
job () {
	echo "in $1" >>log
	if [ "$1" -eq 0 ]; then
		tokput
		: <five
		echo C >"$FIFO"; tokput
		: <nine
		echo "late $1" >>log
		exit 9
	fi
	case $1 in 5) : >five ;; 9) : >nine ;; esac
	echo "out $1" >>log
}
job_done () { echo "$1 $2 $4" >>ends; }
jobctrl 1 | process 10
S
	mkfifo five nine
	check_early() {
		rm -f ends
		run -1 in_shell "$1" script
		same 20 "$(grep -c . log)"
		sed -i '/ 0$/d' log
		same 1 "$(peak)"
		sort -n ends | is '0 9 1,1 0 1,2 0 1,3 0 1,4 0 1,5 0 1,6 0 1,7 0 1,8 0 1,9 0 1' -
	}
	everywhere early
}

@test "a program that closes all descriptors keeps its job's token until it ends" {
	cat >script <<'S'
. jobctl.sh
job () {
	case $1 in
	0) fresh -c sh -c 'echo "in $JOBCTL_SLOT" >>log; : <gate; echo "out $JOBCTL_SLOT" >>log' ;;
	*) echo "$JOBCTL_SLOT" >>log; [ "$1" -ne 11 ] || : >gate ;;
	esac
}
jobctrl 2 | process 12
S
	mkfifo gate
	check_closes() {
		in_shell "$1" script
		same 13 "$(grep -c . log)"
		slot=$(sed -n 's/^in //p' log)
		run -1 grep -qx "$slot" log # nobody else had it
	}
	everywhere closes
}

@test "a grandchild in the background holds the token, unless it closes descriptor 9" {
	cat >script <<'S'
. jobctl.sh
job () {
	case $1 in
	0) (: <held; echo held >>log) & ;;
	1) echo after >>log; (exec 9>&-; : <free; echo free >>log) & ;;
	2) echo next >>log; : >free ;;
	esac
}
jobctrl 1 | process 3
S
	mkfifo held free
	check_grandchild() {
		in_shell "$1" script >/dev/null &
		run=$!
		open_gate held
		close_gate
		ends_with 0 "$run"
		until_true grep -q free log
		is held,after,next,free log
	}
	everywhere grandchild
}

@test "job may be a program, and the caller's options, traps, names and descriptors stay" {
	printf '#!/bin/sh\necho "$1" >>log\n' >job; chmod +x job
	cat >script <<'S'
set -euC
IFS=:
PATH=.:$PATH
trap 'echo usr' USR1
trap 'echo "it'\''s
term"' TERM
exec 8</dev/null 9>mark
. jobctl.sh
jobctrl 3 | {
	trap 'echo inner' INT
	set -- a b
	id=5 i=6 pid=7 status1=8
	process 9
	echo "$# $1 $2 $id $i $pid $status1 $-" | tr -d 'sihBc' >|out
	trap >|traps
}
echo still >&9
[ "$IFS" = : ]
S
	check_stays() {
		rm -f mark traps
		in_shell "$1" script
		same '0 1 2 3 4 5 6 7 8 ' "$(sort -n log | tr '\n' ' ')"
		is still mark
		grep -q '^2 a b 5 6 7 8 ' out
		grep -q 'inner.*INT' traps
	}
	everywhere stays
}

@test "process and a batch in subshells of a script that ignores INT, as one started with & does" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; }
batch () { jobctl_open 1; jobctl_run job 2; jobctl_close; }
( jobctrl 1 | process 2; echo "$?" >>log )
none=$(jobctrl 1 | process 2) && echo "$none" >>log
( batch; echo "$?" >>log )
none=$(batch) && echo "$none" >>log
S
	check_ignores() {
		local shell=$1
		[ "$1" != busybox ] || shell='busybox sh'
		fresh -t sh -c "trap '' INT QUIT; exec $shell script" 3>&-
		is '0,1,0,0,1,,2,0,2,' log
	}
	batch ignores
}

@test "batches within jobs of a batch have tokens of their own" {
	cat >script <<'S'
. jobctl.sh
outer=
job () { # one for both: posh does not survive a function that defines itself anew
	if [ -n "$outer" ]; then
		echo "$outer $1" >>log
		return
	fi
	FIFO=$here/f.$JOBCTL_ID
	outer="$JOBCTL_ID $JOBCTL_SLOT $JOBCTL_LABEL"
	jobctrl 2 | {
		process 4
		: | process 1 2>/dev/null
		[ "$(sh -c 'echo "$JOBCTL_ID $JOBCTL_SLOT $JOBCTL_LABEL"')" = "$outer" ] || exit 9
	}
}
jobctrl 2 -s one/a -s two | process 3
S
	check_nested() { in_shell "$1" script; [ "$(sort -u log | wc -l)" -eq 12 ]; }
	everywhere nested
}

@test "native zsh runs it as well as zsh as sh" {
	command -v zsh >/dev/null || skip "no zsh"
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; }
jobctrl 3 | process 30
S
	timeout 200 zsh --emulate zsh script 3>&-
	same "$(seq 0 29)" "$(sort -n log)"
	ARGV0=sh timeout 200 zsh script 3>&-
	same 60 "$(wc -l <log)"
	nothing_left
}

@test "1000 slots work, and so do 1000 jobs" {
	ulimit -n 1100 || skip "not so many descriptors"
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; }
jobctrl 1000 | process 1500
S
	in_shell dash script
	same "$(seq 0 1499)" "$(sort -n log)"
	nothing_left
}

@test "the classic script with jobctl.sh in place of its two functions, in every shell" {
	cat >script <<'S'
#!/bin/sh
FIFO="${FIFO:-/tmp/scheduler.$$.fifo}"
job () { echo "in $1" >>log; echo "out $1" >>log; printf C > "${FIFO}"; }
. jobctl.sh
jobctrl "${1}" | process "${2}"
S
	check_classic() {
		in_shell "$1" script 4 60
		same "$(seq 0 59 | sed 's/^/in /')" "$(grep '^in' log | sort -k2n)"
		[ "$(peak)" -le 4 ]
	}
	everywhere classic
}
