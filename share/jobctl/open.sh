# open.sh -- how a batch of jobctl.sh begins: its options, the dispenser, its directory, the traps.
# jobs.sh runs jobs in it.

_jobctl_part jobs

# jobctl_open [option...] [N] -- a batch; it brings jobctl_run. 0, or 125 after a message.
_jobctl_open () {
	_jobctl_find_shell
	if [ "$_jobctl_shell" != "$_jobctl_opener" ]; then # a subshell has none of its parent's
		_jobctl_names='' _jobctl_inside='' _jobctl_traps_set='' _jobctl_copied=''
		_jobctl_opener=$_jobctl_shell _jobctl_self=$_jobctl_here _jobctl_pipe=''
		[ "$_jobctl_current" = 0 ] || _jobctl_current='' # 0: in job_done
	fi
	_jobctl_opened_in=$_jobctl_current _jobctl_figures=''
	case $_jobctl_current${JOBCTL_STARTED-} in ?*) _jobctl_from batch _jobctl_switch '' ;; esac
	_jobctl_opened=$_jobctl_figures
	_jobctl_fresh
	_jobctl_refused=''
	if _jobctl_begin ${1+"$@"}; then return 0; fi
	_jobctl_current=''
	[ -z "$_jobctl_opened_in" ] || _jobctl_switch "$_jobctl_opened_in"
	eval "$_jobctl_opened"
	[ -n "$_jobctl_names" ] || _jobctl_refused=1 # said once, and not again of each job
	return 125
}

# _jobctl_echoes WHO -- 125 after a message if echo is a function of the caller that prints other
# text: we write to tokend by it
_jobctl_echoes () {
	# shellcheck disable=SC2116 # that is the question
	_jobctl_word=$(\echo _)
	[ "$_jobctl_word" = _ ] || {
		command printf '%s\n' "$1: echo is a function of this script and prints other \
text than it is given: name it otherwise" >&2
		return 125
	}
}

# tokend reads the options, makes the directory, and goes into the background: src/tokend/parent.c.
_jobctl_begin () {
	_jobctl_echoes jobctl_open || return 125
	case ${JOBCTL_GRACE+x}$((1)) in
	1) ;;
	*) _jobctl_from mistakes _jobctl_grace jobctl_open: ;;
	esac && _jobctl_descriptor jobctl_open: || return 125
	_jobctl_directory
	_jobctl_b_name=batch _jobctl_b_news=$_jobctl_news _jobctl_b_key=$_jobctl_pid.$_jobctl_n
	_jobctl_guard jobctl_open: "$_jobctl_dir" tokend --open "$_jobctl_pid" "$_jobctl_dir" \
		"$_jobctl_b_key" "${JOBCTL_GRACE:-5}" ${1+"$@"} || return 125
	eval "\exec $_jobctl_news<\"\$_jobctl_dir/news\""
	true >|"$_jobctl_dir/opened" || :
	_jobctl_b_fifo=$_jobctl_dir/fifo _jobctl_b_special=$_jobctl_93
	if _jobctl_hello jobctl_open && _jobctl_agreed; then :; else
		_jobctl_from end _jobctl_leave
		return 125
	fi
	_jobctl_current=$_jobctl_b_name _jobctl_names="$_jobctl_names $_jobctl_b_name "
	_jobctl_closing="$_jobctl_closing $_jobctl_news<&-"
	_jobctl_wait_here
	case ${POSH_VERSION:+$_jobctl_b_stdin} in /*) # it has no -ef
		_jobctl_inode
		_jobctl_b_stdin=${_jobctl_detail:-none}
		;;
	esac
	[ -z "$_jobctl_b_output$_jobctl_b_nice$_jobctl_b_tries" ] || _jobctl_b_special=1
	[ -z "$_jobctl_traps_set" ] || return 0
	_jobctl_see_traps "$_jobctl_dir/traps" caller
	for _jobctl_trap in INT TERM HUP; do # those that the caller neither traps nor ignores
		eval "if \[ \"\$_jobctl_caller_$_jobctl_trap\" = - ]; then
			\trap '_jobctl_caught _jobctl_die $_jobctl_trap' $_jobctl_trap
			_jobctl_traps_set='$_jobctl_traps_set $_jobctl_trap'
		fi"
	done
}

_jobctl_agreed () {
	case $_jobctl_names$_jobctl_b_hook$_jobctl_b_error$_jobctl_b_hears$_jobctl_b_places in
	?*) _jobctl_from news _jobctl_agree ;;
	esac
}

# _jobctl_see_traps FILE WHOSE -- sets _jobctl_WHOSE_INT, _TERM and _HUP to the actions of the
# caller's traps, or to "-" where it has none; to nothing, as if ignored, if they cannot be read.
# Through a file, for $(trap) is empty in zsh.
_jobctl_see_traps () {
	_jobctl_whose=$2 _jobctl_first=- _jobctl_traps=''
	{ trap; } >|"$1" || _jobctl_first='' # the file may hold older traps
	eval "_jobctl_${2}_INT=$_jobctl_first _jobctl_${2}_TERM=$_jobctl_first" \
		"_jobctl_${2}_HUP=$_jobctl_first"
	[ -n "$_jobctl_first" ] || return 0
	while IFS= read -r _jobctl_trap; do
		case $_jobctl_trap in
		'trap -- '*) _jobctl_trap="_jobctl_know_trap ${_jobctl_trap#trap -- }" ;;
		esac
		_jobctl_traps=$_jobctl_traps$_jobctl_trap$_jobctl_newline
	done <"$1"
	eval "$_jobctl_traps"
}

# _jobctl_know_trap ACTION SIGNAL -- posh writes no '' for an ignored signal
_jobctl_know_trap () {
	[ "$#" -gt 1 ] || set -- '' "${1-}"
	case ${2#SIG} in
	INT | TERM | HUP) eval "_jobctl_${_jobctl_whose}_${2#SIG}=\$1" ;;
	esac
}

# _jobctl_caught FUNCTION SIGNAL -- the trap
_jobctl_caught () {
	trap '' INT TERM HUP
	_jobctl_from end "$@"
}

# _jobctl_hello WHO -- the first lines: options, and that the dispenser is there. 0, or its status
_jobctl_hello () {
	while
		_jobctl_lease='' # busybox may set nothing
		IFS=' ' read -r _jobctl_lease _jobctl_id _jobctl_detail <&"$_jobctl_b_news" ||
			[ -n "$_jobctl_lease" ] || _jobctl_from news _jobctl_read_on
		[ "$_jobctl_lease" = option ]
	do
		eval "_jobctl_b_$_jobctl_id=\$_jobctl_detail"
	done
	case $_jobctl_lease in
	ready) _jobctl_ready "$_jobctl_id" "$_jobctl_detail" ;;
	*) _jobctl_from news _jobctl_not_greeted "$1" ;;
	esac
}

_jobctl_fields='fifo news key plain asks tells clock special labels own noted result slots output'
_jobctl_fields="$_jobctl_fields nice tries taskless directory hook error hears deliver surrender"
_jobctl_fields="$_jobctl_fields tasks signal retired lost deferred torn figures places streams"
_jobctl_fields="$_jobctl_fields grace stdin waits killed"

# A batch in which nothing has happened yet.
_jobctl_fresh () {
	eval "for _jobctl_key in $_jobctl_fields; do
		\eval \"_jobctl_b_\$_jobctl_key=\"
	done"
	_jobctl_b_result=0 _jobctl_b_slots=0
	JOBCTL_STARTED=0 JOBCTL_DONE=0 JOBCTL_FAILED=0 JOBCTL_FIRST=''
}

# _jobctl_guard WHO MADE PROGRAM ARGUMENT... -- runs a program that returns as soon
# as the FIFOs can be opened; the process it leaves is no child of this shell. If it was killed,
# removes MADE. 0 or 125.
_jobctl_guard () {
	command -v "$3" >/dev/null 2>&1 ||
		_jobctl_from mistakes _jobctl_program "$1" "$3" || return 125
	_jobctl_status=0 _jobctl_for=$1 _jobctl_made=$2
	shift 2
	command "$@" || _jobctl_status=$?
	[ "$_jobctl_status" -ne 0 ] || return 0
	[ "$_jobctl_status" -le 128 ] || echo "$_jobctl_for $1 was killed" >&2
	[ "$_jobctl_status" -le 128 ] || rm -rf "$_jobctl_made"
	return 125
}

# _jobctl_ready N WORDS
_jobctl_ready () {
	[ "$1" -ne 0 ] || return 0
	_jobctl_b_slots=$1 _jobctl_b_plain=plain
	case " $2 " in *' asks '*) _jobctl_b_asks=${_jobctl_b_asks:-asks} _jobctl_b_plain='' ;; esac
	case " $2 " in *' plain '*) _jobctl_b_waits=waits ;; esac
	case " $2 " in *' tells '*) _jobctl_b_tells=1 ;; esac
	case " $2 " in *' kept '*) _jobctl_b_output=kept _jobctl_b_special=1 ;; esac
	case " $2 " in *' files '*) _jobctl_b_output=files _jobctl_b_special=1 ;; esac
	case " $2 " in *' clock '*) _jobctl_b_clock=1 _jobctl_b_special=1 ;; esac
}

# In a plain batch this shell waits for its jobs, if it can tell copies of itself apart, and nobody
# takes their statuses: "wait" of the caller would, and is a function of ours from now on. Not in
# bash and ksh93: where a trap of the caller ends a wait, they take its status for that of the job,
# for good; and bash would report each job that is killed, with our source.
_jobctl_wait_here () {
	case $_jobctl_b_slots$_jobctl_names/${KSH_VERSION-} in
	?" $_jobctl_current "/*) ;;
	*MIRBSD*) _jobctl_b_own=1 _jobctl_b_special=1 ;; # mksh remembers few statuses
	esac
	_jobctl_n=$_jobctl_b_slots
	while [ "$_jobctl_n" -gt 0 ]; do # what a batch of this name had, here or in our parent
		eval "_jobctl_pid_${_jobctl_n}_$_jobctl_current="
		_jobctl_n=$((_jobctl_n - 1))
	done
	case $_jobctl_b_waits/${BASH_VERSION-}$_jobctl_93$_jobctl_self/$_jobctl_own_wait in
	/* | waits//proc/*/1) return 0 ;;
	waits//proc/*)
		case $(LC_ALL=C \command -V wait 2>/dev/null) in
		*function*) ;;
		?*)
			_jobctl_own_wait=1
			_jobctl_part wait
			return 0
			;;
		esac
		;;
	esac
	_jobctl_b_waits=''
	echo 'o words' >>"$_jobctl_b_fifo.d/calls" || :
}

# Sets _jobctl_shell, which differs between all shells that have copies of our variables, and
# _jobctl_pid, which is $$ except in a subshell. A subshell does not find it by $(), in which shells
# differ about the parent, nor through a file, which a SIGKILL would leave. _jobctl_here is a name
# that exists for this process alone, as long as it lives; without /proc, for all.
_jobctl_find_shell () {
	# A subshell of ksh93 is the same process until it needs its own: from now on.
	# shellcheck disable=SC3045 # -S, which ksh93 has
	case ${KSH_VERSION-} in
	*93*) ulimit -S -c "$(\ulimit -S -c)" ;;
	esac
	_jobctl_pid=$$ _jobctl_93='' _jobctl_here=/
	_jobctl_builtin='command'
	[ -z "${ZSH_VERSION-}" ] || _jobctl_builtin=builtin
	if [ -e "/proc/self/task/$$" ]; then :; elif ! sh -c '[ "$PPID" -eq "$1" ]' sh "$$"; then
		_jobctl_pid=0
		for _jobctl_shift in 21 14 7 0; do
			_jobctl_bits=0
			sh -c 'exit "$((PPID >> $1 & 127))"' sh "$_jobctl_shift" || _jobctl_bits=$?
			_jobctl_pid=$((_jobctl_pid * 128 + _jobctl_bits))
		done
	fi
	_jobctl_shell=$_jobctl_pid
	[ ! -e "/proc/self/task/$_jobctl_pid" ] || _jobctl_here=/proc/self/task/$_jobctl_pid
	case ${KSH_VERSION-} in
	*93*)
		_jobctl_93=93
		eval '_jobctl_shell="$_jobctl_pid ${.sh.subshell}"'
		;;
	esac
	_jobctl_jobend=shell
	case $_jobctl_93/${BASH_VERSION-}${ZSH_VERSION-}${KSH_VERSION-}${YASH_VERSION-} in
	/?*) _jobctl_jobend=$(\command -v jobend 2>/dev/null) || _jobctl_jobend=shell ;;
	esac
}

# Sets _jobctl_dir to an absolute name for a new directory.
_jobctl_directory () {
	_jobctl_n=0
	while
		_jobctl_n=$((_jobctl_n + 1))
		_jobctl_dir=${TMPDIR:-/tmp}/jobctl.$_jobctl_pid.$_jobctl_n
		case $_jobctl_dir in /*) ;; *) _jobctl_dir=$PWD/$_jobctl_dir ;; esac
		[ -e "$_jobctl_dir" ]
	do :; done
}

# _jobctl_descriptor WHO [BUT] -- sets _jobctl_news to a descriptor that the caller does not use.
_jobctl_descriptor () {
	for _jobctl_n in 8 7 6 5 4 3; do
		[ "$_jobctl_n" != "${2-}" ] || continue
		_jobctl_news=$_jobctl_n # yash keeps the variable of a loop to itself
		# Neither end is open, and ulimit -n lets it be.
		eval "{ \:; } <&$_jobctl_n || { \:; } >&$_jobctl_n ||
			! { \:; } $_jobctl_n</dev/null" 2>/dev/null || return 0
	done
	_jobctl_from mistakes _jobctl_refuse \
		"$1 needs a free descriptor from 3 to 8, and all are in use; close one"
}
