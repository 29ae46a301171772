load ../helper

# Faults at single lines of the library: a pause before one of them, in which something happens.

# pause_before LINE PART -- writes a library with that pause, which keeps $?; 1 if none fits there
pause_before()
{
	awk -v line="$1" '
		NR == line && before ~ /\\$/ { exit 1 } # within a command
		NR == line { print "_jobctl_p=$?; command sleep 0.1; (exit \"$_jobctl_p\")" }
		{ print; before = $0 }' "$top/share/jobctl/$2.sh" >"$JOBCTL_LIB/$2.sh" &&
		dash -n "$JOBCTL_LIB/$2.sh" 2>/dev/null
}

@test "the directory goes, and TERM comes, at any line: the jobs are ended, and nothing hangs" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
job () { echo begun >>log; : <gate; }
case $1 in
plain) jobctl_open 2; for i in 1 2 3 4; do jobctl_run job || break; done; jobctl_close ;;
process) jobctrl 2 | process 4 ;;
esac
S
	cp -r "$top/share/jobctl" lib
	export JOBCTL_LIB=$PWD/lib JOBCTL_GRACE=1
	no_jobs() { ! pgrep -s "$script" >/dev/null; }
	ended_by_more() { ended "$1" || { pause 200; kill -TERM "$1"; false; }; }
	check_lines() {
		local kind part line
		for part in jobs news statuses end; do
			for line in $(shuf -i "2-$(wc -l <"$top/share/jobctl/$part.sh")" -n "${LINES_EACH:-40}"); do
				pause_before "$line" "$part" || continue
				kind=plain
				case $1 in yash | mksh | posh) ;; *) [ $((line % 2)) = 0 ] || kind=process ;; esac
				echo "$kind, $part.sh, line $line" >&2
				rm -f log
				started "$1" script "$kind"
				until_true lines_in 2 log
				if [ $((line % 3)) = 0 ]; then
					rm -f "$here"/jobctl.*/fifo.d/calls "$FIFO.d/calls"
				else
					rm -rf "$here"/jobctl.* "$FIFO" "$FIFO.d"
				fi
				kill -TERM "$script"
				until_true ended_by_more "$script"
				wait "$script" && return 1
				until_true no_jobs
				rm -rf "$here"/jobctl.* "$FIFO.d" "$FIFO"
			done
			cp "$top/share/jobctl/$part.sh" "$JOBCTL_LIB"
		done
	}
	batch lines
}
