load ../helper

# What a script has set for itself must not matter to jobctl.sh: its aliases, and the options of its
# shell. The names of options come from each shell: so a newer shell's are tried, too.

@test "a function echo of the caller is refused if it prints other text, and else does not matter" {
	cat >script <<'S'
. jobctl.sh
case $1 in
other) echo () { command printf '[x] %s\n' "$*"; } ;;
same) echo () { command printf '%s\n' "$*"; } ;;
esac
job () { :; }
jobctl_open 2 && jobctl_run true && jobctl_run true
jobctl_close
command printf '%s\n' "closed $?"
jobctrl 2 | process 2
S
	check_echo() {
		run -0 in_shell "$1" script same
		same 'closed 0' "$output"
		run -125 --separate-stderr in_shell "$1" script other
		same 'jobctl_open: process: ' "$(sed -n 's/echo is a function of this.*//p' <<<"$stderr" | tr -d '\n')"
	}
	everywhere echo
}

@test "no alias of the caller changes what the library does, and each is there afterwards" {
	grep -hv '^[[:blank:]]*#' "$top/share/jobctl.sh" "$top"/share/jobctl/*.sh |
		grep -oE '[].:[]|[a-z_][a-z_0-9]+' | sort -u >all
	grep -vxE '_job.*|job_done|if|then|el(se|if)|fi|case|esac|for|select|while|until|do|done|in' all |
		grep -vxE 'foreach|repeat|end|function|coproc|namespace|nocorrect|time|mark|]' >later
	[ "$(wc -l <later)" -gt 300 ]
	# the library defines these: a shell would not know what to define
	grep -vxE 'jobct.*|process' later >before
	cat >script <<'S'
words () {
	[ -z "${BASH_VERSION-}" ] || shopt -s expand_aliases
	while IFS= read -r word; do
		alias "$word=mark $word" 2>/dev/null || : # ksh93 has none for [
	done <"$1"
}
mark () { command printf '%s\n' "$1" >>marked; "$@"; }
good () { echo "good $*"; }
bad () { return 3; }
twice () { echo "try $JOBCTL_TRY"; [ "$JOBCTL_TRY" = 2 ]; }
ended () { [ "$1" != 1 ] || echo "ended $2"; }
says () { jobctl_say said; }
heard () { echo "heard $2"; }
work () { echo "result of $1"; }
result () { cat; }
answer () { echo "answer $2"; }
worker () { while read -r x; do echo "$x!"; done; }
copies () { for i in 1 2; do jobctl_run good "$i"; done; }
speak () { echo hi >&6; read -r x <&7; echo "got $x"; }
job () { echo "job $1"; }
all () {
	\jobctl_open --on-end ended --retries 2,0 -k 2
	\jobctl_run good 1 'a  *b'
	\jobctl_run bad
	\jobctl_run twice
	\jobctl_run kill -0 "$$"
	\jobctl_close
	\jobctl_open --on-message heard 2
	\jobctl_open -b tasks 2
	\jobctl_tasks work result
	\jobctl_task one
	\jobctl_in batch
	\jobctl_run says
	\jobctl_run \sh -c 'kill -s KILL "$PPID"'
	\jobctl_wait
	\: | copies
	\jobctl_close
	\jobctl_close
	\jobctl_workers answer worker
	\jobctl_ask 1
	\jobctl_workers_end
	\jobctl_workers answer \cat
	\jobctl_ask 2
	\jobctl_workers_end
	\jobctl_open --nice 1 --results results 1
	\jobctl_connections \cat
	\jobctl_run jobctl_on speak
	\jobctl_wait
	\cat results/1.out
	\jobctl_stop
	\jobctl_close
	\jobctrl 2 | \process 2
	\printf '7\n' >list
	\jobctrl 2 | \process - list
} 2>errors
case $1 in before) words before ;; esac
\. jobctl.sh
case $1 in later) words later ;; esac
\alias | \sort >aliases
\all
\alias | \sort | \cmp - aliases
S
	check_aliases() {
		local when
		[ "$1" != posh ] || return 0 # it has none
		for when in never before later; do
			rm -rf results
			in_shell "$1" script "$when" >out
			[ ! -e marked ] || { sort marked | uniq -c; false; }
			is "answer 1!,answer 2,ended 0,good 1,good 1 a  *b,good 2,got hi,heard said,job 0,job 1,job 7,result of one,try 2" \
				<(sort out)
		done
	}
	batch aliases
}

# settings_of SHELL -- what changes each of its options, a line for each
settings_of()
{
	local letter
	for letter in a b e f h k m n p t u v x C; do echo "set -$letter"; done
	case $1 in
	zsh) zsh -fc 'for name value in ${(kv)options}; do
		case $value in on) echo "unsetopt $name" ;; *) echo "setopt $name" ;; esac
	done' ;;
	*)
		in_shell "$1" -c 'set -o' | awk '{
			for (i = 1; i < NF; i++) if ($(i + 1) ~ /^o(n|ff)$/)
				print "set " ($(i + 1) == "on" ? "+" : "-") "o " $i
		}'
		;;
	esac
	[ "$1" != bash ] || bash -c shopt | awk '{print "shopt " ($2 == "on" ? "-u" : "-s"), $1}'
}

@test "each option of the shell, turned over: a batch and process are right, and the option stays" {
	cat >script <<'S'
options () {
	set +o
	case ${BASH_VERSION:+bash}${ZSH_VERSION:+zsh} in bash) shopt -p ;; zsh) setopt ;; esac
}
good () { echo "good $1"; }
bad () { echo bad; return 3; }
job () { echo "job $1"; }
lines='c
d'
eval "$1"
options >before
. "$top/bin/jobctl.sh"
jobctl_open --retries 2,0 -k 2
jobctl_run good 'a  *b'
jobctl_run bad
jobctl_run /bin/echo three
first=0
jobctl_wait || first=$?
jobctl_run good "$lines"
close=0
jobctl_close || close=$?
echo "wait $first close $close $JOBCTL_DONE $JOBCTL_FAILED"
jobctl_open 2
jobctl_run good plain
jobctl_run sh -c 'exit 4'
close=0
jobctl_close || close=$?
echo "close $close"
jobctrl 2 | { process 3 && echo processed; }
options >after
S
	wanted='bad,close 1,d,good a  *b,good c,good plain,job 0,job 1,job 2,processed,three,wait 1 close 1 4 1'
	# These run nothing, or one command; make a shell interactive; forbid every redirection; and one
	# is refused, see below.
	pointless='set -[nt]|(un)?set(opt)? ([-+]o )?(no)?exec|set -o (onecmd|interactive|restricted)'
	pointless="$pointless|setopt (restricted|forcefloat)"
	# These trace, warn, report jobs, or complain that there is no terminal.
	talks='set (-[bmvx]|-o (ignoreeof|monitor|notify|verbose|xtrace))'
	talks="$talks|setopt (warn.*|sourcetrace|verbose|xtrace)"
	set_apart() { # SHELL SETTING
		cd "$(mktemp -d "$here/apart/XXXXXX")" && TMPDIR=$PWD FIFO=$PWD/f || return
		in_shell "$1" -c "$2" 2>/dev/null || return 0 # the shell does not let it be changed
		in_shell "$1" "$here/script" "$2" >out 2>err </dev/null || echo "status $?" >>out
		[[ "$2" =~ ^($talks)$ ]] ||
			grep -vxE "jobctl_run: job 2: exit status [34]: (bad|sh .*)" err >>out
		sort -o out out
		is "$wanted" out && cmp before after && [ ! -e f ] && ! compgen -G 'jobctl.*' && return
		head -n 5 err
		echo "FAILED: $2"
		return 1
	}
	export -f set_apart in_shell is same
	export wanted talks top LC_ALL=C
	check_settings() {
		rm -rf apart
		mkdir apart
		settings_of "$1" | grep -vxE "$pointless" >settings
		[ "$(wc -l <settings)" -gt 12 ]
		xargs -d '\n' -P 4 -n 1 bash -c 'set_apart "$@"' set_apart "$1" <settings >&2
	}
	everywhere settings
}

@test "options that no batch can work under are refused, with what to write; jobs may set them" {
	cat >script <<'S'
. jobctl.sh
job () { setopt force_float; return 3; }
again () { setopt err_return; false; echo never; }
jobctl_open 2
jobctl_run job
jobctl_run again
jobctl_close
setopt force_float
jobctl_open 2
echo "$?"
jobctl_workers job job
echo "$?"
jobctrl 1 | process 1
echo "$?"
unsetopt force_float
FUNCNEST=9
. jobctl.sh
echo "$?"
S
	check_refused() {
		in_shell "$1" script >out 2>said
		is 125,125,125,125 out
		sort said >sorted
		float="zsh's force_float is set; write: unsetopt force_float, and in a function that needs it: setopt local_options force_float"
		is "jobctl.sh: FUNCNEST=9 lets too few functions call each other; write: unset FUNCNEST,jobctl_open: $float,jobctl_run: job 1: exit status 3: job,jobctl_run: job 2: exit status 1: again,jobctl_workers: $float,process: $float" sorted
	}
	SHELLS=zsh batch refused
	cat >script <<'S'
FUNCNEST=49
. jobctl.sh
echo "$?"
FUNCNEST=50
. jobctl.sh
jobctl_open --retries 2,0 -k 2
jobctl_run false
jobctl_close
echo "$?"
S
	check_nested() { in_shell "$1" script 2>&1 | is 'jobctl.sh: FUNCNEST=49 lets too few functions call each other; write: unset FUNCNEST,125,jobctl_run: job 1: exit status 1: false,1' -; }
	SHELLS='bash zsh' batch nested
}

@test "process reads its dispenser, though the script has closed its own standard input" {
	cat >script <<'S'
exec 0<&-
. jobctl.sh
job () { echo "job $1"; }
jobctrl 2 | process 3
echo "$?"
S
	check_closed() { in_shell "$1" script | sort | is '0,job 0,job 1,job 2' -; }
	batch closed
}
