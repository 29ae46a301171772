# signals.sh -- the traps of the caller, and ours, in jobctl.sh.

# _jobctl_ask_traps FILE WHOSE -- sets _jobctl_WHOSE_INT, _TERM and _HUP to the actions of the
# caller's traps, or to "-" where it has none; to nothing, as if ignored, if they cannot be read.
# Through a file, for $(trap) is empty in zsh.
_jobctl_ask_traps () {
	_jobctl_whose=$2 _jobctl_traps=-
	{ trap; } >|"$1" || _jobctl_traps='' # the file may hold older traps
	eval "_jobctl_${2}_INT=$_jobctl_traps _jobctl_${2}_TERM=$_jobctl_traps" \
		"_jobctl_${2}_HUP=$_jobctl_traps"
	[ -n "$_jobctl_traps" ] || return 0
	_jobctl_traps=''
	while IFS= read -r _jobctl_trap; do
		case $_jobctl_trap in
		'trap -- '*) _jobctl_trap="_jobctl_know_trap ${_jobctl_trap#trap -- }" ;;
		esac
		_jobctl_traps="$_jobctl_traps$_jobctl_trap
"
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
	_jobctl_part end
	"$@"
}
