# options.sh -- the options of jobctl_open that cost something with each job; read when the
# first of them is given. They mean what they mean to jobctl(1).
# shellcheck disable=SC2154,SC2034 # the variables of jobs.sh

_jobctl_fields="$_jobctl_fields error output directory tag log resume how what count percent tries \
pause nice dry progress total halted next told began serial limit"
_jobctl_serial=0

_jobctl_defaults ()
{
	_jobctl_b_extra=1 _jobctl_b_error='' _jobctl_b_output='' _jobctl_b_directory=''
	_jobctl_b_tag='' _jobctl_b_log='' _jobctl_b_resume='' _jobctl_b_dry='' _jobctl_b_nice=''
	_jobctl_b_how='' _jobctl_b_what='' _jobctl_b_count=0 _jobctl_b_percent=''
	_jobctl_b_halted='' _jobctl_b_tries=1 _jobctl_b_pause=1 _jobctl_b_next=1
	_jobctl_b_progress='' _jobctl_b_total=0 _jobctl_b_told=0 _jobctl_b_began=''
	_jobctl_serial=$((_jobctl_serial + 1)) _jobctl_b_serial=$_jobctl_serial
	_jobctl_try=1
}

# _jobctl_set LETTER ARGUMENT
_jobctl_set ()
{
	case $2 in /*) _jobctl_path=$2 ;; *) _jobctl_path=$PWD/$2 ;; esac
	case $1 in
	D) _jobctl_b_dry=1 ;;
	R) _jobctl_b_resume=1 ;;
	g) _jobctl_b_output=${_jobctl_b_output:-group} ;;
	k) _jobctl_b_output=order ;;
	t) _jobctl_b_tag=1 _jobctl_b_output=${_jobctl_b_output:-group} ;;
	p) _jobctl_b_progress=1 ;;
	E) _jobctl_command 'jobctl_open: -E' "$2" && _jobctl_b_error=$2 ;;
	H) _jobctl_set_halt "$2" ;;
	P)
		_jobctl_b_progress=1
		_jobctl_number 'jobctl_open: -P' "$2" && _jobctl_b_total=$_jobctl_n
		;;
	n) _jobctl_number 'jobctl_open: -n' "${2#-}" && _jobctl_b_nice=${2%"${2#-}"}$_jobctl_n ;;
	r)
		_jobctl_number 'jobctl_open: -r' "${2%%,*}" || return 125
		_jobctl_b_tries=$_jobctl_n
		case $2 in
		*,*) _jobctl_number 'jobctl_open: -r' "${2#*,}" && _jobctl_b_pause=$_jobctl_n ;;
		esac
		;;
	l) _jobctl_b_log=$_jobctl_path ;;
	o)
		_jobctl_b_output=files _jobctl_b_directory=$_jobctl_path
		mkdir -p -- "$_jobctl_path" || return 125
		;;
	esac
}

# now,fail=1 or soon,fail=10%
_jobctl_set_halt ()
{
	_jobctl_b_how=${1%%,*} _jobctl_b_what=fail _jobctl_b_count=1
	case $1 in
	soon | now) return 0 ;;
	soon,fail=* | soon,success=* | soon,done=* | now,fail=* | now,success=* | now,done=*)
		_jobctl_b_what=${1#*,}
		_jobctl_b_count=${_jobctl_b_what#*=} _jobctl_b_what=${_jobctl_b_what%%=*}
		case $_jobctl_b_count in *%) _jobctl_b_percent=1 ;; esac
		_jobctl_b_count=${_jobctl_b_count%\%}
		_jobctl_number 'jobctl_open: -H' "$_jobctl_b_count" && _jobctl_b_count=$_jobctl_n
		;;
	*) _jobctl_refuse "jobctl_open: -H $1: not like soon, now,fail=1 or soon,done=10%" ;;
	esac
}

# What the options need before the first job; 125 after a message.
_jobctl_prepare_options ()
{
	if [ -z "$_jobctl_b_log" ]; then
		[ -z "$_jobctl_b_resume" ] || _jobctl_refuse 'jobctl_open: -R needs the log of -l'
	elif [ -z "$_jobctl_b_dry" ]; then
		_jobctl_open_log
	fi
}

# A file that is no log is left as it is.
_jobctl_open_log ()
{
	_jobctl_tab='	'
	_jobctl_b_limit=$(ulimit -f 2>/dev/null) || _jobctl_b_limit=unlimited # posh has none
	_jobctl_header='Seq	Host	Starttime	JobRuntime'
	_jobctl_header="$_jobctl_header	Send	Receive	Exitval	Signal	Command"
	if [ -s "$_jobctl_b_log" ]; then
		IFS= read -r _jobctl_entry <"$_jobctl_b_log" || _jobctl_entry=''
		[ "$_jobctl_entry" = "$_jobctl_header" ] ||
			_jobctl_refuse "jobctl_open: $_jobctl_b_log: no log of jobs;" \
				'left as it is' || return 125
		[ -z "$_jobctl_b_resume" ] || { _jobctl_read_log; return "$?"; }
	fi
	{ { :; } >|"$_jobctl_b_log"; } 2>/dev/null &&
		_jobctl_append '%s\n' "$_jobctl_header" && return 0
	_jobctl_refuse "jobctl_open: $_jobctl_b_log: cannot be written"
}

# Sets _jobctl_past_SERIAL_SEQ to the result and the command of a job. When the writer of the
# last line died before its end, the line is given one.
_jobctl_read_log ()
{
	while IFS=$_jobctl_tab read -r _jobctl_id _jobctl_entry; do
		case $_jobctl_id in Seq | '' | *[!0-9]*) continue ;; esac
		for _jobctl_field in Host Starttime JobRuntime Send Receive; do
			_jobctl_entry=${_jobctl_entry#*"$_jobctl_tab"}
		done
		eval "_jobctl_past_${_jobctl_b_serial}_$_jobctl_id=\$_jobctl_entry"
		_jobctl_id=''
	done <"$_jobctl_b_log"
	[ -z "$_jobctl_id" ] || echo >>"$_jobctl_b_log"
}

# _jobctl_consider COMMAND... -- before a job is started. 1 when it is not to be, with the status
# of jobctl_run. Sets _jobctl_quoted to the command as one would type it.
_jobctl_consider ()
{
	_jobctl_quote "$@"
	[ "$_jobctl_try" -eq 1 ] || return 0
	if [ -n "$_jobctl_b_halted" ]; then
		_jobctl_status=$_jobctl_b_halted
		return 1
	fi
	[ -z "$_jobctl_b_resume" ] || ! _jobctl_ran_before || return 1
	if [ -n "$_jobctl_b_dry" ]; then
		printf '%s\n' "$_jobctl_quoted"
		_jobctl_pass
		return 1
	fi
}

# No job is started for the next number.
_jobctl_pass ()
{
	JOBCTL_STARTED=$((_jobctl_b_id += 1)) JOBCTL_DONE=$((_jobctl_b_ended += 1))
	_jobctl_b_noted=$_jobctl_b_id
	[ "$_jobctl_b_output" != order ] ||
		eval "_jobctl_ready_${_jobctl_current}_$_jobctl_b_id=none"
}

# _jobctl_skip ID -- a job failed whose task another one has now: its output is not shown.
_jobctl_skip ()
{
	case $_jobctl_b_output in
	group | order) rm -f "$_jobctl_b_dir/$1.out" "$_jobctl_b_dir/$1.err" ;;
	esac
	[ "$_jobctl_b_output" = order ] || return 0
	eval "_jobctl_ready_${_jobctl_current}_$1=none"
	_jobctl_show_ready
}

# Puts _jobctl_quoted on one line, as the log has it.
_jobctl_flat ()
{
	_jobctl_flattened=
	while case $_jobctl_quoted in *"$_jobctl_newline"*) ;; *) false ;; esac; do
		# apart: posh sees no newline between quotes in quotes
		_jobctl_line=${_jobctl_quoted%%"$_jobctl_newline"*}
		_jobctl_flattened="$_jobctl_flattened$_jobctl_line\\n"
		_jobctl_quoted=${_jobctl_quoted#*"$_jobctl_newline"}
	done
	_jobctl_quoted=$_jobctl_flattened$_jobctl_quoted
}

# Whether the job is not to be run: it succeeded according to the log, or this is another log.
_jobctl_ran_before ()
{
	eval "_jobctl_entry=\${_jobctl_past_${_jobctl_b_serial}_$((_jobctl_b_id + 1))-}"
	[ -n "$_jobctl_entry" ] || return 1
	_jobctl_flat
	case $_jobctl_entry in
	"0${_jobctl_tab}0$_jobctl_tab$_jobctl_quoted")
		_jobctl_pass
		return 0
		;;
	*"$_jobctl_tab$_jobctl_quoted") return 1 ;;
	esac
	echo "jobctl_run: $_jobctl_b_log: job $((_jobctl_b_id + 1)) was another one then;" \
		'is this the log of another batch?' >&2
	_jobctl_status=125 _jobctl_b_halted=125
}

# A lease has been found for the job.
_jobctl_note ()
{
	eval "_jobctl_text_${_jobctl_lease}_$_jobctl_current=\$_jobctl_quoted
		_jobctl_try_${_jobctl_lease}_$_jobctl_current=$_jobctl_try"
}

# In the job.
_jobctl_outfit ()
{
	_jobctl_files=$_jobctl_b_dir/$JOBCTL_ID
	[ "$_jobctl_b_output" != files ] || _jobctl_files=$_jobctl_b_directory/$JOBCTL_ID
	if [ -n "$_jobctl_b_output" ]; then
		# Tried before: when exec fails, mksh exits with 0, and other shells go on.
		{ :; } >|"$_jobctl_files.out" 2>|"$_jobctl_files.err" || exit 125
		exec >|"$_jobctl_files.out" 2>|"$_jobctl_files.err"
	fi
	if [ -n "$_jobctl_b_nice" ]; then
		_jobctl_files=$_jobctl_b_dir/$JOBCTL_ID.pid # not by $(): which shell would tell?
		sh -c 'echo "$PPID"' >|"$_jobctl_files"
		IFS=' ' read -r _jobctl_pid <"$_jobctl_files"
		rm -f "$_jobctl_files"
		_jobctl_renice "$_jobctl_pid"
	fi
	if [ "$_jobctl_try" -gt 1 ]; then
		sleep "$((_jobctl_b_pause << (_jobctl_try - 2)))"
	fi
	[ "$_jobctl_b_tries" -eq 1 ] || export JOBCTL_TRY="$_jobctl_try"
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

# A job has ended: 0 when it failed and will be tried again.
_jobctl_retry ()
{
	[ "$_jobctl_status" -ne 0 ] && [ "$_jobctl_b_tries" -gt 1 ] || return 1
	[ "$_jobctl_b_result" -eq 0 ] && [ -z "$_jobctl_b_halted" ] || return 1
	eval "_jobctl_retried=\$_jobctl_try_${_jobctl_lease}_$_jobctl_current"
	[ "$_jobctl_retried" -lt "$_jobctl_b_tries" ] || return 1
	eval "_jobctl_enqueue \"_jobctl_rerun $_jobctl_id $((_jobctl_retried + 1)) \
		\$_jobctl_text_${_jobctl_lease}_$_jobctl_current\""
	JOBCTL_DONE=$((_jobctl_b_ended -= 1))
}

# _jobctl_rerun ID TRY COMMAND...
_jobctl_rerun ()
{
	_jobctl_highest=$_jobctl_b_id
	_jobctl_b_id=$(($1 - 1)) _jobctl_b_noted=$(($1 - 1)) _jobctl_try=$2
	shift 2
	jobctl_run "$@"
	_jobctl_b_id=$_jobctl_highest _jobctl_b_noted=$_jobctl_highest _jobctl_try=1
	JOBCTL_STARTED=$_jobctl_highest
}

# A job has ended for good.
_jobctl_settle ()
{
	_jobctl_start=${_jobctl_detail#* } _jobctl_detail=${_jobctl_detail%% *}
	eval "_jobctl_quoted=\$_jobctl_text_${_jobctl_lease}_$_jobctl_current"
	[ -z "$_jobctl_b_log$_jobctl_b_tag" ] || _jobctl_flat # on one line
	[ -z "$_jobctl_b_log" ] || _jobctl_log
	case $_jobctl_b_output in
	group) _jobctl_show "$_jobctl_id" "$_jobctl_quoted" ;;
	order)
		eval "_jobctl_ready_${_jobctl_current}_$_jobctl_id=\$_jobctl_quoted"
		_jobctl_show_ready
		;;
	esac
	[ -z "$_jobctl_b_progress" ] || _jobctl_show_progress
	[ -z "$_jobctl_b_error" ] || [ "$_jobctl_status" -eq 0 ] || _jobctl_tell_error \
		"$_jobctl_id" "$_jobctl_status" "$_jobctl_detail" "$_jobctl_lease"
	[ -z "$_jobctl_b_how" ] || [ -n "$_jobctl_b_halted" ] || _jobctl_consider_halt
}

# _jobctl_tell_error ID STATUS SECONDS LEASE -- which are the same after it.
_jobctl_tell_error ()
{
	eval "_jobctl_quoted=\$_jobctl_text_${4}_$_jobctl_current"
	eval "_jobctl_call \"\$_jobctl_b_error\" $1 $2 $_jobctl_quoted"
	_jobctl_id=$1 _jobctl_status=$2 _jobctl_detail=$3 _jobctl_lease=$4
}

_jobctl_log ()
{
	_jobctl_host=${_jobctl_lease%%_*} _jobctl_kill=0 _jobctl_exit=$_jobctl_status
	[ -z "$_jobctl_b_labels" ] ||
		eval "_jobctl_host=\${_jobctl_label_${_jobctl_current}_$_jobctl_host-}"
	if [ "$_jobctl_status" -gt 128 ]; then
		_jobctl_kill=$((_jobctl_status - 128)) _jobctl_exit=0
	fi
	_jobctl_append '%s\t%s\t%s\t%s\t0\t0\t%s\t%s\t%s\n' \
		"$_jobctl_id" "$_jobctl_host" "$_jobctl_start" "$_jobctl_detail" \
		"$_jobctl_exit" "$_jobctl_kill" "$_jobctl_quoted" && return 0
	[ "$_jobctl_b_halted" = 125 ] || echo "jobctl_run: $_jobctl_b_log: cannot be written" >&2
	_jobctl_b_halted=125
}

# _jobctl_append FORMAT ARGUMENT... -- to the log. A limit of its size makes this fail, and does
# not end this shell.
# shellcheck disable=SC2059 # the format is an argument
_jobctl_append ()
{
	case $_jobctl_b_limit in
	unlimited) { printf "$@" >>"$_jobctl_b_log"; } 2>/dev/null ;;
	*)
		(
			trap '' XFSZ
			printf "$@" >>"$_jobctl_b_log"
		) 2>/dev/null
		;;
	esac
}

# _jobctl_show ID TAG
_jobctl_show ()
{
	_jobctl_show_file "$_jobctl_b_dir/$1.out" "$2"
	_jobctl_show_file "$_jobctl_b_dir/$1.err" "$2" >&2
	rm -f "$_jobctl_b_dir/$1.out" "$_jobctl_b_dir/$1.err"
}

_jobctl_show_file ()
{
	[ -s "$1" ] || return 0
	case $_jobctl_b_tag in
	'') cat "$1" || : ;;
	*) JOBCTL_TAG=$2 awk '{ print ENVIRON["JOBCTL_TAG"] "\t" $0 }' "$1" || : ;;
	esac
}

# Those whose turn has come.
_jobctl_show_ready ()
{
	while eval "_jobctl_tag=\${_jobctl_ready_${_jobctl_current}_$_jobctl_b_next-}" &&
		[ -n "$_jobctl_tag" ]; do
		[ "$_jobctl_tag" = none ] || _jobctl_show "$_jobctl_b_next" "$_jobctl_tag"
		eval "unset _jobctl_ready_${_jobctl_current}_$_jobctl_b_next"
		_jobctl_b_next=$((_jobctl_b_next + 1))
	done
}

# A line, redrawn on a terminal, elsewhere at most one each second.
_jobctl_show_progress ()
{
	_jobctl_now=$((${_jobctl_start%.*} + ${_jobctl_detail%.*}))
	: "${_jobctl_b_began:=${_jobctl_start%.*}}"
	_jobctl_text="$JOBCTL_DONE done" _jobctl_spent=$((_jobctl_now - _jobctl_b_began))
	[ "$_jobctl_b_total" -eq 0 ] || _jobctl_text="$JOBCTL_DONE of $_jobctl_b_total done"
	[ "$JOBCTL_FAILED" -eq 0 ] || _jobctl_text="$_jobctl_text, $JOBCTL_FAILED failed"
	_jobctl_text="$_jobctl_text, $_jobctl_spent s"
	_jobctl_n=$((_jobctl_b_total - JOBCTL_DONE))
	_jobctl_left=$((_jobctl_spent * _jobctl_n / JOBCTL_DONE))
	[ "$_jobctl_n" -le 0 ] || _jobctl_text="$_jobctl_text, about $_jobctl_left s left"
	if [ -t 2 ]; then
		printf '\r%-72s' "$_jobctl_text" >&2
	elif [ "$_jobctl_now" -ne "$_jobctl_b_told" ]; then
		_jobctl_b_told=$_jobctl_now
		printf '%s\n' "$_jobctl_text" >&2
	fi
}

_jobctl_consider_halt ()
{
	case $_jobctl_b_what in
	fail) _jobctl_n=$JOBCTL_FAILED ;;
	success) _jobctl_n=$((JOBCTL_DONE - JOBCTL_FAILED)) ;;
	*) _jobctl_n=$JOBCTL_DONE ;;
	esac
	_jobctl_enough=$_jobctl_b_count
	if [ -n "$_jobctl_b_percent" ]; then
		[ "$_jobctl_n" -ge 3 ] || return 0
		_jobctl_enough=$((JOBCTL_DONE * _jobctl_b_count)) _jobctl_n=$((_jobctl_n * 100))
	fi
	[ "$_jobctl_n" -ge "$_jobctl_enough" ] || return 0
	_jobctl_b_halted=1
	if [ "$_jobctl_b_how" = now ]; then
		_jobctl_part end
		_jobctl_end_jobs
		_jobctl_no_more 1
	fi
}

# All have ended.
_jobctl_finish_options ()
{
	[ "$_jobctl_b_output" != order ] || _jobctl_show_ready
	if [ -n "$_jobctl_b_began" ] && [ -t 2 ]; then
		echo >&2
	elif [ -n "$_jobctl_b_began" ]; then
		echo "$JOBCTL_DONE done, $JOBCTL_FAILED failed" >&2
	fi
}
