# batch.sh -- the batches of jobctl.sh, read when the first one is opened:
#
#	jobctl_open 8
#	for f in *.wav; do jobctl_run encode "$f"; done
#	jobctl_close || exit
#
# What is known of a batch that is not the current one is put away in _jobctl_of_NAME_....
# shellcheck disable=SC2030,SC2031 # changed in jobs on purpose
# shellcheck disable=SC2034,SC2119,SC2154 # for the caller; by eval

_jobctl_fields='dir fifo news plain id noted ended idle special clock extra hook caller hears'
_jobctl_fields="$_jobctl_fields leases slots labels result queue head tail failed first ask tasks"
_jobctl_traps_set='' _jobctl_draining='' _jobctl_opener=''
_jobctl_newline='
'

# jobctl_in NAME -- makes another open batch the current one.
jobctl_in ()
{
	case $_jobctl_names in
	*" ${1:-?} "*) ;;
	*) _jobctl_refuse "jobctl_in: ${1-}: no such batch is open" || return 125 ;;
	esac
	[ "$1" != "$_jobctl_current" ] || return 0
	_jobctl_switch "$1"
	_jobctl_figures
}

_jobctl_switch ()
{
	_jobctl_put_away
	_jobctl_current=$1
	eval "for _jobctl_key in $_jobctl_fields; do
		eval \"_jobctl_b_\$_jobctl_key=\\\${_jobctl_of_${1}_\$_jobctl_key-}\"
	done"
}

_jobctl_put_away ()
{
	[ -n "$_jobctl_current" ] || return 0
	eval "for _jobctl_key in $_jobctl_fields; do
		eval \"_jobctl_of_${_jobctl_current}_\$_jobctl_key=\\\${_jobctl_b_\$_jobctl_key-}\"
	done"
}

# jobctl_run COMMAND... -- runs it in the background, as soon as fewer than N run.
# In a callback it only notes what is to be run. Returns 0, 123 when the dispenser
# is gone, 125 when this makes no sense.
#
# All in one, for each command costs: see _jobctl_loop in process.sh. _jobctl_b_plain says that
# a job needs nothing but a lease.
jobctl_run ()
{
	case $_jobctl_inside$_jobctl_b_plain/$# in
	plain/[1-9]*)
		case $_jobctl_b_idle/$_jobctl_b_tasks$_jobctl_b_queue in
		?*/*) _jobctl_lease=${_jobctl_b_idle%% *} _jobctl_b_idle=${_jobctl_b_idle#* } ;;
		/) # nothing else is to be started with the next lease
			IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_detail \
				<&"$_jobctl_b_news" || _jobctl_again
			case $_jobctl_word in
			'')
				eval "wait \"\$_jobctl_pid_${_jobctl_lease}_$_jobctl_current\"" ||
					_jobctl_ended "$?" || return "$_jobctl_b_result"
				JOBCTL_DONE=$((_jobctl_b_ended += 1))
				;;
			*)
				_jobctl_line
				_jobctl_pick "$@" || return "$_jobctl_status"
				;;
			esac
			;;
		*) _jobctl_pick "$@" || return "$_jobctl_status" ;;
		esac
		;;
	*) _jobctl_pick ${1+"$@"} || return "$_jobctl_status" ;;
	esac
	JOBCTL_STARTED=$((_jobctl_b_id += 1))
	if :; then # not in braces: for what is started there, zsh may lose the status
		{
			trap '' INT
			JOBCTL_ID=$_jobctl_b_id JOBCTL_SLOT=$_jobctl_lease
			export JOBCTL_ID JOBCTL_SLOT FIFO="$_jobctl_b_fifo.d/$_jobctl_lease"
			case $_jobctl_closing in
			' 8<&-') exec 8<&- ;; # as a rule; to parse it again would cost
			*) # of more batches, or of workers, too
				eval "exec $_jobctl_closing"
				_jobctl_w_open='' _jobctl_w_inside=''
				;;
			esac
			_jobctl_closing='' _jobctl_names='' _jobctl_b_plain='' # it may open batches
			case $_jobctl_b_special in
			'') "$@" ;;
			*) _jobctl_special "$@" ;;
			esac
		} </dev/null &
	fi 9>|"$_jobctl_b_fifo.d/$_jobctl_lease"
	case $? in
	0)
		eval "_jobctl_pid_${_jobctl_lease}_$_jobctl_current=$! \
			_jobctl_id_${_jobctl_lease}_$_jobctl_current=$_jobctl_b_id \
			_jobctl_b_noted=$_jobctl_b_id"
		;;
	*) _jobctl_no_lease ;;
	esac
}

# _jobctl_pick COMMAND... -- finds an idle lease; or returns 1 and sets the status of jobctl_run
_jobctl_pick ()
{
	_jobctl_status=0
	if [ "$#" -eq 0 ] || [ -z "$_jobctl_names" ]; then
		_jobctl_status=125
		_jobctl_refuse 'jobctl_run: needs a command, and an open batch' || return 1
	fi
	if [ -n "$_jobctl_inside" ]; then
		_jobctl_quote "$@"
		_jobctl_enqueue "jobctl_run $_jobctl_quoted" # after what others wanted before
		return 1
	fi
	[ -z "$_jobctl_b_queue" ] || _jobctl_drain # those come first
	while [ "$_jobctl_b_result" -eq 0 ] && [ -z "$_jobctl_b_idle" ]; do
		_jobctl_need
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

_jobctl_enqueue ()
{
	eval "_jobctl_queue_${_jobctl_current}_$_jobctl_b_tail=\$1"
	_jobctl_b_tail=$((_jobctl_b_tail + 1)) _jobctl_b_queue=1
}

# Runs what callbacks wanted, while there are idle leases.
_jobctl_drain ()
{
	[ -z "$_jobctl_draining" ] || return 0
	_jobctl_draining=1
	while [ -n "$_jobctl_b_queue" ] && [ -n "$_jobctl_b_idle" ] &&
		[ "$_jobctl_b_result" -eq 0 ]; do
		eval "_jobctl_quoted=\$_jobctl_queue_${_jobctl_current}_$_jobctl_b_head
			unset _jobctl_queue_${_jobctl_current}_$_jobctl_b_head"
		_jobctl_b_head=$((_jobctl_b_head + 1))
		case $_jobctl_b_head in "$_jobctl_b_tail") _jobctl_b_queue='' ;; esac
		eval "$_jobctl_quoted || :" # within: after an eval, "||" does not stop -e in mksh
	done
	_jobctl_draining=''
}

# There is a job to start and no idle lease: within make, a token has to be asked for.
_jobctl_need ()
{
	case $_jobctl_b_ask in may) _jobctl_want ;; esac
	_jobctl_hear
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
	_jobctl_may wait || return 125
	_jobctl_drain # what callbacks of another batch want: no line of this one may come
	while [ "$_jobctl_b_result" -eq 0 ]; do
		if [ -n "$_jobctl_b_queue" ]; then
			_jobctl_need
		elif [ "$_jobctl_b_ended" -lt "$_jobctl_b_id" ]; then
			_jobctl_hear
		else
			break
		fi
	done
	if [ "$_jobctl_b_result" -ne 0 ]; then
		_jobctl_part end
		_jobctl_collect_all
	fi
	_jobctl_figures
	case $_jobctl_b_result in 0 | 1) ;; *) return "$_jobctl_b_result" ;; esac # 1: -H now
	if [ -n "$_jobctl_b_extra" ] && [ "${_jobctl_b_halted:-1}" -ne 1 ]; then
		return "$_jobctl_b_halted"
	fi
	[ "$_jobctl_b_failed" -eq 0 ]
}

# Whether there is something to wait for, and this is not a callback.
_jobctl_may ()
{
	[ -z "$_jobctl_names" ] || [ -n "$_jobctl_inside" ] || return 0
	_jobctl_refuse "jobctl_$1: no batch is open, or this is a callback"
}

# jobctl_close -- waits, and ends the current batch; another one, if open, becomes
# the current one. Returns as jobctl_wait does.
jobctl_close ()
{
	_jobctl_part end
	_jobctl_close
}

# jobctl_stop -- ends the jobs of all open batches and all that they started, and
# starts no more: for the caller's own traps. The batches are still to be closed.
jobctl_stop ()
{
	_jobctl_part end
	_jobctl_stop_all
}

# jobctl_say TEXT -- in a job: tells the function of -m. Each line is one message.
jobctl_say ()
{
	_jobctl_text=$*
	while case $_jobctl_text in *"$_jobctl_newline"*) ;; *) false ;; esac; do
		_jobctl_first=${_jobctl_text%%"$_jobctl_newline"*}
		printf ':%s\n' "$_jobctl_first" >&9
		_jobctl_text=${_jobctl_text#*"$_jobctl_newline"}
	done
	printf ':%s\n' "$_jobctl_text" >&9
}
