# arguments.sh -- checks the arguments of the functions of jobctl.sh. Most of these return 0, or
# 125 after a message that begins with WHO: "jobctl_workers: --most", or "process:".

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

# Puts that on one line, which still reads as the same arguments.
_jobctl_quote_newlines () {
	_jobctl_unquoted=$_jobctl_quoted _jobctl_quoted=''
	while case $_jobctl_unquoted in *"$_jobctl_newline"*) ;; *) false ;; esac; do
		# a variable of its own: posh sees no newline between quotes in quotes
		_jobctl_text=${_jobctl_unquoted%%"$_jobctl_newline"*}
		_jobctl_quoted="$_jobctl_quoted$_jobctl_text'\"\$_jobctl_newline\"'"
		_jobctl_unquoted=${_jobctl_unquoted#*"$_jobctl_newline"}
	done
	_jobctl_quoted=$_jobctl_quoted$_jobctl_unquoted
}
