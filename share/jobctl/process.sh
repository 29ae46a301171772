# process.sh -- "process" of jobctl.sh, which reads this when it is first called.
#
# A job's lease is its descriptor 9; 8 is the list of "process -". What tokend says
# is described at the top of src/tokend/tokend.c. What job_done may change, by a batch of its own,
# is kept under names that only this file has.

_jobctl_process=1

# process M          -- calls "job ID" for the ids 0 to M-1
# process - FILE     -- calls "job LINE" for each line of the file
# process - DIGIT    -- of the descriptor
# Standard input is what jobctrl writes. Returns 0 when all jobs succeeded, 1
# when some failed, 123 when the dispenser went away, 125 when nothing could be
# started, 128+n when signal n came and the caller has a trap for it.
_jobctl_process ()
{
	_jobctl_fifo=${FIFO:-${TMPDIR:-/tmp}/jobctl.$$.fifo}
	JOBCTL_DONE=0 JOBCTL_FAILED=0 JOBCTL_FIRST='' _jobctl_p_failed=0 _jobctl_p_first=''
	_jobctl_limit='' _jobctl_list='' _jobctl_p_hook='' _jobctl_special='' _jobctl_paced=''
	_jobctl_running=0 _jobctl_signal='' _jobctl_result=0 _jobctl_p_inside=''
	_jobctl_leases='' _jobctl_labels=''
	_jobctl_check "$@" || return
	if command -v job_done >/dev/null 2>&1; then
		_jobctl_p_hook=1 _jobctl_special=1
	fi
	_jobctl_begin || return
	if [ -z "$_jobctl_list" ]; then
		_jobctl_loop
	else
		case $2 in
		[0-9]) _jobctl_loop 8<&"$2" ;;
		*) _jobctl_loop 8<"$2" ;;
		esac
	fi
	_jobctl_finish
}

# What process was called with; complains and returns 125 when it is no use.
_jobctl_check ()
{
	case ${1-} in
	-)
		case ${2-} in
		'')
			echo 'process: - needs a file or the digit of a descriptor' >&2
			return 125
			;;
		[0-9])
			if ! eval "{ :; } <&$2" 2>/dev/null; then
				echo "process: $2: descriptor is not open" >&2
				return 125
			fi
			;;
		*)
			if [ -d "$2" ] || [ ! -r "$2" ]; then
				echo "process: $2: cannot be read" >&2
				return 125
			fi
			;;
		esac
		_jobctl_list=- _jobctl_special=1
		;;
	'' | *[!0-9]* | ???????????????????*)
		echo "process: ${1-}: not a number of jobs" >&2
		return 125
		;;
	*)
		_jobctl_limit=$1
		# 08 is no number in arithmetic
		while case $_jobctl_limit in 0?*) : ;; *) false ;; esac; do
			_jobctl_limit=${_jobctl_limit#0}
		done
		;;
	esac
	_jobctl_grace process || return
	if ! command -v job >/dev/null 2>&1; then
		echo 'process: job: no such function or command' >&2
		return 125
	fi
}

# The first line: the dispenser is there, or has said why not.
_jobctl_greet ()
{
	if ! _jobctl_read; then
		echo "process: $_jobctl_fifo: no dispenser there" >&2
		return 123
	fi
	case $JOBCTL_SLOT in
	ready)
		case $_jobctl_rest in pace) _jobctl_paced=1 _jobctl_special=1 ;; esac
		;;
	fail) return "$_jobctl_word" ;;
	*)
		echo 'process: standard input is not what jobctrl writes' >&2
		return 125
		;;
	esac
	if [ -z "$_jobctl_p_hook" ] && [ -p "$_jobctl_fifo" ]; then
		_jobctl_tell @brief "$_jobctl_fifo" # nobody asks for seconds
	fi
}

# The job's variables are set here and exported in the jobs: an exported one
# costs with each change. This may be a job itself, and has its own.
_jobctl_begin ()
{
	_jobctl_was=${JOBCTL_ID-none}/${JOBCTL_SLOT-}/${JOBCTL_LABEL-}
	unset JOBCTL_ID JOBCTL_SLOT JOBCTL_LABEL
	_jobctl_greet || {
		_jobctl_status=$?
		_jobctl_restore_own
		return "$_jobctl_status"
	}
	: & # so that $! is known, and known not to be a job's
	_jobctl_last=$!
	wait "$_jobctl_last" || :
	JOBCTL_ID=0 JOBCTL_SLOT='' JOBCTL_LABEL=''
	_jobctl_trap
	unset _jobctl_line # set only where there is a list
}

# Sets our traps. The caller's go through a file: $(trap) tells nothing in zsh.
_jobctl_trap ()
{
	_jobctl_traps=
	{ trap; } >|"$_jobctl_fifo.d/traps"
	while IFS= read -r _jobctl_line; do
		case $_jobctl_line in
		'trap -- '*) _jobctl_line="_jobctl_retrap ${_jobctl_line#trap -- }" ;;
		esac
		_jobctl_traps="$_jobctl_traps$_jobctl_line
"
	done <"$_jobctl_fifo.d/traps"
	trap '_jobctl_stop INT' INT
	trap '_jobctl_stop TERM' TERM
	trap '_jobctl_stop HUP' HUP
	_jobctl_mode=ignored
	eval "$_jobctl_traps"
}

# A line of what trap(1) wrote. The caller's other traps are as they were, and
# what it ignores stays ignored. (posh writes no '' for these.)
_jobctl_retrap ()
{
	if [ "$#" -lt 2 ]; then
		set -- '' "${1-}"
	fi
	case ${2#SIG} in
	INT | TERM | HUP)
		if [ "$_jobctl_mode" = restore ] || [ -z "$1" ]; then
			trap -- "$1" "$2"
		fi
		;;
	esac
}

# A line of the dispenser, after a read that failed: a trapped signal may do that
# with nothing read, and at the end of the pipe each read does.
_jobctl_read ()
{
	IFS=' ' read -r JOBCTL_SLOT _jobctl_word _jobctl_rest && return
	IFS=' ' read -r JOBCTL_SLOT _jobctl_word _jobctl_rest
}

# The hot path: a line read, a job waited for, a job started; no exec, and not
# a command more than it takes: each costs time in the shell, and what a job's
# subshell touches the kernel has to copy. So the dispenser says just the name of
# the lease that came home, which is read right into the variable that the job
# sees; and the count of jobs is the next job's id.
#
# JOBCTL_SLOT is the name of a lease here, or empty when the line frees nothing.
# It counts as running while it is not said that nothing is started with it.
#
# This shell opens the lease, so that there is no instant at which the job could
# die without it. The job's own subshell stays until the job has ended: it holds
# the lease even when the job's program closes all descriptors (ssh, sudo).
_jobctl_loop ()
{
	while IFS=' ' read -r JOBCTL_SLOT _jobctl_word _jobctl_rest || _jobctl_read; do
		case $_jobctl_word in
		'') eval "wait \"\${_jobctl_pid_$JOBCTL_SLOT:-\$!}\"" || _jobctl_report "$?" ;;
		*) _jobctl_other ;;
		esac
		case $JOBCTL_ID/$JOBCTL_SLOT$_jobctl_list in
		"$_jobctl_limit"/* | */ | *-)
			_jobctl_next || {
				_jobctl_more || return 0
				continue
			}
			;;
		esac
		{
			{
				trap '' INT # not so in bash, mksh and posh, for INT is trapped here
				export JOBCTL_ID JOBCTL_SLOT JOBCTL_LABEL FIFO="$_jobctl_fifo.d/$JOBCTL_SLOT"
				case $_jobctl_special in ?*) _jobctl_prepare ;; esac
				job "${_jobctl_line-$JOBCTL_ID}"
				exit "$(($? > 255 ? $? & 127 | 128 : $?))" # ksh93: 256 + signal
			} </dev/null &
		} 9>|"$_jobctl_fifo.d/$JOBCTL_SLOT"
		# Not asked with || or if: that would switch the caller's -e off in jobs.
		case $? in
		0)
			eval "_jobctl_pid_$JOBCTL_SLOT=$! _jobctl_id_$JOBCTL_SLOT=$JOBCTL_ID"
			JOBCTL_ID=$((JOBCTL_ID + 1))
			;;
		*) _jobctl_unleased ;;
		esac
	done
	_jobctl_lost
}

# Whether anything is to be waited for.
_jobctl_more ()
{
	[ "$_jobctl_running" -gt 0 ] || [ "$JOBCTL_ID$_jobctl_list" != "$_jobctl_limit" ]
}

# Whether a job is to be started with the lease, where that is not plain: there
# is none, or the jobs are all started, or come from a list.
_jobctl_next ()
{
	[ -n "$JOBCTL_SLOT" ] || return
	eval "_jobctl_pid_$JOBCTL_SLOT="
	if [ -n "$_jobctl_list" ]; then
		_jobctl_line=''
		if IFS= read -r _jobctl_line <&8 || [ -n "$_jobctl_line" ]; then
			return 0
		fi
	fi
	_jobctl_no_more
	_jobctl_running=$((_jobctl_running - 1))
	JOBCTL_SLOT=''
	return 1
}

# No job is started any more.
_jobctl_no_more ()
{
	_jobctl_limit=$JOBCTL_ID _jobctl_list=''
}

# What only some jobs need, in the job's own subshell.
_jobctl_prepare ()
{
	[ -z "$_jobctl_p_hook$_jobctl_paced" ] || echo + >&9 # the clock of the lease starts
	[ -z "$_jobctl_list" ] || exec 8<&-
	JOBCTL_SLOT=${JOBCTL_SLOT%%_*}
	[ -z "$_jobctl_labels" ] || eval "JOBCTL_LABEL=\${_jobctl_label_$JOBCTL_SLOT-}"
}

# _jobctl_report STATUS [PID] -- a job has failed, or the caller wants to know of each.
# In the rest of the line are the seconds.
_jobctl_report ()
{
	[ -z "$_jobctl_signal" ] || return 0 # the trap came while we waited, and has told
	_jobctl_id=''
	eval "_jobctl_outcome \"$1\" \"\${2:-\${_jobctl_pid_$JOBCTL_SLOT:-\$!}}\"
		_jobctl_id=\$_jobctl_id_$JOBCTL_SLOT"
	if [ "$_jobctl_status" -ne 0 ]; then
		_jobctl_p_failed=$((_jobctl_p_failed + 1))
		[ -n "$_jobctl_p_first" ] || _jobctl_p_first=$_jobctl_id
	fi
	JOBCTL_FAILED=$_jobctl_p_failed JOBCTL_FIRST=$_jobctl_p_first
	_jobctl_p_inside=$_jobctl_p_hook
	[ -z "$_jobctl_p_hook" ] || job_done "$_jobctl_id" "$_jobctl_status" "$_jobctl_rest" \
		"${JOBCTL_SLOT%%_*}" </dev/null || :
	_jobctl_p_inside=''
}

# Waits for the job of the lease, which has ended or is about to.
_jobctl_wait ()
{
	_jobctl_status=0
	wait "$1" 2>/dev/null || _jobctl_status=$? # ksh93 and mksh tell how it died
	[ "$_jobctl_status$_jobctl_p_hook" = 0 ] || _jobctl_report "$_jobctl_status" "$1"
}

# The same, where it is not known that one runs there, and nothing follows it.
_jobctl_reap ()
{
	eval "_jobctl_pid=\${_jobctl_pid_$JOBCTL_SLOT-}"
	[ -n "$_jobctl_pid" ] || return 0
	eval "_jobctl_pid_$JOBCTL_SLOT="
	_jobctl_wait "$_jobctl_pid"
	_jobctl_running=$((_jobctl_running - 1))
}

# The word comes first in all lines but the brief one, where there is none.
_jobctl_swap ()
{
	_jobctl_first=$JOBCTL_SLOT
	JOBCTL_SLOT=$_jobctl_word
	_jobctl_word=$_jobctl_first
}

# The lines that are not said for every job, or that say more.
_jobctl_other ()
{
	_jobctl_swap
	case $_jobctl_word in
	done)
		eval "_jobctl_wait \"\${_jobctl_pid_$JOBCTL_SLOT:-\$!}\""
		return
		;;
	free)
		case "$_jobctl_leases " in
		*" $JOBCTL_SLOT "*) ;;
		*) _jobctl_leases="$_jobctl_leases $JOBCTL_SLOT" ;;
		esac
		_jobctl_running=$((_jobctl_running + 1))
		return
		;;
	early) # the job goes on under its old lease; its slot has a new one
		case "$_jobctl_leases " in
		*" $_jobctl_rest "*) ;;
		*) _jobctl_leases="$_jobctl_leases $_jobctl_rest" ;;
		esac
		_jobctl_special=1
		JOBCTL_SLOT=$_jobctl_rest
		_jobctl_running=$((_jobctl_running + 1))
		return
		;;
	gone)
		_jobctl_reap
		;;
	slot)
		_jobctl_labels=1 _jobctl_special=1
		eval "_jobctl_label_$JOBCTL_SLOT=\$_jobctl_rest"
		;;
	fail)
		_jobctl_no_more
		_jobctl_result=$JOBCTL_SLOT
		;;
	stop)
		_jobctl_no_more
		_jobctl_result=123
		case $JOBCTL_SLOT in
		orphan) _jobctl_stop TERM ;;
		killed) _jobctl_collect ;; # jobs that ended meanwhile nobody tells of
		esac
		;;
	esac
	JOBCTL_SLOT=''
}

# Neither tokend nor jobctrl is there any more. The jobs that run still are; a
# tokend that only winds up keeps them from blocking on their leases.
_jobctl_lost ()
{
	[ -z "$_jobctl_signal" ] || return 0
	_jobctl_result=123
	echo "process: $_jobctl_fifo: the dispenser went away; no more jobs are started" >&2
	tokend -r -- "$_jobctl_fifo" </dev/null &
	_jobctl_last=$!
	_jobctl_collect
	wait "$_jobctl_last" || :
}

# The shell has said that it could not open the lease. Where that is still there,
# this shell is the cause; where not, the end of the pipe will come.
_jobctl_unleased ()
{
	_jobctl_no_more
	_jobctl_running=$((_jobctl_running - 1))
	[ -z "$_jobctl_signal" ] || return 0
	_jobctl_result=123
	[ ! -p "$_jobctl_fifo.d/$JOBCTL_SLOT" ] || _jobctl_result=125
}

# Waits for the jobs of which the dispenser has not told.
_jobctl_collect ()
{
	_jobctl_rest=0
	eval "for _jobctl_one in $_jobctl_leases; do
		JOBCTL_SLOT=\$_jobctl_one
		_jobctl_reap
	done"
	_jobctl_running=0 JOBCTL_SLOT=''
}

# All jobs have ended: so does the dispenser.
_jobctl_finish ()
{
	if [ -z "$_jobctl_signal" ]; then
		tokstop -k -- "$_jobctl_fifo" 2>/dev/null || :
		_jobctl_restore
	fi
	_jobctl_restore_own
	if [ -n "$_jobctl_signal" ]; then
		_jobctl_raise
	fi
	if [ "$_jobctl_result" -ne 0 ]; then
		return "$_jobctl_result"
	fi
	[ "$_jobctl_p_failed" -eq 0 ]
}

# The caller's traps.
_jobctl_restore ()
{
	# shellcheck disable=SC2034 # the caller's to read
	JOBCTL_DONE=$((JOBCTL_ID - _jobctl_running)) JOBCTL_FAILED=$_jobctl_p_failed JOBCTL_FIRST=$_jobctl_p_first
	trap - INT TERM HUP
	_jobctl_mode=restore
	eval "$_jobctl_traps"
}

# The caller's variables.
_jobctl_restore_own ()
{
	unset JOBCTL_ID JOBCTL_SLOT JOBCTL_LABEL
	case $_jobctl_was in
	none/*) ;;
	*)
		JOBCTL_ID=${_jobctl_was%%/*} JOBCTL_LABEL=${_jobctl_was#*/}
		JOBCTL_SLOT=${JOBCTL_LABEL%%/*} JOBCTL_LABEL=${JOBCTL_LABEL#*/}
		export JOBCTL_ID JOBCTL_SLOT JOBCTL_LABEL
		;;
	esac
}

# The trap: ends the jobs and all that they have started, and tells what became
# of them. The signal is set when that is done. Our loop goes on with a line that it
# may have read before: there is no lease in that any more. (yash keeps the variable
# of a loop to itself, and would bring the old value back: so JOBCTL_SLOT is none.)
_jobctl_stop ()
{
	[ -z "$_jobctl_signal" ] || return 0
	trap '' INT TERM HUP
	_jobctl_no_more
	if [ -n "$_jobctl_p_inside" ]; then # job_done is not called within itself; its batches end
		_jobctl_p_hook=''
		[ -z "${_jobctl_names-}" ] || jobctl_stop
	fi
	case $1 in
	HUP) _jobctl_result=129 ;;
	INT) _jobctl_result=130 ;;
	*) _jobctl_result=143 ;;
	esac
	_jobctl_pids=''
	if [ "$!" != "$_jobctl_last" ]; then
		_jobctl_pids=$! # perhaps started, and not yet in its variable
	fi
	eval "for _jobctl_one in $_jobctl_leases; do
		eval \"_jobctl_pids=\\\"\\\$_jobctl_pids \\\${_jobctl_pid_\$_jobctl_one-}\\\"\"
	done"
	eval "tokstop -k -g \"\${JOBCTL_GRACE:-5}\" -- \"\$_jobctl_fifo\" $_jobctl_pids" || :
	while _jobctl_read; do
		case $_jobctl_word in ?*) _jobctl_swap ;; esac
		case $_jobctl_word in
		'' | done | gone) _jobctl_reap ;;
		stop) [ "$JOBCTL_SLOT" != killed ] || tokstop -k -- "$_jobctl_fifo" 2>/dev/null || : ;;
		esac
	done
	_jobctl_collect
	_jobctl_restore
	_jobctl_signal=$1
}

# Hands the signal on as if nobody had trapped it; where the caller does have a
# trap, that runs now. $$ is not this shell when the pipe has put us into a
# subshell. In the background: bash takes an INT for handled when it comes while
# a command in the foreground runs, which then ends well. Not in the trap: zsh
# would exit 1.
_jobctl_raise ()
{
	sh -c 'kill -s "$1" "$PPID"' sh "$_jobctl_signal" &
	wait "$!" || :
}
