# workers.sh -- a pool of workers for jobctl.sh, read when the first one is opened. jobpool does the
# work, beside a first jobpool, the guard, which has the FIFOs; where the workers are functions, a
# nurse, which is a copy of this shell, forks them when jobpool asks for one (jobpool/workers.c).
# The script holds two descriptors: to ask, and to hear.

_jobctl_part news

_jobctl_w_open='' _jobctl_w_inside='' _jobctl_w_result=125 _jobctl_w_opener=''

# jobctl_workers [option...] ANSWER WORKER [ARG...] -- it brings jobctl_ask, jobctl_answers and
# jobctl_workers_end. 0, or 125 after a message, or 126 or 127.
_jobctl_workers () {
	_jobctl_find_shell
	_jobctl_w_task=$_jobctl_here
	if [ "$_jobctl_shell" != "$_jobctl_w_opener" ]; then # a subshell has none of its parent's
		_jobctl_w_open='' _jobctl_w_inside='' _jobctl_w_opener=$_jobctl_shell
	fi
	[ -z "$_jobctl_w_open" ] ||
		_jobctl_refuse 'jobctl_workers: there are workers already;' \
			'call jobctl_workers_end first' || return 125
	_jobctl_grace jobctl_workers: || return 125
	_jobctl_w_options='' _jobctl_w_most=1000
	_jobctl_w_failed='' _jobctl_w_said='' _jobctl_w_over=''
	while case ${1-} in -?*) ;; *) false ;; esac; do
		case $1 in
		--)
			shift
			break
			;;
		-k | --keep-order | --numbered | --quiet | --trace)
			_jobctl_w_options="$_jobctl_w_options $1"
			[ "$1" != --quiet ] || _jobctl_w_failed=${_jobctl_w_failed:-:}
			;;
		--keep-order=* | --quiet=* | --trace=*)
			_jobctl_refuse "jobctl_workers: ${1%%=*}: takes no argument," \
				"and ${1#*=} is one" || return 125
			;;
		--*=*)
			_jobctl_w_one=$1
			shift
			set -- "${_jobctl_w_one%%=*}" "${_jobctl_w_one#*=}" ${1+"$@"}
			continue
			;;
		-[jP]?*)
			_jobctl_w_one=$1
			shift
			set -- -j "${_jobctl_w_one#-?}" ${1+"$@"}
			continue
			;;
		-[jP] | --jobs | --max-procs | --idle | --ahead | --begin | --retries | \
			--timeout | --error-prefix | --most | --on-*)
			_jobctl_argument jobctl_workers: "$@" || return 125
			_jobctl_w_option "$1" "$2" || return 125
			shift
			;;
		*)
			_jobctl_refuse "jobctl_workers: $1: no such option," \
				'see jobctl-workers(7)' || return 125
			;;
		esac
		shift
	done
	[ "$#" -ge 2 ] || _jobctl_refuse 'jobctl_workers: needs a function for answers and a' \
		'worker: jobctl_workers ANSWER WORKER' || return 125
	_jobctl_command jobctl_workers: "$1" && _jobctl_command jobctl_workers: "$2" || return 125
	_jobctl_w_answer=$1
	shift
	_jobctl_w_make "$@"
}

# _jobctl_w_option OPTION ARGUMENT
_jobctl_w_option () {
	case $1 in
	--on-*) _jobctl_command "jobctl_workers: $1" "$2" || return 125 ;;
	--most) _jobctl_number 'jobctl_workers: --most' "$2" 1 || return 125 ;;
	esac
	case $1 in
	--on-failure) _jobctl_w_failed=$2 ;;
	--on-message) _jobctl_w_said=$2 ;;
	--on-end) _jobctl_w_over=$2 ;;
	--most) _jobctl_w_most=$_jobctl_n ;;
	--on-*) _jobctl_refuse "jobctl_workers: $1: no such option" || return 125 ;;
	*)
		_jobctl_quote "$1" "$2"
		_jobctl_w_options="$_jobctl_w_options $_jobctl_quoted"
		;;
	esac
}

# The two descriptors, the guard with its directory, and the first word of jobpool.
_jobctl_w_make () {
	_jobctl_descriptor jobctl_workers: || return 125
	_jobctl_w_ask=$_jobctl_news
	_jobctl_descriptor jobctl_workers: "$_jobctl_w_ask" || return 125
	_jobctl_w_hear=$_jobctl_news
	_jobctl_directory
	_jobctl_w_dir=$_jobctl_dir _jobctl_w_kind=functions
	case $(\command -v "$1") in
	/*)
		_jobctl_w_kind=program
		_jobctl_quote -- "$@"
		_jobctl_w_options="$_jobctl_w_options $_jobctl_quoted"
		;;
	esac
	eval "_jobctl_guard jobctl_workers: \"\$_jobctl_w_dir\" jobpool --watch \"\$_jobctl_pid\" \
		--directory \"\$_jobctl_w_dir\" $_jobctl_w_options" || return 125
	case $_jobctl_w_kind in
	functions) # the nurse is no child of this shell, which opens what it reads
		{ (_jobctl_w_nurse "$@" &) | :; } 9<"$_jobctl_w_dir/orders"
		;;
	esac
	eval "\exec $_jobctl_w_ask>|\"\$_jobctl_w_dir/requests\"
		\exec $_jobctl_w_hear<\"\$_jobctl_w_dir/answers\""
	true >|"$_jobctl_w_dir/opened" || :
	_jobctl_w_closing=" $_jobctl_w_ask>&- $_jobctl_w_hear<&-"
	_jobctl_closing=$_jobctl_closing$_jobctl_w_closing
	_jobctl_w_open=1 _jobctl_w_result=0 _jobctl_w_next=1 _jobctl_w_holes=''
	JOBCTL_ASKED=0 JOBCTL_ANSWERED=0 JOBCTL_UNANSWERED=0
	_jobctl_w_read # "ready"
	[ "$_jobctl_w_result" -ne 0 ] || return 0
	_jobctl_w_status=$_jobctl_w_result
	_jobctl_w_close
	return "$_jobctl_w_status"
}

# Forks workers, and ends them, as jobpool says. Their pids are of shells that are our children,
# and tokstop -p looks at these first: so we stay until it has. It finds processes that they start
# meanwhile by descriptor 9, as with the lease of a job.
_jobctl_w_nurse () {
	set +e
	exec <&9 >/dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
	trap '' INT TERM HUP
	_jobctl_w_pids='' _jobctl_w_kills='' _jobctl_w_status=137
	while IFS=' ' read -r _jobctl_word _jobctl_w_serial _jobctl_w_number; do
		case $_jobctl_word in
		start)
			_jobctl_w_worker "$@" </dev/null 9<"$_jobctl_w_dir/workers" &
			eval "_jobctl_w_pid_$_jobctl_w_serial=$!"
			_jobctl_w_pids="$_jobctl_w_pids $!"
			;;
		kill)
			eval "\tokstop -p -g \"\${JOBCTL_GRACE:-5}\" \
				\"\$_jobctl_w_pid_$_jobctl_w_serial\" &"
			_jobctl_w_kills="$_jobctl_w_kills $!"
			;;
		gone)
			_jobctl_w_status=$_jobctl_w_serial
			break
			;;
		esac
	done
	if [ "$_jobctl_w_status" -gt 123 ]; then # some may wait for jobpool to open their FIFOs
		eval "\tokstop -p -g \"\${JOBCTL_GRACE:-5}\" $_jobctl_w_pids" || :
	fi
	exec </dev/null # the guard sees that
	[ -z "$_jobctl_w_kills" ] || eval "$_jobctl_builtin wait $_jobctl_w_kills" 2>/dev/null || :
}

# A worker, and beside it a shell that reports how it ended, for a child of the worker may live on
# and keep its output open. That shell hears a TERM, too, and stays.
_jobctl_w_worker () {
	trap : TERM
	{
		trap - TERM
		{
			echo "open $_jobctl_w_serial" >|"$_jobctl_w_dir/workers"
			JOBCTL_SLOT=$_jobctl_w_number
			export JOBCTL_SLOT
			"$@"
			exit "$?"
		} <"$_jobctl_w_dir/$_jobctl_w_serial.in" \
			>|"$_jobctl_w_dir/$_jobctl_w_serial.out" 2>&3 3>&-
		# shellcheck disable=SC2317 # reached when a redirection fails
		echo "jobctl_workers: worker $_jobctl_w_number cannot open its FIFOs" >&3
	} 3>&2 2>/dev/null & # mksh complains when a TERM interrupts the opening
	_jobctl_outcome "$!"
	[ ! -p "$_jobctl_w_dir/workers" ] ||
		echo "ended $_jobctl_w_serial $_jobctl_outcome" >|"$_jobctl_w_dir/workers"
}

# Hears a line of the pool.
_jobctl_w_read () {
	_jobctl_listen "$_jobctl_w_hear" || {
		echo "jobctl_workers: $_jobctl_w_dir: the guard of jobpool was killed;" \
			'no more is answered' >&2
		_jobctl_heard='gone 123'
	}
	_jobctl_w_line=$_jobctl_heard
	case $_jobctl_w_line in
	[0-9]*)
		JOBCTL_ANSWERED=$((JOBCTL_ANSWERED + 1))
		case $_jobctl_w_line in
		"$_jobctl_w_next "*) _jobctl_w_next=$((_jobctl_w_next + 1)) ;;
		*) _jobctl_w_settle ;;
		esac
		_jobctl_w_tell "$_jobctl_w_answer" "$_jobctl_w_line"
		;;
	'failed '*)
		JOBCTL_UNANSWERED=$((JOBCTL_UNANSWERED + 1)) _jobctl_w_line=${_jobctl_w_line#* }
		_jobctl_w_settle
		case $_jobctl_w_failed/$_jobctl_w_line in
		/*' there are no workers') ;; # as was said already
		/*)
			echo "jobctl_workers: request ${_jobctl_w_line%% *} has no answer:" \
				"${_jobctl_w_line#* }" >&2
			;;
		*) _jobctl_w_tell "$_jobctl_w_failed" "$_jobctl_w_line" ;;
		esac
		;;
	'said '*) _jobctl_w_tell "${_jobctl_w_said:-:}" "${_jobctl_w_line#* }" ;;
	'all '*) _jobctl_w_figures=${_jobctl_w_line#* } ;;
	'gone '*)
		_jobctl_w_open=gone
		# Else it is the 125 of a callback.
		[ "$_jobctl_w_result" -ne 0 ] || _jobctl_w_result=${_jobctl_w_line#* }
		;;
	esac
}

# Notes that the request is settled with whose number the line begins. So are all before
# _jobctl_w_next but a few, the holes: jobpool hands requests out in their order. A wider gap means
# that a subshell has heard those answers.
_jobctl_w_settle () {
	_jobctl_w_n=${_jobctl_w_line%% *}
	case $_jobctl_w_holes in *" $_jobctl_w_n "*)
		_jobctl_w_n=" $_jobctl_w_n " _jobctl_w_rest=$_jobctl_w_holes
		_jobctl_w_holes=${_jobctl_w_rest%%"$_jobctl_w_n"*}${_jobctl_w_rest#*"$_jobctl_w_n"}
		return 0
		;;
	esac
	[ "$((_jobctl_w_n - _jobctl_w_next))" -lt 1000 ] || _jobctl_w_next=$_jobctl_w_n
	while [ "$_jobctl_w_next" -lt "$_jobctl_w_n" ]; do
		_jobctl_w_holes="$_jobctl_w_holes $_jobctl_w_next "
		_jobctl_w_next=$((_jobctl_w_next + 1))
	done
	[ "$_jobctl_w_next" -gt "$_jobctl_w_n" ] || _jobctl_w_next=$((_jobctl_w_n + 1))
}

# The pool is gone: requests without an answer get none. The guard has said why, once.
_jobctl_w_lose () {
	_jobctl_w_why='jobpool was killed'
	[ "$_jobctl_w_result" -eq 123 ] || _jobctl_w_why='there are no workers'
	while [ -n "$_jobctl_w_holes" ] || [ "$_jobctl_w_next" -le "$JOBCTL_ASKED" ]; do
		if [ -n "$_jobctl_w_holes" ]; then
			_jobctl_w_holes=${_jobctl_w_holes# }
			_jobctl_w_line=${_jobctl_w_holes%% *} _jobctl_w_holes=${_jobctl_w_holes#* }
		else
			_jobctl_w_line=$_jobctl_w_next _jobctl_w_next=$((_jobctl_w_next + 1))
		fi
		JOBCTL_UNANSWERED=$((JOBCTL_UNANSWERED + 1))
		[ -z "$_jobctl_w_failed" ] ||
			_jobctl_w_call "$_jobctl_w_failed" "$_jobctl_w_line" "$_jobctl_w_why"
	done
}

# _jobctl_w_tell FUNCTION 'NUMBER TEXT'
_jobctl_w_tell () {
	_jobctl_w_call "$1" "${2%% *}" "${2#* }"
}

# A function of the caller, in the middle of ours.
_jobctl_w_call () {
	_jobctl_w_inside=1
	{ "$@" || :; } </dev/null || _jobctl_w_result=125
	_jobctl_w_inside=''
}

# jobctl_ask REQUEST -- a line, for the next worker. Returns at once, unless too many requests
# wait: then it hears answers first. 0; or 125, or the pool's status if that has ended.
jobctl_ask () {
	[ "$#" -eq 1 ] || _jobctl_refuse \
		"jobctl_ask: $# arguments, but a request is one: quote it: jobctl_ask 'doit 5'" ||
		return 125
	case $_jobctl_w_open/$1 in
	/*) _jobctl_unopened jobctl_ask || return 125 ;;
	*"$_jobctl_newline"*)
		_jobctl_refuse 'jobctl_ask: a request is one line, and this has several' ||
			return 125
		;;
	esac
	while [ -z "$_jobctl_w_inside" ] && [ "$_jobctl_w_result" -eq 0 ] &&
		[ "$((JOBCTL_ASKED - JOBCTL_ANSWERED - JOBCTL_UNANSWERED))" -ge "$_jobctl_w_most" ]
	do
		_jobctl_w_read
	done
	[ "$_jobctl_w_result" -eq 0 ] || return "$_jobctl_w_result"
	case $1 in
	*\\*) printf ':%s\n' "$1" >&"$_jobctl_w_ask" ;; # no builtin in mksh and posh
	*) echo ":$1" >&"$_jobctl_w_ask" ;;
	esac || _jobctl_refuse 'jobctl_ask: the request could not be written' || return 125
	JOBCTL_ASKED=$((JOBCTL_ASKED + 1))
}

# _jobctl_w_may FUNCTION -- whether it can be called here. A subshell of the shell that began the
# workers must not end them, nor hear answers for which its parent waits.
_jobctl_w_may () {
	[ -n "$_jobctl_w_open" ] && [ -z "$_jobctl_w_inside" ] ||
		_jobctl_unopened "$1" || return 125
	if [ ! -e "$_jobctl_w_task" ] || {
		[ -n "$_jobctl_93" ] && ! eval '\[ "${.sh.subshell}" = "${_jobctl_w_opener##* }" ]'
	}; then
		_jobctl_refuse "$1: this is a subshell; call it in the shell that began the workers"
	fi
}

# _jobctl_w_word WORD -- for jobpool
_jobctl_w_word () {
	echo "$1" >&"$_jobctl_w_ask" || {
		echo 'jobctl_workers: jobpool cannot be told' >&2
		_jobctl_w_open=gone _jobctl_w_result=125
	}
}

# Hears all answers, also to requests that callbacks add meanwhile. Then jobpool gives the figures:
# a subshell, such as a loop at the end of a pipe, may have asked and heard, too.
_jobctl_w_all () {
	_jobctl_w_figures='' _jobctl_w_asked=''
	while [ "$_jobctl_w_open" = 1 ] && [ "$_jobctl_w_asked" != "$JOBCTL_ASKED" ]; do
		_jobctl_w_asked=$JOBCTL_ASKED _jobctl_w_figures=''
		_jobctl_w_word all
		while [ "$_jobctl_w_open/$_jobctl_w_figures" = 1/ ]; do
			_jobctl_w_read
		done
	done
	if [ "$_jobctl_w_open" = 1 ]; then
		JOBCTL_ASKED=${_jobctl_w_figures%% *} JOBCTL_UNANSWERED=${_jobctl_w_figures##* }
		JOBCTL_ANSWERED=$((JOBCTL_ASKED - JOBCTL_UNANSWERED))
		_jobctl_w_next=$((JOBCTL_ASKED + 1)) _jobctl_w_holes=''
	else
		_jobctl_w_lose
	fi
	[ "$_jobctl_w_result" -eq 0 ] || return "$_jobctl_w_result"
	[ ! -e "$_jobctl_w_dir/refused" ] || return 125
	[ "$JOBCTL_UNANSWERED" -eq 0 ]
}

# jobctl_answers -- hears all answers still to come, also to requests of callbacks. 0, or 1 when
# some request had none, 125 without workers, or the pool's status if that has ended.
jobctl_answers () {
	_jobctl_w_may jobctl_answers || return 125
	_jobctl_w_all
}

# jobctl_workers_end -- hears all answers, ends the workers, calls the function of --on-end with
# the status, and returns that.
jobctl_workers_end () {
	_jobctl_w_may jobctl_workers_end || return 125
	_jobctl_w_status=0
	_jobctl_w_all || _jobctl_w_status=$?
	[ "$_jobctl_w_open" = gone ] || _jobctl_w_word end
	while [ "$_jobctl_w_open" = 1 ]; do
		_jobctl_w_read
	done
	# The pool's own status counts more than a request without an answer, whichever came first.
	case $_jobctl_w_status/$_jobctl_w_result in
	1/[01] | 125/0) ;; # 125: a request was refused
	*) _jobctl_w_status=$_jobctl_w_result ;;
	esac
	_jobctl_w_close
	[ -z "$_jobctl_w_over" ] || _jobctl_w_call "$_jobctl_w_over" "$_jobctl_w_status"
	return "$_jobctl_w_status"
}

_jobctl_w_close () {
	eval "\exec $_jobctl_w_closing"
	_jobctl_shut=$_jobctl_w_closing
	_jobctl_closing=${_jobctl_closing%%"$_jobctl_shut"*}${_jobctl_closing#*"$_jobctl_shut"}
	[ ! -d "$_jobctl_w_dir" ] || rm -rf "$_jobctl_w_dir" # the guard was killed
	_jobctl_w_open='' _jobctl_w_inside='' _jobctl_w_result=125
}
