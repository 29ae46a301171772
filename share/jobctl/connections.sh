# connections.sh -- connections for the jobs of a batch of jobctl.sh, read when
# jobctl_connections is first called:
#
#	jobctl_open 4
#	jobctl_connections psql -qAtX
#	jobctl_run jobctl_on query 'select 1'	# query: print >&6, read <&7
#
# A connection is opened, lent, closed by jobkeep(1), which is no child of the script, and
# of which that has no descriptor. What a job and jobkeep say to each other is described at
# the top of src/jobkeep/jobkeep.c.
# shellcheck disable=SC2154 # the variables of batch.sh

_jobctl_turn=0

# jobctl_connections [-f failures] [-i seconds] [-u uses] command [arg...] -- the jobs of
# the current batch may have connections: processes of this command. 0, or 125 after a
# message.
_jobctl_connections ()
{
	_jobctl_quote -g "${JOBCTL_GRACE:-5}"
	_jobctl_pass=$_jobctl_quoted
	while [ "$#" -gt 0 ]; do
		case $1 in
		-[fiu])
			case ${2-} in
			'' | *[!0-9.]*)
				echo "jobctl_connections: $1 ${2-}: not a number" >&2
				return 125
				;;
			esac
			_jobctl_pass="$_jobctl_pass $1 $2"
			shift 2
			;;
		--)
			shift
			break
			;;
		-*)
			echo "jobctl_connections: $1: no such option" >&2
			return 125
			;;
		*) break ;;
		esac
	done
	if [ "$#" -eq 0 ] || [ -z "${_jobctl_names-}" ] || [ -d "$_jobctl_b_dir/keep" ]; then
		echo 'jobctl_connections: needs a command, and an open batch that has no connections' >&2
		return 125
	fi
	if ! command -v "$1" >/dev/null 2>&1; then
		echo "jobctl_connections: $1: no such command" >&2
		return 125
	fi
	_jobctl_quote "$_jobctl_b_dir" "$@"
	eval "sh \"\$_jobctl_lib/keep.sh\" $_jobctl_pass -n $_jobctl_b_slots -- $_jobctl_quoted \
		</dev/null >/dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-" && return
	rm -rf "$_jobctl_b_dir/keep" # once more may do better
	return 125
}

# jobctl_on COMMAND... -- in a job: runs it with the connection of the job's slot, which reads
# what is written to descriptor 6, and whose output descriptor 7 reads. When the command
# succeeds the next job may have the connection, else it is closed, and so it is when the job
# dies. Returns the command's status, 123 where there is no connection, 125 when this makes no
# sense.
#
# No open here waits for long: jobkeep has the other ends, and when it is killed the next one
# has. What is written to it may find nobody, just then; that is no end of the job.
jobctl_on ()
{
	_jobctl_keep=${FIFO-}
	_jobctl_keep=${_jobctl_keep%/fifo.d/*}/keep
	if [ "$#" -eq 0 ] || [ ! -d "$_jobctl_keep" ]; then
		echo 'jobctl_on: needs a command, and to be a job of a batch with connections' >&2
		return 125
	fi
	_jobctl_slot=${JOBCTL_SLOT%%_*} _jobctl_turn=$((_jobctl_turn + 1)) _jobctl_status=123 _jobctl_word=gone
	_jobctl_who=$JOBCTL_ID.${_jobctl_try-1}.$_jobctl_turn
	trap '' PIPE
	if [ -p "$_jobctl_keep/$_jobctl_slot.ask" ]; then
		{
			_jobctl_ask
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

# An answer that is another's is to one that has died.
_jobctl_ask ()
{
	echo "get $_jobctl_who" >&5 2>/dev/null || return 0
	while IFS=' ' read -r _jobctl_rest _jobctl_word JOBCTL_CONNECTION JOBCTL_USES <&8; do
		[ "$_jobctl_rest" != "$_jobctl_who" ] || return 0
	done
	_jobctl_word=gone
}

# The status is not asked for with || or if: that would switch the caller's -e off.
_jobctl_lent ()
{
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
