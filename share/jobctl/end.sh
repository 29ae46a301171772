# end.sh -- how batches of jobctl.sh end, read when the first of them does, and "process".
# shellcheck disable=SC2154,SC2094 # the variables of jobs.sh; both ends of a FIFO

_jobctl_close ()
{
	_jobctl_may close || return 125
	if jobctl_wait; then _jobctl_closed=0; else _jobctl_closed=$?; fi
	[ -z "$_jobctl_b_extra" ] || _jobctl_finish_options
	[ -z "$_jobctl_b_tasks" ] || _jobctl_tasks_forget
	if ! _jobctl_ask_end; then # it ends with the script
		_jobctl_closed=125
		eval "exec $_jobctl_b_news</dev/null"
	fi
	_jobctl_forget
	return "$_jobctl_closed"
}

# Asks the dispenser to end, if it is still there: 0 when it will. (Says nothing of one that is not
# there; of another failure the second attempt tells.)
_jobctl_ask_end ()
{
	tokstop -k -- "$_jobctl_b_fifo" 2>/dev/null || [ "$?" -eq 123 ] ||
		tokstop -k -- "$_jobctl_b_fifo" || [ "$?" -eq 123 ]
}

# Waits until the dispenser has ended. One that was killed meanwhile has a successor, to be asked.
_jobctl_see_end ()
{
	while IFS= read -r _jobctl_line <&"$_jobctl_b_news"; do
		case $_jobctl_line in
		'stop killed') _jobctl_ask_end || break ;;
		esac
	done
}

# The current batch is no more.
_jobctl_forget ()
{
	_jobctl_see_end
	eval "exec $_jobctl_b_news<&-"
	[ ! -d "$_jobctl_b_dir" ] || rm -rf "$_jobctl_b_dir" # its guard was killed
	_jobctl_names=${_jobctl_names%%" $_jobctl_current "*}${_jobctl_names#*" $_jobctl_current "}
	_jobctl_shut=" $_jobctl_b_news<&-"
	_jobctl_closing=${_jobctl_closing%%"$_jobctl_shut"*}${_jobctl_closing#*"$_jobctl_shut"}
	_jobctl_current='' _jobctl_b_plain=''
	_jobctl_figures # which stay, whichever batch is current now
	if [ -n "$_jobctl_names" ]; then
		_jobctl_last=${_jobctl_names% }
		_jobctl_switch "${_jobctl_last##* }"
	else
		eval "for _jobctl_trap in $_jobctl_traps_set; do trap - \"\$_jobctl_trap\"; done"
		_jobctl_traps_set=''
	fi
}

_jobctl_stop_all ()
{
	_jobctl_stopped_in=$_jobctl_current
	eval "for _jobctl_name in $_jobctl_names; do
		_jobctl_switch \"\$_jobctl_name\"
		_jobctl_end_jobs
	done"
	[ -z "$_jobctl_stopped_in" ] || jobctl_in "$_jobctl_stopped_in"
}

# Ends the jobs of the current batch with all that they have started, and the dispenser.
_jobctl_end_jobs ()
{
	_jobctl_pids=''
	# In a trap, the last job may not be in its variable yet.
	[ "$_jobctl_b_noted" = "$_jobctl_b_id" ] || _jobctl_pids=$!
	_jobctl_no_more 123
	_jobctl_b_queue=''
	eval "for _jobctl_one in $_jobctl_b_leases; do
		eval \"_jobctl_pid=\\\${_jobctl_pid_\${_jobctl_one}_$_jobctl_current-}\"
		_jobctl_pids=\"\$_jobctl_pids \$_jobctl_pid\"
	done"
	eval "tokstop -k -g \"\${JOBCTL_GRACE:-5}\" -- \"\$_jobctl_b_fifo\" $_jobctl_pids" || :
}

# Waits for the jobs of which the dispenser will not tell.
_jobctl_collect_all ()
{
	_jobctl_detail=0
	eval "for _jobctl_lease in $_jobctl_b_leases; do _jobctl_collect; done"
}

# Neither the dispenser nor what stands beside it is there any more.
_jobctl_heard_away ()
{
	_jobctl_who=jobctl_run _jobctl_keeps=''
	if [ "$_jobctl_b_result" -eq 0 ]; then
		if [ "$_jobctl_current" = 0 ]; then
			_jobctl_who=process
			tokend -r -- "$_jobctl_b_fifo" </dev/null & # else jobs may block on leases
			_jobctl_keeps=$!
		fi
		echo "$_jobctl_who: $_jobctl_b_fifo: the dispenser went away;" \
			'no more jobs are started' >&2
		_jobctl_no_more 123
	fi
	_jobctl_collect_all
	[ -z "$_jobctl_keeps" ] || wait "$_jobctl_keeps" || :
	[ "$_jobctl_current" != 0 ] || _jobctl_b_ended=$_jobctl_b_id # nobody tells of more
}

# "stop" and a reason
_jobctl_heard_stop ()
{
	_jobctl_no_more 123
	case $_jobctl_lease in
	killed) _jobctl_collect_all ;; # of jobs that ended meanwhile nobody tells
	limit)
		_jobctl_end_jobs
		_jobctl_b_result=124
		;;
	orphan) _jobctl_caught _jobctl_stop_process TERM ;; # the script of process has died
	esac
}

# A job of a batch has run for longer than -T lets it: it is ended, with all that it has started.
# When only what it has left is still there, that keeps the lease, and the job has ended.
_jobctl_heard_late ()
{
	eval "_jobctl_pid=\${_jobctl_pid_${_jobctl_lease}_$_jobctl_current-}"
	[ -n "$_jobctl_pid" ] && [ "$_jobctl_current" != 0 ] || return 0
	sh -c : # a shell that waits for one child hears of all that have died
	if kill -0 "$_jobctl_pid" 2>/dev/null; then # not "||": its parent must be this shell
		tokstop -p -g "${JOBCTL_GRACE:-5}" -- "$_jobctl_pid" </dev/null &
	elif [ -n "$_jobctl_b_hook$_jobctl_b_extra$_jobctl_b_tasks" ]; then
		_jobctl_collect
	fi
}

# The trap of batches: as if nobody had trapped the signal, but without leaving jobs behind.
_jobctl_die ()
{
	_jobctl_inside='' # the signal may have come in a callback
	_jobctl_stop_all
	while [ -n "$_jobctl_names" ]; do
		_jobctl_close || :
	done
	trap - INT TERM HUP
	_jobctl_raise "$1" "${ZSH_VERSION-}" # a signal that zsh sends itself in a trap is lost
	exit "$_jobctl_status"
}

# The trap of process: ends its jobs, and those of a batch of job_done. How they have ended is
# heard after the trap, and then the signal is handed on.
_jobctl_stop_process ()
{
	[ -z "$_jobctl_p_signal" ] || return 0
	_jobctl_p_signal=$1 _jobctl_p_detour=-
	[ -z "$_jobctl_names" ] || _jobctl_stop_all
	_jobctl_within=$_jobctl_current
	[ "$_jobctl_current" = 0 ] || _jobctl_switch 0
	_jobctl_b_noted=''
	[ "${!-}" != "$_jobctl_p_last" ] || _jobctl_b_noted=$_jobctl_b_id # no job was ever started
	_jobctl_end_jobs
	case $_jobctl_within in 0 | '') ;; *) _jobctl_switch "$_jobctl_within" ;; esac
	_jobctl_reset_traps
}

# The end of process: of its dispenser, and of its traps.
_jobctl_end_process ()
{
	_jobctl_ask_end || :
	[ -z "$_jobctl_p_signal" ] || _jobctl_see_end
	_jobctl_reset_traps
}

_jobctl_reset_traps ()
{
	for _jobctl_trap in INT TERM HUP; do
		eval "trap -- \"\$_jobctl_p_$_jobctl_trap\" $_jobctl_trap"
	done
}

# _jobctl_raise SIGNAL [QUIET] -- hands it on as if nobody had trapped it: if the caller does have
# a trap, that runs now. Sets the status that tells of the signal. $$ is not this shell when the
# pipe has put us into a subshell. In the background: while a command in the foreground runs,
# bash may survive an INT, and at HUP mksh and posh end that command first and sleep for a second.
_jobctl_raise ()
{
	if [ -z "${2-}" ]; then
		sh -c 'kill -s "$1" "$PPID"' sh "$1" &
		wait "$!" || :
	fi
	case $1 in
	HUP) _jobctl_status=129 ;;
	INT) _jobctl_status=130 ;;
	*) _jobctl_status=143 ;;
	esac
}

# _jobctl_clear STATUS DIRECTORY FIFO... -- removes what a guard that failed with STATUS has left.
# One that was killed may leave somebody who waits at an end of a FIFO, until the other end has
# been open; nobody else need wait for that.
_jobctl_clear ()
{
	if [ "$1" -gt 128 ]; then
		echo "jobctl: $2: the process that was to make it was killed" >&2
		(_jobctl_unblock "$@" &)
	elif [ -d "$2" ]; then
		rm -rf "$2"
	fi
}

# All at once: who waits for one FIFO may have another open.
_jobctl_unblock ()
{
	_jobctl_dir=$2 _jobctl_pids=''
	shift 2
	for _jobctl_name in "$@"; do
		_jobctl_have_both_ends "$_jobctl_dir/$_jobctl_name" &
		_jobctl_pids="$_jobctl_pids $!"
	done
	eval "wait $_jobctl_pids || :"
	rm -rf "$_jobctl_dir"
}

# The reading end is there until the name is not: who comes later finds no FIFO.
_jobctl_have_both_ends ()
{
	[ -p "$1" ] || return 0
	while [ -p "$1" ]; do read -r _jobctl_text || :; done <"$1" &
	rm -f "$1" >|"$1" || kill -KILL "$!"
}
