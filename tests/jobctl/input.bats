load ../helper
load ../helpers/jobctl

# jobctl: its list of jobs, and what is run for a line.

@test "each line once, never more than -j at a time, and so many do run at once" {
	mkfifo gate
	seq 200 >list
	begun -j 5 sh -c 'echo "in $1" >>log; [ "$1" -gt 5 ] || : <gate; echo "out $1" >>log' sh
	until_true lines_in 5 log
	same 5 "$(peak)"
	gate_opens "$batch"
	[ "$(peak)" -le 5 ]
	same "$(seq 200)" "$(sed -n 's/^in //p' log | sort -n)"
	[ ! -s errors ]
	[ ! -s out ]
}

@test "a pool is no list: nothing is read there, and its clients get their tokens" {
	pool -n 1
	for wrong in "-a $FIFO true" "true :::: $FIFO" "--sshloginfile $FIFO true" "-a $FIFO"; do
		run -125 jobctl $wrong
		same "jobctl: $FIFO: a pool, and no list or log: tokstat shows it" "$output"
		tokget -n -t 5 "$FIFO" true || tokget -t 5 "$FIFO" true
	done
	stopped
}

# Lines that look like code, options, patterns, quotes; some are no UTF-8.
evil()
{
	printf '%s\n' 'plain' '' '  two  blanks ' '$(touch bad)' '`touch bad`' ';touch bad' \
		'&touch bad' '|touch bad' '>bad' "'; touch bad; '" '"; touch bad; "' \
		'${x:=$(touch bad)}' ')touch bad' \
		'-n' '--' '*' '?' '\' '\n' "a'b\"c\\d" '#no' '~' '{}' '{/}' '$1' '!!' '%s'
	printf 'latin \351\377\n'
}

@test "a line is one argument, whatever is in it" {
	evil >list
	jobctl -j 1 printf '%s\n' <list >out
	cmp list out
	jobctl -j 1 printf '%s|%s\n' '<{}>' <list >out
	LC_ALL=C sed 's/.*/<&>|/' list | cmp - out
	printf 'no newline' >list
	same '<no newline>' "$(jobctl printf '<%s>' <list)"
	[ ! -e bad ]
}

@test "-0: lines end with a NUL, newlines are in them; without it such a line is no job" {
	printf 'a\nb\0\0\n$(touch bad)\nc\0end' >list
	jobctl -0 -j 1 printf '<%s>' <list >out
	same $'<a\nb><><\n$(touch bad)\nc><end>' "$(cat out)"
	jobctl -0c -j 1 'printf "<%s>" {}' <list | cmp - out
	printf 'a\0b\nc\n' >list
	run -1 jobctl -j 1 echo <list
	[[ "${lines[0]}" == 'jobctl: job 1: '*NUL* ]]
	same c "${lines[1]}"
	[ ! -e bad ]
}

@test "-c: a line is never parsed, in whatever quotes its place stands" {
	evil >list
	for script in 'printf "%s\n" {}' 'printf "%s\n" "{}"' "printf '%s\n' '{}'" 'printf "%s\n"' \
		'x={}; printf "%s\n" "$x"' "x='{}'; printf '%s\n' \"\$x\"" \
		'printf "%s\n" "$(printf %s {})"' \
		'printf "%s\n" "$(printf %s "{}")"' "printf '%s\n' \"\$(printf %s '{}')\"" \
		'(printf "%s\n" {})' 'set -- {}; printf "%s\n" "$@"' \
		'printf %s "(a)" >/dev/null; printf "%s\n" {}'; do
		jobctl -c -j 1 "$script" <list >out
		cmp list out || { echo "$script"; false; }
	done
	# Where the place is not understood: never run, at the worst shown wrongly.
	for script in 'echo "`echo {}`"' 'echo `echo "{}"`' 'cat <<E
it'"'"'s {} "{}"
E' "# it's
echo {}" 'echo "$(case x in x) echo {};; esac)"' ': ${x:-{}} "${y:-{}}"' 'echo \{} \"{} "\"{}"'; do
		jobctl --quiet -c "$script" <list >out 2>&1 || :
		[ ! -e bad ] || { echo "$script"; false; }
	done
	[ ! -e bad ]
}

@test "-c: a place in backquotes, after a parenthesis in quotes or after a comment keeps its blanks" {
	echo '  two  *' >list
	same '  two  *' "$(jobctl -c 'printf "%s" "`printf %s {}`"' <list)"
	same ':(|  two  *' "$(jobctl -c 'printf "%s|%s" ":(" {}' <list)"
	[ "$(jobctl -c "# it's \\
printf '%s' {} # it's {}
" <list)" = '  two  *' ]
	same 'a#  two  *' "$(jobctl -c "printf '%s' a#'{}'" <list)"
}

@test "places" {
	printf '%s\n' /a/b.c/d.tar.gz d /d .p a.b/c x/ >list
	[ "$(jobctl -j 1 printf '%s,' {} {.} {/} {//} {/.} {#}:{%} <list)" = "$(
		printf %s '/a/b.c/d.tar.gz,/a/b.c/d.tar,d.tar.gz,/a/b.c,d.tar,1:1,' \
			'd,d,d,.,d,2:1,' '/d,/d,d,/,d,3:1,' '.p,.p,.p,.,.p,4:1,' \
			'a.b/c,a.b/c,c,a.b,c,5:1,' 'x/,x/,,x,,6:1,')" ]
	jobctl -j 1 printf '%s,' {} {.} {/} {//} {/.} {#}:{%} <list >words
	jobctl -j 1 -c 'printf "%s," {} {.} {/} {//} {/.} {#}:{%}' <list | cmp - words
	# Without a place for the line it comes last, with {#} alone too; {x} is none.
	same '1 {x} a' "$(echo a | jobctl echo {#} {x})"
	same '1 {x} a' "$(echo a | jobctl -c 'echo {#} {x}')"
}

@test "each line is a command: a file, -a, standard input; blank lines and comments are none" {
	printf '%s\n' '# a comment' '' '   ' '	# one more' 'echo "a  b" | tr a-z A-Z' \
		'x=1; echo "$x $JOBCTL_ID"' >list
	for way in 'list' './list' '-a list'; do
		[ "$(jobctl -j 1 $way </dev/null)" = 'A  B
1 2' ]
	done
	[ "$(jobctl -j 1 <list)" = 'A  B
1 2' ]
	[ "$(jobctl -j 1 -a list echo '<{}>' </dev/null | head -n 2)" = '<# a comment>
<>' ]
	: >empty
	run -0 jobctl empty
	same '' "$output"
}

@test "a job has /dev/null, a group of its own, its id, slot, label and try" {
	printf 'cat; echo "$JOBCTL_ID $JOBCTL_SLOT ${JOBCTL_LABEL-none} $JOBCTL_TRY"\n' >list
	export JOBCTL_ID=9 JOBCTL_SLOT=9 JOBCTL_LABEL=9 JOBCTL_TRY=9
	same '1 1 none 1' "$(echo never | jobctl -a list)"
	same '1 1 gpu 0 1' "$(jobctl --label 'gpu 0' --label b -j 1 <list)"
	same 1 "$(echo 'ps -o pgid= -p $$; echo $$' | jobctl | tr -d ' ' | uniq | wc -l)"
	mkfifo gate
	printf '%s\n' 'echo "$JOBCTL_SLOT $JOBCTL_LABEL" >>log; : <gate' >one
	cat one one >list
	begun --label red --label 'dark blue'
	until_true lines_in 2 log
	open_gate gate
	ends_with 0 "$batch"
	[ "$(sort log)" = '1 red
2 dark blue' ]
}

@test "a job starts when its line arrives, and an input without end is no trouble" {
	mkfifo list
	begun -j 2 sh -c 'echo "$1" >>log' sh
	exec 8>list
	for n in 1 2 3; do
		echo "$n" >&8
		until_true lines_in "$n" log
	done
	printf 4 >&8
	exec 8>&-
	ends_with 0 "$batch"
	same "$(seq 4)" "$(cat log)"
	run -0 timeout 60 bash -c 'yes | jobctl -j 3 --halt soon,success=50 true'
}

@test "an input that is closed, a directory, or has a line of 17 MB is told" {
	run -125 jobctl -a . echo
	run -125 jobctl -a missing echo
	same 1 "${#lines[@]}"
	(echo a; head -c 17000000 /dev/zero | tr '\0' x; echo; echo b) >list
	run -125 jobctl -j 1 echo <list
	same a "${lines[0]}"
	[[ "$output" != *$'\nb'* ]]
}

@test "an argument that is too long fails its job alone" {
	(echo a; head -c 3000000 /dev/zero | tr '\0' x; echo; echo b) >list
	run -1 jobctl -j 1 echo <list
	same a "${lines[0]}"
	[[ "${lines[1]}" == 'jobctl: job 2: '* ]]
	same b "${lines[2]}"
}

@test "jobctl reads a list from a FIFO that somebody made non-blocking" {
	mkfifo list
	bash -c 'dd iflag=nonblock count=0 2>/dev/null; exec jobctl echo' <list >out 3>&- &
	jobctl=$!
	exec 7>list
	until_true grep -q jobctl "/proc/$jobctl/comm"
	for i in 1 2 3; do
		echo "$i" >&7
		until_true lines_in "$i" out
	done
	exec 7>&-
	ends_with 0 "$jobctl"
	same "$(seq 3)" "$(sort out)"
}

@test "a list with CRLF, or a byte order mark: said once, with what to write; --quiet does not" {
	for list in '\xef\xbb\xbfa\r\nb\r\n' 'a\r\nb\r\n'; do
		printf "$list" >list
		for how in '-a list' '-a -'; do
			jobctl -j 1 $how printf '%s|' <list >out 2>err
			same "$(printf "${list//\\n/|}")" "$(cat out)"
			same 1 "$(grep -c '^jobctl: warning: the list ' err)"
			eval "$(sed 's/.*; write: //; s/jobctl .*/cat/; s/LIST/list/' err)" | is a,b -
		done
	done
	printf 'a,b\r\n' >columns # of which blanks are trimmed
	printf 'a\r\0' | jobctl -0 true 2>err
	[ ! -s err ]
	for plain in '--quiet -a list' '-a columns -C ,' '-n 1'; do
		jobctl $plain true ::: $'a\r' 2>err
		[ ! -s err ]
	done
}
