# shellcheck shell=bash
# Completions of bash for jobat, jobctl, jobplot, jobpool, tokend, tokget, tokput, tokstat and
# tokstop: the options that PROGRAM --help lists, and what its words for their arguments stand for,
# such as FILE.
# bash-completion finds this file by itself; without it, read the file in ~/.bashrc.

# _jobctl_help PROGRAM -- sets argument and text, of each option: -j and --jobs
_jobctl_help ()
{
	local line name names=()
	local pattern='^(  -(.)(, --([^ ]+))?|      --([^ ]+))( ([^ ]+))?(   *(.*))?$'

	while IFS= read -r line; do
		if [[ $line =~ $pattern ]]; then
			names=()
			[ -z "${BASH_REMATCH[2]}" ] || names+=("-${BASH_REMATCH[2]}")
			name=${BASH_REMATCH[4]}${BASH_REMATCH[5]}
			[ -z "$name" ] || names+=("--$name")
			for name in "${names[@]}"; do
				argument[$name]=${BASH_REMATCH[7]} text[$name]=${BASH_REMATCH[9]}
			done
		elif [[ $line == '          '* ]]; then # the text of a long one
			for name in "${names[@]}"; do text[$name]+=${line#"${line%%[! ]*}"}; done
		fi
	done < <("${1/#\~\//$HOME/}" --help 2>/dev/null)
}

# _jobctl_words -- sets words, up to the cursor, and at: where each begins in COMP_WORDS, which are
# cut at = and : as well; and head: what is before the part that bash completes
_jobctl_words ()
{
	local i n=0 piece='' rest=${COMP_LINE:0:COMP_POINT}

	for ((i = 0; i <= COMP_CWORD; i++)); do
		[[ $rest != [[:space:]]* && $i -gt 0 && -n $rest ]] || { ((n++)); at[n - 1]=$i; }
		rest=${rest#"${rest%%[![:space:]]*}"}
		piece=${COMP_WORDS[i]}
		[ "$i" -lt "$COMP_CWORD" ] || piece=$rest
		words[n - 1]+=$piece
		rest=${rest#"$piece"}
	done
	[[ $piece != [=:]* ]] || piece=''
	_jobctl_plain "${words[n - 1]%"$piece"}"
	head=$plain
}

# _jobctl_plain WORD -- sets plain: without its quotes
_jobctl_plain ()
{
	local word=$1 quote='' c

	plain=''
	while [ -n "$word" ]; do
		c=${word:0:1} word=${word:1}
		if [ "$c" = "$quote" ]; then
			quote=''
		elif [[ -z $quote && $c == [\'\"] ]]; then
			quote=$c
		elif [[ $c == \\ && $quote != "'" ]]; then
			plain+=${word:0:1} word=${word:1}
		else
			plain+=$c
		fi
	done
}

# _jobctl_walk -- sets first: where the operands begin; operands, where that is certain; and option,
# when the word at the cursor is its argument
_jobctl_walk ()
{
	local word letters=''

	for option in "${!argument[@]}"; do
		[[ $option != -? || -z ${argument[$option]} ]] || letters+=${option#-}
	done
	option='' operands=''
	for ((first = 1; first < last; first++)); do
		word=${words[first]}
		if [ -n "$option" ]; then
			option=''
		elif [[ $word == -- || $word != -?* ]]; then
			operands=1
			[ "$word" != -- ] || ((first++))
			return
		elif [ -n "${argument[$word]-}" ]; then
			option=$word
		elif [[ $word =~ ^-[^-$letters]+([$letters])$ ]]; then
			option=-${BASH_REMATCH[1]}
		fi
	done
}

# _jobctl_reply -- COMPREPLY, of the lines of standard input that begin as the word does
_jobctl_reply ()
{
	local line

	while IFS= read -r line; do
		[[ $line == "$current"* ]] || continue
		line=$prefix$line
		COMPREPLY+=("${line#"$head"}")
	done
}

# _jobctl_lives FIFO -- a dispenser does there. Of another user's one nobody can tell in a moment.
_jobctl_lives ()
{
	local pid

	[ -p "$1" ] && [ -w "$1" ] && [ -e "$1.d/lock" ] || return
	[ ! -O "$1.d/lock" ] || { read -r pid <"$1.d/lock" && kill -0 "$pid" 2>/dev/null; }
}

# _jobctl_fifos COMMAND... -- those for which it succeeds, and directories on the way to others
_jobctl_fifos ()
{
	local name path

	while IFS= read -r name; do
		path=${name/#\~\//$HOME/}
		if [[ -d $path && ! -p ${path%.d} ]] || "$@" "$path"; then echo "$name"; fi
	done < <(compgen -f -- "$current")
}

# _jobctl_labels -- those of the dispenser that the line names, or $FIFO: jobctl ends a tokstat that
# waits for one that is stopped
_jobctl_labels ()
{
	local word fifo=${FIFO-} kind label _

	for word in "${COMP_WORDS[@]}"; do
		_jobctl_plain "$word"
		plain=${plain/#\~\//$HOME/}
		[ ! -p "$plain" ] || fifo=$plain
	done
	while IFS=$'\t' read -r kind _ _ _ _ _ label; do
		[[ $kind != slot || -z $label ]] || echo "$label"
	done < <(printf '%s\0' "$fifo" |
		jobctl -0 --quiet --timeout 2 tokstat -o tsv 2>/dev/null)
}

# _jobctl_paths COMMAND... -- COMPREPLY, of what it prints: bash quotes that, and marks directories
_jobctl_paths ()
{
	compopt -o filenames
	_jobctl_reply < <("$@")
}

# _jobctl_value -- of that option
_jobctl_value ()
{
	local word

	case ${argument[$option]-} in
	FILE) compopt -o default ;;
	DIR) compopt -o dirnames ;;
	FIFO) _jobctl_paths _jobctl_fifos _jobctl_lives ;;
	SHELL) _jobctl_reply < <(compgen -c -- "$current") ;;
	LABEL) [[ $program,$option != tokput,-*d* ]] || _jobctl_paths _jobctl_labels ;;
	FORMAT | STYLE | WHEN) # the text ends with them: "table, tsv or json"
		for word in ${text[$option]##*: }; do
			[ "$word" = or ] || _jobctl_reply <<<"${word%,}"
		done ;;
	esac
}

# _jobctl_command N -- after those options and operands there is a command, which has completions
# of its own
_jobctl_command ()
{
	if [ "$1" -eq "$last" ]; then
		compopt -o default
		_jobctl_reply < <(compgen -c -- "$current")
	elif declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "${at[$1]}"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "${at[$1]}"
	else
		compopt -o default
	fi
}

_jobctl_operand ()
{
	local word

	for word in "${words[@]:first:last - first}"; do
		[[ $program != jobctl || $word != :::* ]] || { compopt -o default; return; }
	done
	case $program,$((last - first)) in
	jobctl,0) _jobctl_paths compgen -c -f -- "$current" ;; # it may be a file with commands
	jobctl,* | jobpool,*) _jobctl_command "$first" ;;
	jobplot,0) compopt -o default ;;
	tokend,0) _jobctl_paths _jobctl_fifos test -p ;;
	tokget,0 | tokput,0 | tokstat,0 | tokstop,0) _jobctl_paths _jobctl_fifos _jobctl_lives ;;
	jobat,0) _jobctl_reply < <(compgen -A hostname -- "$current") ;;
	jobat,* | tokget,*) _jobctl_command "$((first + 1))" ;;
	esac
}

# _jobctl PROGRAM -- what complete(1) calls
_jobctl ()
{
	local -A argument=() text=()
	local words=() at=() last first operands option plain head prefix='' current
	local program=${1##*/} IFS=$' \t\n'

	COMPREPLY=()
	_jobctl_help "$1"
	_jobctl_words
	last=$((${#words[@]} - 1))
	_jobctl_walk
	_jobctl_plain "${words[last]}"
	current=$plain
	if [ -n "$option" ]; then
		_jobctl_value
	elif [[ -z $operands && $current == --*=* ]]; then
		option=${current%%=*} prefix=$option= current=${current#*=}
		_jobctl_value
	elif [[ -z $operands && $current == -* ]]; then
		_jobctl_reply < <(printf '%s\n' "${!argument[@]}")
	else
		_jobctl_operand
	fi
}
complete -F _jobctl jobat jobctl jobplot jobpool tokend tokget tokput tokstat tokstop
