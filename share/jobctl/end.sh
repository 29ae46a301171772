# end.sh -- how batches of jobctl.sh and "process" end, and how signals end them; read when the
# first one ends.

_jobctl_part news

# jobctl_close -- waits, and ends the current batch; another one, if open, becomes the current one.
# A subshell only waits: its parent closes the batch.
_jobctl_close () {
	_jobctl_may close || return 125
	if [ -n "$_jobctl_copied" ]; then
		_jobctl_wait w
		return "$?"
	fi
	_jobctl_closed=0
	_jobctl_see_traps "${_jobctl_b_fifo%/fifo}/caller" caller 2>/dev/null || :
	_jobctl_wait q || _jobctl_closed=$?
	_jobctl_forget
	return "$_jobctl_closed"
}

# Waits until the dispenser has ended, or its parent, if it is killed meanwhile.
_jobctl_see_end () {
	_jobctl_is_ours || return 0
	while _jobctl_listen "$_jobctl_b_news"; do
		case $_jobctl_heard in
		'stop '*killed) _jobctl_stopped 123 killed ;;
		esac
	done
}

# The dispenser has ended when nobody has the other end of the pipe.
_jobctl_leave () {
	_jobctl_see_end
	eval "\exec $_jobctl_b_news<&-" 2>/dev/null # bash would tell of jobs that were killed
	_jobctl_dir=${_jobctl_b_fifo%/fifo}
	[ ! -d "$_jobctl_dir" ] || rm -rf "$_jobctl_dir" # nobody is left to do so
	case $_jobctl_b_places in
	/*) [ ! -d "$_jobctl_b_places" ] || rm -rf "$_jobctl_b_places" ;;
	esac
}

# Forgets the current batch.
_jobctl_forget () {
	_jobctl_leave
	_jobctl_names=${_jobctl_names%%" $_jobctl_current "*}${_jobctl_names#*" $_jobctl_current "}
	_jobctl_shut=" $_jobctl_b_news<&-"
	_jobctl_closing=${_jobctl_closing%%"$_jobctl_shut"*}${_jobctl_closing#*"$_jobctl_shut"}
	_jobctl_current='' _jobctl_b_plain=''
	if [ -n "$_jobctl_names" ]; then
		_jobctl_last=${_jobctl_names% }
		_jobctl_switch "${_jobctl_last##* }"
		eval "$_jobctl_figures" 2>/dev/null # still those of the closed batch
	else
		for _jobctl_trap in INT TERM HUP; do # those that are still ours
			eval "case \${_jobctl_caller_$_jobctl_trap-} in
			'_jobctl_caught '*) \trap - $_jobctl_trap ;;
			esac" 2>/dev/null
		done
		_jobctl_traps_set=''
	fi
}

# Has the dispenser end the jobs of the current batch with all that they started; jobctl_stop does
# so in all, for the caller's own traps, and they are still to be closed. In a trap the
# last job may not be in its variable yet. _jobctl_b_killed: blanks, and the pid of that one.
_jobctl_kill () {
	[ "$_jobctl_b_result" -ne 0 ] || _jobctl_no_more 123
	_jobctl_b_torn=1 # this may be a trap in the middle of a read
	_jobctl_b_killed=' '
	_jobctl_tell_leases
	case $_jobctl_lease/${_jobctl_b_noted:-0} in
	/* | */"$JOBCTL_STARTED") ;;
	*) # without a child so far, $! is an error under -u, and 0 in zsh
		! (case $! in '' | 0) exit 1 ;; esac) 2>/dev/null || {
			_jobctl_b_killed=" $!"
			_jobctl_post "p $JOBCTL_STARTED $!"
		}
		;;
	esac
	_jobctl_post "k ${_jobctl_b_grace:-${JOBCTL_GRACE:-5}}"
	_jobctl_ring
	_jobctl_kill_alone
}

# Ends them without the dispenser, if it has not read that. A trap may have the lease of a job open
# that is being started.
_jobctl_kill_alone () {
	case $_jobctl_b_lost/$_jobctl_b_killed in
	a*/?*) ;;
	*) return 0 ;;
	esac
	_jobctl_pids=$_jobctl_b_killed
	case $_jobctl_current$_jobctl_pids in
	0*) ;; # that trap returns
	*[0-9]) [ ! -p /dev/fd/9 ] || exec 9>&- ;;
	esac
	_jobctl_b_killed=''
	_jobctl_each_pid "_jobctl_pids=\"\$_jobctl_pids \$2\""
	eval "\tokstop -p -g \"\${_jobctl_b_grace:-\${JOBCTL_GRACE:-5}}\" -- $_jobctl_pids" || :
}

# The line came from something else, opened on the batch's descriptor. The batch ends; once that
# is closed, the dispenser can be read again.
_jobctl_shadowed () {
	_jobctl_all=125
	case $_jobctl_b_lost in list | away) return 0 ;; esac
	_jobctl_b_lost=list
	_jobctl_refuse "jobctl_run: descriptor $_jobctl_b_news is the batch's, but something" \
		'else is open there; open that before jobctl_open, or use another descriptor' || :
	_jobctl_post 'x 125'
	_jobctl_ring
	_jobctl_no_more 125
}

# _jobctl_away FILE -- the dispenser and its parent are gone; or nothing can be said to it, for that
# file of it cannot be written. The statuses of jobs are lost. "astray": only the directory is gone;
# the dispenser sees that, too, says so, and still reports the end.
_jobctl_away () {
	case $_jobctl_b_lost in away) return 0 ;; esac
	if [ -n "$1" ] && [ ! -d "$_jobctl_b_fifo.d" ]; then
		_jobctl_b_lost=astray
		[ "$_jobctl_b_result" -gt 1 ] || _jobctl_no_more 123
		return 0
	fi
	_jobctl_b_lost=away _jobctl_who=jobctl_run _jobctl_why='its tokend went away'
	[ "$_jobctl_current" != 0 ] || _jobctl_who=process
	if [ -n "$1" ]; then
		eval "\exec $_jobctl_b_news</dev/null" # it may live, but is not read any more
	elif [ "$_jobctl_current" = 0 ] && [ -p "$_jobctl_b_fifo" ]; then
		tokend -r -- "$_jobctl_b_fifo" </dev/null & # else jobs may block on leases
		_jobctl_keeper=$!
	fi
	if [ -n "$1" ] && [ -e "$_jobctl_b_fifo.d/$1" ]; then
		[ "$1" = bell ] || echo >>"$_jobctl_b_fifo.d/$1" || : # the shell tells why
		_jobctl_no_more 125
		_jobctl_why="$1 cannot be written"
	elif [ "$_jobctl_b_result" -le 1 ]; then
		_jobctl_no_more 123
	else
		return 0
	fi
	echo "$_jobctl_who: $_jobctl_b_fifo: $_jobctl_why; no more jobs are started" >&2
}

# The trap of batches: the signal ends the script as if untrapped, but leaves no jobs behind.
_jobctl_die () {
	_jobctl_inside='' # the signal may have come in a callback
	_jobctl_each_batch _jobctl_kill
	_jobctl_before=''
	while [ "$_jobctl_names" != "$_jobctl_before" ]; do # the same: this shell may close none
		_jobctl_before=$_jobctl_names
		[ -z "$_jobctl_names" ] || _jobctl_close || :
	done
	trap - INT TERM HUP
	_jobctl_raise "$1" "${ZSH_VERSION-}" # a signal that zsh sends itself in a trap is lost
	exit "$_jobctl_status"
}

# The trap of process: ends its jobs, and those of a batch of job_done. After the trap process reads
# how they ended, and then hands the signal on. Until then it ignores further ones: mksh and posh
# that die of HUP send it once more.
_jobctl_stop_process () {
	_jobctl_within=$_jobctl_current
	[ "$_jobctl_within" = 0 ] || _jobctl_each_batch _jobctl_kill
	_jobctl_switch 0
	_jobctl_b_signal=${_jobctl_b_signal:-$1}
	_jobctl_kill
	_jobctl_switch "$_jobctl_within"
}

# _jobctl_raise SIGNAL [QUIET] -- hands it on as if nobody had trapped it: a trap of the caller runs
# now. Sets _jobctl_status to 128+n. $$ is not this shell when the pipe has put us into a subshell.
# kill runs in the background: during a command in the foreground bash may survive an INT, and at
# HUP mksh and posh end that command first and sleep for a second. If this shell has died meanwhile,
# the parent is another process, which must get no signal of ours.
_jobctl_raise () {
	if [ -z "${2-}" ]; then
		sh -c '[ "$PPID" -ne "$2" ] || kill -s "$1" "$2"' sh "$1" "$_jobctl_pid" &
		"$_jobctl_builtin" wait "$!" || :
	fi
	case $1 in
	HUP) _jobctl_status=129 ;;
	INT) _jobctl_status=130 ;;
	*) _jobctl_status=143 ;;
	esac
}
