# statuses.sh -- how jobs ended, as far as this shell can tell: it waits for its children. Read with
# news.sh.

# _jobctl_tell_end ID LEASE -- only the shell that started the job knows: a copy leaves the answer
# to that. As soon as bash evaluates something, it reports a killed job, with its source.
_jobctl_tell_end () {
	_jobctl_outcome=-1 _jobctl_quoted=''
	[ -z "$_jobctl_93" ] || _jobctl_see_subshell
	eval "case \${_jobctl_pid_$2_${_jobctl_current}_job-} in
	$1:* | +$1:*)
		_jobctl_old=\${_jobctl_pid_$2_$_jobctl_current-}
		_jobctl_linger
		case \$_jobctl_old in
		'') _jobctl_outcome=\${_jobctl_pid_$2_${_jobctl_current}_was:-127} ;;
		*) _jobctl_outcome \"\$_jobctl_old\" ;;
		esac
		_jobctl_forget_pid $2 \"\$_jobctl_outcome\"
		_jobctl_recall \"\${_jobctl_pid_$2_${_jobctl_current}_job}\"
		;;
	esac" 2>/dev/null
	case $_jobctl_copied/$_jobctl_outcome in 1/-1 | 1/127) _jobctl_outcome=-2 ;; esac
	_jobctl_post "s $1 $_jobctl_outcome $_jobctl_quoted"
	_jobctl_ring
}

# The lease of _jobctl_old is closed, and in a moment bash and ksh93 reap it: where a trap of the
# caller ends a wait, they take its status for that of the job. It may live on, without its lease.
_jobctl_linger () {
	_jobctl_n=0
	case ${BASH_VERSION-}${_jobctl_93} in '') _jobctl_n=1200 ;; esac
	while [ "$_jobctl_n" -lt 1200 ] && [ -e "/proc/${_jobctl_old:-none}" ]; do
		_jobctl_n=$((_jobctl_n + 1))
		[ "$_jobctl_n" -lt 1000 ] || sleep 0.01
	done
}

# _jobctl_harvest STATUS LEASE -- in a plain batch: _jobctl_old, the last job there, has failed; or
# nobody knows, or a trap has ended the wait. A copy of the shell that started it cannot tell.
_jobctl_harvest () {
	[ -z "$_jobctl_copied" ] || return 0
	eval "_jobctl_first=\${_jobctl_pid_${2}_${_jobctl_current}_job-}"
	case $_jobctl_first in
	+*) ;;
	*) return 0 ;;
	esac
	_jobctl_outcome "$_jobctl_old" "$1"
	[ "$_jobctl_outcome" -ne 0 ] || return 0
	_jobctl_first=${_jobctl_first#+} _jobctl_harvested=1
	_jobctl_recall "$_jobctl_first"
	_jobctl_post "f ${_jobctl_first%%:*} $_jobctl_outcome $_jobctl_quoted"
}

# _jobctl_recall NUMBER:COMMAND -- sets _jobctl_quoted. If it is not quoted, there is the number of
# its words, and the first.
_jobctl_recall () {
	_jobctl_quoted=${1#*:}
	case $_jobctl_quoted in
	1:*) _jobctl_quote "${_jobctl_quoted#*:}" ;;
	[0-9]*) _jobctl_quote "${_jobctl_quoted#*:}" ... ;;
	esac
}

# _jobctl_gather LEASE PID -- waits for that job, if that is for this shell to do; or it is the one
# for which the caller has waited, _jobctl_taken.
_jobctl_gather () {
	eval "_jobctl_first=\${_jobctl_pid_${1}_${_jobctl_current}_job-}"
	case $_jobctl_first/${_jobctl_taken:-$2} in
	+*/"$2") ;;
	*) return 0 ;;
	esac
	_jobctl_old=$2
	[ -n "$_jobctl_taken" ] || {
		_jobctl_status=0
		"$_jobctl_builtin" wait "$2" 2>/dev/null || _jobctl_status=$?
	}
	_jobctl_outcome=0
	[ "$_jobctl_status" -eq 0 ] || _jobctl_harvest "$_jobctl_status" "$1"
	_jobctl_forget_pid "$1" "$_jobctl_outcome"
}

# _jobctl_forget_pid LEASE [STATUS] -- of that job. The dispenser asks for it if the job gave its
# token back early.
_jobctl_forget_pid () {
	eval "_jobctl_pid_${1}_$_jobctl_current=
		_jobctl_pid_${1}_${_jobctl_current}_was=${2-}" 2>/dev/null
}

# In a plain batch: waits for all jobs of this shell; 0 if some have failed.
_jobctl_gather_all () {
	_jobctl_harvested=''
	[ -z "$_jobctl_copied" ] && [ -e "$_jobctl_self" ] || return 1
	_jobctl_each_pid "_jobctl_gather \"\$1\" \"\$2\""
	[ -z "$_jobctl_b_waits" ] || [ -n "$_jobctl_taken" ] || _jobctl_post g
	[ -n "$_jobctl_harvested" ]
}

# _jobctl_waited [ARGUMENT...] -- "wait" of the caller, for all processes or these. In a job and in
# a copy of the shell it is the usual one.
_jobctl_waited () {
	if [ -n "$_jobctl_names" ] && [ -z "$_jobctl_copied" ] && [ -e "$_jobctl_self" ]; then
		_jobctl_taken=''
		case ${1-} in --) shift ;; esac
		[ "$#" -gt 0 ] || _jobctl_each_batch _jobctl_gather_all
		while case ${1-} in '' | *[!0-9]*) false ;; esac; do
			_jobctl_status=0 _jobctl_taken=$1
			"$_jobctl_builtin" wait "$1" || _jobctl_status=$?
			[ ! -e "/proc/$1" ] || return "$_jobctl_status" # a trap has ended it
			_jobctl_each_batch _jobctl_gather_all
			[ "$#" -gt 1 ] || return "$_jobctl_status"
			shift
		done
	fi
	"$_jobctl_builtin" wait ${1+"$@"}
}

# _jobctl_outcome PID [STATUS] -- sets _jobctl_outcome to the status of a child that has ended or is
# about to; also 127 if it is no child. A trap of the caller ends a wait early, with 128+n or, in
# ksh93, with the status that the trap left. So this asks again: 127 means that the last answer was
# the child's. A program that has closed its lease may take long to end.
_jobctl_outcome () {
	_jobctl_outcome=${2:-127} _jobctl_asked=0
	while [ -n "$1" ] && { [ "$_jobctl_asked" -lt 9 ] || [ -e "/proc/$1/exe" ]; }; do
		_jobctl_answer=0 _jobctl_asked=$((_jobctl_asked + 1))
		"$_jobctl_builtin" wait "$1" 2>/dev/null || _jobctl_answer=$?
		[ "$_jobctl_answer" -ne 127 ] && [ "$_jobctl_answer" -ge 0 ] || return 0
		[ "$_jobctl_answer" -ne "$_jobctl_outcome" ] ||
			[ "$_jobctl_answer" -gt 128 ] || return 0
		_jobctl_outcome=$_jobctl_answer
		[ "$_jobctl_answer" -ne 0 ] || return 0
	done
}
