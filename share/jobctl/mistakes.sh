# mistakes.sh -- checks the arguments of the functions of jobctl.sh, and says what else its caller
# has done wrong. Most of these return 0, or 125 after a message that begins with WHO:
# "jobctl_workers: --most", or "process:".

# _jobctl_refuse MESSAGE [MORE] -- prints both as one line; 125. If a job was refused, its batch or
# the workers note that, by a file, for this may be a subshell.
_jobctl_refuse () {
	echo "$1${2+ $2}" >&2
	case $1/${_jobctl_names-}/${_jobctl_w_open-} in
	jobctl_run*/" "*/* | jobctl_task*/" "*/*) true >|"${_jobctl_b_fifo%/fifo}/refused" ;;
	jobctl_ask*/1) true >|"$_jobctl_w_dir/refused" ;;
	esac 2>/dev/null || :
	return 125
}

# _jobctl_argument WHO OPTION [ARGUMENT...] -- the option needs an argument
_jobctl_argument () {
	[ "$#" -ge 3 ] || _jobctl_refuse "$1 $2 needs an argument"
}

# _jobctl_command WHO NAME -- the shell can run NAME
_jobctl_command () {
	command -v "$2" >/dev/null 2>&1 || _jobctl_refuse "$1 $2: no such function or command"
}

# _jobctl_number WHO TEXT [LEAST] -- sets _jobctl_n: arithmetic does not take 08 for 8
_jobctl_number () {
	_jobctl_n=$2
	while case $_jobctl_n in 0?*) ;; *) false ;; esac; do
		_jobctl_n=${_jobctl_n#0}
	done
	case $_jobctl_n in
	'' | *[!0-9]* | ??????????*) ;;
	*) [ "$_jobctl_n" -lt "${3-0}" ] || return 0 ;;
	esac
	_jobctl_refuse "$1 ${2:-''}: not a number from ${3-0} to 999999999"
}

# _jobctl_grace WHO -- JOBCTL_GRACE is a time: checked now, for later it is too late to complain.
# And numbers have no point, as they have under an option of zsh.
_jobctl_grace () {
	[ "$((1))" = 1 ] || _jobctl_refuse "$1 zsh's force_float is set; write: unsetopt" \
		'force_float, and in a function that needs it: setopt local_options force_float' ||
		return 125
	case ${JOBCTL_GRACE:-5} in
	. | *[!0-9.]* | *.*.* | ??????????*)
		_jobctl_refuse "$1 JOBCTL_GRACE: $JOBCTL_GRACE: not a number of seconds"
		;;
	esac
}

# _jobctl_program WHO NAME -- that program of ours is on PATH
_jobctl_program () {
	! command -v "$2" >/dev/null 2>&1 || return 0
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
	case $1 in *_wait | *_close | *_ask | *_answers | *_end)
		[ -z "$_jobctl_first" ] ||
			_jobctl_why='not in a callback; call it from the script itself'
		;;
	esac
	_jobctl_first="$1 $_jobctl_why ${_jobctl_b_fifo-}"
	[ "$_jobctl_first" != "${_jobctl_told-}" ] || return 125 # not of each job
	_jobctl_told=$_jobctl_first
	_jobctl_refuse "$1: $_jobctl_why"
}

# _jobctl_doubt WORD -- sets _jobctl_missing if the shell knows WORD only as syntax or as an alias,
# which no job can run. A program may have the same name, such as time.
_jobctl_doubt () {
	_jobctl_first=$(\unalias "$1" 2>/dev/null || \:
		LC_ALL=C \command -V "$1" 2>/dev/null) || _jobctl_first=''
	case ${_jobctl_first%%"$_jobctl_newline"*} in
	'' | *keyword* | *'reserved word'*) _jobctl_elsewhere "$1" ;;
	esac
}

# _jobctl_elsewhere WORD -- sets _jobctl_missing unless a directory on PATH has that program: what
# the shell remembers may be gone, or cannot be executed.
_jobctl_elsewhere () {
	_jobctl_bins=$PATH:
	case $1 in */*) _jobctl_bins='' ;; esac
	while [ -n "$_jobctl_bins" ]; do
		_jobctl_first=${_jobctl_bins%%:*}/$1
		{ [ ! -x "$_jobctl_first" ] || [ -d "$_jobctl_first" ]; } || return 0
		_jobctl_bins=${_jobctl_bins#*:}
	done
	_jobctl_missing=1
}

# _jobctl_no_command WORD -- in the job: sets _jobctl_why to "!" and the letter for why WORD cannot
# be run, which src/book/verdict.c spells out. Returns its status.
_jobctl_no_command () {
	_jobctl_why='!n'
	! command -v "$1" >/dev/null 2>&1 || _jobctl_why='!x'
	! alias "$1" >/dev/null 2>&1 || _jobctl_why='!a'
	case $_jobctl_syntax in *" $1 "*) _jobctl_why='!s' ;; esac
	case $1 in
	'') _jobctl_why='!e' ;;
	-*) _jobctl_why='!o' ;;
	[A-Za-z_]*=*) _jobctl_why='!v' ;;
	*[\ \|\&\;\<\>]*) _jobctl_why='!w' ;;
	*/*) _jobctl_why='!f' ;;
	esac
	case $1 in */*) [ ! -e "$1" ] || _jobctl_why='!x' ;; esac
	[ "$_jobctl_why" != '!x' ] || return 126
	return 127
}
