# places.sh -- jobs at other machines, in batches of jobctl.sh opened with -S; read when the first
# one is opened. tokend(1) says how each slot reaches its place: src/tokend/slots.h.

_jobctl_part news

# 0, or 125 after a message.
_jobctl_find_places () {
	[ -r "$_jobctl_dir/places" ] ||
		_jobctl_refuse "jobctl_open: $_jobctl_dir/places: cannot be read" || return 125
	# shellcheck disable=SC1091 # the guard has just written it
	. "$_jobctl_dir/places"
	_jobctl_b_special=1 _jobctl_known=// _jobctl_known_there=''
}

# _jobctl_know_there COMMAND -- refuses a function, also if the slot is here: a job's slot depends
# on which job ends first. A program may exist only there. _jobctl_known stays "//", for the command
# may mean something else in other batches.
_jobctl_know_there () {
	_jobctl_known=//
	[ -n "$1" ] || _jobctl_missing=1
	case $1 in "$_jobctl_known_there" | */*) return 0 ;; esac
	_jobctl_first=$(LC_ALL=C \command -V "$1" 2>/dev/null) || _jobctl_first=''
	_jobctl_first=${_jobctl_first%%"$_jobctl_newline"*} _jobctl_first=${_jobctl_first#"$1"}
	case ${_jobctl_first%%/*} in # before the path of a program
	*function*)
		_jobctl_refuse "jobctl_run: $1: a function cannot run at another machine; make it" \
			"a script, or write: jobctl_run sh -c '...'" || :
		_jobctl_give_up 125
		return 125
		;;
	esac
	_jobctl_known_there=$1
}

# _jobctl_there PROGRAM [ARG...] -- in the job: runs it at the place of its slot, or here, even if
# the shell has a builtin of that name. Its status.
_jobctl_there () {
	set +e
	JOBCTL_GRACE=${JOBCTL_GRACE:-5}
	export JOBCTL_GRACE
	eval "_jobctl_words=\${_jobctl_place_${_jobctl_current}_$JOBCTL_SLOT-}"
	case $_jobctl_words in
	'') command jobend "$@" ;;
	*) eval "\command $_jobctl_words \"\$@\"" ;;
	esac
	_jobctl_status=$?
	_jobctl_first=$_jobctl_b_places/$JOBCTL_SLOT.fate
	case $_jobctl_status/$_jobctl_words in
	122/?* | 123/?*) # jobat has written there whether it, not the job, ended with that status
		if [ -s "$_jobctl_first" ]; then
			IFS= read -r _jobctl_text <"$_jobctl_first"
			true >|"$_jobctl_first" # the next one may have that status
			{ printf '~%s\n' "$_jobctl_text" >&9; } 2>/dev/null
		fi
		;;
	esac
	return "$_jobctl_status"
}
