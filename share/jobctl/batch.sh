# batch.sh -- the functions of an open batch of jobctl.sh, read when one of them is called. The
# state of a batch other than the current one is kept in _jobctl_of_NAME_....

_jobctl_part jobs mistakes

# jobctl_in NAME -- makes another open batch the current one.
_jobctl_do_in () {
	case $_jobctl_names in
	*" ${1:-?} "*) ;;
	*)
		[ -n "$_jobctl_names" ] ||
			_jobctl_unopened jobctl_in || return 125
		_jobctl_refuse "jobctl_in: ${1-}: no such batch is open, only:$_jobctl_names" ||
			return 125
		;;
	esac
	_jobctl_switch "$1"
}

# _jobctl_switch [NAME] -- makes that batch the current one, or none
_jobctl_switch () {
	[ -z "$1" ] || [ "$1" != "$_jobctl_current" ] || return 0
	_jobctl_b_figures="JOBCTL_STARTED=${JOBCTL_STARTED-0} JOBCTL_DONE=${JOBCTL_DONE-0}"
	_jobctl_b_figures="$_jobctl_b_figures JOBCTL_FAILED=${JOBCTL_FAILED-0}"
	_jobctl_b_figures="$_jobctl_b_figures JOBCTL_FIRST=${JOBCTL_FIRST-}"
	case $_jobctl_b_figures in *[!A-Z_=0-9\ ]*) _jobctl_b_figures='' ;; esac # not ours
	_jobctl_figures=$_jobctl_b_figures # still those, for some callers
	[ -z "$_jobctl_current" ] || eval "for _jobctl_key in $_jobctl_fields; do
		\eval \"_jobctl_of_${_jobctl_current}_\$_jobctl_key=\\\${_jobctl_b_\$_jobctl_key-}\"
	done" 2>/dev/null # bash would report killed jobs
	_jobctl_current=$1
	[ -n "$1" ] || return 0
	eval "for _jobctl_key in $_jobctl_fields; do
		\eval \"_jobctl_b_\$_jobctl_key=\\\${_jobctl_of_${1}_\$_jobctl_key-}\"
	done
	\eval \"\$_jobctl_b_figures\"" 2>/dev/null
	[ -z "$_jobctl_b_places" ] || _jobctl_known=// # known of a command here
	[ -z "$_jobctl_copied" ] || _jobctl_from copies _jobctl_be_copy
}

# _jobctl_each_batch COMMAND -- runs it in each open batch
_jobctl_each_batch () {
	[ -n "$_jobctl_names" ] || return 0 # posh takes "$@" for an empty list
	set -- "$1" "$_jobctl_current"
	eval "for _jobctl_name in $_jobctl_names; do
		_jobctl_switch \"\$_jobctl_name\"
		$1 || \:
	done"
	_jobctl_switch "$2"
}

# _jobctl_may FUNCTION -- a batch is open, this is not a callback, and no other shell uses the
# batch.
_jobctl_may () {
	if [ -z "$_jobctl_names" ] || [ -n "$_jobctl_inside" ]; then
		[ -n "$_jobctl_refused" ] || _jobctl_unopened "jobctl_$1" || :
		return 125
	fi
	[ -z "$_jobctl_93" ] || _jobctl_see_subshell
	[ -e "$_jobctl_self" ] || _jobctl_copy
}

# jobctl_say TEXT -- in a job: tells the function of --on-message. Each line is one message.
_jobctl_do_say () {
	_jobctl_text=$*$_jobctl_newline
	while [ -n "$_jobctl_text" ]; do
		_jobctl_first=${_jobctl_text%%"$_jobctl_newline"*} # apart, for posh
		_jobctl_write jobctl_say ":$_jobctl_first" || return 125
		_jobctl_text=${_jobctl_text#*"$_jobctl_newline"}
	done
}

# _jobctl_write FUNCTION TEXT -- into the lease of this job
_jobctl_write () {
	{ printf '%s\n' "$2" >&9; } 2>/dev/null || _jobctl_unopened "$1"
}

# jobctl_retry_after SECONDS -- in a job: if it fails now, its next try waits this long.
_jobctl_do_retry_after () {
	case ${1-}/${1%%.*} in
	/* | ./* | *[!0-9.]*/* | *.*.*/* | ????????????????*/* | */?????????*)
		_jobctl_refuse "jobctl_retry_after: ${1-}: not a number of seconds" || return 125
		;;
	esac
	_jobctl_write jobctl_retry_after ">$1"
}
