# jobs.sh -- what batches and "process" of jobctl.sh share: the lines of the dispenser, the ends
# of jobs, the functions of the caller that hear of them. Here "process" is a batch of the name 0,
# which no other can have.
#
# What is known of the current batch is in _jobctl_b_...; _jobctl_pid_LEASE_BATCH and
# _jobctl_id_LEASE_BATCH are of its jobs. (In this order, for a lease may be 3_1, and a batch
# x_3, but not 1_x.) The top of src/tokend/tokend.c describes what the dispenser says.
# shellcheck disable=SC2034,SC2154 # for the caller, and other parts; by eval

# What changes with each job comes first, and so is close together in memory: after a fork, each
# page that is written to is copied.
_jobctl_lease='' _jobctl_word='' _jobctl_detail='' _jobctl_p_id=0 _jobctl_b_id=0 _jobctl_b_ended=0
_jobctl_names='' _jobctl_current='' _jobctl_inside='' _jobctl_closing='' _jobctl_b_plain=''
_jobctl_b_tasks='' _jobctl_p_list=''

# A batch in which nothing has happened yet.
_jobctl_fresh ()
{
	_jobctl_b_id=0 _jobctl_b_noted=0 _jobctl_b_ended=0 _jobctl_b_failed=0 _jobctl_b_first=''
	_jobctl_b_result=0 _jobctl_b_idle='' _jobctl_b_leases='' _jobctl_b_labels=''
	_jobctl_b_plain='' _jobctl_b_special='' _jobctl_b_clock='' _jobctl_b_extra=''
	_jobctl_b_hook='' _jobctl_b_caller=_jobctl_call _jobctl_b_hears='' _jobctl_b_tasks=''
	_jobctl_b_queue='' _jobctl_b_head=0 _jobctl_b_tail=0 _jobctl_b_ask=''
}

# For the caller to read.
_jobctl_figures ()
{
	JOBCTL_STARTED=$_jobctl_b_id JOBCTL_DONE=$_jobctl_b_ended
	JOBCTL_FAILED=$_jobctl_b_failed JOBCTL_FIRST=$_jobctl_b_first
}

# Hears a line of the dispenser: _jobctl_word, _jobctl_lease, and _jobctl_detail, which is said of
# the lease. A lease alone means that its job has ended.
_jobctl_hear ()
{
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_detail <&"$_jobctl_b_news" ||
		_jobctl_again
	case $_jobctl_word in
	'')
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease "
		_jobctl_collect
		case $_jobctl_b_queue in ?*) _jobctl_drain ;; esac
		;;
	*) _jobctl_line ;;
	esac
}

# A read has failed: a trapped signal may be the reason; at the end of the pipe each read fails.
_jobctl_again ()
{
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_detail <&"$_jobctl_b_news" && return 0
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_detail <&"$_jobctl_b_news" && return 0
	_jobctl_lease=away _jobctl_word=0 _jobctl_detail=''
}

# A line of more than a lease: the first word was read as the lease.
_jobctl_line ()
{
	_jobctl_first=$_jobctl_lease _jobctl_lease=$_jobctl_word _jobctl_word=$_jobctl_first
	case $_jobctl_word in
	done)
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease "
		_jobctl_collect
		;;
	free)
		_jobctl_new_lease "$_jobctl_lease"
		_jobctl_b_ask=${_jobctl_b_ask:+may}
		;;
	early) # the job goes on under its old lease; its slot has a new one
		_jobctl_b_special=1
		_jobctl_new_lease "$_jobctl_detail"
		;;
	gone) _jobctl_collect ;;
	said)
		eval "_jobctl_id=\$_jobctl_id_${_jobctl_lease}_$_jobctl_current"
		[ -z "$_jobctl_b_hears" ] ||
			_jobctl_call "$_jobctl_b_hears" "$_jobctl_id" "$_jobctl_detail"
		;;
	slot)
		_jobctl_b_labels=1 _jobctl_b_special=1
		eval "_jobctl_label_${_jobctl_current}_$_jobctl_lease=\$_jobctl_detail"
		;;
	fail) _jobctl_no_more "$_jobctl_lease" ;;
	away | late | stop)
		_jobctl_part end
		"_jobctl_heard_$_jobctl_word"
		;;
	esac
	case $_jobctl_b_queue in ?*) _jobctl_drain ;; esac
}

# _jobctl_new_lease LEASE -- a job can have it; it may be announced many times
_jobctl_new_lease ()
{
	case "$_jobctl_b_leases " in
	*" $1 "*) ;;
	*) _jobctl_b_leases="$_jobctl_b_leases $1" ;;
	esac
	_jobctl_b_idle="$_jobctl_b_idle$1 "
}

# The job of the lease, if there is one, has ended or is about to.
_jobctl_collect ()
{
	eval "_jobctl_pid=\${_jobctl_pid_${_jobctl_lease}_$_jobctl_current-}
		_jobctl_pid_${_jobctl_lease}_$_jobctl_current="
	[ -n "$_jobctl_pid" ] || return 0
	_jobctl_status=0
	wait "$_jobctl_pid" 2>/dev/null || _jobctl_status=$? # ksh93 and mksh tell how it died
	JOBCTL_DONE=$((_jobctl_b_ended += 1))
	case $_jobctl_status$_jobctl_b_hook$_jobctl_b_extra/$_jobctl_b_tasks in
	0/) ;;
	0/*) _jobctl_task_ended ;;
	*) _jobctl_ended "$_jobctl_status" "$_jobctl_pid" || : ;;
	esac
}

# _jobctl_ended STATUS [PID] -- a job has failed, or the caller wants to know of each. Returns
# the result of the batch, for a trap may have ended that meanwhile.
_jobctl_ended ()
{
	_jobctl_status=$1
	eval "_jobctl_pid=\${2:-\${_jobctl_pid_${_jobctl_lease}_$_jobctl_current:-\$!}}
		_jobctl_id=\$_jobctl_id_${_jobctl_lease}_$_jobctl_current
		_jobctl_pid_${_jobctl_lease}_$_jobctl_current="
	[ "$1" -eq 0 ] || _jobctl_outcome "$1" "$_jobctl_pid"
	if [ -n "$_jobctl_b_extra" ] && _jobctl_retry; then
		return "$_jobctl_b_result"
	fi
	if [ "$_jobctl_status" -ne 0 ]; then
		if [ -n "$_jobctl_b_tasks" ] && _jobctl_task_again; then
			return "$_jobctl_b_result"
		fi
		JOBCTL_FAILED=$((_jobctl_b_failed += 1))
		[ -n "$_jobctl_b_first" ] || JOBCTL_FIRST=$_jobctl_id _jobctl_b_first=$_jobctl_id
	fi
	[ -z "$_jobctl_b_extra" ] || _jobctl_settle
	[ -z "$_jobctl_b_tasks" ] || _jobctl_task_ended
	[ -z "$_jobctl_b_hook" ] || "$_jobctl_b_caller" "$_jobctl_b_hook" \
		"$_jobctl_id" "$_jobctl_status" "$_jobctl_detail" "${_jobctl_lease%%_*}"
	return "$_jobctl_b_result"
}

# _jobctl_outcome STATUS PID -- sets the status of a job for which a wait said STATUS. A trap of
# the caller ends a wait early, with 128+n or, in ksh93, with what the trap left. So this asks
# again: 127 means that the last answer was the job's. (bash may then say -1 and has lost it.)
# ksh93 says 256+n of a job that signal n killed, yash 384+n.
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
	[ "$_jobctl_status" -le 256 ] || _jobctl_status=$((_jobctl_status & 127 | 128))
	[ "$_jobctl_status" -ge 0 ] || _jobctl_status=127
}

# _jobctl_call FUNCTION ARGUMENT... -- of the caller, in the middle of ours. When /dev/null cannot
# be opened, the shell says so and does not call it: the batch comes to an end.
_jobctl_call ()
{
	_jobctl_inside=$_jobctl_current
	if { "$@" || :; } </dev/null; then
		jobctl_in "$_jobctl_inside"
	else
		_jobctl_no_more 125
	fi
	_jobctl_inside=''
}

# What only some jobs need, in their own subshell.
_jobctl_special ()
{
	JOBCTL_SLOT=${_jobctl_lease%%_*}
	[ -z "$_jobctl_b_labels" ] ||
		eval "export JOBCTL_LABEL=\"\${_jobctl_label_${_jobctl_current}_$JOBCTL_SLOT-}\""
	case $_jobctl_p_list in ?*) exec 8<&- && _jobctl_p_list='' ;; esac
	[ -z "$_jobctl_b_extra" ] || _jobctl_outfit
	[ -z "$_jobctl_b_clock" ] || echo + >&9 # the clock of the lease starts
	"$@"
	return "$(($? > 255 ? $? & 127 | 128 : $?))" # ksh93: 256 + signal
}

# The shell has said that it could not open the lease. If the lease is still there, this shell
# is the cause; if the batch has a result, a trap that has stopped it is.
_jobctl_no_lease ()
{
	JOBCTL_STARTED=$((_jobctl_b_id -= 1))
	if [ "$_jobctl_b_result" -eq 0 ]; then
		_jobctl_no_more 123
		[ ! -p "$_jobctl_b_fifo.d/$_jobctl_lease" ] || _jobctl_b_result=125
	fi
	return "$_jobctl_b_result"
}

# _jobctl_no_more RESULT -- of the batch: no more jobs are started
_jobctl_no_more ()
{
	_jobctl_b_result=$1 _jobctl_b_plain=''
}

# _jobctl_ask_traps FILE WHOSE -- sets _jobctl_WHOSE_INT, _TERM and _HUP to the actions of the
# caller's traps, or to "-" where it has none. By a file, for $(trap) is empty in zsh.
_jobctl_ask_traps ()
{
	{ trap; } >|"$1"
	_jobctl_whose=$2 _jobctl_traps="_jobctl_${2}_INT=- _jobctl_${2}_TERM=- _jobctl_${2}_HUP=-
"
	while IFS= read -r _jobctl_trap; do
		case $_jobctl_trap in
		'trap -- '*) _jobctl_trap="_jobctl_know_trap ${_jobctl_trap#trap -- }" ;;
		esac
		_jobctl_traps="$_jobctl_traps$_jobctl_trap
"
	done <"$1"
	eval "$_jobctl_traps"
}

# _jobctl_know_trap ACTION SIGNAL -- posh writes no '' for what is ignored
_jobctl_know_trap ()
{
	[ "$#" -gt 1 ] || set -- '' "${1-}"
	case ${2#SIG} in
	INT | TERM | HUP) eval "_jobctl_${_jobctl_whose}_${2#SIG}=\$1" ;;
	esac
}

# _jobctl_caught FUNCTION SIGNAL -- the trap
_jobctl_caught ()
{
	trap '' INT TERM HUP
	_jobctl_part end
	"$@"
}
