# jobs.sh -- how jobs are started, in batches of jobctl.sh and in "process", which is a batch whose
# dispenser jobctrl has made.
#
# The dispenser keeps the books: which jobs there are, how they ended, which is next. It writes
# lines such as "3 17", a lease for one job, number 17; the shell opens the lease and starts the
# job. So no shell needs to know what another one did: a loop at the end of a pipe is a copy of the
# shell, and takes the next line. The job itself says how it ended, into its lease, as its last
# word. If it could not, because it was killed, say, the dispenser asks the shell ("who").
#
# news.sh handles all other lines; many batches need it only at their end.
# _jobctl_b_... is of the current batch; _jobctl_pid_LEASE_BATCH is the last job on a lease,
# _jobctl_pid_LEASE_BATCH_job its number, how many words its command has, and the first two.

# Variables that change with each job come first, close together in memory: after a fork, each page
# that is written to is copied.
_jobctl_lease='' _jobctl_id='' _jobctl_detail='' _jobctl_old='' _jobctl_b_plain=''
_jobctl_self=/ _jobctl_names='' _jobctl_current='' _jobctl_inside='' _jobctl_closing=''
_jobctl_opener='' _jobctl_copied='' _jobctl_b_deferred='' _jobctl_all='' _jobctl_traps_set=''
_jobctl_try=1 _jobctl_known=// _jobctl_missing='' _jobctl_beside='' _jobctl_jobend=''
_jobctl_refused='' _jobctl_b_torn='' _jobctl_syncs=0 _jobctl_verb='' _jobctl_keeper=''
_jobctl_input=/dev/null _jobctl_b_key='' _jobctl_reads='' _jobctl_pipe=''
_jobctl_list='' _jobctl_unread=''

# Words of some shell's grammar: as the value of "$1" none of them can be run.
_jobctl_syntax=' ! { } [[ if then elif else fi case in esac for foreach select while until do done'
_jobctl_syntax="$_jobctl_syntax repeat end function coproc namespace nocorrect time "

# jobctl_run COMMAND... -- runs it in the background, as soon as fewer than N run. In a callback it
# only notes the command. 0; 1 when --halt says so, 123 when the dispenser is gone, 125 after a
# message.
#
# _jobctl_b_plain: a job needs nothing but a lease. _jobctl_b_stdin: a path of standard input as it
# was at jobctl_open, or see input.sh. _jobctl_self: a file that exists for the shell
# that may start jobs, and for no copy of it.
jobctl_run () {
	[ -e "$_jobctl_self" ] || _jobctl_copy || return 125
	case $_jobctl_inside$_jobctl_b_plain/$# in
	plain/[1-9]*)
		IFS=' ' read -r _jobctl_lease _jobctl_id _jobctl_detail \
			<&"$_jobctl_b_news" || _jobctl_from news _jobctl_again
		case $_jobctl_b_plain$_jobctl_lease/$_jobctl_id/$_jobctl_detail in
		plain[0-9]*/[0-9]*/"$_jobctl_b_key") ;; # a trap may have changed _jobctl_b_plain
		*) _jobctl_from news _jobctl_find_lease heard "$@" || : ;;
		esac
		;;
	*) _jobctl_from news _jobctl_find_lease ask ${1+"$@"} || : ;;
	esac
	# shellcheck disable=SC3013 # -ef, which posh does not get here
	case $_jobctl_lease/$_jobctl_b_stdin in
	/*) return "$_jobctl_status" ;;
	*/) _jobctl_launch "$@" ;;
	*//*)
		if [ /proc/self/fd/0 -ef "$_jobctl_b_stdin" ] || _jobctl_is_list; then
			_jobctl_launch "$@"
		else
			_jobctl_from input _jobctl_launch_with "$@"
		fi
		;;
	*) _jobctl_from input _jobctl_launch_with "$@" ;;
	esac
}

# Standard input is a list that the loop reads, not the job: a file of which some was read, or the
# pipe _jobctl_list.
_jobctl_is_list () {
	if [ -f /proc/self/fd/0 ]; then
		IFS='	 ' read -r _jobctl_old _jobctl_detail 9<&0 </proc/self/fdinfo/9
		[ "$_jobctl_detail" != 0 ]
	else
		[ -n "$_jobctl_list" ] && [ -p /proc/self/fd/0 ] && _jobctl_inode &&
			[ "$_jobctl_detail" = "$_jobctl_list" ]
	fi
}

# Sets _jobctl_detail to the inode of standard input: Linux tells it since 5.14. No loop, which
# takes longer.
_jobctl_inode () {
	{
		read -r _jobctl_old && read -r _jobctl_old && read -r _jobctl_old &&
			IFS='	 ' read -r _jobctl_old _jobctl_detail || _jobctl_detail=''
	} 2>/dev/null 9<&0 </proc/self/fdinfo/9
}

# _jobctl_launch COMMAND... -- as the job _jobctl_id, on _jobctl_lease, whose last job has ended.
# This shell opens the lease, so the job can at no instant die without it.
# The job's own subshell stays until the job has ended: it holds the lease even when the job's
# program closes all descriptors (ssh, sudo), and has the last word.
_jobctl_launch () {
	case $1 in "$_jobctl_known") ;; *) _jobctl_know "$1" || return "$?" ;; esac
	JOBCTL_STARTED=$_jobctl_id
	if :; then # not in braces: zsh may lose the status of a job started there
		{
			trap '' INT
			JOBCTL_ID=$_jobctl_id JOBCTL_SLOT=${_jobctl_lease%%_*}
			FIFO=$_jobctl_b_fifo.d/$_jobctl_lease # apart, for set -k
			export JOBCTL_ID JOBCTL_SLOT FIFO
			case $_jobctl_closing in
			' 8<&-') exec 8<&- ;; # the usual case, without the cost of parsing it again
			?*) # of more batches, or of workers, too
				eval "\exec $_jobctl_closing"
				_jobctl_w_open='' _jobctl_w_inside=''
				;;
			esac
			_jobctl_closing='' _jobctl_names='' _jobctl_b_plain='' # it may open batches
			case $_jobctl_b_special$_jobctl_missing$_jobctl_beside in
			'') "$@" ;;
			/*) exec "$_jobctl_jobend" "$@" ;; # it has the last word
			shell)
				set +e
				"$@"
				;;
			*) _jobctl_special "$@" ;;
			esac
			case $? in
			0) { echo '=0' >&9; } 2>&- || : ;; # it may have closed its lease
			*) _jobctl_failed "$?" "$@" ;;
			esac
		} </dev/null &
	fi 9>|"$_jobctl_b_fifo.d/$_jobctl_lease"
	case $? in
	0) # during eval bash reports another job that was just killed
		eval "_jobctl_old=\${_jobctl_pid_${_jobctl_lease}_$_jobctl_current-}
		_jobctl_pid_${_jobctl_lease}_$_jobctl_current=$! \
		_jobctl_pid_${_jobctl_lease}_${_jobctl_current}_job=$_jobctl_id:$#:\$1
		case \$_jobctl_old in ?*) \wait \"\$_jobctl_old\" || \: ;; esac" 2>/dev/null
		_jobctl_b_noted=$_jobctl_id
		case $_jobctl_b_tells/$_jobctl_lease in
		?*/* | *_*) _jobctl_from news _jobctl_tell_pid "$!" ;;
		esac
		;;
	*) _jobctl_from news _jobctl_no_lease ;;
	esac
}

# _jobctl_failed STATUS COMMAND... -- the last word of a job that failed, with _jobctl_why.
# ksh93 and yash have statuses above 256 for signals.
_jobctl_failed () {
	_jobctl_last_word "$@"
	exit "$((_jobctl_status > 255 ? _jobctl_status & 127 | 128 : _jobctl_status))"
}

_jobctl_last_word () {
	_jobctl_status=$1
	shift
	case ${KSH_VERSION-}${YASH_VERSION-} in '') _jobctl_status=$((_jobctl_status & 255)) ;; esac
	_jobctl_quoted=''
	[ "$_jobctl_b_asks" = texts ] || _jobctl_quote "$@"
	[ "${#_jobctl_quoted}" -lt 1000 ] || _jobctl_quote "$1" ...
	[ "${#_jobctl_quoted}" -lt 1000 ] || _jobctl_quoted=...
	[ -n "$_jobctl_missing" ] || _jobctl_why=''
	{ printf '=%s %s\n' "$_jobctl_status$_jobctl_why" "$_jobctl_quoted" >&9; } 2>&- || :
}

# _jobctl_know COMMAND -- finds out how to run it; 0, or 125 where it is refused. _jobctl_missing:
# it cannot be run; the shell itself would say so with a line of this file. A program runs beside
# jobend(1), where that costs less than the fork of a shell; or beside a shell, which -e must not
# end before its last word. "//" is never known.
_jobctl_know () {
	_jobctl_known=$1 _jobctl_missing='' _jobctl_beside=''
	if [ -n "$_jobctl_b_places" ]; then
		_jobctl_know_there "$1"
		return "$?"
	fi
	_jobctl_first=''
	case $1 in -*) _jobctl_missing=1 ;; esac
	command -v "$1" >/dev/null 2>&1 || _jobctl_missing=1
	{ # not by $(), which is another fork
		command -v "$1" >|"$_jobctl_b_fifo.d/answer" &&
			IFS= read -r _jobctl_first <"$_jobctl_b_fifo.d/answer"
	} 2>/dev/null || :
	case $_jobctl_first in
	/* | ./* | ../*) # dash finds files that cannot be executed, too
		_jobctl_beside=$_jobctl_jobend
		{ [ -x "$_jobctl_first" ] && [ ! -d "$_jobctl_first" ]; } ||
			_jobctl_from mistakes _jobctl_elsewhere "$1"
		;;
	"$1") case $_jobctl_syntax in *" $1 "*) _jobctl_from mistakes _jobctl_doubt "$1" ;; esac ;;
	?*) _jobctl_from mistakes _jobctl_doubt "$1" ;;
	esac
	[ -z "$_jobctl_missing" ] || _jobctl_known=//
}

# In the subshell of a job that needs more than others.
_jobctl_special () {
	if [ -n "$_jobctl_b_tries" ] && [ -z "$_jobctl_missing" ]; then
		_jobctl_try_often "$@"
		return "$?"
	fi
	[ -z "$_jobctl_b_labels" ] ||
		eval "JOBCTL_LABEL=\${_jobctl_label_${_jobctl_current}_$JOBCTL_SLOT-}
			\export JOBCTL_LABEL"
	[ -z "$_jobctl_b_output$_jobctl_b_nice" ] || _jobctl_outfit
	[ -z "$_jobctl_b_clock" ] || echo + >&9 # the clock of the lease starts
	if [ -n "$_jobctl_missing" ]; then
		set +e
		_jobctl_from mistakes _jobctl_no_command "$1"
		return "$?"
	fi
	if [ -n "$_jobctl_b_places" ]; then
		_jobctl_there "$@"
		return "$?"
	fi
	[ -z "$_jobctl_93" ] || eval 'case $_jobctl_current/${_jobctl_opener##* } in
	0/* | */"$((.sh.subshell - 1))") ;;
	*) _jobctl_b_own=1 ;; # a subshell of the script started it, and forgets how it ended
	esac'
	_jobctl_first=''
	[ -z "$_jobctl_reads" ] ||
		_jobctl_first="${_jobctl_given%0}$_jobctl_reads $_jobctl_reads<&-"
	_jobctl_reads='' # it may open batches
	case $_jobctl_b_own${BASH_VERSION-}$_jobctl_93 in
	1[0-9]*) # bash and ksh93 report a killed one in the foreground, with our source
		trap - CHLD # ignored, it would leave nothing to wait for
		# else bash gives it /dev/null, and ksh93 empty lines without end
		eval '("$@")' "${_jobctl_first:-<&0} &"
		set +e
		_jobctl_from news _jobctl_outcome "$!"
		return "$_jobctl_outcome"
		;;
	esac
	[ -z "$_jobctl_first" ] || eval "\exec $_jobctl_first"
	case $_jobctl_b_own/$- in
	/*) "$@" ;;
	*/*e*) # the shell within may exit; no || here, which would switch its -e off
		set +e
		(set -e; "$@")
		;;
	*) ("$@") ;;
	esac
}
