# options.sh -- the part of jobs in some options of jobctl_open; read when the first of these
# options is given.

# In the job: sets its output, its priority and JOBCTL_TRY.
_jobctl_outfit () {
	case $_jobctl_b_output in
	kept) _jobctl_write_to "$FIFO" ;;
	files) _jobctl_write_to "$_jobctl_b_directory/$JOBCTL_ID" ;;
	esac
	[ -z "$_jobctl_b_nice" ] || command jobend -n "$_jobctl_b_nice" || :
	[ -n "$_jobctl_b_tries" ] || return 0
	JOBCTL_TRY=$_jobctl_try
	export JOBCTL_TRY
}

# Opened once before exec: when exec fails, mksh exits with 0, and other shells go on.
_jobctl_write_to () {
	{ :; } >|"$1.out" 2>|"$1.err" || exit 125
	exec >|"$1.out" 2>|"$1.err"
}
