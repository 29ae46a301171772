# keep.sh -- stays beside jobkeep, the keeper of the connections of a batch of jobctl.sh.
# Not read by the script but by a child of its own:
#
#	sh keep.sh OPERAND-OF-JOBKEEP...
#
# which ends when jobkeep is ready, with 0, or has failed. What stays starts jobkeep again
# when that was killed, a little later each time: jobs that wait for it are served then. So it
# does when the new one cannot begin, as there is not enough memory, say.

trap '' INT TERM HUP PIPE
_jobctl_keep ()
{
	_jobctl_session=0 _jobctl_rest=0
	while
		_jobctl_status=0
		jobkeep -s "$_jobctl_session" "$@" </dev/null &
		_jobctl_session=$!
		wait "$_jobctl_session" || _jobctl_status=$?
		case $_jobctl_status/$_jobctl_rest in
		125/0) false ;; # the script is told
		125/*) ;; # and here jobkeep has said why
		*)
			[ "$_jobctl_status" -gt 128 ] &&
				echo 'jobctl_connections: jobkeep was killed; a new one opens the connections again' >&2
			;;
		esac
	do
		sleep "$_jobctl_rest"
		_jobctl_rest=$((_jobctl_rest + 1))
	done
}
# (In parentheses: in braces, zsh -c would wait for it.)
( _jobctl_keep "$@" & ) | {
	read -r _jobctl_rest || exit 125
	exit 0
}
