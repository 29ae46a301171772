# connections.sh -- connections for the jobs of a batch of jobctl.sh, read when the first are asked
# for. jobkeep(1) opens a connection, lends it and closes it. It is no child of the script, which
# has no descriptor of it. src/jobkeep/jobkeep.c describes at its top how a job and jobkeep talk.

_jobctl_part mistakes

_jobctl_turn=0

# jobctl_connections [-i seconds] [-u uses] command [arg...] -- the jobs of the batch
# may have connections: processes of this command. 0, or 125 after a message.
_jobctl_connections () {
	_jobctl_dir=${_jobctl_b_fifo-}
	_jobctl_dir=${_jobctl_dir%/fifo}
	[ -n "${_jobctl_names-}" ] ||
		_jobctl_unopened jobctl_connections || return 125
	[ ! -d "$_jobctl_dir/keep" ] || _jobctl_refuse \
		'jobctl_connections: this batch has connections already' || return 125
	_jobctl_from open _jobctl_guard jobctl_connections: "$_jobctl_dir/keep" \
		jobkeep -d "$_jobctl_dir" -g "${JOBCTL_GRACE:-5}" -n "$_jobctl_b_slots" \
		${1+"$@"} && [ -d "$_jobctl_dir/keep" ] && return 0
	rm -rf "$_jobctl_dir/keep" # the caller may try again
	return 125
}

# jobctl_on COMMAND... -- in a job: runs it with the connection of the job's slot: the command
# writes to descriptor 6 and reads from descriptor 7. When the command succeeds the next job may
# have the connection; when it fails or the job dies, the connection is closed. Returns the
# command's status, 123 without a connection, 125 after a message.
#
# No open here waits for long: jobkeep has the other ends, and after a kill its successor has them.
# A write meanwhile finds no reader, which does not end the job.
jobctl_on () {
	_jobctl_keep=${FIFO-}
	_jobctl_keep=${_jobctl_keep%/fifo.d/*}/keep
	[ "$#" -gt 0 ] ||
		_jobctl_refuse 'jobctl_on: needs a command: jobctl_on COMMAND' || return 125
	[ -d "$_jobctl_keep" ] || _jobctl_refuse 'jobctl_on: only a job can call this, of a batch' \
		'for which jobctl_connections was called' || return 125
	_jobctl_slot=${JOBCTL_SLOT%%_*} _jobctl_turn=$((_jobctl_turn + 1))
	_jobctl_who=$JOBCTL_ID.$_jobctl_try.$_jobctl_turn _jobctl_status=123 _jobctl_word=gone
	trap '' PIPE
	if [ -p "$_jobctl_keep/$_jobctl_slot.ask" ]; then
		{
			_jobctl_borrow
			case $_jobctl_word in
			ready) _jobctl_lent "$@" ;;
			esac
		} 5>|"$_jobctl_keep/$_jobctl_slot.ask" 8<"$_jobctl_keep/$_jobctl_slot.say"
	fi
	trap - PIPE
	case $_jobctl_word in
	refused) echo 'jobctl_on: no connection can be opened' >&2 ;;
	gone) echo 'jobctl_on: jobkeep has gone, and the connections with it' >&2 ;;
	esac
	return "$_jobctl_status"
}

# Sets _jobctl_word to the answer. An answer for another name is for a job that has died; it may
# be torn, for jobkeep takes it away meanwhile.
_jobctl_borrow () {
	echo "get $_jobctl_who" >&5 2>/dev/null || return 0
	while IFS=' ' read -r _jobctl_name _jobctl_word JOBCTL_CONNECTION JOBCTL_USES <&8; do
		[ "$_jobctl_name" != "$_jobctl_who" ] || return 0
	done
	_jobctl_word=gone
}

# No || and no if around the command: they would switch the caller's -e off.
_jobctl_lent () {
	export JOBCTL_CONNECTION JOBCTL_USES
	{
		echo "+ $_jobctl_who" >&5 2>/dev/null || :
		trap - PIPE
		"$@"
		_jobctl_status=$?
		trap '' PIPE
	} 6>|"$_jobctl_keep/$JOBCTL_CONNECTION.in" 7<"$_jobctl_keep/$JOBCTL_CONNECTION.out" 8<&-
	case $_jobctl_status in
	0) echo "ok $_jobctl_who" >&5 2>/dev/null || : ;;
	esac
}
