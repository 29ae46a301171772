load ../helper

# jobctrl and process, in each shell: what they cannot do.

@test "what process cannot do it says in one line, with 125, and leaves nothing" {
	check_refuses() {
		for args in '' -1 x 1x '- ' '- missing' '- .' '- 7' 99999999999999999999; do
			status=0
			FIFO=$here/f$((n += 1)) # ksh93 and zsh do not wait for jobctrl, which may be on its way
			in_shell "$1" -c ". jobctl.sh; job() { :; }; jobctrl 2 | process $args" 2>out || status=$?
			[ "$status" -eq 125 ] || { echo "$args: $status"; return 1; }
			[ "$(wc -l <out)" -eq 1 ]
			until_true no_files
		done
		status=0
		FIFO=$here/f$((n += 1))
		in_shell "$1" -c '. jobctl.sh; jobctrl 2 | process 3' 2>out || status=$?
		[ "$status" -eq 125 ]
		[ "$(wc -l <out)" -eq 1 ]
	}
	n=0
	everywhere refuses
}

@test "what the dispenser cannot do comes back as process's status, said once" {
	check_fails() {
		for count in 0 -x x 99999999999; do
			status=0
			in_shell "$1" -c ". jobctl.sh; job() { :; }; jobctrl '$count' | process 3" 2>out || status=$?
			[ "$status" -eq 125 ]
			[ "$(wc -l <out)" -eq 1 ]
		done
		echo precious >"$FIFO"
		status=0
		in_shell "$1" -c ". jobctl.sh; job() { :; }; jobctrl 2 | process 3" 2>out || status=$?
		[ "$status" -eq 125 ]
		[ "$(cat "$FIFO")" = precious ]
		[ "$(wc -l <out)" -eq 1 ]
		rm "$FIFO"
		mkdir empty; cp "$top"/bin/*.sh empty
		status=0
		in_shell "$1" -c "PATH=$here/empty JOBCTL_LIB=$top/share/jobctl; . jobctl.sh; job() { :; }; jobctrl 2 | process 3" 2>out || status=$?
		rm -r empty
		[ "$status" -eq 125 ]
		[ "$(wc -l <out)" -eq 1 ]
		grep -q 'tokend: not found' out
		status=0
		in_shell "$1" -c ". jobctl.sh; job() { :; }; : | process 3" 2>out || status=$?
		[ "$status" -eq 123 ]
		[ "$(wc -l <out)" -eq 1 ]
		status=0
		in_shell "$1" -c ". jobctl.sh; job() { :; }; echo junk | process 3" 2>out || status=$?
		[ "$status" -eq 125 ]
		[ "$(wc -l <out)" -eq 1 ]
	}
	everywhere fails
}

@test "junk from a job, a megabyte of it, on its lease and on the inlet harms nobody" {
	cat >script <<'S'
. jobctl.sh
inlet=$FIFO
job () {
	echo "in $1" >>log
	case $1 in 2) head -c 1000000 /dev/urandom >"$FIFO" ;; 3) head -c 1000000 /dev/urandom >"$inlet" ;; esac
	echo "out $1" >>log
}
jobctrl 2 | process 40
S
	check_junk() {
		in_shell "$1" script 2>out
		[ "$(grep '^in' log | sort -k2n)" = "$(seq 0 39 | sed 's/^/in /')" ]
		[ "$(peak)" -le 3 ]
	}
	everywhere junk
}

@test "a dead dispenser's files are taken over, a live one's path is refused" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; }
jobctrl 2 | process 5
S
	check_stale() {
		dispenser -a -n 3
		status=0
		in_shell "$1" script 2>out || status=$?
		[ "$status" -eq 125 ]
		[ ! -e log ]
		[ "$(wc -l <out)" -eq 1 ]
		kill -KILL "$tokend"
		wait "$tokend" "$reader" || :
		rm pipe
		[ -p "$FIFO" ]
		in_shell "$1" script
		[ "$(wc -l <log)" -eq 5 ]
	}
	everywhere stale
}
