# end.sh -- how the batches of jobctl.sh end, read when the first of them does.
# shellcheck disable=SC2154 # the variables of batch.sh

_jobctl_close ()
{
	_jobctl_may close || return
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

# The dispenser is asked to end, if it is still there: 0 when it will.
_jobctl_ask_end ()
{
	tokstop -k -- "$_jobctl_b_dir/fifo" 2>/dev/null || [ "$?" -eq 123 ] ||
		tokstop -k -- "$_jobctl_b_dir/fifo" || [ "$?" -eq 123 ]
}

_jobctl_forget ()
{
	while IFS= read -r _jobctl_rest <&"$_jobctl_b_news"; do # until the guard has ended
		case $_jobctl_rest in # one that was killed as it ended: the next has to be told, too
		'stop killed') _jobctl_ask_end || break ;;
		esac
	done
	eval "exec $_jobctl_b_news<&-"
	[ ! -d "$_jobctl_b_dir" ] || rm -rf "$_jobctl_b_dir" # it was killed
	_jobctl_cut=" $_jobctl_names " _jobctl_names=''
	_jobctl_names=${_jobctl_cut%%" $_jobctl_current "*}
	_jobctl_cut=${_jobctl_cut#*" $_jobctl_current "}
	_jobctl_names="${_jobctl_names# } ${_jobctl_cut% }"
	_jobctl_names=${_jobctl_names# } _jobctl_names=${_jobctl_names% }
	_jobctl_closing=${_jobctl_closing%%" $_jobctl_b_news<&-"*}${_jobctl_closing#*" $_jobctl_b_news<&-"}
	_jobctl_current='' _jobctl_b_result=125
	_jobctl_failed=$_jobctl_b_failed _jobctl_first=$_jobctl_b_first
	_jobctl_started=$_jobctl_b_id _jobctl_done=$_jobctl_b_ended
	if [ -n "$_jobctl_names" ]; then
		jobctl_in "${_jobctl_names##* }"
	else
		_jobctl_reset_traps
	fi
	# shellcheck disable=SC2034 # the caller's to read, until it asks for others
	JOBCTL_STARTED=$_jobctl_started JOBCTL_DONE=$_jobctl_done \
		JOBCTL_FAILED=$_jobctl_failed JOBCTL_FIRST=$_jobctl_first
}

_jobctl_reset_traps ()
{
	eval "for _jobctl_rest in $_jobctl_traps_set; do trap - \"\$_jobctl_rest\"; done"
	_jobctl_traps_set=''
}

_jobctl_stop_all ()
{
	_jobctl_keep=$_jobctl_current
	eval "for _jobctl_name in $_jobctl_names; do
		jobctl_in \"\$_jobctl_name\"
		_jobctl_end_jobs
	done"
	[ -z "$_jobctl_keep" ] || jobctl_in "$_jobctl_keep"
}

_jobctl_end_jobs ()
{
	_jobctl_pids=$! # perhaps started, and not yet in its variable
	_jobctl_b_result=123 _jobctl_b_queue=''
	eval "for _jobctl_lease in $_jobctl_b_leases; do
		eval \"_jobctl_pids=\\\"\\\$_jobctl_pids \\\${_jobctl_pid_\${_jobctl_lease}_${_jobctl_current}-}\\\"\"
	done"
	eval "tokstop -k -g \"\${JOBCTL_GRACE:-5}\" -- \"\$_jobctl_b_dir/fifo\" $_jobctl_pids" || :
}

# The trap: as if nobody had trapped the signal, but without leaving jobs behind.
# (zsh does not die of a signal that it sends to itself in a trap. While a command in
# the foreground runs, bash may survive an INT, and at HUP mksh and posh end that
# command first and sleep for a second.)
_jobctl_die_of ()
{
	_jobctl_inside='' # the signal may have come in a callback
	_jobctl_stop_all
	while [ -n "$_jobctl_names" ]; do
		_jobctl_close || :
	done
	case $1 in
	HUP) _jobctl_status=129 ;;
	INT) _jobctl_status=130 ;;
	*) _jobctl_status=143 ;;
	esac
	trap - INT TERM HUP
	if [ -z "${ZSH_VERSION-}" ]; then
		sh -c 'kill -s "$1" "$PPID"' sh "$1" &
		wait "$!" || :
	fi
	exit "$_jobctl_status"
}

# Waits for the jobs of which the dispenser will not tell.
_jobctl_collect_all ()
{
	_jobctl_rest=0
	eval "for _jobctl_lease in $_jobctl_b_leases; do _jobctl_collect_one; done"
}

# Neither the dispenser nor its guard is there any more.
_jobctl_gone ()
{
	[ "$_jobctl_b_result" -ne 0 ] ||
		echo "jobctl_run: $_jobctl_b_dir: the dispenser went away; no more jobs are started" >&2
	_jobctl_b_result=123
	_jobctl_collect_all
}
