# jobctl-batch.sh -- the batches of jobctl.sh, which reads this when the first one
# is opened:
#
#	jobctl_open 8
#	for f in *.wav; do jobctl_run encode "$f"; done
#	jobctl_close || exit
#
# What a batch knows is in _jobctl_b_...; that of one which is not the current one
# is put away in _jobctl_of_NAME_...; _jobctl_pid_NAME_LEASE and _jobctl_id_NAME_LEASE
# are of jobs. What tokend says is described at the top of src/tokend.c.
# shellcheck disable=SC2030,SC2031,SC2154 # changed in jobs on purpose; set by eval

_jobctl_fields='dir news id ended idle special extra hook hears leases labels result queue head failed first ask'
_jobctl_names='' _jobctl_current='' _jobctl_inside='' _jobctl_traps_set='' _jobctl_closing='' _jobctl_draining='' _jobctl_opener=''
_jobctl_b_idle='' _jobctl_b_queue='' _jobctl_b_result=125

# jobctl_open [option...] [N] -- a batch of which N jobs run at once, by default one
# for each processor; see jobctl.sh(7) for the options. 0, or 125 after a message.
_jobctl_open ()
{
	_jobctl_name=batch _jobctl_tokend='' _jobctl_hook='' _jobctl_hears='' _jobctl_extra=''
	while [ "$#" -gt 0 ]; do
		case $1 in
		-[bems])
			_jobctl_option "$@" || return
			shift 2
			;;
		-[dHlLnoPrT])
			_jobctl_option_part "$@" || return
			shift 2
			;;
		-[DgkpRt])
			_jobctl_option_part "$1" '' || return
			shift
			;;
		-*)
			echo "jobctl_open: $1: no such option" >&2
			return 125
			;;
		*) break ;;
		esac
	done
	if [ "$#" -gt 1 ]; then
		echo "jobctl_open: $2: one number of jobs is enough" >&2
		return 125
	fi
	_jobctl_find_pid
	_jobctl_rest=$_jobctl_pid
	case ${KSH_VERSION-} in
	*93*) eval '_jobctl_rest="$_jobctl_pid ${.sh.subshell}"' ;; # of the same process
	esac
	if [ "$_jobctl_rest" != "$_jobctl_opener" ]; then # a subshell has none of its parent's
		_jobctl_names='' _jobctl_current='' _jobctl_inside='' _jobctl_traps_set=''
		_jobctl_opener=$_jobctl_rest
	fi
	case " $_jobctl_names " in
	*" $_jobctl_name "*)
		echo "jobctl_open: $_jobctl_name: already open" >&2
		return 125
		;;
	esac
	[ -z "$_jobctl_extra" ] || _jobctl_prepare_options || return 125
	_jobctl_descriptor || return
	_jobctl_shut='3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-'
	case "$#,${MAKEFLAGS-}" in
	0,*--jobserver-*)
		# shellcheck source=share/jobctl-make.sh
		. jobctl-make.sh
		_jobctl_within_make
		;;
	esac
	_jobctl_make "${1-100%}"
}

# An option with its argument, before what follows them.
_jobctl_option ()
{
	if [ "$#" -lt 2 ]; then
		echo "jobctl_open: $1 needs an argument" >&2
		return 125
	fi
	case $1 in
	-b)
		case $2 in
		'' | [0-9]* | *[!A-Za-z0-9_]*)
			echo "jobctl_open: -b $2: not a name" >&2
			return 125
			;;
		esac
		_jobctl_name=$2
		;;
	-s)
		_jobctl_quote -s "$2"
		_jobctl_tokend="$_jobctl_tokend $_jobctl_quoted"
		;;
	*)
		if ! command -v "$2" >/dev/null 2>&1; then
			echo "jobctl_open: $1 $2: no such function or command" >&2
			return 125
		fi
		case $1 in
		-e) _jobctl_hook=$2 ;;
		-m) _jobctl_hears=$2 ;;
		esac
		;;
	esac
}

# The same, of an option that is in the other part.
_jobctl_option_part ()
{
	if [ "$#" -lt 2 ]; then
		echo "jobctl_open: $1 needs an argument" >&2
		return 125
	fi
	if ! command -v _jobctl_set >/dev/null 2>&1; then
		# shellcheck source=share/jobctl-options.sh
		. jobctl-options.sh
	fi
	if [ -z "$_jobctl_extra" ]; then
		_jobctl_put_away
		_jobctl_current=''
		_jobctl_defaults
	fi
	_jobctl_set "${1#-}" "$2"
}

# The arguments as a shell would read them again.
_jobctl_quote ()
{
	_jobctl_quoted=
	for _jobctl_rest in "$@"; do
		_jobctl_quoted="$_jobctl_quoted '"
		while case $_jobctl_rest in *\'*) ;; *) false ;; esac; do
			_jobctl_quoted="$_jobctl_quoted${_jobctl_rest%%\'*}'\\''"
			_jobctl_rest=${_jobctl_rest#*\'}
		done
		_jobctl_quoted="$_jobctl_quoted$_jobctl_rest'"
	done
	_jobctl_quoted=${_jobctl_quoted# }
}

# The dispenser and its directory: see jobctl-guard.sh.
_jobctl_make ()
{
	_jobctl_rest=1
	while
		_jobctl_dir=${TMPDIR:-/tmp}/jobctl.$_jobctl_pid.$_jobctl_rest
		[ -e "$_jobctl_dir" ]
	do
		_jobctl_rest=$((_jobctl_rest + 1))
	done
	_jobctl_status=0
	eval "sh -c '. jobctl-guard.sh' sh \"\$_jobctl_pid\" \"\$_jobctl_dir\" \"\$1\" \
		\"\$_jobctl_tokend\" $_jobctl_shut" || _jobctl_status=$?
	if [ "$_jobctl_status" -ne 0 ]; then
		[ ! -d "$_jobctl_dir" ] || rm -rf "$_jobctl_dir"
		: "${JOBCTL_STARTED=0}${JOBCTL_DONE=0}${JOBCTL_FAILED=0}${JOBCTL_FIRST=}"
		return 125
	fi
	eval "exec $_jobctl_news<\"\$_jobctl_dir/news\""
	: >|"$_jobctl_dir/opened"
	_jobctl_put_away
	_jobctl_current=$_jobctl_name
	_jobctl_names="$_jobctl_names $_jobctl_name"
	_jobctl_closing="$_jobctl_closing $_jobctl_news<&-"
	_jobctl_b_dir=$_jobctl_dir _jobctl_b_news=$_jobctl_news
	_jobctl_b_id=0 _jobctl_b_ended=0 _jobctl_b_idle='' _jobctl_b_special=$_jobctl_hook$_jobctl_extra
	_jobctl_b_extra=$_jobctl_extra _jobctl_b_hook=$_jobctl_hook _jobctl_b_hears=$_jobctl_hears
	_jobctl_b_leases='' _jobctl_b_labels='' _jobctl_b_result=0 _jobctl_b_queue='' _jobctl_b_head=0
	_jobctl_b_failed=0 _jobctl_b_first='' _jobctl_b_ask=''
	_jobctl_figures
	_jobctl_hear
	case $_jobctl_rest in want) _jobctl_b_ask=asked ;; esac # the first comes by itself
	if [ "$_jobctl_b_result" -ne 0 ]; then
		_jobctl_status=$_jobctl_b_result
		_jobctl_end
		_jobctl_forget
		return "$_jobctl_status"
	fi
	case $_jobctl_extra/$_jobctl_hook in
	/) _jobctl_tell @brief "$_jobctl_dir/fifo" ;;
	1/*) _jobctl_tell @times "$_jobctl_dir/fifo" ;;
	esac
	_jobctl_set_traps
}

# The process that is our parent's child: $$ but in a subshell. That is not asked by $(), where
# each shell has its own idea of a parent, nor through a file, which is what a SIGKILL leaves.
_jobctl_find_pid ()
{
	_jobctl_pid=$$
	if sh -c '[ "$PPID" -eq "$1" ]' sh "$$"; then return 0; fi
	_jobctl_pid=0
	for _jobctl_rest in 21 14 7 0; do
		_jobctl_cut=0
		sh -c 'exit "$((PPID >> $1 & 127))"' sh "$_jobctl_rest" || _jobctl_cut=$?
		_jobctl_pid=$((_jobctl_pid * 128 + _jobctl_cut))
	done
}

# A descriptor that the caller does not use.
_jobctl_descriptor ()
{
	for _jobctl_rest in 8 7 6 5 4 3; do
		_jobctl_news=$_jobctl_rest # yash keeps the variable of a loop to itself
		eval "{ :; } <&$_jobctl_news" 2>/dev/null || eval "{ :; } >&$_jobctl_news" 2>/dev/null ||
			! eval "{ :; } $_jobctl_news</dev/null" 2>/dev/null || return 0 # beyond a limit?
	done
	echo 'jobctl_open: all descriptors from 3 to 8 are in use' >&2
	return 125
}

# jobctl_in NAME -- makes another open batch the current one.
jobctl_in ()
{
	case " $_jobctl_names " in
	*" ${1:-?} "*) ;;
	*)
		echo "jobctl_in: ${1-}: no such batch is open" >&2
		return 125
		;;
	esac
	[ "$1" != "$_jobctl_current" ] || return 0
	_jobctl_put_away
	_jobctl_current=$1
	eval "for _jobctl_field in $_jobctl_fields; do
		eval \"_jobctl_b_\$_jobctl_field=\\\${_jobctl_of_${1}_\$_jobctl_field-}\"
	done"
	_jobctl_figures
}

_jobctl_put_away ()
{
	[ -n "$_jobctl_current" ] || return 0
	eval "for _jobctl_field in $_jobctl_fields; do
		eval \"_jobctl_of_${_jobctl_current}_\$_jobctl_field=\\\${_jobctl_b_\$_jobctl_field-}\"
	done"
}

# For the caller to read.
_jobctl_figures ()
{
	JOBCTL_STARTED=$_jobctl_b_id JOBCTL_DONE=$_jobctl_b_ended
	JOBCTL_FAILED=$_jobctl_b_failed JOBCTL_FIRST=$_jobctl_b_first
}

# jobctl_run COMMAND... -- runs it in the background, as soon as fewer than N run.
# In a callback it only notes what is to be run. Returns 0, 123 when the dispenser
# is gone, 125 when this makes no sense.
#
# All in one, for each command costs; see the comments of _jobctl_loop in
# jobctl-process.sh.
jobctl_run ()
{
	case $_jobctl_inside$_jobctl_b_idle$_jobctl_b_queue$_jobctl_b_extra$_jobctl_b_ask/$_jobctl_b_result/$# in
	/0/[1-9]*)
		IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" || _jobctl_again
		case $_jobctl_word in
		'')
			eval "wait \"\$_jobctl_pid_${_jobctl_current}_$_jobctl_lease\"" || _jobctl_ended "$?" ||
				return "$_jobctl_b_result"
			JOBCTL_DONE=$((_jobctl_b_ended += 1))
			;;
		*)
			_jobctl_line
			_jobctl_pick "$@" || return "$_jobctl_status"
			;;
		esac
		;;
	*) _jobctl_pick "$@" || return "$_jobctl_status" ;;
	esac
	if :; then # not in braces: for what is started there, zsh may lose the status
		{
			trap '' INT
			JOBCTL_ID=$((_jobctl_b_id + 1)) JOBCTL_SLOT=${_jobctl_lease%%_*}
			export JOBCTL_ID JOBCTL_SLOT FIFO="$_jobctl_b_dir/fifo.d/$_jobctl_lease"
			eval "exec $_jobctl_closing"
			case $_jobctl_b_special in ?*) _jobctl_special ;; esac
			_jobctl_names='' _jobctl_b_result=125 # a job may have batches of its own
			"$@"
			exit "$(($? > 255 ? $? & 127 | 128 : $?))" # ksh93: 256 + signal
		} </dev/null &
	fi 9>|"$_jobctl_b_dir/fifo.d/$_jobctl_lease"
	case $? in
	0)
		JOBCTL_STARTED=$((_jobctl_b_id += 1))
		eval "_jobctl_pid_${_jobctl_current}_$_jobctl_lease=$! \
			_jobctl_id_${_jobctl_current}_$_jobctl_lease=$_jobctl_b_id"
		;;
	*) _jobctl_no_lease ;;
	esac
}

# Finds an idle lease; or returns 1 and sets the status of jobctl_run.
_jobctl_pick ()
{
	_jobctl_status=0
	if [ "$#" -eq 0 ] || [ -z "$_jobctl_names" ]; then
		echo 'jobctl_run: needs a command, and an open batch' >&2
		_jobctl_status=125
		return 1
	fi
	if [ -n "$_jobctl_inside" ]; then
		_jobctl_later "$@"
		return 1
	fi
	[ -z "$_jobctl_b_queue" ] || _jobctl_drain # those come first
	while [ "$_jobctl_b_result" -eq 0 ] && [ -z "$_jobctl_b_idle" ]; do
		case $_jobctl_b_ask in may) _jobctl_want ;; esac
		_jobctl_hear
	done
	if [ -n "$_jobctl_b_extra" ] && [ "$_jobctl_b_result" -eq 0 ]; then
		_jobctl_consider "$@" || return 1
	fi
	if [ "$_jobctl_b_result" -ne 0 ]; then
		_jobctl_status=$_jobctl_b_result
		return 1
	fi
	_jobctl_lease=${_jobctl_b_idle%% *} _jobctl_b_idle=${_jobctl_b_idle#* }
	[ -z "$_jobctl_b_extra" ] || _jobctl_note
}

# The shell has said that it could not open the lease. Where that is still there,
# this shell is the cause.
_jobctl_no_lease ()
{
	_jobctl_b_result=125
	[ -p "$_jobctl_b_dir/fifo.d/$_jobctl_lease" ] || _jobctl_b_result=123
	return "$_jobctl_b_result"
}

# What only some jobs need, in their own subshell.
_jobctl_special ()
{
	[ -z "$_jobctl_b_labels" ] ||
		eval "export JOBCTL_LABEL=\"\$_jobctl_label_${_jobctl_current}_$JOBCTL_SLOT\""
	[ -z "$_jobctl_b_extra" ] || _jobctl_outfit
	[ -z "$_jobctl_b_hook$_jobctl_b_extra" ] || echo + >&9 # the clock of the lease starts
}

# A line of what the dispenser says.
_jobctl_hear ()
{
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" || _jobctl_again
	case $_jobctl_word in
	'')
		eval "wait \"\$_jobctl_pid_${_jobctl_current}_$_jobctl_lease\"" || _jobctl_ended "$?" || :
		eval "_jobctl_pid_${_jobctl_current}_$_jobctl_lease="
		JOBCTL_DONE=$((_jobctl_b_ended += 1)) _jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease "
		case $_jobctl_b_queue in ?*) _jobctl_drain ;; esac
		;;
	*) _jobctl_line ;;
	esac
}

# After a read that failed: a signal may have been the reason, and at the end of
# the pipe each read fails.
_jobctl_again ()
{
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" && return
	IFS=' ' read -r _jobctl_lease _jobctl_word _jobctl_rest <&"$_jobctl_b_news" && return
	_jobctl_lease=gone _jobctl_word=away _jobctl_rest=''
}

# The lines that are not said for every job: the word comes first.
_jobctl_line ()
{
	_jobctl_first=$_jobctl_lease _jobctl_lease=$_jobctl_word _jobctl_word=$_jobctl_first
	case $_jobctl_word in
	done)
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease "
		_jobctl_collect_one
		;;
	free)
		case $_jobctl_b_ask${_jobctl_b_ask:+" $_jobctl_b_leases "} in
		*" $_jobctl_lease "*) ;;
		*) _jobctl_b_leases="$_jobctl_b_leases $_jobctl_lease" ;;
		esac
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_lease " _jobctl_b_ask=${_jobctl_b_ask:+may}
		;;
	early) # the job goes on under its old lease; its slot has a new one
		case "$_jobctl_b_leases " in
		*" $_jobctl_rest "*) ;;
		*) _jobctl_b_leases="$_jobctl_b_leases $_jobctl_rest" ;;
		esac
		_jobctl_b_idle="$_jobctl_b_idle$_jobctl_rest "
		;;
	gone)
		case $_jobctl_lease in
		away)
			_jobctl_end
			_jobctl_gone
			;;
		*) _jobctl_collect_one ;;
		esac
		;;
	said)
		[ -z "$_jobctl_b_hears" ] || {
			eval "_jobctl_id=\$_jobctl_id_${_jobctl_current}_$_jobctl_lease"
			_jobctl_call "$_jobctl_b_hears" "$_jobctl_id" "$_jobctl_rest"
		}
		;;
	slot)
		_jobctl_b_labels=1 _jobctl_b_special=1
		eval "_jobctl_label_${_jobctl_current}_$_jobctl_lease=\$_jobctl_rest"
		;;
	fail) _jobctl_b_result=$_jobctl_lease ;;
	late) _jobctl_end_late ;;
	stop)
		_jobctl_b_result=123
		case $_jobctl_lease in
		killed)
			_jobctl_end
			_jobctl_collect_all
			;;
		limit)
			_jobctl_end
			_jobctl_end_jobs
			_jobctl_b_result=124
			;;
		esac
		;;
	esac
	case $_jobctl_b_queue in ?*) _jobctl_drain ;; esac
}

# The job of the lease has ended, or is about to; what it left, and took, seconds.
_jobctl_collect_one ()
{
	eval "_jobctl_pid=\${_jobctl_pid_${_jobctl_current}_$_jobctl_lease-}
		_jobctl_pid_${_jobctl_current}_$_jobctl_lease="
	[ -n "$_jobctl_pid" ] || return 0
	_jobctl_status=0
	wait "$_jobctl_pid" 2>/dev/null || _jobctl_status=$? # ksh93 and mksh tell how it died
	JOBCTL_DONE=$((_jobctl_b_ended += 1))
	[ "$_jobctl_status$_jobctl_b_hook$_jobctl_b_extra" = 0 ] ||
		_jobctl_ended "$_jobctl_status" "$_jobctl_pid" || :
}

# _jobctl_ended STATUS [PID] -- of a job that failed, or of any where the caller wants
# to know. Returns the result of the batch, for a trap may have ended that meanwhile.
_jobctl_ended ()
{
	eval "_jobctl_outcome \"$1\" \"\${2:-\$_jobctl_pid_${_jobctl_current}_$_jobctl_lease}\"
		_jobctl_id=\$_jobctl_id_${_jobctl_current}_$_jobctl_lease
		_jobctl_pid_${_jobctl_current}_$_jobctl_lease="
	if [ -n "$_jobctl_b_extra" ] && _jobctl_retry; then
		return "$_jobctl_b_result"
	fi
	if [ "$_jobctl_status" -ne 0 ]; then
		JOBCTL_FAILED=$((_jobctl_b_failed += 1))
		[ -n "$_jobctl_b_first" ] || JOBCTL_FIRST=$_jobctl_id _jobctl_b_first=$_jobctl_id
	fi
	[ -z "$_jobctl_b_extra" ] || _jobctl_settle
	[ -z "$_jobctl_b_hook" ] || _jobctl_call "$_jobctl_b_hook" "$_jobctl_id" "$_jobctl_status" \
		"$_jobctl_rest" "${_jobctl_lease%%_*}"
	return "$_jobctl_b_result"
}

# A function of the caller, in the middle of ours.
_jobctl_call ()
{
	_jobctl_inside=$_jobctl_current
	"$@" </dev/null || :
	jobctl_in "$_jobctl_inside"
	_jobctl_inside=''
}

# What a callback wants to be run: after what others wanted before.
_jobctl_later ()
{
	_jobctl_quote "$@"
	_jobctl_quoted="jobctl_run $_jobctl_quoted"
	_jobctl_enqueue
}

_jobctl_enqueue ()
{
	eval "_jobctl_queue_${_jobctl_current}_$((_jobctl_b_head + ${_jobctl_b_queue:-0}))=\$_jobctl_quoted"
	_jobctl_b_queue=$((${_jobctl_b_queue:-0} + 1))
}

_jobctl_drain ()
{
	[ -z "$_jobctl_draining" ] || return 0
	_jobctl_draining=1
	while [ -n "$_jobctl_b_queue" ] && [ -n "$_jobctl_b_idle" ] && [ "$_jobctl_b_result" -eq 0 ]; do
		eval "_jobctl_quoted=\$_jobctl_queue_${_jobctl_current}_$_jobctl_b_head
			unset _jobctl_queue_${_jobctl_current}_$_jobctl_b_head"
		_jobctl_b_head=$((_jobctl_b_head + 1)) _jobctl_b_queue=$((_jobctl_b_queue - 1))
		[ "$_jobctl_b_queue" -gt 0 ] || _jobctl_b_queue=''
		eval "$_jobctl_quoted" || :
	done
	_jobctl_draining=''
}

# jobctl_wait -- for all jobs of the current batch that were started so far, and for
# those that callbacks add. 0, or 1 when any has failed, 123 when jobs could not be
# started.
jobctl_wait ()
{
	_jobctl_may wait || return
	while [ "$_jobctl_b_result" -eq 0 ]; do
		case $_jobctl_b_ask/$_jobctl_b_queue in
		may/?*) _jobctl_want ;;
		asked/?*) ;;
		*) [ "$_jobctl_b_ended" -lt "$_jobctl_b_id" ] || break ;;
		esac
		_jobctl_hear
	done
	if [ "$_jobctl_b_result" -ne 0 ]; then
		_jobctl_end
		_jobctl_collect_all
		_jobctl_figures
		return "$_jobctl_b_result"
	fi
	_jobctl_figures
	[ -z "$_jobctl_b_extra" ] || [ "${_jobctl_b_halted:-1}" -eq 1 ] || return "$_jobctl_b_halted"
	[ "$_jobctl_b_failed" -eq 0 ]
}

# Whether one may wait here; what for, is said when not.
_jobctl_may ()
{
	[ -z "$_jobctl_current" ] || [ -n "$_jobctl_inside" ] || return 0
	echo "jobctl_$1: no batch is open, or this is a callback" >&2
	return 125
}

# jobctl_close -- waits, and ends the current batch; another one, if open, becomes
# the current one. Returns as jobctl_wait does.
#
# The ends of a batch are in a part of their own.
jobctl_close ()
{
	_jobctl_end
	_jobctl_close
}

# jobctl_stop -- ends the jobs of all open batches and all that they started, and
# starts no more: for the caller's own traps. The batches are still to be closed.
jobctl_stop ()
{
	_jobctl_end
	_jobctl_stop_all
}

# The trap of those signals for which the caller has none.
_jobctl_die ()
{
	trap '' INT TERM HUP
	_jobctl_end
	_jobctl_die_of "$1"
}

_jobctl_end ()
{
	if ! command -v _jobctl_close >/dev/null 2>&1; then
		# shellcheck source=share/jobctl-end.sh
		. jobctl-end.sh
	fi
}

# Signals for which the caller has no trap and which it does not ignore end the
# jobs, and then us. (What it has, is asked through a file: $(trap) is empty in zsh.)
_jobctl_set_traps ()
{
	[ -z "$_jobctl_traps_set" ] || return 0
	{ trap; } >|"$_jobctl_b_dir/traps"
	_jobctl_traps_set=' INT TERM HUP '
	while IFS= read -r _jobctl_rest; do
		_jobctl_rest=${_jobctl_rest##* }
		_jobctl_rest=${_jobctl_rest#SIG}
		case $_jobctl_traps_set in
		*" $_jobctl_rest "*)
			_jobctl_cut=${_jobctl_traps_set%%" $_jobctl_rest "*}
			_jobctl_traps_set="$_jobctl_cut ${_jobctl_traps_set#*" $_jobctl_rest "}"
			;;
		esac
	done <"$_jobctl_b_dir/traps"
	eval "for _jobctl_rest in $_jobctl_traps_set; do
		trap \"_jobctl_die \$_jobctl_rest\" \"\$_jobctl_rest\"
	done"
}

# jobctl_say TEXT -- in a job: tells the function of -m. Each line is one message.
jobctl_say ()
{
	_jobctl_rest=$*
	while case $_jobctl_rest in *'
'*) ;; *) false ;; esac; do
		_jobctl_text=${_jobctl_rest%%'
'*}
		printf ':%s\n' "$_jobctl_text" >&9
		_jobctl_rest=${_jobctl_rest#*'
'}
	done
	printf ':%s\n' "$_jobctl_rest" >&9
}
