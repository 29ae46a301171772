# single.sh -- the functions of jobctl.sh that need no batch: jobctrl, and single tokens.

_jobctl_part mistakes

# jobctrl [N [option of tokend...]] -- the dispenser: the left side of the pipe. Its parent stays
# beside it, whatever signals the terminal sends to its group.
_jobctl_jobctrl () {
	trap '' INT TERM HUP
	_jobctl_program jobctrl: tokend || {
		echo fail 125
		return 125
	}
	[ "$#" -eq 0 ] || set -- -n "$@"
	_jobctl_status=0
	command tokend -a -k ${1+"$@"} -- "${FIFO:-${TMPDIR:-/tmp}/jobctl.$$.fifo}" \
		</dev/null || _jobctl_status=$?
	[ "$_jobctl_status" -ne 125 ] || [ -t 1 ] || echo fail 125
	return "$_jobctl_status"
}

# Writes into the lease that it is open. If its reader was just killed, and nobody else reads there
# yet, that must not end this shell.
_jobctl_opened () {
	(
		trap '' PIPE
		echo + >&9
	) 2>/dev/null || :
}

# jobctl_with FIFO command [arg...] -- runs the command, which may be a function, in this shell,
# holding a token of the dispenser there, as descriptor 9. Returns the command's status, or
# tokget's when there is no token.
_jobctl_with () {
	case $#:${1-} in
	[01]:* | *:-*)
		_jobctl_refuse 'jobctl_with: needs a FIFO and a command, and has no options:' \
			'jobctl_with FIFO COMMAND' || return 125
		;;
	esac
	_jobctl_command jobctl_with: "$2" || return 127
	_jobctl_program jobctl_with: tokget || return 125
	_jobctl_lease=$(\tokget -l -- "$1") || \return "$?"
	shift
	{
		_jobctl_opened # from here on only we keep the lease open
		"$@"
	} 9>|"$_jobctl_lease"
}

# jobctl_hold FIFO -- takes a token for the rest of this shell, or until jobctl_release, as
# descriptor 9.
_jobctl_hold () {
	case $#:${1-} in
	1:[!-]*) ;;
	*)
		_jobctl_refuse 'jobctl_hold: needs a FIFO, and has no options: jobctl_hold FIFO' ||
			return 125
		;;
	esac
	_jobctl_program jobctl_hold: tokget || return 125
	_jobctl_lease=$(\tokget -l -- "$1") || \return "$?"
	exec 9>|"$_jobctl_lease"
	_jobctl_opened
}
