# keep.sh -- stays beside jobkeep, the keeper of the connections of a batch of jobctl.sh. Run by
# the script as
#
#	sh keep.sh OPERAND-OF-JOBKEEP...
#
# which ends when jobkeep is ready, with 0, or has failed. What stays starts jobkeep again when
# that was killed, a little later each time, and also when the new one cannot begin, for want of
# memory, say: jobs that wait for it are served then.

trap '' INT TERM HUP PIPE
_jobctl_keep () {
	_jobctl_session=0 _jobctl_pause=0
	while
		_jobctl_status=0
		jobkeep -s "$_jobctl_session" "$@" </dev/null &
		_jobctl_session=$!
		wait "$_jobctl_session" || _jobctl_status=$?
		case $_jobctl_status/$_jobctl_pause in
		125/0) false ;; # the script is told
		125/*) ;; # and here jobkeep has said why
		*)
			[ "$_jobctl_status" -gt 128 ] && echo 'jobctl_connections:' \
				'jobkeep was killed; another one begins' >&2
			;;
		esac
	do
		sleep "$_jobctl_pause"
		_jobctl_pause=$((_jobctl_pause + 1))
	done
}
# (In parentheses: in braces, zsh -c would wait for it.)
( _jobctl_keep "$@" & ) | {
	read -r _jobctl_word || exit 125
	exit 0
}
