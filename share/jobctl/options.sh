# options.sh -- the options of jobctl_open that cost something with each job; read when the
# first of them is given. They mean what they mean to jobctl(1), and the dispenser does what they
# say; here is what a job itself does for them.
# shellcheck disable=SC2154,SC2034 # the variables of jobs.sh

# _jobctl_set LETTER ARGUMENT -- an argument that makes no sense is refused by the dispenser.
_jobctl_set ()
{
	case $2 in /*) _jobctl_path=$2 ;; *) _jobctl_path=$PWD/$2 ;; esac
	_jobctl_b_asks=texts _jobctl_word=''
	case $1 in [DrR]) _jobctl_b_taskless=1 ;; esac
	case $1 in
	D) ;;
	E) _jobctl_command 'jobctl_open: -E' "$2" && _jobctl_b_error=$2 _jobctl_word=failed ;;
	g) _jobctl_b_output=${_jobctl_b_output:-group} ;;
	H) _jobctl_word="halt=$2" ;;
	k) _jobctl_b_output=order ;;
	l) _jobctl_word="log=$_jobctl_path" ;;
	n)
		_jobctl_number 'jobctl_open: -n' "${2#-}" || return 125
		_jobctl_b_nice=${2%"${2#-}"}$_jobctl_n
		return 0
		;;
	o) _jobctl_b_output=files _jobctl_b_directory=$_jobctl_path ;;
	p) _jobctl_word=progress ;;
	P) _jobctl_word="progress=$2" ;;
	r) _jobctl_word="tries=$2" _jobctl_b_tries=1 ;;
	R) _jobctl_word=resume ;;
	t) _jobctl_word=tag _jobctl_b_output=${_jobctl_b_output:-group} ;;
	esac || return 125
	case $1 in
	o)
		_jobctl_quote "directory=$_jobctl_path"
		_jobctl_tokend="$_jobctl_tokend -B $_jobctl_quoted -B output=files"
		;;
	k | g) _jobctl_tokend="$_jobctl_tokend -B out=9 -B output=$_jobctl_b_output" ;;
	t) _jobctl_tokend="$_jobctl_tokend -B tag -B out=9 -B output=$_jobctl_b_output" ;;
	D) _jobctl_tokend="$_jobctl_tokend -B out=9 -B dry" ;;
	*)
		_jobctl_quote "$_jobctl_word"
		_jobctl_tokend="$_jobctl_tokend -B $_jobctl_quoted"
		;;
	esac
}

# In the job: its output, its priority, the number of its try.
_jobctl_outfit ()
{
	case $_jobctl_b_output in
	'') ;;
	files) _jobctl_write_to "$_jobctl_b_directory/$JOBCTL_ID" ;;
	*) _jobctl_write_to "$FIFO" ;;
	esac
	[ -z "$_jobctl_b_nice" ] || _jobctl_be_nice
	[ -z "$_jobctl_b_tries" ] || export JOBCTL_TRY="$_jobctl_try"
}

# Tried before: when exec fails, mksh exits with 0, and other shells go on.
_jobctl_write_to ()
{
	{ :; } >|"$1.out" 2>|"$1.err" || exit 125
	exec >|"$1.out" 2>|"$1.err"
}

_jobctl_be_nice ()
{
	sh -c 'echo "$PPID"' >|"$FIFO.pid" # not by $(): which shell would tell?
	IFS=' ' read -r _jobctl_pid <"$FIFO.pid"
	_jobctl_renice "$_jobctl_pid"
}

# By POSIX renice adds what -n says; on Linux it sets that. So the outcome is looked at.
# shellcheck disable=SC2004 # ps puts blanks in front of the number
_jobctl_renice ()
{
	if ! _jobctl_n=$(ps -o nice= -p "$1" 2>/dev/null); then
		renice -n "$_jobctl_b_nice" -p "$1" >/dev/null
		return "$?"
	fi
	_jobctl_n=$(($_jobctl_n + $_jobctl_b_nice))
	renice -n "$_jobctl_b_nice" -p "$1" >/dev/null 2>&1 || :
	[ "$(($(ps -o nice= -p "$1")))" -eq "$_jobctl_n" ] ||
		renice -n "$_jobctl_n" -p "$1" >/dev/null
}
