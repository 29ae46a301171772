# jobctl.sh -- run jobs, at most N at once:   jobctrl N | process M
#
# To be sourced, by any POSIX shell, with our programs on PATH. It defines
# functions and changes nothing else; see jobctl.sh(7).
#
# Private names begin with _jobctl_. A job's lease is its descriptor 9. Words that could be aliases
# of the caller have a backslash here, and in text for eval; the parts are read without aliases.
# shellcheck disable=SC2288 # \[

# At a prompt some shells report each job with our source, and Ctrl-C ends others.
case $- in
*i*)
	\echo 'jobctl.sh: this shell is interactive; write these lines into a file and run' \
		'that, or use jobctl(1)' >&2
	\return 125
	;;
esac

case ${BASH_VERSION-}${ZSH_VERSION-}/${FUNCNEST-} in
?*/[1-9] | ?*/[1-4][0-9])
	\echo "jobctl.sh: FUNCNEST=$FUNCNEST lets too few functions call each other;" \
		'write: unset FUNCNEST' >&2
	\return 125
	;;
esac

# Variables that change with each job come first, close together in memory: after a fork, each page
# that is written to is copied. Not if this file is read again; but set -a exports variables to
# other scripts, and no function.
\command -v _jobctl_part >/dev/null 2>&1 || _jobctl_lease='' _jobctl_id='' _jobctl_detail='' \
	_jobctl_old='' _jobctl_way='' _jobctl_b_plain='' _jobctl_b_waits='' _jobctl_self=/ \
	_jobctl_names='' _jobctl_current='' _jobctl_inside='' _jobctl_closing='' \
	_jobctl_known=// _jobctl_missing='' _jobctl_beside='' _jobctl_copied='' \
	_jobctl_opener='' _jobctl_b_deferred='' _jobctl_all='' _jobctl_traps_set='' \
	_jobctl_try=1 _jobctl_jobend='' _jobctl_refused='' _jobctl_b_torn='' _jobctl_syncs=0 \
	_jobctl_verb='' _jobctl_keeper='' _jobctl_input=/dev/null _jobctl_b_key='' \
	_jobctl_reads='' _jobctl_pipe='' _jobctl_list='' _jobctl_unread='' _jobctl_own_wait='' \
	_jobctl_builtin=command _jobctl_parts='' _jobctl_bare=''

# _jobctl_part NAME... -- reads these parts, each when it is first needed: every function that a
# shell knows makes its forks slower.
_jobctl_part () {
	while \[ "$#" -gt 0 ]; do
		case " $_jobctl_parts "/$_jobctl_bare in
		*" $1 "*) ;;
		*/)
			_jobctl_part_bare "$@"
			\return "$?"
			;;
		*)
			if \[ ! -r "$_jobctl_lib/$1.sh" ]; then
				\echo "jobctl.sh: $_jobctl_lib/$1.sh: cannot be read" >&2
				\return 125
			fi
			# bash would report killed jobs here, with our source
			# shellcheck disable=SC1090 # only the caller knows which part
			\. "$_jobctl_lib/$1.sh" 2>/dev/null || \return 125
			_jobctl_parts="$_jobctl_parts $1" # last, for a trap may come meanwhile
			;;
		esac
		\shift
	done
}

# The same, while no word of ours is an alias. zsh has other kinds of aliases, too; posh has none.
_jobctl_part_bare () {
	_jobctl_bare=1 _jobctl_aliases='\:'
	case ${ZSH_VERSION:+zsh}${POSH_VERSION:+posh} in
	zsh) \setopt local_options no_aliases no_csh_junkie_quotes ;;
	posh) ;;
	*)
		for _jobctl_word in [ : . alias break command continue echo eval exec exit export \
			false kill printf read return rm set sh shift test tokend tokget tokstop \
			trap true ulimit unalias unset wait jobctl_run jobctl_task jobctl_on \
			jobctl_ask jobctl_answers jobctl_workers_end
		do
			! \alias "$_jobctl_word" || {
				_jobctl_alias=$(\alias "$_jobctl_word")
				_jobctl_aliases="$_jobctl_aliases; \alias ${_jobctl_alias#alias }"
				\unalias "$_jobctl_word"
			}
		done >/dev/null 2>&1
		;;
	esac
	if _jobctl_part "$@"; then \set -- 0; else \set -- 125; fi
	_jobctl_bare=''
	\eval "$_jobctl_aliases" 2>/dev/null # bash would report killed jobs
	\return "$1"
}

# _jobctl_from PART FUNCTION [ARG...] -- calls a function of that part
_jobctl_from () {
	_jobctl_part "$1" || {
		_jobctl_lease='' _jobctl_status=125
		\return 125
	}
	\shift
	"$@"
}

# The parts are in $JOBCTL_LIB, or in share/jobctl beside the bin on PATH that has our programs.
_jobctl_lib=${JOBCTL_LIB-} _jobctl_bins=$PATH:
while \[ -z "${JOBCTL_LIB-}" ] && \[ ! -r "$_jobctl_lib/batch.sh" ] && \[ -n "$_jobctl_bins" ]; do
	_jobctl_lib=${_jobctl_bins%%:*} _jobctl_bins=${_jobctl_bins#*:}
	_jobctl_lib=${_jobctl_lib:-.}/../share/jobctl
done
if \[ ! -r "$_jobctl_lib/batch.sh" ]; then
	\echo 'jobctl.sh: its other parts are not found; add PREFIX/bin, the directory of' \
		'jobctl.sh, to PATH, or set JOBCTL_LIB to PREFIX/share/jobctl' >&2
	\return 125
fi
case $_jobctl_lib in /*) ;; *) _jobctl_lib=$PWD/$_jobctl_lib ;; esac # the script may go elsewhere

# The functions. What they do is in the parts: what a shell has read makes its forks slower. posh
# dies when a function redefines itself: so each of these calls another function.
jobctrl () { _jobctl_from single _jobctl_jobctrl ${1+"$@"}; }
process () { _jobctl_from process _jobctl_process ${1+"$@"}; }
jobctl_with () { _jobctl_from single _jobctl_with ${1+"$@"}; }
jobctl_hold () { _jobctl_from single _jobctl_hold ${1+"$@"}; }
jobctl_release () { \exec 9>&-; }
jobctl_open () { _jobctl_from open _jobctl_open ${1+"$@"}; }
jobctl_wait () { _jobctl_from news _jobctl_do_wait; }
jobctl_close () { _jobctl_from end _jobctl_close; }
jobctl_in () { _jobctl_from batch _jobctl_do_in ${1+"$@"}; }
jobctl_stop () { _jobctl_from end _jobctl_each_batch _jobctl_kill; }
jobctl_say () { _jobctl_from batch _jobctl_do_say ${1+"$@"}; }
jobctl_retry_after () { _jobctl_from batch _jobctl_do_retry_after ${1+"$@"}; }
jobctl_tasks () { _jobctl_from tasks _jobctl_tasks ${1+"$@"}; }
jobctl_connections () { _jobctl_from connections _jobctl_connections ${1+"$@"}; }
jobctl_workers () { _jobctl_from workers _jobctl_workers ${1+"$@"}; }

# These come with what is opened; until then they say what is missing. Reading this file again
# changes none of them.
for _jobctl_name in run task on ask answers workers_end; do
	\command -v "jobctl_$_jobctl_name" >/dev/null 2>&1 ||
		\eval "jobctl_$_jobctl_name () {" _jobctl_from mistakes _jobctl_unopened \
			"jobctl_$_jobctl_name; }"
done
