load ../helper

# jobctrl and process, in each shell: what they cannot do.

# refused STATUS SHELL SCRIPT -- it ends with that, says one line, and leaves nothing. (The FIFO
# is another each time: ksh93 and zsh do not wait for jobctrl, which may be on its way.)
refused()
{
	FIFO=$here/f$((n += 1))
	run "-$1" in_shell "$2" -c "JOBCTL_LIB=$top/share/jobctl; . jobctl.sh; $3"
	[ "${#lines[@]}" -eq 1 ]
	until_true no_files
}

@test "what process cannot do it says in one line, with 125, and leaves nothing" {
	check_refuses() {
		for args in '' -1 x 1x '- ' '- missing' '- .' '- 7' 99999999999999999999; do
			refused 125 "$1" "job () { :; }; jobctrl 2 | process $args"
		done
		refused 125 "$1" 'jobctrl 2 | process 3'
		refused 125 "$1" 'jobctrl 2 >/dev/null'
	}
	everywhere refuses
}

@test "what the dispenser cannot do comes back as process's status, said once" {
	mkdir empty
	cp "$top/bin/jobctl.sh" empty
	check_fails() {
		for count in 0 -x x 99999999999; do
			refused 125 "$1" "job () { :; }; jobctrl '$count' | process 3"
		done
		refused 125 "$1" "job () { :; }; PATH=$here/empty; jobctrl 2 | process 3"
		[[ "$output" == *'tokend: not found'* ]]
		refused 123 "$1" 'job () { :; }; : | process 3'
		refused 125 "$1" 'job () { :; }; echo junk | process 3'
		echo precious >"$FIFO"
		run -125 in_shell "$1" -c '. jobctl.sh; job () { :; }; jobctrl 2 | process 3'
		[ "${#lines[@]}" -eq 1 ]
		is precious "$FIFO"
		rm "$FIFO"
	}
	everywhere fails
}

@test "junk from a job, a megabyte of it, on its lease and on the inlet harms nobody" {
	cat >script <<'S'
. jobctl.sh
inlet=$FIFO
job () {
	echo "in $1" >>log
	case $1 in
	2) head -c 1000000 /dev/urandom >"$FIFO" ;;
	3) head -c 1000000 /dev/urandom >"$inlet" ;;
	esac
	echo "out $1" >>log
}
jobctrl 2 | process 40
S
	check_junk() {
		in_shell "$1" script 2>out
		same "$(seq 0 39 | sed 's/^/in /')" "$(grep '^in' log | sort -k2n)"
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
		run -125 in_shell "$1" script
		[ "${#lines[@]}" -eq 1 ]
		[ ! -e log ]
		kill -KILL "$tokend"
		wait "$tokend" "$reader" || :
		rm pipe
		[ -p "$FIFO" ]
		in_shell "$1" script
		same 5 "$(wc -l <log)"
	}
	everywhere stale
}
