# tasks.sh -- tasks, each with a name and one result, in a batch of jobctl.sh; read
# when the first of them are announced:
#
#	jobctl_open -T 60 8
#	jobctl_tasks -r 3 fetch store complain
#	while read -r url; do jobctl_task "$url"; done <list
#	jobctl_close
#
# A task is run by one job after the other until one succeeds. What a job writes goes to the
# file of its lease in the batch's directory, which counts only when the job has ended with 0,
# and is removed when it has not: so nothing is a result twice, or half, whatever a job that
# was killed has left behind and still writes.
#
# _jobctl_task_LEASE_NAME is of a job: TRY, the task's name, arguments. The names there were
# are in _jobctl_named_SERIAL_...; SERIAL is _jobctl_b_tasks of the batch.
# shellcheck disable=SC2154,SC2034 # the variables of batch.sh

_jobctl_fields="$_jobctl_fields worker deliver surrender attempts trace"
_jobctl_tasks_serial=0
_jobctl_alnum=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ

# jobctl_tasks [-v] [-r TRIES] WORKER RESULT [ERROR] -- announces what the tasks of the
# current batch are. 0, or 125 after a message.
#
# WORKER NAME [ARG...] runs in a job, and writes the result of the task. RESULT NAME is called
# by the main shell, as a callback, with that as its standard input. ERROR NAME STATUS is,
# when TRIES jobs have failed.
_jobctl_tasks ()
{
	_jobctl_n=1 _jobctl_trace=''
	while case ${1-} in -*) ;; *) false ;; esac; do
		case $1 in
		-v) _jobctl_trace=1 ;;
		-r)
			_jobctl_argument jobctl_tasks: "$@" || return 125
			_jobctl_number 'jobctl_tasks: -r' "$2" 1 || return 125
			shift
			;;
		*) _jobctl_refuse "jobctl_tasks: $1: no such option" || return 125 ;;
		esac
		shift
	done
	[ "$#" -eq 2 ] || [ "$#" -eq 3 ] || _jobctl_refuse \
		'jobctl_tasks: needs WORKER and RESULT, and perhaps ERROR' || return 125
	_jobctl_command jobctl_tasks: "$1" && _jobctl_command jobctl_tasks: "$2" &&
		_jobctl_command jobctl_tasks: "${3-:}" && _jobctl_may tasks || return 125
	_jobctl_text=$_jobctl_b_tasks$_jobctl_b_hook
	[ -z "$_jobctl_b_extra" ] ||
		_jobctl_text=$_jobctl_text$_jobctl_b_resume$_jobctl_b_dry${_jobctl_b_tries#1}
	[ -z "$_jobctl_text" ] || _jobctl_refuse \
		'jobctl_tasks: not in a batch with -D, -e, -r or -R, nor twice in one' || return 125
	_jobctl_tasks_serial=$((_jobctl_tasks_serial + 1))
	_jobctl_b_tasks=$_jobctl_tasks_serial _jobctl_b_attempts=$_jobctl_n
	_jobctl_b_trace=$_jobctl_trace
	_jobctl_b_worker=$1 _jobctl_b_deliver=$2 _jobctl_b_surrender=${3-}
}

# jobctl_task NAME [ARG...] -- adds one, and returns when it was started; in a callback, when
# it was noted. 0; 1 when there was a task of this name before; 123, 125 as jobctl_run.
#
# Names of letters and digits are known by variables, one for those that differ in the last
# character alone: its value is these characters.
#
# All in one, as in jobctl_run: a function that is called dirties a page of memory, and after
# a fork each costs.
jobctl_task ()
{
	case $#/$_jobctl_b_tasks/$_jobctl_names in
	0/* | */ | *//*)
		_jobctl_refuse 'jobctl_task: needs a name, and a batch with tasks' || return 125
		;;
	esac
	case $#/$1 in
	*/*[!$_jobctl_alnum]* | */)
		_jobctl_task_odd "$1" || return "$?"
		_jobctl_quote "$@"
		;;
	*)
		_jobctl_rest=${1%?}
		_jobctl_key=_jobctl_named_${_jobctl_b_tasks}_$_jobctl_rest
		_jobctl_cut=${1#"$_jobctl_rest"}
		eval "case \${$_jobctl_key-} in
		*$_jobctl_cut*) false ;;
		*) $_jobctl_key=\${$_jobctl_key-}$_jobctl_cut ;;
		esac" || _jobctl_task_twice "$1" || return 1
		case $# in
		1) _jobctl_quoted=$1 ;;
		*) _jobctl_quote "$@" ;;
		esac
		;;
	esac
	case $_jobctl_b_trace in ?*) _jobctl_task_trace "$1" added ;; esac
	eval "_jobctl_queue_${_jobctl_current}_$_jobctl_b_tail=\
\"_jobctl_task_start 1 \$_jobctl_quoted\""
	_jobctl_b_tail=$((_jobctl_b_tail + 1)) _jobctl_b_queue=1
	case $_jobctl_inside in ?*) return 0 ;; esac
	_jobctl_drain
	while [ -n "$_jobctl_b_queue" ] && [ "$_jobctl_b_result" -eq 0 ]; do
		case $_jobctl_b_ask in may) _jobctl_want ;; esac
		_jobctl_hear
	done
	return "$_jobctl_b_result"
}
# A name with other characters, or none: it is looked for, between newlines, among those that
# are the same but for these characters.
_jobctl_task_odd ()
{
	case $1 in
	*"$_jobctl_newline"*) _jobctl_refuse "jobctl_task: $1: a newline in a name" || return 125 ;;
	esac
	_jobctl_key=_jobctl_named_${_jobctl_b_tasks}__ _jobctl_rest=$1
	while
		_jobctl_cut=${_jobctl_rest%%[!"$_jobctl_alnum"]*}
		_jobctl_key=$_jobctl_key$_jobctl_cut
		[ "$_jobctl_cut" != "$_jobctl_rest" ]
	do
		_jobctl_key=${_jobctl_key}_ _jobctl_rest=${_jobctl_rest#"$_jobctl_cut"?}
	done
	eval "case \${$_jobctl_key-} in
	*\"\$_jobctl_newline\$1\$_jobctl_newline\"*) false ;;
	*) $_jobctl_key=\${$_jobctl_key-\$_jobctl_newline}\$1\$_jobctl_newline ;;
	esac" || _jobctl_task_twice "$1"
}

_jobctl_task_twice ()
{
	echo "jobctl_task: $1: there was a task of this name before" >&2
	return 1
}

# _jobctl_task_start TRY NAME [ARG...] -- out of the queue, where it is as _jobctl_quoted.
_jobctl_task_start ()
{
	_jobctl_task=${_jobctl_quoted#* }
	jobctl_run _jobctl_task_work "$@" || return "$?"
	eval "_jobctl_task_${_jobctl_lease}_$_jobctl_current=\$_jobctl_task"
	case $_jobctl_b_extra in ?*) _jobctl_task_note ;; esac
	case $_jobctl_b_trace in
	?*) _jobctl_task_trace "$2" "try $1, job $_jobctl_b_id, slot ${_jobctl_lease%%_*}" ;;
	esac
}

# What the log, a tag and the function of -E tell is the worker and its arguments.
_jobctl_task_note ()
{
	_jobctl_quote "$_jobctl_b_worker"
	_jobctl_quoted="$_jobctl_quoted ${_jobctl_task#* }"
	eval "_jobctl_text_${_jobctl_lease}_$_jobctl_current=\$_jobctl_quoted"
}

# In the job. The same arguments. The file may be that of another task that had its result; it
# is emptied first, for some file systems write to the disk at once what is put into a file
# that was truncated when it was opened.
_jobctl_task_work ()
{
	export JOBCTL_TRY="$1"
	shift
	{ :; } >|"$_jobctl_b_dir/$_jobctl_lease.result" || return 1
	"$_jobctl_b_worker" "$@" >>"$_jobctl_b_dir/$_jobctl_lease.result"
}

# A job has failed: 0 when its task is given to another one. The file is removed, for what the
# job has left behind may still write there.
_jobctl_task_again ()
{
	eval "_jobctl_task=\${_jobctl_task_${_jobctl_lease}_$_jobctl_current-}"
	[ -n "$_jobctl_task" ] || return 1
	rm -f -- "$_jobctl_b_dir/$_jobctl_lease.result"
	[ "$_jobctl_b_result" -eq 0 ] || return 1
	[ -z "$_jobctl_b_extra" ] || [ -z "$_jobctl_b_halted" ] || return 1
	eval "set -- $_jobctl_task" # TRY NAME ...
	[ "$1" -lt "$_jobctl_b_attempts" ] || return 1
	eval "_jobctl_task_${_jobctl_lease}_$_jobctl_current="
	[ -z "$_jobctl_b_trace" ] || _jobctl_task_trace "$2" "try $1 failed with $_jobctl_status"
	[ -z "$_jobctl_b_extra" ] || _jobctl_skip "$_jobctl_id"
	_jobctl_enqueue "_jobctl_task_start $(($1 + 1)) ${_jobctl_task#* }"
}

# The last job of a task has ended, with _jobctl_status.
_jobctl_task_ended ()
{
	eval "eval \"set -- \${_jobctl_task_${_jobctl_lease}_$_jobctl_current-}\"
		_jobctl_task_${_jobctl_lease}_$_jobctl_current=" # TRY NAME ...
	case $#/$_jobctl_status in
	0/*) ;; # of jobctl_run
	*/0)
		case $_jobctl_b_trace in ?*) _jobctl_task_trace "$2" "result of try $1" ;; esac
		_jobctl_inside=$_jobctl_current
		{ "$_jobctl_b_deliver" "$2" || :; } <"$_jobctl_b_dir/$_jobctl_lease.result" ||
			_jobctl_no_more 125
		case $_jobctl_current in
		"$_jobctl_inside") ;;
		*) jobctl_in "$_jobctl_inside" ;;
		esac
		_jobctl_inside=''
		;;
	*)
		[ -z "$_jobctl_b_trace" ] ||
			_jobctl_task_trace "$2" "try $1 failed with $_jobctl_status, given up"
		[ -z "$_jobctl_b_surrender" ] ||
			_jobctl_call "$_jobctl_b_surrender" "$2" "$_jobctl_status"
		;;
	esac
}

# _jobctl_task_trace NAME TEXT
_jobctl_task_trace ()
{
	printf 'jobctl_tasks: %s: %s\n' "$1" "$2" >&2
}

# The end of the batch: what is known of the names.
_jobctl_tasks_forget ()
{
	eval "$(set | sed -n "s/^\(_jobctl_named_${_jobctl_b_tasks}_[A-Za-z0-9_]*\)=.*/unset \1/p")"
}
