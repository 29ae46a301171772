# batch.sh -- the batches of jobctl.sh, which reads this when the first one
# is opened:
#
#	jobctl_open 8
#	for f in *.wav; do jobctl_run encode "$f"; done
#	jobctl_close || exit
#
# What a batch knows is in _jobctl_b_...; that of one which is not the current one
# is put away in _jobctl_of_NAME_...; _jobctl_pid_LEASE_NAME and _jobctl_id_LEASE_NAME
# are of jobs. (In this order, for a lease may be 3_1, and a name x_3, but not 1_x.) What
# tokend says is described at the top of src/tokend/tokend.c.
# shellcheck disable=SC2030,SC2031,SC2034,SC2119,SC2154 # changed in jobs on purpose; for the caller; by eval

_jobctl_fields='dir news id ended idle special clock extra hook hears leases slots labels result queue head tail failed first ask tasks'
_jobctl_names='' _jobctl_current='' _jobctl_inside='' _jobctl_traps_set='' _jobctl_closing='' _jobctl_draining='' _jobctl_opener=''
_jobctl_b_idle='' _jobctl_b_queue='' _jobctl_b_result=125 _jobctl_b_tasks=''
_jobctl_newline='
'

# The arguments as a shell would read them again.
_jobctl_quote ()
{
	_jobctl_quoted=
	for _jobctl_rest in "$@"; do
		_jobctl_quoted="$_jobctl_quoted '"
		while case $_jobctl_rest in *\'*) ;; *) false ;; esac; do
			_jobctl_quoted="$_jobctl_quoted${_jobctl_rest%%\'*}'\\''"
			_jobctl_rest=${_jobctl_rest#*\'}
		done
		_jobctl_quoted="$_jobctl_quoted$_jobctl_rest'"
	done
	_jobctl_quoted=${_jobctl_quoted# }
}

# jobctl_in NAME -- makes another open batch the current one.
jobctl_in ()
{
	case " $_jobctl_names " in
	*" ${1:-?} "*) ;;
	*)
		echo "jobctl_in: ${1-}: no such batch is open" >&2
		return 125
		;;
	esac
	[ "$1" != "$_jobctl_current" ] || return 0
	_jobctl_put_away
	_jobctl_current=$1
	eval "for _jobctl_field in $_jobctl_fields; do
		eval \"_jobctl_b_\$_jobctl_field=\\\${_jobctl_of_${1}_\$_jobctl_field-}\"
	done"
	_jobctl_figures
}

_jobctl_put_away ()
{
	[ -n "$_jobctl_current" ] || return 0
	eval "for _jobctl_field in $_jobctl_fields; do
		eval \"_jobctl_of_${_jobctl_current}_\$_jobctl_field=\\\${_jobctl_b_\$_jobctl_field-}\"
	done"
}

# For the caller to read.
_jobctl_figures ()
{
	JOBCTL_STARTED=$_jobctl_b_id JOBCTL_DONE=$_jobctl_b_ended
	JOBCTL_FAILED=$_jobctl_b_failed JOBCTL_FIRST=$_jobctl_b_first
}

# jobctl_run COMMAND... -- runs it in the background, as soon as fewer than N run.
# In a callback it only notes what is to be run. Returns 0, 123 when the dispenser
# is gone, 125 when this makes no sense.
#
# All in one, for each command costs; see the comments of _jobctl_loop in
# process.sh.
jobctl_run ()
{
	case $_jobctl_inside$_jobctl_b_extra$_jobctl_b_ask/$_jobctl_b_result/$_jobctl_b_idle/$#/$_jobctl_b_tasks$_jobctl_b_queue in
	/0//[1-9]*/)
		IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" || _jobctl_again
		case $_jobctl_word in
		'')
			eval "wait \"\$_jobctl_pid_${_jobctl_lease}_$_jobctl_current\"" || _jobctl_ended "$?" ||
				return "$_jobctl_b_result"
			JOBCTL_DONE=$((_jobctl_b_ended += 1))
			;;
		*)
			_jobctl_line
			_jobctl_pick "$@" || return "$_jobctl_status"
			;;
		esac
		;;
	/0/[1-9]*' /'[1-9]*) _jobctl_lease=${_jobctl_b_idle%% *} _jobctl_b_idle=${_jobctl_b_idle#* } ;;
	*) _jobctl_pick "$@" || return "$_jobctl_status" ;;
	esac
	JOBCTL_STARTED=$((_jobctl_b_id += 1))
	if :; then # not in braces: for what is started there, zsh may lose the status
		{
			trap '' INT
			JOBCTL_ID=$_jobctl_b_id JOBCTL_SLOT=$_jobctl_lease
			export JOBCTL_ID JOBCTL_SLOT FIFO="$_jobctl_b_dir/fifo.d/$_jobctl_lease"
			case $_jobctl_closing in
			' 8<&-') exec 8<&- ;; # as a rule; what is not parsed here, is not copied
			*) # of more batches, or of workers, too
				eval "exec $_jobctl_closing"
				_jobctl_w_open='' _jobctl_w_inside=''
				;;
			esac
			_jobctl_closing='' _jobctl_names='' _jobctl_b_result=125 # a job may have batches of its own
			case $_jobctl_b_special in
			'') "$@" ;;
			*) _jobctl_special "$@" ;;
			esac
		} </dev/null &
	fi 9>|"$_jobctl_b_dir/fifo.d/$_jobctl_lease"
	case $? in
	0)
		eval "_jobctl_pid_${_jobctl_lease}_$_jobctl_current=$! \
			_jobctl_id_${_jobctl_lease}_$_jobctl_current=$_jobctl_b_id"
		;;
	*) _jobctl_no_lease ;;
	esac
}

# Finds an idle lease; or returns 1 and sets the status of jobctl_run.
_jobctl_pick ()
{
	_jobctl_status=0
	if [ "$#" -eq 0 ] || [ -z "$_jobctl_names" ]; then
		echo 'jobctl_run: needs a command, and an open batch' >&2
		_jobctl_status=125
		return 1
	fi
	if [ -n "$_jobctl_inside" ]; then
		_jobctl_later "$@"
		return 1
	fi
	[ -z "$_jobctl_b_queue" ] || _jobctl_drain # those come first
	while [ "$_jobctl_b_result" -eq 0 ] && [ -z "$_jobctl_b_idle" ]; do
		case $_jobctl_b_ask in may) _jobctl_want ;; esac
		_jobctl_hear
	done
	if [ -n "$_jobctl_b_extra" ] && [ "$_jobctl_b_result" -eq 0 ]; then
		_jobctl_consider "$@" || return 1
	fi
	if [ "$_jobctl_b_result" -ne 0 ]; then
		_jobctl_status=$_jobctl_b_result
		return 1
	fi
	_jobctl_lease=${_jobctl_b_idle%% *} _jobctl_b_idle=${_jobctl_b_idle#* }
	[ -z "$_jobctl_b_extra" ] || _jobctl_note
}

# The shell has said that it could not open the lease. Where that is still there,
# this shell is the cause.
_jobctl_no_lease ()
{
	JOBCTL_STARTED=$((_jobctl_b_id -= 1))
	_jobctl_b_result=125
	[ -p "$_jobctl_b_dir/fifo.d/$_jobctl_lease" ] || _jobctl_b_result=123
	return "$_jobctl_b_result"
}

# What only some jobs need, in their own subshell.
_jobctl_special ()
{
	JOBCTL_SLOT=${_jobctl_lease%%_*}
	[ -z "$_jobctl_b_labels" ] ||
		eval "export JOBCTL_LABEL=\"\$_jobctl_label_${_jobctl_current}_$JOBCTL_SLOT\""
	[ -z "$_jobctl_b_extra" ] || _jobctl_outfit
	[ -z "$_jobctl_b_clock" ] || echo + >&9 # the clock of the lease starts
	"$@"
	return "$(($? > 255 ? $? & 127 | 128 : $?))" # ksh93: 256 + signal
}

# A line of what the dispenser says.
_jobctl_hear ()
{
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" || _jobctl_again
	case $_jobctl_word in
	'')
		case $_jobctl_b_tasks in
		'')
			eval "wait \"\$_jobctl_pid_${_jobctl_lease}_$_jobctl_current\"" || _jobctl_ended "$?" || :
			eval "_jobctl_pid_${_jobctl_lease}_$_jobctl_current="
			JOBCTL_DONE=$((_jobctl_b_ended += 1)) _jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease "
			;;
		*) _jobctl_task_home ;;
		esac
		case $_jobctl_b_queue in ?*) _jobctl_drain ;; esac
		;;
	*) _jobctl_line ;;
	esac
}

# After a read that failed: a signal may have been the reason, and at the end of
# the pipe each read fails.
_jobctl_again ()
{
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" && return
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" && return
	_jobctl_lease=gone _jobctl_word=away _jobctl_rest=''
}

# The lines that are not said for every job: the word comes first.
_jobctl_line ()
{
	_jobctl_first=$_jobctl_lease _jobctl_lease=$_jobctl_word _jobctl_word=$_jobctl_first
	case $_jobctl_word in
	done)
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease "
		_jobctl_collect_one
		;;
	free)
		case "$_jobctl_b_leases " in # there may be many such lines for each
		*" $_jobctl_lease "*) ;;
		*) _jobctl_b_leases="$_jobctl_b_leases $_jobctl_lease" ;;
		esac
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease " _jobctl_b_ask=${_jobctl_b_ask:+may}
		;;
	early) # the job goes on under its old lease; its slot has a new one
		_jobctl_b_special=1
		case "$_jobctl_b_leases " in
		*" $_jobctl_rest "*) ;;
		*) _jobctl_b_leases="$_jobctl_b_leases $_jobctl_rest" ;;
		esac
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_rest "
		;;
	gone)
		case $_jobctl_lease in
		away)
			_jobctl_end
			_jobctl_gone
			;;
		*) _jobctl_collect_one ;;
		esac
		;;
	said)
		[ -z "$_jobctl_b_hears" ] || {
			eval "_jobctl_id=\$_jobctl_id_${_jobctl_lease}_$_jobctl_current"
			_jobctl_call "$_jobctl_b_hears" "$_jobctl_id" "$_jobctl_rest"
		}
		;;
	slot)
		_jobctl_b_labels=1 _jobctl_b_special=1
		eval "_jobctl_label_${_jobctl_current}_$_jobctl_lease=\$_jobctl_rest"
		;;
	fail) _jobctl_b_result=$_jobctl_lease ;;
	late) _jobctl_end_late ;;
	stop)
		_jobctl_b_result=123
		case $_jobctl_lease in
		killed)
			_jobctl_end
			_jobctl_collect_all
			;;
		limit)
			_jobctl_end
			_jobctl_end_jobs
			_jobctl_b_result=124
			;;
		esac
		;;
	esac
	case $_jobctl_b_queue in ?*) _jobctl_drain ;; esac
}

# The job of the lease has ended, or is about to; what it left, and took, seconds.
_jobctl_collect_one ()
{
	eval "_jobctl_pid=\${_jobctl_pid_${_jobctl_lease}_$_jobctl_current-}
		_jobctl_pid_${_jobctl_lease}_$_jobctl_current="
	[ -n "$_jobctl_pid" ] || return 0
	_jobctl_status=0
	wait "$_jobctl_pid" 2>/dev/null || _jobctl_status=$? # ksh93 and mksh tell how it died
	JOBCTL_DONE=$((_jobctl_b_ended += 1))
	[ "$_jobctl_status$_jobctl_b_hook$_jobctl_b_extra" = 0 ] ||
		_jobctl_ended "$_jobctl_status" "$_jobctl_pid" || :
}

# _jobctl_ended STATUS [PID] -- of a job that failed, or of any where the caller wants
# to know. Returns the result of the batch, for a trap may have ended that meanwhile.
_jobctl_ended ()
{
	eval "_jobctl_outcome \"$1\" \"\${2:-\$_jobctl_pid_${_jobctl_lease}_$_jobctl_current}\"
		_jobctl_id=\$_jobctl_id_${_jobctl_lease}_$_jobctl_current
		_jobctl_pid_${_jobctl_lease}_$_jobctl_current="
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
	[ -z "$_jobctl_b_hook" ] || _jobctl_call "$_jobctl_b_hook" "$_jobctl_id" "$_jobctl_status" \
		"$_jobctl_rest" "${_jobctl_lease%%_*}"
	return "$_jobctl_b_result"
}

# A function of the caller, in the middle of ours. Where /dev/null cannot be opened, which the
# shell says, it was not called, and the batch comes to an end: as here, so in other parts.
_jobctl_call ()
{
	_jobctl_inside=$_jobctl_current
	if { "$@" || :; } </dev/null; then
		jobctl_in "$_jobctl_inside"
	else
		_jobctl_b_result=125
	fi
	_jobctl_inside=''
}

# What a callback wants to be run: after what others wanted before.
_jobctl_later ()
{
	_jobctl_quote "$@"
	_jobctl_quoted="jobctl_run $_jobctl_quoted"
	_jobctl_enqueue
}

_jobctl_enqueue ()
{
	eval "_jobctl_queue_${_jobctl_current}_$_jobctl_b_tail=\$_jobctl_quoted"
	_jobctl_b_tail=$((_jobctl_b_tail + 1)) _jobctl_b_queue=1
}

_jobctl_drain ()
{
	[ -z "$_jobctl_draining" ] || return 0
	_jobctl_draining=1
	while case $_jobctl_b_queue$_jobctl_b_result$_jobctl_b_idle in 10?*) ;; *) false ;; esac; do
		eval "_jobctl_quoted=\$_jobctl_queue_${_jobctl_current}_$_jobctl_b_head
			unset _jobctl_queue_${_jobctl_current}_$_jobctl_b_head"
		_jobctl_b_head=$((_jobctl_b_head + 1))
		case $_jobctl_b_head in "$_jobctl_b_tail") _jobctl_b_queue='' ;; esac
		eval "$_jobctl_quoted || :" # within: in mksh the caller's -e would end an eval before "||"
	done
	_jobctl_draining=''
}

# jobctl_tasks [-v] [-r TRIES] WORKER RESULT [ERROR] -- what jobctl_task, defined with it,
# adds to the current batch; see tasks.sh.
jobctl_tasks ()
{
	_jobctl_part tasks
	_jobctl_tasks ${1+"$@"}
}

# jobctl_wait -- for all jobs of the current batch that were started so far, and for
# those that callbacks add. 0, or 1 when any has failed, 123 when jobs could not be
# started.
jobctl_wait ()
{
	_jobctl_may wait || return
	_jobctl_drain # what callbacks of another batch want: no line of this one may come
	while [ "$_jobctl_b_result" -eq 0 ]; do
		case $_jobctl_b_ask/$_jobctl_b_queue in
		may/?*) _jobctl_want ;;
		*/?*) ;;
		*) [ "$_jobctl_b_ended" -lt "$_jobctl_b_id" ] || break ;;
		esac
		_jobctl_hear
	done
	if [ "$_jobctl_b_result" -ne 0 ]; then
		_jobctl_end
		_jobctl_collect_all
		_jobctl_figures
		[ "$_jobctl_b_result" -eq 1 ] || return "$_jobctl_b_result" # 1: -H now, and perhaps none failed
	fi
	_jobctl_figures
	[ -z "$_jobctl_b_extra" ] || [ "${_jobctl_b_halted:-1}" -eq 1 ] || return "$_jobctl_b_halted"
	[ "$_jobctl_b_failed" -eq 0 ]
}

# Whether one may wait here; what for, is said when not.
_jobctl_may ()
{
	[ -z "$_jobctl_current" ] || [ -n "$_jobctl_inside" ] || return 0
	echo "jobctl_$1: no batch is open, or this is a callback" >&2
	return 125
}

# jobctl_close -- waits, and ends the current batch; another one, if open, becomes
# the current one. Returns as jobctl_wait does.
#
# The ends of a batch are in a part of their own.
jobctl_close ()
{
	_jobctl_end
	_jobctl_close
}

# jobctl_stop -- ends the jobs of all open batches and all that they started, and
# starts no more: for the caller's own traps. The batches are still to be closed.
jobctl_stop ()
{
	_jobctl_end
	_jobctl_stop_all
}

# The trap of those signals for which the caller has none.
_jobctl_die ()
{
	trap '' INT TERM HUP
	_jobctl_end
	_jobctl_die_of "$1"
}

_jobctl_end ()
{
	_jobctl_part end
}

# jobctl_say TEXT -- in a job: tells the function of -m. Each line is one message.
jobctl_say ()
{
	_jobctl_rest=$*
	while case $_jobctl_rest in *'
'*) ;; *) false ;; esac; do
		_jobctl_text=${_jobctl_rest%%'
'*}
		printf ':%s\n' "$_jobctl_text" >&9
		_jobctl_rest=${_jobctl_rest#*'
'}
	done
	printf ':%s\n' "$_jobctl_rest" >&9
}
