# make.sh -- batches of jobctl.sh whose tokens are make's; read when the first is
# opened without a number where MAKEFLAGS speaks of a jobserver.
# shellcheck disable=SC2154,SC2034 # the variables of batch.sh

# For tokend to find it, the descriptors that MAKEFLAGS names must be open there: of
# others the dispenser has none. (tokend finds out whether they can be used.)
_jobctl_within_make ()
{
	_jobctl_tokend="$_jobctl_tokend -u make"
	_jobctl_rest=" $MAKEFLAGS"
	_jobctl_rest=${_jobctl_rest%%" -- "*}
	_jobctl_cut=${_jobctl_rest##*" --jobserver-auth="}
	_jobctl_rest=${_jobctl_rest##*" --jobserver-fds="}
	_jobctl_rest=",${_jobctl_cut%% *},${_jobctl_rest%% *},"
	_jobctl_shut=''
	for _jobctl_cut in 3 4 5 6 7 8 9; do
		case $_jobctl_rest in
		*,"$_jobctl_cut",*) ;;
		*) _jobctl_shut="$_jobctl_shut $_jobctl_cut>&-" ;;
		esac
	done
}

# There is a job to start and no lease for it: the answer will be "free". Until then
# asking again is of no use.
_jobctl_want ()
{
	_jobctl_b_ask=asked
	[ ! -p "$_jobctl_b_fifo" ] || _jobctl_tell @want "$_jobctl_b_fifo"
}
