# copies.sh -- batches of jobctl.sh in subshells of the shell that opened them, such as a loop at
# the end of a pipe; read when the first of them starts a job.

_jobctl_part news

# Two shells that read from the dispenser at the same time would each get parts of its lines. So a
# shell started with "&", for which nobody waits, is refused.
_jobctl_copied_here () {
	_jobctl_ignored "${_jobctl_opener%% *}"
	_jobctl_first=$_jobctl_n
	case ${BASH_VERSION-}/$((_jobctl_n & 2)) in [0-9]*/0) _jobctl_first=0 ;; esac
	_jobctl_ignored self
	if [ "$((_jobctl_n & ~_jobctl_first & 6))" -eq 0 ]; then
		_jobctl_find_shell
		_jobctl_copied=1 _jobctl_self=$_jobctl_here
		_jobctl_be_copy
		if [ -p /proc/self/fd/0 ] && _jobctl_inode; then
			# What it has read came from its pipe: that is a list.
			case $_jobctl_rchar in
			0) _jobctl_unread=$_jobctl_detail ;;
			?*) _jobctl_list=$_jobctl_detail ;;
			esac
		fi
		return 0
	fi
	_jobctl_self=/proc/none
	_jobctl_each_batch "_jobctl_post 'e 125'" # the other one may open the leases it has read
	_jobctl_refuse 'jobctl_run: write it without "&" or "( ... ) &": it runs the command in' \
		'the background itself, and two shells cannot start jobs of a batch at once'
}

# A copy's jobs outlive it, and their statuses would die with it: so a job runs in a further shell,
# and always has its last word. Nor does a copy know the pids of other shells' jobs.
_jobctl_be_copy () {
	_jobctl_b_plain='' _jobctl_b_tells=1 _jobctl_b_own=1 _jobctl_b_special=1
}

# _jobctl_ignored PID -- sets _jobctl_n to the last bits of the mask of signals that the process
# ignores, on Linux. A shell started with "&" ignores INT, 2, and QUIT, 4. bash itself ignores QUIT;
# of its subshells only those do.
_jobctl_ignored () {
	_jobctl_n=0
	while IFS='	 ' read -r _jobctl_key _jobctl_text; do
		case $_jobctl_key in
		SigIgn:) _jobctl_n=$((0x${_jobctl_text#"${_jobctl_text%?}"})) ;;
		esac
	done 2>/dev/null <"/proc/$1/status"
}
