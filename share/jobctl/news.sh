# news.sh -- how a batch of jobctl.sh talks with its dispenser, in the language of
# src/attended/attendant.h. Read when the first line comes that is not just the next lease, or when
# the shell first has something to say.

_jobctl_part batch open statuses

# _jobctl_find_lease ask|heard COMMAND... -- sets _jobctl_lease to one for the job, or to nothing
# and _jobctl_status. "heard": the line read may be one. No "return" here: see src/README.md.
_jobctl_find_lease () {
	_jobctl_status=0 _jobctl_picked=$1
	shift
	if [ "$#" -eq 0 ]; then
		_jobctl_lease='' _jobctl_status=125
		_jobctl_refuse 'jobctl_run: needs a command: jobctl_run COMMAND [ARGUMENT...]' || :
	elif [ -z "$_jobctl_names" ]; then
		[ -n "$_jobctl_refused" ] || _jobctl_unopened jobctl_run || :
		_jobctl_lease='' _jobctl_status=125
	elif [ -n "$_jobctl_inside" ]; then # it waits its turn
		_jobctl_lease=''
		[ -z "$_jobctl_b_stdin" ] || [ -n "$_jobctl_b_tasks" ] ||
			_jobctl_from input _jobctl_see_input jobctl_run "$1"
		_jobctl_quote "$@"
		_jobctl_wanted=1
		_jobctl_post "c $_jobctl_quoted"
		_jobctl_ring
	else
		case $_jobctl_picked$_jobctl_b_result/$_jobctl_b_asks in
		heard*) _jobctl_line ;;
		ask0/?*)
			_jobctl_lease='' _jobctl_quoted=''
			[ "$_jobctl_b_asks" != texts ] || _jobctl_quote "$@"
			_jobctl_post "n $_jobctl_quoted"
			_jobctl_ring
			;;
		*) _jobctl_lease='' ;;
		esac
		while [ -z "$_jobctl_lease" ] && [ "$_jobctl_b_result" -eq 0 ]; do
			_jobctl_hear
		done
		case $_jobctl_b_result$_jobctl_lease in
		0skip) _jobctl_lease='' ;;
		0?*) [ -z "$_jobctl_b_deferred" ] || _jobctl_hear_deferred ;;
		*)
			_jobctl_lease=''
			_jobctl_wait_lost
			[ "$_jobctl_current" = 0 ] || _jobctl_status=$_jobctl_b_result
			;;
		esac
	fi
}

# _jobctl_post LINE -- to the dispenser, which reads it at the next bell, or at the end of a job.
_jobctl_post () {
	case $_jobctl_b_lost in a*) return 0 ;; esac
	[ -z "${ZSH_VERSION-}" ] || setopt local_options append_create # else -C forbids >>, too
	case $1 in # redirected one by one: a trap has the descriptors of a compound command in
		# which it runs, and must not write into this file
	*\\*) printf '%s\n' "$1" >>"$_jobctl_b_fifo.d/calls" ;; # no builtin in mksh and posh
	*) echo "$1" >>"$_jobctl_b_fifo.d/calls" ;;
	esac 2>/dev/null || _jobctl_from end _jobctl_away calls
}

# Has the dispenser read the lines posted: see src/attended/attendant.h. It may have read them
# already, and have ended; a signal may end the open.
_jobctl_ring () {
	_jobctl_n=0
	while [ "$_jobctl_b_lost" != away ] && [ -e "$_jobctl_b_fifo.d/bell" ]; do
		if [ -p "$_jobctl_b_fifo.d/bell" ]; then
			true >|"$_jobctl_b_fifo.d/bell" && return 0 # not ":", see _jobctl_post
		fi 2>/dev/null
		_jobctl_n=$((_jobctl_n + 1))
		[ "$_jobctl_n" -lt 20 ] || _jobctl_from end _jobctl_away bell
	done
}

# Hears a line. Then _jobctl_lease is a lease for the next job, or "skip", or empty.
_jobctl_hear () {
	if [ -n "$_jobctl_b_deferred" ]; then
		_jobctl_heard=${_jobctl_b_deferred%%"$_jobctl_newline"*}
		_jobctl_b_deferred=${_jobctl_b_deferred#*"$_jobctl_newline"}
		_jobctl_split
	else
		IFS=' ' read -r _jobctl_lease _jobctl_id _jobctl_detail <&"$_jobctl_b_news" ||
			_jobctl_again
	fi
	_jobctl_line
}

# A read has failed, as each one does at the end of the pipe. Or a trapped signal has ended it,
# within a line, perhaps; so the dispenser says again all that was not heard.
_jobctl_again () {
	_jobctl_lease=list _jobctl_id=0 _jobctl_detail=''
	if _jobctl_is_ours; then
		[ "$_jobctl_b_slots" -eq 0 ] || _jobctl_sync # else it has not said "ready"
		_jobctl_read_on
	fi
}

# Reads the next line, or the rest of one whose read was ended.
_jobctl_read_on () {
	_jobctl_listen "$_jobctl_b_news" || _jobctl_heard='away 0'
	_jobctl_split
}

# Whether the descriptor is still the batch's, as far as the system tells: a loop may read a list
# from it. -ef is of POSIX.1-2024; posh has none, and may die of saying so.
# shellcheck disable=SC3013 # -ef
_jobctl_is_ours () {
	_jobctl_first=${_jobctl_b_fifo%/fifo}/news
	if [ ! -e "/dev/fd/$_jobctl_b_news" ]; then
		eval "{ \:; } <&$_jobctl_b_news" 2>/dev/null
	elif [ -n "${POSH_VERSION-}" ]; then
		[ -p "/dev/fd/$_jobctl_b_news" ] || [ ! -p "$_jobctl_first" ]
	else # else the batch has ended, or is that of process
		[ "/dev/fd/$_jobctl_b_news" -ef "$_jobctl_first" ] || [ ! -p "$_jobctl_first" ]
	fi
}

# Drops all that lies in the pipe. A child rings the bell, for the dispenser may have been killed,
# and then nobody opens the other end. One that is astray does not answer.
_jobctl_sync () {
	_jobctl_syncs=$((_jobctl_syncs + 1)) _jobctl_b_torn='' _jobctl_b_deferred=''
	[ -p "$_jobctl_b_fifo.d/bell" ] || return 0
	_jobctl_post "y $_jobctl_syncs"
	{
		trap '' INT TERM HUP
		_jobctl_ring
	} &
	_jobctl_ringer=$!
	while _jobctl_listen "$_jobctl_b_news"; do
		case $_jobctl_heard in
		"sync $_jobctl_syncs" | 'stop '*' away' | 'stop '*' killed') break ;;
		esac
	done
	case $_jobctl_heard in
	sync*) ;; # it has rung
	*) kill -KILL "$_jobctl_ringer" || : ;;
	esac
	"$_jobctl_builtin" wait "$_jobctl_ringer" || :
	case $_jobctl_heard in
	stop*)
		_jobctl_split
		_jobctl_line
		;;
	esac
} 2>/dev/null

# Handles the line that was read: a lease for the next job, which stays in _jobctl_lease, a lease
# for a job whose command the dispenser has, or news. See src/attended/attendant.h; "away": the
# dispenser is gone.
_jobctl_line () {
	set -- "${_jobctl_id:+$_jobctl_lease}" "$_jobctl_id" "$_jobctl_detail"
	case $1/$_jobctl_verb in # with its last word the dispenser has gone
	all/q) ;;
	who/* | said/* | ended/* | failed/* | result/* | gave/* | task/* | all/* | stop/* | \
		early/* | skip/*)
		_jobctl_post a
		;;
	esac
	case $1/$3 in
	[0-9]*/"$_jobctl_b_key") return 0 ;;
	[0-9]*/"$_jobctl_b_key"*) set -- run "$2" "${3#"$_jobctl_b_key"}" ;;
	esac
	case $1 in
	run)
		set -- "${3# }"
		case $1 in "task "*) set -- "_jobctl_task_work ${1#task }" ;; esac
		eval "\set -- $1" 2>/dev/null
		[ "$_jobctl_b_result" -ne 0 ] || _jobctl_launch "$@" || :
		;;
	skip)
		JOBCTL_STARTED=$2
		return 0
		;;
	sync) ;;
	who) _jobctl_tell_end "$2" "$3" ;;
	count) _jobctl_hear_figures "$2 $3 " ;;
	said) [ -z "$_jobctl_b_hears" ] || _jobctl_call "$_jobctl_b_hears" "$2" "$3" ;;
	ended | failed)
		eval "\set -- $1 $2 $3" 2>/dev/null
		case $1 in
		ended) _jobctl_first=$_jobctl_b_hook ;;
		failed) _jobctl_first=$_jobctl_b_error ;;
		esac
		shift
		case $_jobctl_current in
		0) _jobctl_call_outside "$_jobctl_first" "$@" ;;
		*) _jobctl_call "$_jobctl_first" "$@" ;;
		esac
		;;
	result)
		_jobctl_input=$_jobctl_b_fifo.d/$2.result
		_jobctl_call "$_jobctl_b_deliver" "$3"
		_jobctl_post "r $2"
		;;
	gave) [ -z "$_jobctl_b_surrender" ] || _jobctl_call "$_jobctl_b_surrender" "$3" "$2" ;;
	task) _jobctl_answered=$3 ;; # there is one question outside of callbacks
	all)
		_jobctl_all=$2
		JOBCTL_STARTED=${3%% *}
		_jobctl_hear_figures "${3#* } "
		;;
	stop) _jobctl_stopped "$2" "$3" ;;
	early)
		[ -n "$_jobctl_b_tells" ] || _jobctl_tell_leases
		_jobctl_b_tells=1 _jobctl_b_special=1
		;;
	ready) _jobctl_ready "$2" "$3" ;;
	slot)
		_jobctl_b_labels=1 _jobctl_b_special=1
		eval "_jobctl_label_${_jobctl_current}_$2=\$3" 2>/dev/null
		;;
	fail)
		_jobctl_no_more "$2"
		_jobctl_b_lost=away
		;;
	away)
		_jobctl_from end _jobctl_away ''
		_jobctl_kill_alone
		_jobctl_all=$_jobctl_b_result
		;;
	*) # a copy of this shell was killed within the line; or the line is not the dispenser's
		if _jobctl_is_ours; then _jobctl_sync; else _jobctl_from end _jobctl_shadowed; fi
		;;
	esac
	_jobctl_lease='' # a callback may have read other lines
}

# _jobctl_hear_figures 'DONE FAILED FIRST '
_jobctl_hear_figures () {
	_jobctl_first=$1
	JOBCTL_DONE=${_jobctl_first%% *} _jobctl_first=${_jobctl_first#* }
	JOBCTL_FAILED=${_jobctl_first%% *} _jobctl_first=${_jobctl_first#* }
	JOBCTL_FIRST=${_jobctl_first%% *}
}

# _jobctl_tell_pid PID -- of the job that was just started. Leases have names other than 1 to N only
# in a batch that tells pids.
_jobctl_tell_pid () {
	_jobctl_first=p
	[ -z "$_jobctl_b_tries" ] || _jobctl_first=i # each try tells its own
	_jobctl_post "$_jobctl_first $_jobctl_id $1"
	case "$_jobctl_lease/ $_jobctl_b_retired " in
	*" $_jobctl_lease "*) ;;
	*_*/*) _jobctl_b_retired="$_jobctl_b_retired $_jobctl_lease" ;;
	esac
}

# _jobctl_each_pid COMMAND -- evaluates it for each of this shell's last jobs, with its lease as $1
# and its pid as $2
_jobctl_each_pid () {
	_jobctl_leases=$_jobctl_b_retired _jobctl_n=0
	while [ "$_jobctl_n" -lt "$_jobctl_b_slots" ]; do
		_jobctl_n=$((_jobctl_n + 1)) _jobctl_leases="$_jobctl_n $_jobctl_leases"
	done
	eval "for _jobctl_one in $_jobctl_leases; do
		\eval \"_jobctl_this=\\\${_jobctl_pid_\${_jobctl_one}_$_jobctl_current-}\"
		\set -- \"\$_jobctl_one\" \"\$_jobctl_this\"
		if \[ -n \"\$2\" ]; then $1; fi
	done" 2>/dev/null
}

# Tells the pids of jobs, which most batches never need.
_jobctl_tell_leases () {
	_jobctl_each_pid "_jobctl_post \"l \$1 \$2\""
}

# _jobctl_call FUNCTION ARGUMENT... -- calls a function of the caller, with _jobctl_input as its
# input. If that cannot be opened, the shell says so and does not call it: the batch ends.
_jobctl_call () {
	_jobctl_inside=$_jobctl_current _jobctl_text=$_jobctl_input
	_jobctl_input=/dev/null
	if { "$@" || :; } <"$_jobctl_text"; then
		_jobctl_switch "$_jobctl_inside"
	else
		_jobctl_give_up 125
	fi
	_jobctl_inside=''
}

# The shell has said that it could not open the lease. If the lease is still there, this shell is
# the cause; if the batch has a result, a trap has stopped it.
_jobctl_no_lease () {
	_jobctl_n=123
	[ ! -p "$_jobctl_b_fifo.d/$_jobctl_lease" ] || _jobctl_n=125
	_jobctl_give_up "$_jobctl_n"
	[ "$_jobctl_current" = 0 ] || return "$_jobctl_b_result"
}

# _jobctl_no_more RESULT -- of the batch: no more jobs are started
_jobctl_no_more () {
	_jobctl_b_result=$1 _jobctl_b_plain=''
}

# _jobctl_give_up RESULT -- this shell cannot go on; leases it has read of and not opened are free
# again.
_jobctl_give_up () {
	[ "$_jobctl_b_result" -eq 0 ] || return 0
	_jobctl_post "x $1"
	_jobctl_ring
	[ ! -s "$_jobctl_b_fifo.d/heard" ] || set -- 123 # the dispenser was killed meanwhile
	[ "$_jobctl_b_result" -ne 0 ] || _jobctl_no_more "$1"
}

# _jobctl_stopped RESULT WHY -- said by the dispenser, which may end the jobs whose pids it knows.
# If a subshell hears it, the dispenser says it again, to the shell that waits for that. "orphan":
# the script of process has died; "killed": the dispenser was killed, and its parent waits for jobs.
_jobctl_stopped () {
	case $2 in
	killed)
		_jobctl_b_lost=away
		true 2>/dev/null >|"$_jobctl_b_fifo.d/heard" || : # its parent waits for that
		;;
	away) _jobctl_b_lost=${_jobctl_b_lost:-astray} ;;
	esac
	_jobctl_from end _jobctl_kill_alone
	case $_jobctl_current$2 in 0orphan) _jobctl_caught _jobctl_stop_process TERM ;; esac
	[ "$_jobctl_b_result" -eq 0 ] || return 0
	_jobctl_no_more "$1"
	[ -n "$_jobctl_b_tells$_jobctl_b_lost" ] || _jobctl_tell_leases
	[ -z "$_jobctl_copied" ] || _jobctl_post h
	if [ -z "$_jobctl_b_lost" ] || [ -n "$_jobctl_copied" ]; then _jobctl_ring; fi
}

# jobctl_wait -- for all jobs of the current batch that were started so far, and for those that
# callbacks add. 0, or 1 when any has failed, 123 when jobs could not be started.
_jobctl_do_wait () {
	_jobctl_may wait || return 125
	_jobctl_wait w
}

# _jobctl_wait w|q -- until the dispenser says that all jobs have ended, also those that callbacks
# want, which hear of an end just before that. With q the dispenser is asked to end, but only then:
# lines that this shell writes before must find a reader.
_jobctl_wait () {
	[ -z "$_jobctl_pipe" ] || _jobctl_settle_pipe
	_jobctl_settle
	while
		_jobctl_wanted=''
		_jobctl_wait_once w
		[ -n "$_jobctl_wanted" ] && [ "$_jobctl_b_result" -eq 0 ]
	do :; done
	_jobctl_taken=''
	! _jobctl_gather_all || _jobctl_wait_once w
	_jobctl_denied=${_jobctl_b_fifo%/fifo}/refused # with q it is removed
	[ -e "$_jobctl_denied" ] || _jobctl_denied=''
	case $1 in
	q)
		# The shell of a job has ended, or lives on without its lease.
		_jobctl_each_pid "_jobctl_forget_pid \"\$1\"
			\kill -0 \"\$2\" || \"\$_jobctl_builtin\" \wait \"\$2\" || \:"
		_jobctl_wait_once q
		;;
	esac
	[ "$_jobctl_b_result" -ne 0 ] || [ "$_jobctl_all" -le 1 ] || _jobctl_no_more "$_jobctl_all"
	[ "$_jobctl_b_result" -le 1 ] || _jobctl_all=$_jobctl_b_result
	[ -z "$_jobctl_denied" ] || [ "$_jobctl_all" -gt 1 ] || _jobctl_all=125
	return "$_jobctl_all"
}

# The last process that this shell started with "&" may be a copy of it, about to start a job and be
# refused (copies.sh): it should be refused now. Only Linux shows that; a copy that waits, or works
# for long, is no such one. No sleep: dash would end where it cannot fork. Not once the batch is
# stopped, mostly in a trap: posh may die of SIGSEGV if a redirection fails there.
_jobctl_settle () {
	[ "$_jobctl_b_result" -eq 0 ] || return 0
	_jobctl_n=0
	_jobctl_look self || return 0
	_jobctl_text=$_jobctl_this
	while [ "$_jobctl_n" -lt 5000 ] && [ -e "/proc/${!:-none}/stat" ]; do
		_jobctl_look "${!:-none}" || return 0
		case $_jobctl_this/$_jobctl_state in "$_jobctl_text/"[RD]) ;; *) return 0 ;; esac
		_jobctl_n=$((_jobctl_n + 1))
	done
} 2>/dev/null

# _jobctl_look PID -- its name and its state. One read takes the whole line: if bash cannot seek
# back, as once the process has ended, it gives the rest to the next read of any file. But zsh 5.9
# is damaged by a child that ends while it reads more than 60 bytes.
_jobctl_look () {
	case ${ZSH_VERSION-} in
	'')
		IFS=' ' read -r _jobctl_first _jobctl_this _jobctl_state _jobctl_key \
			<"/proc/$1/stat"
		;;
	*) { eval 'IFS= \read -r -d " " _jobctl_first && IFS= \read -r -d " " _jobctl_this &&
		IFS= \read -r -d " " _jobctl_state'; } <"/proc/$1/stat" ;;
	esac
}

_jobctl_wait_once () {
	_jobctl_all='' _jobctl_verb=$1
	[ -z "$_jobctl_b_torn" ] || _jobctl_sync
	_jobctl_post "$1${_jobctl_copied:+ 1}"
	_jobctl_ring
	while [ -z "$_jobctl_all" ]; do
		_jobctl_hear
	done
	_jobctl_verb=''
	_jobctl_wait_lost
}

# Waits for the jobs that ran when the dispenser was killed. One that is astray still reports them.
_jobctl_wait_lost () {
	case $_jobctl_b_lost in '' | astray) return 0 ;; esac
	_jobctl_each_pid "_jobctl_outcome \"\$2\"; _jobctl_forget_pid \"\$1\""
	[ -z "$_jobctl_keeper" ] || "$_jobctl_builtin" wait "$_jobctl_keeper" || :
}

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
	_jobctl_post q
	_jobctl_ring
	return 125
}

# _jobctl_not_greeted WHO -- the first line is another. The dispenser may have said why it cannot
# serve.
_jobctl_not_greeted () {
	case $_jobctl_lease in
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
