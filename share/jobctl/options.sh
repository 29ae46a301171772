# options.sh -- jobs of jobctl.sh that need more than others: options of jobctl_open, a command that
# cannot be run, a copy of the shell.

# _jobctl_write_to NAME -- the job writes to NAME.out and NAME.err.
# Opened once before exec: when exec fails, mksh exits with 0, and other shells go on. What was
# redirected for this job stays so; after 2>&1 both are kept as one.
_jobctl_write_to () {
	{ :; } >|"$1.out" 2>|"$1.err" || exit 125
	_jobctl_n=0
	command jobend -s "$_jobctl_b_streams" || _jobctl_n=$?
	_jobctl_first=$1.out _jobctl_this=$1.err
	case $((_jobctl_n % 3)) in 1) _jobctl_first='' ;; 2) _jobctl_first=$1.err ;; esac
	case $((_jobctl_n / 3)) in 1) _jobctl_this='' ;; 2) _jobctl_this=$1.out ;; esac
	[ -z "$_jobctl_first" ] || exec >|"$_jobctl_first"
	case $_jobctl_this in
	'') ;;
	"$_jobctl_first") exec 2>&1 ;;
	*) exec 2>|"$_jobctl_this" ;;
	esac
}

# _jobctl_try_often COMMAND... -- in the job: its status. This shell stays as the script started it,
# each try is a subshell of it, and a further one has a lease of its own.
_jobctl_try_often () {
	_jobctl_e=+e _jobctl_b_tries='' _jobctl_b_own=${BASH_VERSION-} _jobctl_93=''
	case $- in *e*) _jobctl_e=-e ;; esac
	[ -z "$_jobctl_beside" ] || _jobctl_beside='exec' # this shell has the last word
	set +e
	while :; do # no command as its condition: -e is off there
		JOBCTL_TRY=$_jobctl_try
		export JOBCTL_TRY
		(
			set "$_jobctl_e"
			_jobctl_special "$@"
		) <&0 &
		{ echo "#$!" >&9; } 2>/dev/null
		_jobctl_from news _jobctl_outcome "$!"
		_jobctl_status=$_jobctl_outcome
		[ "$_jobctl_status" -ne 0 ] || break
		_jobctl_first=$_jobctl_b_fifo.d/$JOBCTL_ID.again
		[ -d "$_jobctl_b_fifo.d" ] || break
		[ -p "$_jobctl_first" ] || command mkfifo -m 600 "$_jobctl_first" 9>&- || break
		_jobctl_turn "$_jobctl_status" "$@"
	done
	return "$_jobctl_status"
}

# _jobctl_turn STATUS COMMAND... -- waits for another lease, and opens it; or exits.
_jobctl_turn () {
	_jobctl_last_word "$@"
	exec 9>&-
	_jobctl_heard=$(\command jobend -w "$_jobctl_first") || _jobctl_heard=''
	[ -n "$_jobctl_heard" ] || exit "$_jobctl_status"
	_jobctl_lease=${_jobctl_heard% *} _jobctl_try=${_jobctl_heard#* }
	JOBCTL_SLOT=${_jobctl_lease%%_*} FIFO=$_jobctl_b_fifo.d/$_jobctl_lease
	exec 9>|"$FIFO" || exit 125
}

# In the subshell of a job that needs more than others.
_jobctl_special () {
	if [ -n "$_jobctl_b_tries" ] && [ -z "$_jobctl_missing" ]; then
		_jobctl_try_often "$@"
		return "$?"
	fi
	[ -z "$_jobctl_b_labels" ] ||
		eval "JOBCTL_LABEL=\${_jobctl_label_${_jobctl_current}_$JOBCTL_SLOT-}
			\export JOBCTL_LABEL"
	case $_jobctl_b_output in
	kept) _jobctl_write_to "$FIFO" ;;
	files) _jobctl_write_to "$_jobctl_b_directory/$JOBCTL_ID" ;;
	esac
	[ -z "$_jobctl_b_nice" ] || command jobend -n "$_jobctl_b_nice" || :
	[ -z "$_jobctl_b_clock" ] || echo + >&9 # the clock of the lease starts
	if [ -n "$_jobctl_missing" ]; then
		set +e
		_jobctl_from mistakes _jobctl_no_command "$1"
		return "$?"
	fi
	if [ -n "$_jobctl_b_places" ]; then
		_jobctl_there "$@"
		return "$?"
	fi
	[ -z "$_jobctl_93" ] || eval 'case $_jobctl_current/${_jobctl_opener##* } in
	0/* | */"$((.sh.subshell - 1))") ;;
	*) _jobctl_b_own=1 ;; # a subshell of the script started it, and forgets how it ended
	esac'
	_jobctl_first=''
	[ -z "$_jobctl_reads" ] ||
		_jobctl_first="${_jobctl_given%0}$_jobctl_reads $_jobctl_reads<&-"
	_jobctl_reads='' # it may open batches
	case $_jobctl_b_own/$_jobctl_beside in
	?*/ | ?*/shell) # bash and ksh93 report a killed one in the foreground
		trap - CHLD # ignored, it would leave nothing to wait for
		# else bash gives it /dev/null, and ksh93 empty lines without end
		case ${POSH_VERSION+posh}$- in # there -e is off in "( ... ) &"
		posh*e*) eval '(\set -e; "$@")' "${_jobctl_first:-<&0} &" ;;
		*) eval '("$@")' "${_jobctl_first:-<&0} &" ;;
		esac
		set +e
		_jobctl_from news _jobctl_outcome "$!"
		return "$_jobctl_outcome"
		;;
	esac
	[ -z "$_jobctl_first" ] || eval "\exec $_jobctl_first"
	case $_jobctl_beside in
	/*) exec "$_jobctl_jobend" "$@" ;; # it has the last word
	exec) exec "$@" ;;
	esac
	"$@"
}
