# jobctl.sh -- run jobs, at most N at once:   jobctrl N | process M
#
# To be sourced, by any POSIX shell, with tokend and tokstop on PATH. It defines
# functions and changes nothing else; see jobctl.sh(7).
#
# Private names begin with _jobctl_. A job's lease is its descriptor 9.

# jobctrl [N [option of tokend...]] -- the dispenser: the left side of the pipe.
# Stays beside tokend, whatever the terminal's group is sent: should tokend be
# killed, another one keeps the leases open, so that nothing blocks, until the
# jobs that run have ended.
jobctrl ()
{
	trap '' INT TERM HUP
	_jobctl_fifo=${FIFO:-${TMPDIR:-/tmp}/jobctl.$$.fifo}
	_jobctl_status=0
	if ! command -v tokend >/dev/null 2>&1; then
		echo 'jobctrl: tokend: not found on PATH' >&2
		echo fail 125
		return 125
	fi
	if [ "$#" -eq 0 ]; then
		tokend -a -w -- "$_jobctl_fifo" </dev/null || _jobctl_status=$?
	else
		_jobctl_count=$1
		shift # posh calls an empty "$@" unset
		tokend -a -w -n "$_jobctl_count" ${1+"$@"} -- "$_jobctl_fifo" </dev/null ||
			_jobctl_status=$?
	fi
	if [ "$_jobctl_status" -gt 128 ]; then
		echo "jobctrl: $_jobctl_fifo: tokend was killed; no more jobs are started" >&2
		tokend -a -w -r -- "$_jobctl_fifo" </dev/null || echo fail 123
		return 123
	fi
	case $_jobctl_status in
	0) return 0 ;;
	[1-9]) _jobctl_status=125 ;; # the shell's own: it could not begin
	esac
	echo fail "$_jobctl_status"
	return "$_jobctl_status"
}

# process M | - FILE | - DIGIT -- the attendant: the right side of the pipe. See
# jobctl-process.sh.
#
# jobctl_open [option...] [N] -- a batch: see jobctl-open.sh, and jobctl-batch.sh, which
# defines jobctl_run, jobctl_wait, jobctl_close and others.
#
# Either part is read when it is first needed: what a shell has read costs with each
# fork. (A function that defines itself anew would be the end of posh.)
process ()
{
	if [ -z "${_jobctl_process-}" ]; then
		# shellcheck source=share/jobctl-process.sh
		. jobctl-process.sh
	fi
	_jobctl_process "$@"
}

jobctl_open ()
{
	if [ -z "${_jobctl_fields-}" ]; then
		# shellcheck source=share/jobctl-batch.sh
		. jobctl-batch.sh
		# shellcheck source=share/jobctl-open.sh
		. jobctl-open.sh
	fi
	_jobctl_open ${1+"$@"} # posh calls an empty one unset
}

# jobctl_connections [option...] command [arg...] -- for the jobs of a batch: see
# jobctl-connections.sh, which defines jobctl_on.
jobctl_connections ()
{
	if [ -z "${_jobctl_turn-}" ]; then
		# shellcheck source=share/jobctl-connections.sh
		. jobctl-connections.sh
	fi
	_jobctl_connections ${1+"$@"}
}

# jobctl_workers [option...] ANSWER WORKER [ARG...] -- see jobctl-workers.sh, which defines
# jobctl_ask, jobctl_answers and jobctl_workers_end.
jobctl_workers ()
{
	if [ -z "${_jobctl_fields-}" ]; then
		# shellcheck source=share/jobctl-batch.sh
		. jobctl-batch.sh
		# shellcheck source=share/jobctl-open.sh
		. jobctl-open.sh
	fi
	if [ -z "${_jobctl_w_result-}" ]; then
		# shellcheck source=share/jobctl-workers.sh
		. jobctl-workers.sh
	fi
	_jobctl_workers ${1+"$@"}
}

# The other functions come with what is opened; before that they say what is missing. (Who
# reads this file once more keeps those there are.)
_jobctl_unopened ()
{
	case $1 in
	*_stop) return 0 ;; # a trap may come early
	*_ask | *_answers | *_end) echo "$1: there are no workers" >&2 ;;
	*_on) echo 'jobctl_on: this is no job of a batch with connections' >&2 ;;
	*) echo "$1: no batch is open" >&2 ;;
	esac
	return 125
}
for _jobctl_rest in run wait close stop in tasks task on ask answers workers_end; do
	command -v "jobctl_$_jobctl_rest" >/dev/null 2>&1 ||
		eval "jobctl_$_jobctl_rest () { _jobctl_unopened jobctl_$_jobctl_rest; }"
done

# _jobctl_grace NAME -- whether JOBCTL_GRACE is a time: at the end it would be too late to
# complain. 0, or 125 after a message of NAME.
_jobctl_grace ()
{
	case ${JOBCTL_GRACE:-5} in
	. | *[!0-9.]* | *.*.* | ?????????*)
		echo "$1: JOBCTL_GRACE: $JOBCTL_GRACE: not a number of seconds" >&2
		return 125
		;;
	esac
}

# _jobctl_outcome STATUS PID -- sets the status of a job for which a wait said STATUS.
# The caller's trap of a signal ends a wait early, with 128+n or, in ksh93, with what
# the trap left. So it is asked again: 127 means that the last answer was the job's.
# (bash may then say -1 and has lost it.) ksh93 says 256+n of a job that signal n
# killed, yash 384+n.
_jobctl_outcome ()
{
	_jobctl_answer=$1 _jobctl_asked=0
	while
		_jobctl_status=$_jobctl_answer
		[ "$_jobctl_status" -ne 0 ] && [ "$_jobctl_asked" -lt 9 ]
	do
		_jobctl_answer=0 _jobctl_asked=$((_jobctl_asked + 1))
		wait "$2" 2>/dev/null || _jobctl_answer=$?
		[ "$_jobctl_answer" -ne 127 ] || break
		[ "$_jobctl_answer" -ne "$_jobctl_status" ] || [ "$_jobctl_status" -gt 128 ] ||
			[ -n "${KSH_VERSION-}" ] || break
	done
	if [ "$_jobctl_status" -gt 384 ]; then
		_jobctl_status=$((_jobctl_status - 256))
	elif [ "$_jobctl_status" -gt 256 ]; then
		_jobctl_status=$((_jobctl_status - 128))
	elif [ "$_jobctl_status" -lt 0 ]; then
		_jobctl_status=127
	fi
}

# _jobctl_tell WORD [FIFO] -- into the inlet, or the lease that is open. Who reads there may
# have been killed just now, and not be replaced yet: that must not end this shell.
_jobctl_tell ()
{
	(
		trap '' PIPE
		if [ "$#" -eq 2 ]; then exec 9>|"$2"; fi
		echo "$1" >&9
	) 2>/dev/null || :
}

# jobctl_with FIFO command [arg...] -- runs the command, which may be a function,
# in this shell, holding a token of the dispenser there, as descriptor 9. Returns
# the command's status, or tokget's when there is no token.
jobctl_with ()
{
	_jobctl_lease=$(tokget -l -- "$1") || return
	shift
	{
		_jobctl_tell + # from here on the lease is ours alone to keep open
		"$@"
	} 9>|"$_jobctl_lease"
}

# jobctl_hold FIFO -- takes a token for the rest of this shell, or until
# jobctl_release: descriptor 9.
jobctl_hold ()
{
	_jobctl_lease=$(tokget -l -- "$1") || return
	exec 9>|"$_jobctl_lease"
	_jobctl_tell +
}

jobctl_release ()
{
	exec 9>&-
}
