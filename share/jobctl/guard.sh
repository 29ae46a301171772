# guard.sh -- makes the directory of a batch of jobctl.sh, and the dispenser there. Run by
# the script as
#
#	sh guard.sh PID DIRECTORY N 'OPTIONS OF TOKEND'
#
# which ends as soon as the script can open DIRECTORY/news. What it leaves is the guard: no child
# of the script, for a "wait" there would wait for it. The directory is the guard's from the first
# instant, and is removed whatever becomes of the script.
# shellcheck disable=SC2094 # both ends of a FIFO

trap '' INT TERM HUP
[ "$PPID" -eq "$1" ] || exit # the script has died, and its pid may be used again
if ! command -v tokend >/dev/null 2>&1; then
	echo 'jobctl_open: tokend: not found on PATH' >&2
	exit 125
fi
mkdir -m 700 "$2" || exit
if ! mkfifo -m 600 "$2/news"; then # whatever the umask is: who cannot open it, waits
	rm -rf "$2"
	exit 125
fi
case $4 in *" '-B' '-"[Dgkt]*) exec 9>&1 ;; esac # where -B out=9 shows the output of jobs
_jobctl_newline='
' # as it is quoted
exec </dev/null >/dev/null # what the shell puts away below is to be nothing of the script's
: >"$2/news" & # an end of a FIFO can only be opened where somebody opens the other
{
	{
		_jobctl_status=0
		eval "tokend -a -e -W \"\$1\" $4 -n \"\$3\" -- \"\$2/fifo\" </dev/null" ||
			_jobctl_status=$?
		if [ "$_jobctl_status" -gt 128 ]; then
			echo "jobctl_open: $2: tokend was killed; no more jobs are started" >&2
			_jobctl_status=0
			tokend -a -e -W "$1" -r -- "$2/fifo" </dev/null || _jobctl_status=123
		fi
		[ "$_jobctl_status" -eq 0 ] || echo fail "$_jobctl_status"
		_jobctl_tries=0 # tokend may fail before the script opens news; or that is dead
		until [ -e "$2/opened" ] || ! kill -0 "$1" 2>/dev/null; do
			sleep "$((_jobctl_tries / 100))"
			[ "$_jobctl_tries" -eq 100 ] || _jobctl_tries=$((_jobctl_tries + 1))
		done
		# At once: who opens a FIFO that has just gone makes a file, and waits.
		[ ! -d "$2/keep" ] || mv "$2/keep" "$2/gone"
		rm -rf "$2" 2>/dev/null || rm -rf "$2" # a job of a dead script may have made a file
	} <"$2/news" & # the script is not needed to read what tokend says
} <"$2/news" >"$2/news" || {
	kill -KILL "$!" 2>/dev/null # nobody opens the other end for it
	exit 125
}
exit 0
