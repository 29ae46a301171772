# input.sh -- the standard input of jobs of jobctl.sh; read when that of a jobctl_run is not the
# file that it was at jobctl_open, nor a list that a loop is seen to read.
#
# A file that nobody has read from is the job's. A pipe does not tell: if two jobs meet the same one
# it is a list, and one without anything to read is no loss. Otherwise the job lacks its input, and
# that is said, once in a batch.
#
# _jobctl_b_stdin: nothing if nobody cares; a path of the file as it was at jobctl_open; in posh,
# which has no -ef, its inode; "all" with --stdin. _jobctl_list: the inode of a pipe that is a list.
# _jobctl_pipe: of one that was perhaps the input of the job _jobctl_pipe_of. _jobctl_unread: of one
# that was.

_jobctl_part mistakes

# _jobctl_launch_with COMMAND... -- launches the job with the input that is its own: it opens our
# descriptor _jobctl_reads in the same way, and so does each try.
_jobctl_launch_with () {
	_jobctl_see_input jobctl_run "$1"
	if [ -z "$_jobctl_given" ]; then
		_jobctl_launch "$@"
		return "$?"
	elif ! _jobctl_descriptor jobctl_run:; then
		_jobctl_launch false "$@" # in its place
		return 125
	fi
	_jobctl_reads=$_jobctl_news _jobctl_was=$_jobctl_b_special _jobctl_b_special=1
	eval "\exec $_jobctl_reads$_jobctl_given"
	_jobctl_launch "$@" # no ||, which would switch its -e off
	_jobctl_launched=$?
	_jobctl_b_special=$_jobctl_was
	eval "\exec $_jobctl_reads<&-"
	_jobctl_reads=''
	return "$_jobctl_launched"
}

# _jobctl_see_input FUNCTION COMMAND -- sets _jobctl_given to the redirection that gives the job its
# input, or to nothing.
_jobctl_see_input () {
	_jobctl_given=''
	{ { :; } 9<&0; } 2>/dev/null || return 0
	if _jobctl_is_list || _jobctl_is_first; then
		case $_jobctl_b_stdin in all) _jobctl_given='<&0' ;; esac
	elif [ -f /proc/self/fd/0 ]; then
		_jobctl_given='</proc/self/fd/0'
		{ :; } 2>/dev/null </proc/self/fd/0 || _jobctl_given='<&0' # not ours
		case $1$_jobctl_b_places$_jobctl_inside$_jobctl_given/$_jobctl_b_tries in
		'jobctl_run</'* | 'jobctl_run<&0/') ;;
		*)
			_jobctl_given=''
			_jobctl_missed "$1 $2" 'a file'
			;;
		esac
	elif [ "$_jobctl_b_stdin" = all ]; then
		_jobctl_given='<&0'
	elif [ -p /proc/self/fd/0 ] || [ -S /proc/self/fd/0 ]; then
		_jobctl_see_pipe "$1 $2"
	else
		_jobctl_missed "$1 $2" 'a terminal or device'
	fi
}

# Standard input is what it was at jobctl_open, or nothing; or the parent of tokend was killed, and
# nobody knows.
# shellcheck disable=SC3013 # -ef
_jobctl_is_first () {
	[ -e /proc/self/fd/0 ] || return 0
	case $_jobctl_b_stdin in
	all) return 1 ;;
	/*)
		[ ! -e "$_jobctl_b_stdin" ] || [ /proc/self/fd/0 -ef /dev/null ] ||
			[ /proc/self/fd/0 -ef "$_jobctl_b_stdin" ]
		;;
	*)
		if [ -c /proc/self/fd/0 ] && [ ! -t 0 ]; then return 0; fi
		_jobctl_inode && [ "$_jobctl_detail" = "$_jobctl_b_stdin" ]
		;;
	esac
}

# _jobctl_see_pipe JOB
_jobctl_see_pipe () {
	_jobctl_inode || return 0
	case $_jobctl_detail in
	"$_jobctl_pipe") _jobctl_list=$_jobctl_pipe _jobctl_pipe='' ;;
	"$_jobctl_unread")
		_jobctl_list=$_jobctl_unread
		_jobctl_missed "$1" 'a pipe'
		;;
	*)
		_jobctl_settle_pipe
		if command jobend -u; then
			_jobctl_pipe=$_jobctl_detail _jobctl_pipe_of=$1
		else
			_jobctl_list=$_jobctl_detail
		fi
		;;
	esac
}

# _jobctl_pipe was the input of one job, unless a loop still reads it.
_jobctl_settle_pipe () {
	[ -n "$_jobctl_pipe" ] || return 0
	_jobctl_inode || _jobctl_detail=''
	[ "$_jobctl_detail" = "$_jobctl_pipe" ] || _jobctl_missed "$_jobctl_pipe_of" 'a pipe'
	_jobctl_pipe=''
}

# _jobctl_missed JOB WHAT
_jobctl_missed () {
	_jobctl_first=${_jobctl_b_fifo%/fifo}/missed
	[ ! -e "$_jobctl_first" ] || return 0
	true >|"$_jobctl_first" || :
	_jobctl_why='write jobctl_open --stdin'
	case $_jobctl_b_places$_jobctl_inside$_jobctl_b_tries/$1 in
	/jobctl_run*) ;;
	*) _jobctl_why='redirect within the job' ;;
	esac
	echo "$1: standard input is $2, but the job reads /dev/null; to give it that," \
		"$_jobctl_why; if it needs none, write </dev/null after the command" >&2
}
