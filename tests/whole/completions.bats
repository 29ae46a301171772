load ../helper

export bash_completion=/usr/share/bash-completion/bash_completion

# The words that bash, zsh and fish offer at TAB, as installed by "make install".

setup_file() { installed_once; }

# installed -- below $here/p; and names to be completed
installed()
{
	ln -s "$BATS_FILE_TMPDIR/p" p
	mkdir home desk && cd desk
	mkdir sub && touch qqlist 'a list'
	FIFO=$here/desk/fifo pool -s gpu0 -s 'gpu 1' -s a=b
	mkfifo fellow # nobody's
	FIFO=$here/desk/fifth pool -n 1
	FIFO=$here/desk/fifth killed
	echo 99999999 >fifth.d/lock # another process may have its number by now
	cd ..
	# The test sets how long a completion waits for a dispenser.
	echo 100 >limit
	mkdir limited
	cat >limited/jobctl <<-S
	#!/bin/sh
	[ "\$3 \$4" != '--timeout 2' ] || { shift 4; set -- -0 --timeout "\$(cat "$here/limit")" --quiet "\$@"; }
	exec "$top/bin/jobctl" "\$@"
	S
	chmod +x limited/jobctl
	PATH=$here/limited:$PATH
	cat >bashrc <<'S'
PS1=ready
told () { _jobctl "$@"; printf '%s\n' "${COMPREPLY[@]}" >../matches; }
tell () { printf '%s\n' "$READLINE_LINE" >../tell; mv ../tell ../line; READLINE_LINE=; }
bind -x '"\C-t": tell'
[ ! -e "$bash_completion" ] || . "$bash_completion"
. "$here/p/share/bash-completion/completions/tokget"
complete -F told $(complete -p | sed -n 's/.*_jobctl //p')
S
	cat >home/.zshrc <<'S'
PS1=ready
fpath=("$here/p/share/zsh/site-functions" $fpath)
autoload -Uz compinit && compinit -u -D
compadd () {
	local -a hits
	if [[ ${@[1,(i)(-|--)]} != *-[OAD]\ * ]]; then
		builtin compadd -A hits "$@"
		(( ! $#hits )) || print -rl -- "${(Q)hits[@]}" >>../matches
	fi
	builtin compadd "$@"
}
tell () { print -r -- "$LBUFFER" >../tell; mv ../tell ../line; BUFFER= }
zle -N tell
bindkey '^T' tell
S
}

# interactive COMMAND -- that shell, at a terminal of its own
interactive()
{
	script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1) that makes a terminal"
	mkfifo keys
	: >typescript
	HOME=$here/home FIFO=$here/desk/fifo timeout 300 script -qefc "cd desk && exec $1" typescript \
		<keys >/dev/null 2>&1 3>&- &
	exec 8>keys
	until_true grep -q ready typescript
}

# typed LINE -- types it there, with TAB at its end; sets line to the shell's result, and matches to
# its offers, sorted, with a blank between
typed()
{
	rm -f line
	: >matches
	printf '%s\t\024' "$1" >&8
	until_true test -e line
	line=$(cat line) matches=$(sort -u matches | paste -sd ' ')
}

# offered MATCHES LINE -- $shell offers these
offered()
{
	if [ "$shell" != fish ]; then
		typed "$2"
	else
		matches=$(cd desk && line=$2 FIFO=$here/desk/fifo XDG_DATA_HOME=$here/p/share \
			HOME=$here/home timeout 200 fish -c 'complete -C "$line"' 3>&- |
			cut -f 1 | sed 's|/$||' | sort -u | paste -sd ' ')
	fi
	same "$1" "$matches" "$shell: $2"
}

# offered_file NAME LINE -- that file alone; the line that bash types shows what it offers by itself
offered_file()
{
	[ "$shell" = bash ] || { offered "$@"; return; }
	typed "$2"
	[[ $line == *" ${1/ /\\ }"[/\ ] ]] || { echo "$shell: $2: $line" >&2; return 1; }
}

# same_in_all -- offers that do not depend on the shell
same_in_all()
{
	offered '--joblog --jobs' 'jobctl --jo'
	offered '--keep-order' 'jobpool -j 2 --ke'
	offered '--text --trace' 'jobplot --t'
	offered_file 'a list' 'jobplot -o sub a'
	offered 'now,fail=10% now,success=1' 'jobctl -k --halt n'
	offered 'both fifo none pipe' 'tokget -nj '
	offered 'json table tsv' 'tokstat -o '
	offered '--workdir' 'jobat --wo'
	offered 'tokstat tokstop' 'jobat --beat 3 host toks'
	offered_file 'sub' 'jobctl --results s'
	offered_file 'a list' 'tokend -f a'
	offered 'a=b gpu 1 gpu0' 'tokput -d '
	for program in tokget tokput tokstat tokstop; do
		offered 'fifo' "$program f"
	done
	offered 'fellow fifo fifth' 'tokend f'
	offered 'fifo' 'tokend -u fi'
	offered 'tokstat tokstop' 'tokget -t 5 fifo toks'
	if [ "$shell" != bash ] || [ -e "$bash_completion" ]; then
		offered '--output' 'tokget fifo tokstat --ou'
		offered '--joblog' 'jobpool jobctl --jobl'
	fi
	offered 'qqlist' 'jobctl qq'
	offered_file 'a list' 'jobctl -j 2 echo ::: a'
	kill -STOP "$(cat desk/fifo.d/lock)"
	echo 0.2 >limit
	offered '' 'tokput -d '
	kill -CONT "$(cat desk/fifo.d/lock)"
	echo 100 >limit
	FIFO=$here/desk/fifo until_true names 0 # nobody is left waiting for it
}

# becomes RESULT LINE -- the shell does not always take = as a part of a word, and has to quote
becomes()
{
	typed "$2"
	same "$1" "$line" "$shell: $2"
}

becomes_in_both()
{
	becomes 'jobctl --halt=soon,fail=1 ' 'jobctl --halt=s'
	becomes 'jobctl --halt=soon,fail=1 ' 'jobctl --halt=soon,fail='
	becomes 'jobctl --results=sub/' 'jobctl --results=s'
	becomes 'tokend --parent=fifo ' 'tokend --parent=fi'
	becomes 'tokput --drop gpu\ 1 ' 'tokput --drop gpu\ '
	becomes 'tokput --drop "gpu 1" ' 'tokput --drop "gpu '
	becomes "tokput --drop 'gpu 1' " "tokput --drop 'gpu "
	becomes 'tokput --drop=gpu\ 1 ' 'tokput --drop=gpu\ '
	becomes "tokstat $here/desk/fifo " "tokstat $here/desk/fif"
	becomes 'tokstat ~/../desk/fifo ' 'tokstat ~/../desk/fif'
	becomes 'jobctl -- --jo' 'jobctl -- --jo'
	becomes 'tokget fifo --jo' 'tokget fifo --jo'
}

@test "bash completes options and their arguments, FIFOs, labels and commands, and quotes them" {
	installed
	shell=bash
	interactive "bash --noprofile --rcfile '$here/bashrc' -i"
	same_in_all
	becomes_in_both
}

@test "zsh completes options and their arguments, FIFOs, labels and commands, and quotes them" {
	command -v zsh >/dev/null || skip "no zsh"
	installed
	shell=zsh
	interactive 'zsh -d -i'
	same_in_all
	becomes_in_both
}

@test "fish completes options and their arguments, FIFOs, labels and commands" {
	command -v fish >/dev/null || skip "no fish"
	installed
	shell=fish
	same_in_all
	offered '--halt=soon,fail=1' 'jobctl --halt=s'
	offered '--drop=gpu 1 --drop=gpu0' 'tokput --drop=gp'
	offered 'gpu 1' 'tokput --drop "gpu '
	offered '' 'tokget fifo --jo'
}

@test "bash-completion finds what is installed, and has no word in what it does" {
	[ -e "$bash_completion" ] || skip "no bash-completion"
	installed
	sed -i '/told/d; /completions.tokget/d' bashrc
	export XDG_DATA_HOME=$here/p/share shell=bash
	interactive "bash --noprofile --rcfile '$here/bashrc' -i"
	becomes 'tokput --drop ' 'tokput --dr'
	becomes 'jobctl --keep-order ' 'jobctl --ke'
}
