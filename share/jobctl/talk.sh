# talk.sh -- what jobctl.sh seldom needs to begin a batch: options that this shell checks, a
# dispenser that does not begin, reads that traps have ended.

_jobctl_part arguments

# Checks the options that only this shell can check. If they are wrong the dispenser ends.
_jobctl_agree () {
	case $_jobctl_names in
	*" $_jobctl_b_name "*)
		_jobctl_refuse "jobctl_open: the batch '$_jobctl_b_name' is already open, and" \
			'stays open; call jobctl_close first, or name this one: -b NAME'
		;;
	*)
		_jobctl_command 'jobctl_open: --on-end' "${_jobctl_b_hook:-:}" &&
			_jobctl_command 'jobctl_open: --on-failure' "${_jobctl_b_error:-:}" &&
			_jobctl_command 'jobctl_open: --on-message' "${_jobctl_b_hears:-:}" &&
			{ [ -z "$_jobctl_b_places" ] || _jobctl_from places _jobctl_find_places; }
		;;
	esac && return 0
	_jobctl_part news
	_jobctl_post q
	_jobctl_ring
	return 125
}

# _jobctl_greet WHO -- the same as _jobctl_hello, if a trap has ended a read, or the words read are
# others than it knows. The dispenser may have said why it cannot serve.
_jobctl_greet () {
	[ -n "$_jobctl_lease" ] || {
		_jobctl_listen "$_jobctl_b_news" || _jobctl_heard=away
		_jobctl_split
	}
	case $_jobctl_lease in
	set)
		eval "$_jobctl_detail"
		_jobctl_hello "$1"
		;;
	ready) _jobctl_ready "$_jobctl_id" "$_jobctl_detail" ;;
	fail) return "$_jobctl_id" ;;
	away)
		_jobctl_why=''
		[ "$1" != process ] || _jobctl_why='; write: jobctrl N | process M'
		_jobctl_refuse "$1: $_jobctl_b_fifo: no tokend runs there$_jobctl_why" || return 123
		;;
	*)
		_jobctl_refuse "$1: standard input is not what jobctrl writes;" \
			'write: jobctrl N | process M' || return 125
		;;
	esac
}

# _jobctl_listen DESCRIPTOR -- sets _jobctl_heard to the next line; 1 at the end. In dash and
# busybox a trap of the caller ends a read, with the status of the end: so a subshell reads on,
# which has no traps.
_jobctl_listen () {
	_jobctl_heard='' # busybox may set nothing
	IFS= read -r _jobctl_heard <&"$1" && return 0
	while
		_jobctl_status=0
		_jobctl_text=$(
			IFS= \read -r _jobctl_heard <&"$1" && \printf '%s:\n' "$_jobctl_heard"
		) || _jobctl_status=$?
		# So ended by a trap in ksh93; or the descriptor is closed.
		[ "$_jobctl_status" -gt 1 ] && {
			[ -e "/dev/fd/$1" ] || [ ! -e /dev/fd ]
		}
	do :; done 2>/dev/null # bash reports killed jobs here
	[ -n "$_jobctl_text" ] || return 1 # in a trap of zsh the status is 0
	_jobctl_heard=$_jobctl_heard${_jobctl_text%:}
}

# Sets _jobctl_lease, _jobctl_id and _jobctl_detail to the words of the line, and the rest.
_jobctl_split () {
	_jobctl_lease=${_jobctl_heard%% *} _jobctl_first=${_jobctl_heard#"$_jobctl_lease"}
	_jobctl_first=${_jobctl_first# } _jobctl_id=${_jobctl_first%% *}
	_jobctl_detail=${_jobctl_first#"$_jobctl_id"} _jobctl_detail=${_jobctl_detail# }
}
