# process.sh -- "process" of jobctl.sh: in jobs.sh a batch of the name 0, here a loop of its own.
# jobctrl has made the dispenser, which writes to standard input. Descriptor 8 is a list.
# shellcheck disable=SC2034,SC2154 # for the caller, and other parts; by eval

# process M          -- calls "job ID" for the ids 0 to M-1
# process - FILE     -- calls "job LINE" for each line of the file
# process - DIGIT    -- of the descriptor
# Returns 0 when all jobs succeeded, 1 when some failed, 123 when the dispenser went
# away, 125 when nothing could be started, 128+n when signal n came and the caller has
# a trap for it.
_jobctl_process ()
{
	JOBCTL_DONE=0 JOBCTL_FAILED=0 JOBCTL_FIRST=''
	_jobctl_p_id=0 _jobctl_p_limit='' _jobctl_p_list='' _jobctl_p_signal='' _jobctl_p_last=${!-}
	_jobctl_check_process ${1+"$@"} || return 125
	_jobctl_p_detour=$_jobctl_p_list
	unset _jobctl_p_line # set only where there is a list
	[ -z "$_jobctl_names" ] || _jobctl_put_away
	_jobctl_p_names=$_jobctl_names _jobctl_p_outer=$_jobctl_current
	_jobctl_fresh
	_jobctl_names='' _jobctl_current=0 _jobctl_b_news=0
	_jobctl_b_fifo=${FIFO:-${TMPDIR:-/tmp}/jobctl.$$.fifo}
	_jobctl_greet || _jobctl_b_result=$?
	if [ "$_jobctl_b_result" -eq 0 ]; then
		_jobctl_ask_traps "$_jobctl_b_fifo.d/traps" p
		for _jobctl_trap in INT TERM HUP; do # those that the caller does not ignore
			eval "[ -z \"\$_jobctl_p_$_jobctl_trap\" ]" || eval "trap \
				'_jobctl_caught _jobctl_stop_process $_jobctl_trap' $_jobctl_trap"
		done
		case $_jobctl_p_list/${2-} in
		/*) _jobctl_loop ;;
		-/[0-9]) _jobctl_loop 8<&"$2" ;;
		*) _jobctl_loop 8<"$2" ;;
		esac
		while [ "$_jobctl_b_ended" -lt "$_jobctl_b_id" ]; do
			_jobctl_hear
		done
		_jobctl_part end
		_jobctl_end_process
	fi
	_jobctl_p_result=$_jobctl_b_result
	[ "$_jobctl_p_result" -ne 0 ] || [ "$_jobctl_b_failed" -eq 0 ] || _jobctl_p_result=1
	JOBCTL_DONE=$((_jobctl_p_id - _jobctl_b_id + _jobctl_b_ended))
	JOBCTL_FAILED=$_jobctl_b_failed JOBCTL_FIRST=$_jobctl_b_first
	_jobctl_names=$_jobctl_p_names _jobctl_current='' _jobctl_p_list=''
	[ -z "$_jobctl_names" ] || _jobctl_switch "$_jobctl_p_outer"
	if [ -n "$_jobctl_p_signal" ]; then
		_jobctl_raise "$_jobctl_p_signal"
		_jobctl_p_result=$_jobctl_status
	fi
	return "$_jobctl_p_result"
}

# Whether process was called with something that makes sense; 125 after a message.
_jobctl_check_process ()
{
	case ${1-} in
	-)
		_jobctl_p_list=-
		_jobctl_argument process: "$@" || return 125
		case $2 in
		[0-9]) eval "{ :; } <&$2" 2>/dev/null ;;
		*) [ -r "$2" ] && [ ! -d "$2" ] ;;
		esac || _jobctl_refuse "process: $2: this list cannot be read" || return 125
		;;
	*)
		_jobctl_number process: "${1-}" || return 125
		_jobctl_p_limit=$_jobctl_n
		;;
	esac
	_jobctl_grace process: && _jobctl_command process: job
}

# The first line: the dispenser is there, or has said why not.
_jobctl_greet ()
{
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_detail || _jobctl_again
	case $_jobctl_lease in
	ready) ;;
	fail) return "$_jobctl_word" ;;
	away)
		echo "process: $_jobctl_b_fifo: no dispenser there" >&2
		return 123
		;;
	*) _jobctl_refuse 'process: standard input is not what jobctrl writes' || return 125 ;;
	esac
	[ "$_jobctl_detail" != pace ] || _jobctl_b_clock=1
	if command -v job_done >/dev/null 2>&1; then
		_jobctl_b_hook=job_done _jobctl_b_caller=_jobctl_job_done _jobctl_b_clock=1
	elif [ -p "$_jobctl_b_fifo" ]; then
		_jobctl_tell @brief "$_jobctl_b_fifo" # nobody asks for seconds
	fi
	_jobctl_b_special=$_jobctl_b_clock$_jobctl_p_list
}

# The hot path: a line read, a job waited for, a job started; no exec, and not
# a command more than it takes: each costs time in the shell, and what a job's
# subshell touches the kernel has to copy. So the dispenser says just the name of
# the lease that came home. While it does, as many jobs end as are started: neither
# is counted in the figures of the batch, and _jobctl_p_id is the id of the next job.
#
# This shell opens the lease, so that there is no instant at which the job could
# die without it. The job's own subshell stays until the job has ended: it holds
# the lease even when the job's program closes all descriptors (ssh, sudo).
_jobctl_loop ()
{
	while
		IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_detail || _jobctl_again
		case $_jobctl_word in
		'')
			eval "wait \"\${_jobctl_pid_${_jobctl_lease}_0:-\$!}\"" ||
				_jobctl_ended "$?" || :
			;;
		*)
			_jobctl_line
			case $_jobctl_b_result$_jobctl_b_idle in
			0?*) _jobctl_take ;;
			*) _jobctl_lease='' ;;
			esac
			;;
		esac
		case $_jobctl_p_detour$_jobctl_p_id/$_jobctl_lease in
		-* | "$_jobctl_p_limit"/* | */) _jobctl_next ;;
		esac
	do
		{
			{
				trap '' INT # not so in bash, mksh and posh, for INT is trapped here
				export JOBCTL_ID="$_jobctl_p_id" JOBCTL_SLOT="$_jobctl_lease" \
					JOBCTL_LABEL='' FIFO="$_jobctl_b_fifo.d/$_jobctl_lease"
				case $_jobctl_b_special in
				?*) _jobctl_special job "${_jobctl_p_line-$_jobctl_p_id}" ;;
				*) job "$_jobctl_p_id" ;;
				esac
				exit "$(($? > 255 ? $? & 127 | 128 : $?))" # ksh93: 256 + signal
			} </dev/null &
		} 9>|"$_jobctl_b_fifo.d/$_jobctl_lease"
		# Not asked with || or if: that would switch the caller's -e off in jobs.
		case $? in
		0)
			eval "_jobctl_pid_${_jobctl_lease}_0=$!
				_jobctl_id_${_jobctl_lease}_0=$_jobctl_p_id"
			_jobctl_p_id=$((_jobctl_p_id + 1))
			;;
		*) _jobctl_no_lease || return 0 ;;
		esac
	done
}

# Finds a lease for the next job, and its line in the list. 1 when no more jobs are to be started.
_jobctl_next ()
{
	while [ "$_jobctl_b_result" -eq 0 ] && [ "$_jobctl_p_id" != "$_jobctl_p_limit" ]; do
		if [ -n "$_jobctl_lease" ]; then
			[ -n "$_jobctl_p_list" ] || return 0
			IFS= read -r _jobctl_p_line <&8 && return 0
			[ -z "$_jobctl_p_line" ] || return 0
			_jobctl_p_limit=$_jobctl_p_id
		elif [ -n "$_jobctl_b_idle" ]; then
			_jobctl_take
		else
			_jobctl_hear
			_jobctl_lease=''
		fi
	done
	if [ -n "$_jobctl_lease" ]; then # counted as used
		eval "_jobctl_pid_${_jobctl_lease}_0="
		_jobctl_b_ended=$((_jobctl_b_ended + 1))
	fi
	return 1
}

# An idle lease is used.
_jobctl_take ()
{
	_jobctl_lease=${_jobctl_b_idle%% *} _jobctl_b_idle=${_jobctl_b_idle#* }
	_jobctl_b_id=$((_jobctl_b_id + 1))
}

# _jobctl_job_done job_done ARGUMENT... -- it may have batches of its own, and use those of the
# caller: while it runs, process is no open batch.
_jobctl_job_done ()
{
	_jobctl_names=$_jobctl_p_names _jobctl_called=1
	if [ -n "$_jobctl_names" ]; then
		_jobctl_switch "$_jobctl_p_outer"
		JOBCTL_DONE=$_jobctl_of_0_ended
		JOBCTL_FAILED=$_jobctl_of_0_failed JOBCTL_FIRST=$_jobctl_of_0_first
	fi
	{ "$@" || :; } </dev/null || _jobctl_called=''
	_jobctl_p_names=$_jobctl_names _jobctl_names=''
	if [ "$_jobctl_current" != 0 ]; then
		_jobctl_p_outer=$_jobctl_current
		_jobctl_switch 0
		_jobctl_figures
	fi
	[ -n "$_jobctl_called" ] || _jobctl_no_more 125
}
