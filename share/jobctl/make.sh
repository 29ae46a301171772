# make.sh -- batches of jobctl.sh whose tokens are make's; read when the first is
# opened without a number where MAKEFLAGS speaks of a jobserver.
# shellcheck disable=SC2154,SC2034 # the variables of jobs.sh

# The guard closes the descriptors from 3 to 9, except those that MAKEFLAGS names, which tokend
# needs to find the jobserver. (tokend finds out whether they can be used.)
_jobctl_within_make () {
	_jobctl_tokend="$_jobctl_tokend -u make"
	_jobctl_flags=" $MAKEFLAGS"
	_jobctl_flags=${_jobctl_flags%%" -- "*}
	_jobctl_auth=${_jobctl_flags##*" --jobserver-auth="}
	_jobctl_fds=${_jobctl_flags##*" --jobserver-fds="}
	_jobctl_shut=''
	for _jobctl_n in 3 4 5 6 7 8 9; do
		case ",${_jobctl_auth%% *},${_jobctl_fds%% *}," in
		*,"$_jobctl_n",*) ;;
		*) _jobctl_shut="$_jobctl_shut $_jobctl_n>&-" ;;
		esac
	done
}
