load ../helper
load ../helpers/jobctl

# What looks like code, options, patterns, quotes; some of it is no UTF-8.
evil()
{
	printf '%s\n' 'plain' '' '  two  blanks ' '$(touch bad)' '`touch bad`' ';touch bad' '&touch bad' \
		'|touch bad' '>bad' "'; touch bad; '" '"; touch bad; "' '${x:=$(touch bad)}' ')touch bad' \
		'-n' '--' '*' '?' '\' '\n' "a'b\"c\\d" '#no' '~' '{}' '{/}' '$1' '!!' '%s'
	printf 'latin \351\377\n'
}

@test "each line once, never more than -j at a time, and so many do run at once" {
	mkfifo gate
	seq 200 >list
	begun -j 5 sh -c 'echo "in $1" >>log; [ "$1" -gt 5 ] || : <gate; echo "out $1" >>log' sh
	until_true lines_in 5 log
	[ "$(peak)" -eq 5 ]
	open_gate gate
	ends_with 0 "$batch"
	[ "$(peak)" -le 5 ]
	[ "$(sed -n 's/^in //p' log | sort -n)" = "$(seq 200)" ]
	[ ! -s errors ] && [ ! -s out ]
}

@test "a line is one argument, whatever is in it" {
	evil >list
	jobctl -j 1 printf '%s\n' <list >out
	cmp list out
	jobctl -j 1 printf '%s|%s\n' '<{}>' <list >out
	LC_ALL=C sed 's/.*/<&>|/' list | cmp - out
	printf 'no newline' >list
	[ "$(jobctl printf '<%s>' <list)" = '<no newline>' ]
	[ ! -e bad ]
}

@test "-0: lines end with a NUL, newlines are in them; without it such a line is no job" {
	printf 'a\nb\0\0\n$(touch bad)\nc\0end' >list
	jobctl -0 -j 1 printf '<%s>' <list >out
	[ "$(cat out)" = $'<a\nb><><\n$(touch bad)\nc><end>' ]
	jobctl -0c -j 1 'printf "<%s>" {}' <list | cmp - out
	printf 'a\0b\nc\n' >list
	run -1 jobctl -j 1 echo <list
	[[ "${lines[0]}" == 'jobctl: job 1: '*NUL* ]]
	[ "${lines[1]}" = c ]
	[ ! -e bad ]
}

@test "-c: a line is never parsed, in whatever quotes its place stands" {
	evil >list
	for script in 'printf "%s\n" {}' 'printf "%s\n" "{}"' "printf '%s\n' '{}'" 'printf "%s\n"' \
		'x={}; printf "%s\n" "$x"' "x='{}'; printf '%s\n' \"\$x\"" 'printf "%s\n" "$(printf %s {})"' \
		'printf "%s\n" "$(printf %s "{}")"' "printf '%s\n' \"\$(printf %s '{}')\"" \
		'(printf "%s\n" {})' 'set -- {}; printf "%s\n" "$@"' 'printf %s "(a)" >/dev/null; printf "%s\n" {}'; do
		jobctl -c -j 1 "$script" <list >out
		cmp list out || { echo "$script"; false; }
	done
	# Where the place is not understood: never run, at the worst shown wrongly.
	for script in 'echo "`echo {}`"' 'echo `echo "{}"`' 'cat <<E
it'"'"'s {} "{}"
E' "# it's
echo {}" 'echo "$(case x in x) echo {};; esac)"' ': ${x:-{}} "${y:-{}}"' 'echo \{} \"{} "\"{}"'; do
		jobctl -qc "$script" <list >out 2>&1 || :
		[ ! -e bad ] || { echo "$script"; false; }
	done
	[ ! -e bad ]
}

@test "-c: a place in backquotes, or after a parenthesis in quotes, keeps its blanks" {
	echo '  two  *' >list
	[ "$(jobctl -c 'printf "%s" "`printf %s {}`"' <list)" = '  two  *' ]
	[ "$(jobctl -c 'printf "%s|%s" ":(" {}' <list)" = ':(|  two  *' ]
}

@test "places" {
	printf '%s\n' /a/b.c/d.tar.gz d /d .p a.b/c x/ >list
	[ "$(jobctl -j 1 printf '%s,' {} {.} {/} {//} {/.} {#}:{%} <list)" = "$(
		printf %s '/a/b.c/d.tar.gz,/a/b.c/d.tar,d.tar.gz,/a/b.c,d.tar,1:1,' 'd,d,d,.,d,2:1,' \
			'/d,/d,d,/,d,3:1,' '.p,.p,.p,.,.p,4:1,' 'a.b/c,a.b/c,c,a.b,c,5:1,' 'x/,x/,,x,,6:1,')" ]
	jobctl -j 1 printf '%s,' {} {.} {/} {//} {/.} {#}:{%} <list >words
	jobctl -j 1 -c 'printf "%s," {} {.} {/} {//} {/.} {#}:{%}' <list | cmp - words
	# Without a place for the line it comes last, with {#} alone too; {x} is none.
	[ "$(echo a | jobctl echo {#} {x})" = '1 {x} a' ]
	[ "$(echo a | jobctl -c 'echo {#} {x}')" = '1 {x} a' ]
}

@test "each line is a command: a file, -f, standard input; blank lines and comments are none" {
	printf '%s\n' '# a comment' '' '   ' '	# one more' 'echo "a  b" | tr a-z A-Z' 'x=1; echo "$x $JOBCTL_ID"' >list
	for way in 'list' './list' '-f list'; do
		[ "$(jobctl -j 1 $way </dev/null)" = 'A  B
1 2' ]
	done
	[ "$(jobctl -j 1 <list)" = 'A  B
1 2' ]
	[ "$(jobctl -j 1 -f list echo '<{}>' </dev/null | head -n 2)" = '<# a comment>
<>' ]
	: >empty
	run -0 jobctl empty
	[ "$output" = '' ]
	echo 'echo "script $1"' >list
	chmod +x list # now it is a command
	[ "$(echo arg | jobctl ./list)" = 'script arg' ]
}

@test "exit status: 0, the number of failed jobs, 101 for more than 100" {
	for n in 0 1 100 101 150; do
		seq "$n" >list
		run -"$((n < 101 ? n : 101))" jobctl -q false <list
		[ "$output" = '' ]
	done
	printf 'exit 7\ntrue\nkill -KILL $$\n' >list
	run -2 jobctl -j 1 <list
	[ "${lines[0]}" = 'jobctl: job 1: exit status 7: exit 7' ]
	[ "${lines[1]}" = 'jobctl: job 3: killed by signal 9: kill -KILL $$' ]
	[ "${lines[2]}" = 'jobctl: 1 succeeded, 2 failed' ]
	[ "${#lines[@]}" -eq 3 ]
}

@test "126 and 127 for a command that cannot be run" {
	printf 'a\nb\n' >list
	: >plain
	run -126 jobctl -j 1 ./plain {} <list
	[[ "${lines[0]}" == 'jobctl: ./plain: '* ]]
	run -127 jobctl -j 1 ./missing <list
	[[ "${lines[0]}" == 'jobctl: ./missing: '* ]]
	[ "${#lines[@]}" -eq 2 ]
	run -1 bash -c 'echo ./missing | jobctl' # there it is a job's own affair
}

@test "a message about a command that ends with a colon says no more" {
	echo a: | jobctl false >out 2>&1 || :
	[ "$(head -n 1 out)" = 'jobctl: job 1: exit status 1: false a:' ]
}

@test "a job has /dev/null, a group of its own, its id, slot, label and try" {
	printf 'cat; echo "$JOBCTL_ID $JOBCTL_SLOT ${JOBCTL_LABEL-none} $JOBCTL_TRY"\n' >list
	export JOBCTL_ID=9 JOBCTL_SLOT=9 JOBCTL_LABEL=9 JOBCTL_TRY=9
	[ "$(echo never | jobctl -f list)" = '1 1 none 1' ]
	[ "$(jobctl -s 'gpu 0' -s b -j 1 <list)" = '1 1 gpu 0 1' ]
	[ "$(echo 'ps -o pgid= -p $$; echo $$' | jobctl | tr -d ' ' | uniq | wc -l)" -eq 1 ]
	mkfifo gate
	printf '%s\n' 'echo "$JOBCTL_SLOT $JOBCTL_LABEL" >>log; : <gate' >one
	cat one one >list
	begun -s red -s 'dark blue'
	until_true lines_in 2 log
	open_gate gate
	ends_with 0 "$batch"
	[ "$(sort log)" = '1 red
2 dark blue' ]
}

@test "-g: what a job writes stays together; -k: in the order of the input; -t: with its line" {
	mkfifo gate
	printf '%s\n' 'echo a1; : <gate; echo a2; echo a3 >&2' 'echo b1; echo b2' >list
	for mode in -g -k; do
		rm -f log
		begun $mode -j 2 -l log
		until_true lines_in 2 log # the second has ended
		open_gate gate
		ends_with 0 "$batch"
		close_gate
		case $mode in
		-g) [ "$(tr '\n' ' ' <out)" = 'b1 b2 a1 a2 ' ] ;;
		-k) [ "$(tr '\n' ' ' <out)" = 'a1 a2 b1 b2 ' ] ;;
		esac
		[ "$(cat errors)" = a3 ]
	done
	seq 300 | jobctl -k -j 7 sh -c 'echo "$1"; [ $(($1 % 3)) -gt 0 ]' sh >out 2>errors || [ "$?" -eq 100 ]
	[ "$(cat out)" = "$(seq 300)" ]
	printf 'a b\nc\n' >list
	[ "$(jobctl -kt printf '%s\nx\n\ny' <list)" = $'a b\ta b\na b\tx\na b\t\na b\ty\nc\tc\nc\tx\nc\t\nc\ty' ]
}

@test "-o: a file for each job's output and one for its errors, with -k too" {
	printf 'a\nb\n' >list
	for order in '-o d' '-k -o d' '-o d -k'; do
		rm -rf d
		jobctl $order sh -c 'echo "out $1"; echo "err $1" >&2' sh <list >out 2>errors
		[ ! -s out ] && [ ! -s errors ]
		[ "$(cat d/1.out d/1.err d/2.out d/2.err | tr '\n' ,)" = 'out a,err a,out b,err b,' ] || { echo "$order"; false; }
	done
	run -125 jobctl -o list echo <list
	run -125 jobctl -o missing/d echo <list
}

@test "a job that opens /dev/stderr again does not lose what it wrote before" {
	echo 'echo a >&2; echo b >/dev/stderr; echo c >&2' >list
	jobctl -g <list 2>errors
	[ "$(tail -n 2 errors | tr '\n' ' ')" = 'b c ' ]
}

@test "nothing is left in TMPDIR, not even when jobctl is killed" {
	mkdir tmp; export TMPDIR=$here/tmp
	sleepers 4 >list
	for mode in -g -k; do
		begun $mode -j 4
		until_true asleep 4
		[ "$(ls -A tmp)" = '' ]
		kill -KILL "$batch"
		ends_with 137 "$batch"
		[ "$(ls -A tmp)" = '' ]
		pkill -f "^$here/sleeper"
		until_true asleep 0
	done
	run -125 env TMPDIR="$here/none" jobctl -g echo <list
	[[ "${lines[0]}" == "jobctl: $here/none: "* ]]
}

@test "20 MB from one job come whole, and beside the others" {
	head -c 20000000 /dev/zero | tr '\0' x >big
	(echo "cat big"; seq -f 'echo %g' 50) >list
	for mode in -g -k; do
		jobctl $mode -j 3 <list >out
		[ "$(tr -cd x <out | wc -c)" -eq 20000000 ]
		[ "$(tr -d x <out | sort -n)" = "$(seq 50)" ]
	done
}

@test "a full disk under TMPDIR is told, and harms only the job that filled it" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	head -c 1000000 /dev/zero >big
	mkdir tmp
	printf 'cat big 2>/dev/null; :\necho two\necho three\n' >list
	TMPDIR=$here/tmp unshare -m sh -c 'mount -t tmpfs -o size=64k none tmp && exec jobctl -g -j 1' \
		<list >out 2>errors
	[ "$(cat errors)" = 'jobctl: job 1: the disk is full, some of its output may be lost' ]
	[ "$(tail -c 10 out | tr -d '\0')" = 'two
three' ]
	printf 'cat big\necho two\n' >list # it says so itself
	TMPDIR=$here/tmp run -1 unshare -m sh -c 'mount -t tmpfs -o size=64k none tmp &&
		exec jobctl -g -j 1 <list 2>&1 >/dev/null'
	[[ "$output" == *'jobctl: job 1: exit status 1: cat big'* ]]
}

@test "-l: the columns of GNU parallel's --joblog" {
	printf '%s\n' 'printf 12345' 'exit 3' 'kill -KILL $$' 'echo "a	tab"' >list
	run -2 jobctl -qg -j 1 -s h -l log <list
	[ "$(head -n 1 log)" = $'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand' ]
	[ "$(tail -n +2 log | cut -f 1,2,5-)" = $'1\th\t0\t5\t0\t0\tprintf 12345
2\th\t0\t0\t3\t0\texit 3
3\th\t0\t0\t0\t9\tkill -KILL $$
4\th\t0\t6\t0\t0\techo "a\ttab"' ]
	run ! grep -vE $'^(Seq|[1-4]\th\t[0-9]{10,}\.[0-9]{3}\t[0-9]+\.[0-9]{3}\t)' log
	printf 'it'\''s\nnew\0a b\0' >list
	jobctl -0 -j 1 -l log true {} -- <list # emptied first
	[ "$(tail -n +2 log | cut -f 2,9)" = $'1\ttrue \'it\'\\\'\'s\\nnew\' --\n1\ttrue \'a b\' --' ]
}

@test "-R: runs what has failed or is new, and not what succeeded; a torn last line is none" {
	cat >job <<'S'
echo "$1"
[ -e good ] || case $1 in 2) exit 1 ;; 3) kill -KILL $$ ;; esac
S
	seq 4 >list
	run -2 jobctl -q -j 1 -l log sh job <list
	[ "${#lines[@]}" -eq 4 ]
	: >good; echo 5 >>list
	run -0 jobctl -j 1 -R -l log sh job <list
	[ "${lines[*]}" = '2 3 5' ]
	[ "$(cut -f 1,7 log | tr '\t\n' ': ')" = 'Seq:Exitval 1:0 2:1 3:0 4:0 2:0 3:0 5:0 ' ]
	truncate -s -3 log # whoever wrote it was killed
	run -0 jobctl -R -l log sh job <list
	[ "$output" = 5 ]
	[ "$(tail -n 2 log | cut -f 1 | tr '\n' ' ')" = '3 5 ' ]
}

@test "-R with {%}: the slot may be another one" {
	printf 'a\nb\n' >list
	run -1 jobctl -q -j 2 -l log sh -c 'test "$2" = a' sh {%} {} <list
	run -1 jobctl -R -l log -j 1 sh -c 'test "$2" = a' sh {%} {} <list
	[[ "$output" == *'1 done before'* ]]
}

@test "the log of another batch and a file that is no log are refused and left alone" {
	printf 'a\nb\n' >list
	jobctl -j 1 -l log echo <list
	cp log before
	run -125 jobctl -R -l log -j 1 printf '%s' <list
	[[ "${lines[0]}" == 'jobctl: log: job 1 '*'another batch'* ]]
	cmp log before
	printf 'precious\n' >file; cp file before
	mkdir d
	for log in file d /dev/full missing/log; do
		for resume in '' -R; do
			run -125 jobctl $resume -l "$log" sh -c 'echo never >>ran' <list
			[ "${#lines[@]}" -eq 1 ]
			[[ "$output" == "jobctl: $log: "* ]]
		done
	done
	cmp file before
	[ ! -e ran ]
	run -125 jobctl -R echo <list
}

@test "a log that cannot be written ends the batch" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	mkdir tmp; seq 1000 >list
	run -125 unshare -m sh -c 'mount -t tmpfs -o size=4k none tmp && exec jobctl -l tmp/log true' <list
	[[ "${lines[0]}" == 'jobctl: tmp/log: '* ]]
	[[ "$output" == *'nothing after job'* ]]
}

@test "-H soon: no job is started any more, those that run end by themselves" {
	mkfifo gate
	printf '%s\n' ': <gate; echo out >>log' false 'echo never >>log' >list
	begun -j 2 -H soon
	until_true grep -q 'job 2: exit status 1' errors
	open_gate gate
	ends_with 1 "$batch"
	[ "$(cat log)" = out ]
	grep -q '1 succeeded, 1 failed; nothing after job 2 was started' errors
	for how in fail=2:2 fail=50%:3 fail=100%:3 done=4:4 success=1:10; do
		seq 10 >list
		run -"${how#*:}" jobctl -q -j 1 -H "soon,${how%:*}" false <list
	done
	run -1 jobctl -q -j 1 -H soon,fail=50% test 1 -ne <list
}

@test "-H now: those that run are ended" {
	mkfifo gate
	(sleepers 1; echo ': <gate; exit 3'; echo 'echo never >>log') >list
	begun -j 2 -H now,fail=1 -l joblog
	until_true asleep 1
	open_gate gate
	ends_with 1 "$batch"
	close_gate
	no_process "$here/sleeper"
	[ ! -e log ]
	[ "$(tail -n +2 joblog | cut -f 1,7,8 | sort)" = $'1\t0\t15\n2\t3\t0' ]
	seq 100 >list
	run -0 jobctl -j 1 -H now,success=2 echo <list
	[ "${lines[1]}" = 2 ] && [ "${lines[2]}" != 3 ]
}

@test "-r: a job that fails is tried again, and only its last output is shown" {
	echo 'echo "try $JOBCTL_TRY" | tee -a log; echo "e $JOBCTL_TRY" >&2; [ "$JOBCTL_TRY" -eq 3 ]' >list
	run -0 jobctl -g -r 3,0 -l joblog <list
	[ "$output" = 'try 3
e 3' ]
	[ "$(wc -l <log)" -eq 3 ]
	[ "$(wc -l <joblog)" -eq 2 ]
	run -1 jobctl -q -r 2,0.01 -o d <list
	[ "$(cat d/1.out)" = 'try 2' ]
}

@test "-T: TERM after so long, and KILL after the grace for a job that ignores it" {
	(sleepers 1; echo 'trap "exit 0" TERM; "$here/sleeper" 3000 & wait') >list
	run -2 jobctl -j 2 -T 1 -l log <list
	[ "$(grep -c 'not done within 1.000 s' <<<"$output")" -eq 2 ]
	[ "$(tail -n +2 log | cut -f 1,7,8 | sort)" = $'1\t0\t15\n2\t0\t15' ]
	echo 'trap "" TERM; "$here/sleeper" 2000; :' >list
	JOBCTL_GRACE=0.2 begun -q -T 1 -l log
	until_true ended "$batch"
	[ "$(tail -n 1 log | cut -f 1,7,8)" = $'1\t0\t9' ]
	until_true asleep 0
}

@test "-L: the whole batch is ended with 124" {
	sleepers 3 >list
	run -124 jobctl -j 2 -L 0.3 <list
	[[ "${lines[0]}" == jobctl:*'time'*over ]]
	no_process "$here/sleeper"
}

@test "-d: the next start waits; -n: nicer; -D: nothing is run" {
	seq 3 >list
	run -124 jobctl -q -j 3 -d 1000 -L 0.3 -l log true <list
	[ "$(wc -l <log)" -eq 2 ]
	[ "$(jobctl -d 0.01 -j 1 echo <list)" = "$(seq 3)" ]
	[ "$(echo nice | jobctl -n 3)" -eq "$(($(nice) + 3))" ]
	printf 'a b\nit'\''s\n-c\n' >list
	[ "$(jobctl -D -l never touch {} {#} <list)" = "touch 'a b' 1
touch 'it'\\''s' 2
touch -c 3" ]
	[ "$(jobctl -Dc 'rm {} >{/}' <list | head -n 1)" = "rm 'a b' >'a b'" ]
	[ "$(echo 'rm -rf $x' | jobctl -D)" = 'rm -rf $x' ]
	[ "$(ls never a* 2>/dev/null)" = '' ]
}

@test "-p tells how far it is, -q nothing, and by default only failures are told" {
	seq 10 >list
	run -0 jobctl true <list
	[ "$output" = '' ]
	run -0 jobctl -p true <list
	[[ "${lines[${#lines[@]} - 1]}" == 'jobctl: 10 of 10 done, 0 running, '* ]]
	[[ "$output" != *$'\r'* ]]
	run -10 jobctl -p false <list
	[[ "$output" == *'jobctl: 10 of 10 done, 10 failed, 0 running, '* ]]
	run -10 jobctl -q false <list
	[ "$output" = '' ]
	timeout 20 script -qec 'jobctl -p true <list 2>&1 >/dev/null' /dev/null >out </dev/null
	grep -q $'\r10 of 10 done' out
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
	[ "$(cat log)" = "$(seq 4)" ]
	run -0 timeout 60 bash -c 'yes | jobctl -j 3 -H soon,success=50 true'
}

@test "an input that is closed, a directory, or has a line of 17 MB is told" {
	run -125 jobctl -f . echo
	run -125 jobctl -f missing echo
	[ "${#lines[@]}" -eq 1 ]
	(echo a; head -c 17000000 /dev/zero | tr '\0' x; echo; echo b) >list
	run -125 jobctl -j 1 echo <list
	[ "${lines[0]}" = a ]
	[[ "$output" != *$'\nb'* ]]
}

@test "standard input or output closed: no other file takes its place" {
	printf 'a\nb\n' >list
	jobctl -j 1 -l log echo <list
	cp log before
	jobctl -R -l log echo <&- >out 2>errors || :
	run ! grep -q another errors
	cmp log before
	jobctl -g -l log echo <list >&- 2>errors || :
	[ "$(grep -vcE '^(Seq|[12])	' log)" -eq 0 ]
}

@test "an argument that is too long fails its job alone" {
	(echo a; head -c 3000000 /dev/zero | tr '\0' x; echo; echo b) >list
	run -1 jobctl -j 1 echo <list
	[ "${lines[0]}" = a ]
	[[ "${lines[1]}" == 'jobctl: job 2: '* ]]
	[ "${lines[2]}" = b ]
}

@test "with few descriptors all jobs are run all the same" {
	for mode in -g -k; do
		(ulimit -n 20; seq 100 | timeout -s KILL 30 jobctl $mode -j 50 echo) >out 2>errors
		[ "$(sort -n out)" = "$(seq 100)" ]
		[ "$(wc -l <errors)" -le 1 ]
	done
}

@test "with few descriptors, an endless input is not read on and on" {
	(ulimit -n 20; yes | timeout -s KILL 20 jobctl -g -j 50 -H now,success=100 true) 2>errors
}

@test "with few descriptors, -k and -r do not wait for each other" {
	(ulimit -n 60; seq 200 | timeout -s KILL 30 jobctl -r 2,0.5 -k -j 8 sh -c 'echo "$1"; [ "$1$JOBCTL_TRY" != 31 ]' sh) >out
	[ "$(cat out)" = "$(seq 200)" ]
}

@test "when nobody reads what is kept or shown, the batch ends" {
	for mode in -g -k -gq -D; do
		(yes | timeout -s KILL 20 jobctl $mode -j 2 echo || echo "$?" >status) 2>errors | head -n 1 >out
		[ "$(cat status)" -eq 125 ] || { echo "$mode: $(cat status)"; false; }
	done
	seq 3 >list
	for mode in -g -D; do
		run -125 bash -c "jobctl $mode echo <list 2>&1 >/dev/full"
		[[ "${lines[0]}" == 'jobctl: output: '* ]]
	done
}

@test "jobs that die of SIGPIPE for our output has no reader end the batch" {
	(yes | timeout -s KILL 20 jobctl -q -j 2 echo || echo "$?" >status) 2>errors | head -n 1 >out
	[ "$(cat status)" -ne 137 ]
}

@test "TERM ends us while nobody reads our output" {
	mkfifo pipe
	"$here/sleeper" 100 <pipe 3>&- &
	echo 'seq 100000; echo done >>log' >list
	fresh jobctl -g <list >pipe 2>errors 3>&- &
	batch=$!
	until_true lines_in 1 log
	kill -TERM "$batch"
	until_true ended "$batch"
	ends_with 143 "$batch"
}

@test "the first INT lets the jobs that run end, and starts no more" {
	mkfifo gate
	for ((i = 0; i < 6; i++)); do echo 'echo in >>log; : <gate; echo out >>log'; done >list
	begun -j 2
	until_true lines_in 2 log
	kill -INT "$batch"
	until_true grep -q '2 running jobs' errors
	open_gate gate
	ends_with 130 "$batch"
	[ "$(tr '\n' ' ' <log)" = 'in in out out ' ]
	grep -q '2 succeeded, 0 failed; nothing after job 2 was started' errors
}

@test "the second INT ends them, the third kills them" {
	sleepers 9 >list
	begun -j 3
	until_true asleep 3
	kill -INT "$batch"
	until_true grep -q '3 running jobs' errors
	asleep 3
	kill -INT "$batch"
	ends_with 130 "$batch"
	asleep 0
	echo 'trap "echo got >>log" TERM; while :; do "$here/sleeper" 1000 & wait; done' >list
	JOBCTL_GRACE=1000 begun
	until_true asleep 1
	kill -INT "$batch"
	until_true grep -q '1 running job' errors
	kill -INT "$batch"
	until_true lines_in 1 log
	kill -INT "$batch"
	ends_with 130 "$batch"
	until_true asleep 0
}

@test "TERM, HUP and QUIT end the jobs with what they started, and us" {
	for ((i = 0; i < 4; i++)); do echo '"$here/sleeper" 1000 & "$here/sleeper" 1001; echo never >>log'; done >list
	ulimit -c 0
	for sig in TERM HUP QUIT; do
		begun -j 2
		until_true asleep 4
		kill -s "$sig" "$batch"
		ends_with $((128 + $(kill -l "$sig"))) "$batch"
		until_true asleep 0
	done
	[ ! -e log ]
}

@test "what a job started and what ignores TERM is killed after the grace" {
	echo '(trap "" TERM; exec "$here/sleeper" 1000) & wait' >list
	JOBCTL_GRACE=0.2 begun
	until_true asleep 1
	kill -TERM "$batch"
	ends_with 143 "$batch"
	until_true asleep 0
}

@test "TSTP stops the jobs and us, CONT continues" {
	sleepers 1 >list
	begun
	until_true asleep 1
	job=$(pgrep -f "^$here/sleeper")
	kill -TSTP "$batch"
	until_true state T "$batch"
	until_true state T "$job"
	kill -CONT "$batch"
	until_true state S "$job"
	kill -TERM "$batch"
	ends_with 143 "$batch"
	asleep 0
}

@test "a job that wants the terminal is killed, and told" {
	printf '%s\n' 'read -r x </dev/tty' 'echo fine' >list
	timeout 60 script -qec 'jobctl -j 1 -f list' /dev/null >out </dev/null || :
	grep -q '^jobctl: job 1: .*terminal: read -r x' out
	grep -q '^fine' out
}

@test "what jobctl cannot do it says in one line, with 125" {
	echo a >list
	for options in '-j 0' '-j x' '-j -' '-j 999999' '-T x' '-L -1' '-d 1x' '-H x' '-H now,' '-H soon,fail=0' \
		'-H soon,fail=101%' '-H soon,fail=x' '-n x' '-n 99' '-r 0' '-r x' '-r 1,' '-R' '-c' '-c a b' \
		'-s a -j 2' '-l /' '-f missing' '-o /dev/null/d'; do
		run -125 jobctl $options <list
		[ "${#lines[@]}" -eq 1 ] || { echo "$options"; false; }
		[[ "$output" == 'jobctl: '* ]]
	done
	for label in '' $'a\tb' $'a\nb'; do
		run -125 jobctl -s "$label" echo <list
		[[ "$output" == 'jobctl: -s '* ]]
	done
	JOBCTL_GRACE=x run -125 jobctl echo <list
	for options in -z -j -T; do
		run -125 jobctl $options <list
		[[ "$output" == *usage:* ]]
	done
}
