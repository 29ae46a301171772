# tasks.sh -- tasks, each with a name and one result, in a batch of jobctl.sh; read when the first
# of them are announced.
#
# One job after the other runs a task until one succeeds; the dispenser knows the names, and keeps
# the tasks that wait. A job's output goes to a file. The file counts only when the
# job has ended with 0, and is removed otherwise: so no result comes twice, or half, even if a
# process left behind by a killed job still writes.

_jobctl_part news

_jobctl_question=0

# jobctl_tasks [--retries N] WORKER RESULT [ERROR] -- gives the current batch tasks:
# WORKER NAME [ARG...] runs in a job, and writes the result of the task. The main shell calls RESULT
# NAME, as a callback, with that as its standard input; or ERROR NAME STATUS, when N jobs have
# failed. 0, or 125 after a message.
_jobctl_tasks () {
	_jobctl_may tasks || return 125
	_jobctl_n=1
	while case ${1-} in -*) ;; *) false ;; esac; do
		case $1 in
		--retries=*)
			_jobctl_number 'jobctl_tasks: --retries' "${1#*=}" 1 || return 125
			;;
		--retries)
			_jobctl_argument jobctl_tasks: "$@" || return 125
			_jobctl_number 'jobctl_tasks: --retries' "$2" 1 || return 125
			shift
			;;
		*)
			_jobctl_refuse "jobctl_tasks: $1: no such option, see jobctl-tasks(7)" ||
				return 125
			;;
		esac
		shift
	done
	[ "$#" -eq 2 ] || [ "$#" -eq 3 ] || _jobctl_refuse \
		'jobctl_tasks: needs WORKER and RESULT, and perhaps ERROR' || return 125
	_jobctl_command jobctl_tasks: "$1" && _jobctl_command jobctl_tasks: "$2" &&
		_jobctl_command jobctl_tasks: "${3-:}" || return 125
	[ -z "$_jobctl_b_tasks$_jobctl_b_hook$_jobctl_b_taskless" ] || _jobctl_refuse \
		'jobctl_tasks: not in a batch with -S, --dry-run, --on-end, --retries or' \
		'--resume-failed, nor twice in one' || return 125
	_jobctl_b_tasks=$1 _jobctl_b_deliver=$2 _jobctl_b_surrender=${3-} _jobctl_b_special=1
	_jobctl_b_asks=${_jobctl_b_asks:-asks} _jobctl_b_plain='' _jobctl_b_tries=1
	_jobctl_b_waits=''
	_jobctl_post 'o asks'
	_jobctl_post "o worker=$1"
	_jobctl_post "o --retries=$_jobctl_n,0"
	_jobctl_wait w || [ "$_jobctl_b_result" -eq 0 ] || return 125
}

# jobctl_task NAME [ARG...] -- adds a task, and returns when it was started; in a callback, when it
# was noted. 0; 1 when there was a task of this name before; 123, 125 as jobctl_run.
jobctl_task () {
	[ "$#" -gt 0 ] || _jobctl_refuse 'jobctl_task: needs a name: jobctl_task NAME' || return 125
	[ -n "$_jobctl_names" ] && [ -n "$_jobctl_b_tasks" ] ||
		_jobctl_unopened jobctl_task || return 125
	[ -e "$_jobctl_self" ] || _jobctl_copy || return 125
	case $1 in
	*"$_jobctl_newline"* | *'	'*)
		_jobctl_refuse "jobctl_task: $1: a newline or a tab in a name" || return 125
		;;
	esac
	[ "$_jobctl_b_result" -eq 0 ] || return "$_jobctl_b_result"
	_jobctl_quote "$@"
	case $_jobctl_inside/$_jobctl_b_stdin in
	/?*) _jobctl_from input _jobctl_see_input jobctl_task "$1" ;;
	esac
	_jobctl_wanted=1 _jobctl_question=$((_jobctl_question + 1))
	case $_jobctl_inside in
	'') _jobctl_post "T $_jobctl_question $1	$_jobctl_quoted" ;;
	*) _jobctl_post "t $_jobctl_question $1	$_jobctl_quoted" ;;
	esac
	_jobctl_ring
	_jobctl_await_answer "$_jobctl_question"
	case $_jobctl_answer in
	1)
		echo "jobctl_task: $1: there was a task of this name before" >&2
		return 1
		;;
	esac
	return "$_jobctl_b_result"
}

# Handles the lines that a callback has read, before this shell is copied, or a copy ends.
_jobctl_hear_deferred () {
	_jobctl_my_lease=$_jobctl_lease _jobctl_my_id=$_jobctl_id
	while [ -n "$_jobctl_b_deferred" ]; do
		_jobctl_hear
	done
	_jobctl_lease=$_jobctl_my_lease _jobctl_id=$_jobctl_my_id
}

# _jobctl_await_answer QUESTION -- in a callback, other lines must wait: a caller outside of it that
# waits for an answer may depend on this one.
_jobctl_await_answer () {
	_jobctl_answer=''
	if [ -z "$_jobctl_inside" ]; then
		_jobctl_answered=''
		while [ -z "$_jobctl_answered" ] && [ "$_jobctl_b_result" -eq 0 ]; do
			_jobctl_hear
		done
		_jobctl_hear_deferred
		_jobctl_answer=$_jobctl_answered
		return 0
	fi
	while [ -z "$_jobctl_answer" ] && [ "$_jobctl_b_result" -eq 0 ]; do
		IFS=' ' read -r _jobctl_lease _jobctl_id _jobctl_detail <&"$_jobctl_b_news" ||
			_jobctl_again
		_jobctl_first="$_jobctl_lease $_jobctl_id $_jobctl_detail"
		case $_jobctl_first in
		"task $1 "*)
			_jobctl_answer=$_jobctl_detail
			_jobctl_post a
			;;
		*) _jobctl_b_deferred=$_jobctl_b_deferred$_jobctl_first$_jobctl_newline ;;
		esac
		case $_jobctl_lease in away | list) return 0 ;; esac
	done
}

# In the job: NAME [ARG...]. The file is emptied first: some file systems write at once to the disk
# whatever goes into a file that was truncated when it was opened.
_jobctl_task_work () {
	_jobctl_text=$_jobctl_b_fifo.d/$JOBCTL_ID.result
	{ :; } >|"$_jobctl_text" || return 1
	"$_jobctl_b_tasks" "$@" >>"$_jobctl_text"
}
