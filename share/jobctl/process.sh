# process.sh -- "process" of jobctl.sh: a batch named 0, as no other batch can be. jobctrl has made
# its dispenser, which writes to our standard input. Descriptor 8 is a list.

_jobctl_part open

# process M | - FILE | - DIGIT -- calls "job ID" for the ids 0 to M-1, or "job LINE" for each line
# of the file or descriptor. Returns 0 when all jobs succeeded, 1 when some failed, 123 when the
# dispenser went away, 125 when nothing could be started, 128+n when signal n came and the caller
# has a trap for it.
_jobctl_process () {
	{ exec <&9; } 2>/dev/null 9<&0 || : # else dash loses it, if the caller had closed its own
	_jobctl_echoes process || return 125
	_jobctl_check_process ${1+"$@"} || return 125
	_jobctl_p_outside=$_jobctl_current _jobctl_p_around=$_jobctl_names
	_jobctl_from batch _jobctl_switch ''
	_jobctl_fresh
	_jobctl_names=' 0 ' _jobctl_current=0 _jobctl_b_news=0
	_jobctl_b_fifo=${FIFO:-${TMPDIR:-/tmp}/jobctl.$$.fifo}
	_jobctl_hello process && _jobctl_tell_of_each || _jobctl_b_result=$?
	if [ "$_jobctl_b_result" -eq 0 ]; then
		_jobctl_p_self=$_jobctl_self
		_jobctl_find_shell
		_jobctl_self=$_jobctl_here
		_jobctl_wait_here
		_jobctl_see_traps "$_jobctl_b_fifo.d/answer" p
		for _jobctl_trap in INT TERM HUP; do # unless the caller ignores it
			eval "\[ -z \"\$_jobctl_p_$_jobctl_trap\" ] ||
				\trap '_jobctl_caught _jobctl_stop_process $_jobctl_trap' \
					$_jobctl_trap"
		done
		_jobctl_p_label=${JOBCTL_LABEL-}
		JOBCTL_LABEL=''
		export JOBCTL_LABEL
		case $1/${2-} in
		-/[0-9]) _jobctl_each_line 8<&"$2" ;;
		-/*) _jobctl_each_line 8<"$2" ;;
		*)
			_jobctl_p_id=0
			while [ "$_jobctl_p_id" -lt "$_jobctl_limit" ] &&
				[ "$_jobctl_b_result" -eq 0 ]
			do
				jobctl_run job "$_jobctl_p_id" # no ||, see _jobctl_each_line
				_jobctl_p_id=$((_jobctl_p_id + 1))
			done
			;;
		esac
		_jobctl_from end _jobctl_wait q || :
		_jobctl_see_end
		_jobctl_self=$_jobctl_p_self # a subshell is still a copy in its parent's batches
		JOBCTL_LABEL=$_jobctl_p_label
		for _jobctl_trap in INT TERM HUP; do
			eval "\[ -z \"\$_jobctl_p_$_jobctl_trap\" ] ||
				\trap -- \"\$_jobctl_p_$_jobctl_trap\" $_jobctl_trap"
		done
	fi
	_jobctl_p_result=$_jobctl_b_result _jobctl_p_signal=$_jobctl_b_signal
	[ "$_jobctl_p_result" -ne 0 ] || [ "$JOBCTL_FAILED" -eq 0 ] || _jobctl_p_result=1
	_jobctl_names=$_jobctl_p_around _jobctl_current=''
	_jobctl_switch "$_jobctl_p_outside"
	if [ -n "$_jobctl_p_signal" ]; then
		_jobctl_from end _jobctl_raise "$_jobctl_p_signal"
		_jobctl_p_result=$_jobctl_status
	fi
	return "$_jobctl_p_result"
}

# Checks the arguments of process: 0, or 125 after a message.
_jobctl_check_process () {
	_jobctl_part mistakes
	case ${1-} in
	-)
		_jobctl_argument process: "$@" || return 125
		case $2 in
		[0-9]) eval "{ \:; } <&$2" 2>/dev/null ;;
		*) [ -r "$2" ] && [ ! -d "$2" ] ;;
		esac || _jobctl_refuse "process: $2: this list cannot be read" || return 125
		;;
	*)
		_jobctl_number process: "${1-}" || return 125
		_jobctl_limit=$_jobctl_n
		;;
	esac
	_jobctl_grace process: && _jobctl_command process: job
}

# With job_done this shell asks for each job and hears of each end: the dispenser learns that now.
_jobctl_tell_of_each () {
	command -v job_done >/dev/null 2>&1 || return 0
	_jobctl_part news
	_jobctl_b_hook=job_done _jobctl_b_asks=asks _jobctl_b_plain='' _jobctl_b_waits=''
	_jobctl_post 'o asks'
	_jobctl_post 'o ended'
	_jobctl_wait w
}

# Jobs do not see the list. No || behind jobctl_run: it would switch the caller's -e off in jobs.
_jobctl_each_line () {
	_jobctl_part news
	_jobctl_closing="$_jobctl_closing 8<&-"
	while [ "$_jobctl_b_result" -eq 0 ] && {
		_jobctl_listen 8 || [ -n "$_jobctl_heard" ]
	}; do
		jobctl_run job "$_jobctl_heard"
	done
	_jobctl_closing=${_jobctl_closing%' 8<&-'}
}

# _jobctl_call_outside job_done ARGUMENT... -- job_done may open batches and use those of the
# caller: while it runs, process is no open batch.
_jobctl_call_outside () {
	_jobctl_p_verb=$_jobctl_verb _jobctl_called=1
	_jobctl_switch "$_jobctl_p_outside"
	_jobctl_names=$_jobctl_p_around _jobctl_self=$_jobctl_p_self
	eval "$_jobctl_of_0_figures" 2>/dev/null # bash reports killed jobs there
	{ "$@" || :; } </dev/null || _jobctl_called=''
	_jobctl_p_around=$_jobctl_names _jobctl_p_outside=$_jobctl_current
	_jobctl_p_self=$_jobctl_self _jobctl_self=$_jobctl_here
	_jobctl_names=' 0 ' _jobctl_all='' _jobctl_verb=$_jobctl_p_verb
	_jobctl_switch 0
	[ -n "$_jobctl_called" ] || _jobctl_give_up 125
}
