# jobs.sh -- how jobs are started, in batches of jobctl.sh and in "process", which is a batch whose
# dispenser jobctrl has made.
#
# The dispenser keeps the books: which jobs there are, how they ended, which is next. It writes
# lines such as "3 17", a lease for one job, number 17; the shell opens the lease and starts the
# job. So no shell needs to know what another one did: a loop at the end of a pipe is a copy of the
# shell, and takes the next line. The job itself says how it ended, into its lease, as its last
# word. If it could not, because it was killed, say, the dispenser asks the shell ("who").
#
# In a plain batch, which has no options that need more, this shell waits for its jobs, and tells of
# those that failed; a program then needs one fork, and no last word: see _jobctl_launch.
#
# news.sh handles all other lines; many batches need it only at their end.
# _jobctl_b_... is of the current batch; _jobctl_pid_LEASE_BATCH is the last job on a lease,
# _jobctl_pid_LEASE_BATCH_job its number and its command; "+" before it: this shell waits for it.

_jobctl_newline='
'

# Words of some shell's grammar: as the value of "$1" none of them can be run.
_jobctl_syntax=' ! { } [[ if then elif else fi case in esac for foreach select while until do done'
_jobctl_syntax="$_jobctl_syntax repeat end function coproc namespace nocorrect time "

# jobctl_run COMMAND... -- runs it in the background, as soon as fewer than N run. In a callback it
# only notes the command. 0; 1 when --halt says so, 123 when the dispenser is gone, 125 after a
# message.
#
# _jobctl_b_plain: the next line is a lease, unasked. _jobctl_b_waits: the batch is plain, see
# _jobctl_wait_here. _jobctl_b_stdin: a path of standard input as it was at jobctl_open, or see
# input.sh. _jobctl_self: a file that exists for the shell that may start jobs, and for no copy.
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
# In a plain batch this shell waits for the job before it starts the next one there, and a program
# takes the place of its subshell: _jobctl_way is "+". Else the subshell stays until the job has
# ended, and has the last word; in a plain batch the dispenser hears that before.
_jobctl_launch () {
	eval "_jobctl_old=\${_jobctl_pid_${_jobctl_lease}_$_jobctl_current-}
		case \$_jobctl_old in
		?*) \"\$_jobctl_builtin\" wait \"\$_jobctl_old\" ;;
		esac" 2>/dev/null || {
		case $?/$_jobctl_b_waits in
		*/) ;;
		*) _jobctl_from news _jobctl_harvest "$?" "$_jobctl_lease" ;;
		esac
	}
	case $1 in "$_jobctl_known") ;; *) _jobctl_know "$1" || return "$?" ;; esac
	JOBCTL_STARTED=$_jobctl_id _jobctl_way=''
	case $_jobctl_b_waits$_jobctl_b_special$_jobctl_missing$_jobctl_copied$_jobctl_closing in
	waits | 'waits 8<&-')
		case $_jobctl_lease in
		*_*) _jobctl_from news _jobctl_post "j $_jobctl_id" ;;
		*) _jobctl_way=+ ;;
		esac
		;;
	waits*) _jobctl_from news _jobctl_post "j $_jobctl_id" ;;
	esac
	case $_jobctl_way$_jobctl_b_special$_jobctl_missing in
	'' | +*) ;;
	*) _jobctl_part options ;;
	esac
	case $-/$_jobctl_way$_jobctl_beside in
	*a*/+?*) _jobctl_quoted=$#:$1 ;; # -a exports it
	*/+?*) _jobctl_shorten "$@" ;;
	*) _jobctl_quoted=$#:$1 ;; # such a job has its last word, unless it is killed
	esac
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
			case $_jobctl_way$_jobctl_beside in
			+?*) exec "$@" ;;
			esac
			_jobctl_closing='' _jobctl_names='' _jobctl_b_plain='' # it may open batches
			case $_jobctl_way$_jobctl_b_special$_jobctl_missing$_jobctl_beside in
			'' | +*) "$@" ;;
			/*) exec "$_jobctl_jobend" "$@" ;; # it has the last word
			shell)
				set +e
				"$@"
				;;
			*) _jobctl_special "$@" ;;
			esac
			case $?$_jobctl_way in
			0+) ;;
			0) { echo '=0' >&9; } 2>&- || : ;; # it may have closed its lease
			*) _jobctl_failed "$?" "$@" ;;
			esac
		} </dev/null &
	fi 9>|"$_jobctl_b_fifo.d/$_jobctl_lease"
	case $? in
	0)
		_jobctl_old=$_jobctl_way$_jobctl_id:$_jobctl_quoted
		_jobctl_text="_jobctl_pid_${_jobctl_lease}_$_jobctl_current=$! \
			_jobctl_pid_${_jobctl_lease}_${_jobctl_current}_job=\$_jobctl_old"
		case ${BASH_VERSION-} in
		'') eval "$_jobctl_text" ;;
		*) eval "$_jobctl_text" 2>/dev/null ;; # it reports another job that was just killed
		esac
		_jobctl_b_noted=$_jobctl_id
		case $_jobctl_b_tells/$_jobctl_lease in
		?*/* | *_*) _jobctl_from news _jobctl_tell_pid "$!" ;;
		esac
		;;
	*) _jobctl_from news _jobctl_no_lease ;;
	esac
}

# In ksh93 a subshell is the same process, with copies of the variables.
_jobctl_see_subshell () {
	eval '\[ "${.sh.subshell}" = "${_jobctl_opener##* }" ]' ||
		[ "$_jobctl_current" = 0 ] || _jobctl_copied=1
}

# This shell is not the one that last started jobs here, but a subshell of it, such as a loop at the
# end of a pipe. 0: it may start jobs, for the other one waits for it.
_jobctl_copy () {
	[ -n "$_jobctl_names" ] || return 0
	_jobctl_rchar='' # how much this shell has read
	IFS=' ' read -r _jobctl_first _jobctl_rchar 2>/dev/null </proc/self/io || :
	_jobctl_from copies _jobctl_copied_here
}

# _jobctl_shorten COMMAND... -- sets _jobctl_quoted to it, or to how it begins
_jobctl_shorten () {
	case $# in ???*) set -- "$1" ... ;; esac
	_jobctl_quote "$@"
	case ${#_jobctl_quoted} in ????*) _jobctl_quote "$1" ... ;; esac
	case ${#_jobctl_quoted} in ????*) _jobctl_quoted=... ;; esac
}

# _jobctl_quote ARGUMENT... -- sets _jobctl_quoted to a line that a shell reads as these arguments
_jobctl_quote () {
	_jobctl_quoted=
	for _jobctl_unquoted in "$@"; do
		_jobctl_quoted="$_jobctl_quoted '"
		while case $_jobctl_unquoted in *[\'"$_jobctl_newline"]*) ;; *) false ;; esac; do
			_jobctl_piece=${_jobctl_unquoted%%[\'"$_jobctl_newline"]*}
			_jobctl_unquoted=${_jobctl_unquoted#"$_jobctl_piece"}
			case $_jobctl_unquoted in
			\'*) _jobctl_piece="$_jobctl_piece'\\''" ;;
			*) _jobctl_piece="$_jobctl_piece'\"\$_jobctl_newline\"'" ;;
			esac
			_jobctl_quoted=$_jobctl_quoted$_jobctl_piece
			_jobctl_unquoted=${_jobctl_unquoted#?}
		done
		_jobctl_quoted="$_jobctl_quoted$_jobctl_unquoted'"
	done
	_jobctl_quoted=${_jobctl_quoted# }
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
	[ "$_jobctl_b_asks" = texts ] || _jobctl_shorten "$@"
	[ -n "$_jobctl_missing" ] || _jobctl_why=''
	{ printf '=%s %s\n' "$_jobctl_status$_jobctl_why" "$_jobctl_quoted" >&9; } 2>&- || :
}

# _jobctl_know COMMAND -- finds out how to run it; 0, or 125 where it is refused. _jobctl_missing:
# it cannot be run; the shell itself would say so with a line of this file. _jobctl_beside: it is a
# program, which needs nothing more in a plain batch. Else it runs beside jobend(1), where that
# costs less than the fork of a shell; or beside a shell, which -e must not end before its last
# word. "//" is never known.
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
		case $_jobctl_b_waits${1##*/} in
		waitsssh | waitssudo | waitsdoas) ;; # closes its lease: the subshell has it
		*) _jobctl_beside=$_jobctl_jobend ;;
		esac
		{ [ -x "$_jobctl_first" ] && [ ! -d "$_jobctl_first" ]; } ||
			_jobctl_from mistakes _jobctl_elsewhere "$1"
		;;
	"$1") case $_jobctl_syntax in *" $1 "*) _jobctl_from mistakes _jobctl_doubt "$1" ;; esac ;;
	?*) _jobctl_from mistakes _jobctl_doubt "$1" ;;
	esac
	[ -z "$_jobctl_missing" ] || _jobctl_known=//
}
