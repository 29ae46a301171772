# mistakes.sh -- messages of jobctl.sh about mistakes of its caller; read when one was made.

_jobctl_part arguments

# _jobctl_no_program WHO NAME
_jobctl_no_program () {
	_jobctl_bins=${_jobctl_lib%/share/jobctl}
	_jobctl_bins=${_jobctl_bins%/bin/..}/bin
	[ -x "$_jobctl_bins/$2" ] || _jobctl_bins=PREFIX/bin
	_jobctl_refuse "$1 $2: not found on PATH;" \
		"add $_jobctl_bins, the directory of jobctl.sh, to PATH"
}

# _jobctl_unopened FUNCTION -- why it cannot be called here
_jobctl_unopened () {
	_jobctl_first=${_jobctl_inside-}
	case $1 in
	*_ask | *_answers | *_end)
		_jobctl_why='there are no workers; jobctl_workers starts some'
		_jobctl_first=${_jobctl_w_inside-}
		;;
	*_say | *_after | *_on) _jobctl_why='only a job of a batch can call this' ;;
	*)
		_jobctl_why='no batch is open; jobctl_open opens one'
		case ${_jobctl_names-}/${_jobctl_current-} in
		?*/*) _jobctl_why='this batch has no tasks; call jobctl_tasks before' ;;
		/?*)
			_jobctl_why='a job cannot use the batch it is part of;'
			_jobctl_why="$_jobctl_why jobctl_open in the job opens one of its own"
			;;
		esac
		;;
	esac
	[ -z "$_jobctl_first" ] || _jobctl_why='not in a callback; call it from the script itself'
	_jobctl_refuse "$1: $_jobctl_why"
}

# _jobctl_doubt WORD -- sets _jobctl_missing if the shell knows WORD only as syntax or as an alias,
# which no job can run. A program may have the same name, such as time.
_jobctl_doubt () {
	_jobctl_first=$(unalias "$1" 2>/dev/null || :
		LC_ALL=C command -V "$1" 2>/dev/null) || _jobctl_first=''
	case ${_jobctl_first%%"$_jobctl_newline"*} in
	'' | *keyword* | *'reserved word'*) ;;
	*) return 0 ;;
	esac
	_jobctl_bins=$PATH:
	while [ -n "$_jobctl_bins" ]; do
		[ ! -x "${_jobctl_bins%%:*}/$1" ] || return 0
		_jobctl_bins=${_jobctl_bins#*:}
	done
	_jobctl_missing=1
}

# _jobctl_no_command WORD -- in the job: says why WORD cannot be run; its status.
_jobctl_no_command () {
	_jobctl_status=127 _jobctl_first="$1: no such command or function"
	case $1 in
	'') _jobctl_first='the command is an empty word; is a variable empty?' ;;
	-*) _jobctl_first="$_jobctl_first; options belong to jobctl_open" ;;
	[A-Za-z_]*=*) _jobctl_first="$_jobctl_first; write env in front of it" ;;
	*[\ \|\&\;\<\>]*)
		_jobctl_first="$_jobctl_first; pass each word by itself, or write a function"
		;;
	*/*) _jobctl_first="$1: no such file" ;;
	*)
		case $_jobctl_syntax in
		*" $1 "*) _jobctl_first="$1: shell syntax, not a command; put it in a function" ;;
		*)
			! command -v "$1" >/dev/null 2>&1 ||
				_jobctl_first="$1: an alias, which no job has; write a function"
			;;
		esac
		;;
	esac
	case $1 in
	*/*) [ ! -e "$1" ] || _jobctl_status=126 _jobctl_first="$1: cannot be executed" ;;
	esac
	printf 'jobctl_run: job %s: %s\n' "$JOBCTL_ID" "$_jobctl_first" >&2
	return "$_jobctl_status"
}
