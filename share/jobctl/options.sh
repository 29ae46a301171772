# options.sh -- what jobs themselves do for some options of jobctl_open; read when the first of
# these is given.
# shellcheck disable=SC2154 # the variables of jobs.sh

# In the job: its output, its priority, the number of its try.
_jobctl_outfit () {
	case $_jobctl_b_output in
	kept) _jobctl_write_to "$FIFO" ;;
	files) _jobctl_write_to "$_jobctl_b_directory/$JOBCTL_ID" ;;
	esac
	[ -z "$_jobctl_b_nice" ] || _jobctl_be_nice
	[ -z "$_jobctl_b_tries" ] || export JOBCTL_TRY="$_jobctl_try"
}

# Tried before: when exec fails, mksh exits with 0, and other shells go on.
_jobctl_write_to () {
	{ :; } >|"$1.out" 2>|"$1.err" || exit 125
	exec >|"$1.out" 2>|"$1.err"
}

_jobctl_be_nice () {
	sh -c 'echo "$PPID"' >|"$FIFO.pid" # not by $(): which shell would tell?
	IFS=' ' read -r _jobctl_pid <"$FIFO.pid"
	_jobctl_renice "$_jobctl_pid"
}

# By POSIX renice adds what -n says; on Linux it sets that. So the outcome is looked at.
# shellcheck disable=SC2004 # ps puts blanks in front of the number
_jobctl_renice () {
	if ! _jobctl_n=$(ps -o nice= -p "$1" 2>/dev/null); then
		renice -n "$_jobctl_b_nice" -p "$1" >/dev/null
		return "$?"
	fi
	_jobctl_n=$(($_jobctl_n + $_jobctl_b_nice))
	renice -n "$_jobctl_b_nice" -p "$1" >/dev/null 2>&1 || :
	[ "$(($(ps -o nice= -p "$1")))" -eq "$_jobctl_n" ] ||
		renice -n "$_jobctl_n" -p "$1" >/dev/null
}
