load ../helper
load ../helpers/jobctl
load ../helpers/jobserver

@test "make -jN: recipes with '+' share its tokens, and use all of them" {
	mkfifo gate
	cat_jobs 4 >list
	for n in 2 3 5; do
		rm -f log
		makefile '+@jobctl list' 2
		make -j"$n" >out 2>&1 3>&- &
		make=$!
		until_true running "$n"
		open_gate gate
		ends_with 0 "$make"
		close_gate
		[ "$(peak)" -eq "$n" ]
		running 8
		[ ! -s out ] || { cat out; false; } # make counts its tokens at the end
	done
}

@test "make -jN: each of many short jobs, never more than N, every token back" {
	echo 'echo in >>log; echo out >>log' | sed p | sed p | sed p | sed p >list
	makefile '+@jobctl list && ! echo false | jobctl -q && echo "exit 3" | jobctl -qr 3,0 || :' 6
	for n in 1 2 4; do
		rm -f log
		make -j"$n" >out 2>&1
		[ "$(grep -c in log)" -eq 96 ]
		[ "$n" -eq 1 ] || [ "$(peak)" -le "$n" ]
		[ ! -s out ] || { cat out; false; }
	done
}

@test "make -jN: in a recipe without '+', a warning and one job at a time, or -j" {
	cat_jobs 4 | sed 's/: <gate; //' >list
	makefile '@jobctl list' 1
	make -j4 >out 2>errors
	[ "$(peak)" -eq 1 ] && running 4
	[ "$(wc -l <errors)" -eq 1 ]
	grep -q "^jobctl: warning: one job at a time, .*descriptor [0-9]* is .*'+'" errors
	rm log
	mkfifo gate
	cat_jobs 3 >list
	makefile '@jobctl -j3 list' 1
	make -j2 >out 2>errors 3>&- &
	make=$!
	until_true running 3
	open_gate gate
	ends_with 0 "$make"
	[ ! -s errors ]
}

@test "a job that is a make itself finds the jobserver" {
	makefile '+@jobctl list' 1
	export MAKEFLAGS=--no-print-directory
	printf 'all: a b\na b:\n\t@echo in >>log; : <gate; echo out >>log\n' >sub.mk
	mkfifo gate
	echo 'make -f sub.mk' >list
	make -j2 >out 2>&1 3>&- &
	make=$!
	until_true running 2
	open_gate gate
	ends_with 0 "$make"
	[ ! -s out ] || { cat out; false; }
}

@test "the first job needs no token, others wait for one, each is given back with its job" {
	make_pool ''
	for k in 1 2 3; do mkfifo "gate$k"; echo "echo in >>log; : <gate$k; echo out >>log"; done >list
	flags "fifo:$here/pool" 9
	begun -f list
	until_true running 1
	until_true state S "$batch"
	running 1
	printf x >&6
	until_true running 2
	tokens ''
	open_gate gate2
	until_true running 3 # with the token of the second
	open_gate gate3
	until_true tokens x
	open_gate gate1
	ends_with 0 "$batch"
	tokens x
	[ "$(peak)" -eq 2 ]
}

@test "no token is taken without a job for it; no token, strictly one at a time" {
	make_pool ab
	mkfifo gate lines
	(exec "$top/bin/jobctl" 3>&- <lines) &
	batch=$!
	exec 8>lines
	cat_jobs 1 >&8
	until_true running 1
	tokens ab
	cat_jobs 1 >&8
	until_true running 2
	until_true tokens b
	exec 8>&-
	open_gate gate
	ends_with 0 "$batch"
	tokens ab
	rm log
	exec 5<&- 6>&-
	make_pool ''
	cat_jobs 5 | sed 's/: <gate; //' >list
	jobctl list
	[ "$(peak)" -eq 1 ]
	running 5
}

@test "whatever ends a batch, each token is back, the same byte" {
	make_pool abc
	for options in '' '-H now' '-T 0.05' '-L 0.05' '-r 2,0'; do
		printf '%s\n' '"$here/sleeper" 0.1' 'exit 3' '"$here/sleeper" 0.2' 'kill -KILL $$' '"$here/sleeper" 0.1' >list
		jobctl -q $options list || :
		tokens abc
	done
	seq 9 >list
	jobctl ./missing <list 2>/dev/null || :
	tokens abc
	(ulimit -n 30; jobctl -g true <list) 2>/dev/null || :
	tokens abc
	jobctl cat <list -L x 2>/dev/null || :
	tokens abc
	yes | jobctl -q echo 2>/dev/null | head -n 1 >out || :
	until_true tokens abc
}

@test "INT, TERM and HUP, and KILL of the jobs: each token is back" {
	make_pool abc
	flags "fifo:$here/pool" 9
	for ((i = 0; i < 6; i++)); do echo '"$here/sleeper" 1000'; done >list
	for sig in TERM HUP QUIT; do
		begun -f list
		until_true asleep 4
		tokens ''
		kill -s "$sig" "$batch"
		ends_with $((128 + $(kill -l "$sig"))) "$batch"
		tokens abc
	done
	begun -f list
	until_true asleep 4
	kill -INT "$batch"
	until_true grep -q '4 running jobs' errors
	tokens ''
	pkill -KILL -o -f "^$here/sleeper" # what runs is let end
	until_true asleep 3
	until_true one_is_back
	kill -INT "$batch"
	ends_with 130 "$batch"
	tokens abc
	begun -qf list
	until_true asleep 4
	for i in 1 2 3 4 5 6; do
		tokens '' || [ "$i" -gt 3 ]
		pkill -KILL -o -f "^$here/sleeper"
		until_true asleep $((6 - i < 4 ? 6 - i : 4))
	done
	ends_with 6 "$batch"
	tokens abc
}
one_is_back() { tokens a || tokens b || tokens c; }

@test "what a job leaves in the background keeps no token" {
	make_pool a
	printf '%s\n' '"$here/sleeper" 1000 & echo in >>log' 'echo in >>log' >list
	jobctl list
	running 2
	pgrep -f "^$here/sleeper"
	tokens a
}

# A batch of three slots, three jobs: with the pool of one token two run, without one 1,
# and 3 where there is no jobserver.
runs() # N WARNING
{
	rm -f log
	jobctl -s a -s b -s c list >out 2>errors 3>&- &
	batch=$!
	until_true running "$1"
	until_true state S "$batch"
	open_gate gate
	ends_with 0 "$batch"
	close_gate
	[ "$(peak)" -eq "$1" ] || { echo "peak $(peak) for $MAKEFLAGS"; false; }
	[ -z "${2-}" ] || grep -q "^jobctl: warning: one job at a time, .*: $2" errors
	[ "$(wc -l <errors)" -eq "$([ -z "${2-}" ] && echo 0 || echo 1)" ] || { cat errors; false; }
	tokens a
}

@test "MAKEFLAGS: which word announces the jobserver, and which does not" {
	make_pool a
	mkfifo gate
	cat_jobs 3 >list
	closed='--jobserver-auth=88,89' auth=--jobserver-auth=5,6
	for flags in " -j9 $auth" "k -j9 $auth" " -j9 --jobserver-fds=5,6" " -j9 --jobserver-auth=fifo:$here/pool" \
		" -j9 $closed $auth" " -j9 --jobserver-fds=88,89 --jobserver-auth=fifo:$here/pool" "$auth" "-j9 $auth" \
		" -j9 $auth -- A=$closed" " -j9 $auth -- A=x $closed" " -j9 $auth -I/a\\ $closed" "-n -j9 $auth"; do
		export MAKEFLAGS=$flags
		runs 2
	done
	for flags in '' ' -j9' "n -j9 $auth" "kn -j9 $auth" " -j9 -- A=$auth" ' -- ' " -I/a\\ $auth"; do
		export MAKEFLAGS=$flags
		runs 3
	done
	export MAKEFLAGS=" -j1 $auth"
	runs 1
}

@test "MAKEFLAGS: a jobserver that cannot be used gets a warning, and one job runs at a time" {
	make_pool a
	mkfifo gate other
	cat_jobs 3 >list
	: >plain
	for flags in '88,89/descriptor 88 is closed' '5,89/descriptor 89 is closed' '6,5/descriptor 6 is something else' \
		'0,6/descriptor 0 is something else' '-2,-2/it is switched off' 'x/x: of a kind unknown' \
		'/: of a kind unknown' '5,/5,: of a kind' '5,6,7/5,6,7: of a kind' '99999999999,6/9*,6: of a kind'; do
		flags "${flags%%/*}" 9
		runs 1 "${flags#*/}"
	done
	flags "fifo:$here/missing" 9
	runs 1 "$here/missing: No such file"
	flags "fifo:$here/other" 9
	runs 1 "$here/other: no make is behind it"
	flags "fifo:$here/plain" 9
	runs 1 "$here/plain: not a FIFO"
	[ ! -s plain ]
	flags "5,88" 9
	runs 1 'descriptors 5 and 88 are of different pipes' 88> >(cat)
}

@test "two FIFOs with names are as good as one" {
	make_pool a
	mkfifo back gate
	exec 8<>back
	flags 5,8 9
	cat_jobs 3 >list
	jobctl list 3>&- &
	batch=$!
	until_true running 2
	open_gate gate
	ends_with 0 "$batch"
	[ "$(dd if=back iflag=nonblock bs=9 count=1 2>/dev/null)" = a ]
	[ "$(peak)" -eq 2 ]
}

@test "what all clients share of the pipe stays as it was: blocking" {
	make_pool abc
	before=$(cat /proc/self/fdinfo/[56] | grep flags)
	seq 20 | jobctl -q true
	[ "$(cat /proc/self/fdinfo/[56] | grep flags)" = "$before" ]
	tokens abc
}

@test "where a pipe cannot be opened again: the blocking read of a byte that others want" {
	mkdir portable
	cp -r "$top/src" "$top/share" "$top/Makefile" portable
	rm -f portable/src/*/*.o
	make -C portable CPPFLAGS=-DPORTABLE bin/jobctl >out 2>&1 || { cat out; false; }
	PATH=$here/portable/bin:$PATH
	make_pool abc
	seq 60 | sed 's/.*/echo in >>log; echo out >>log/' >list
	for i in 1 2 3 4; do jobctl list 3>&- & eval "batch$i=$!"; done
	for i in 1 2 3 4; do eval "ends_with 0 \"\$batch$i\""; done
	[ "$(peak)" -le 7 ]
	running 240
	tokens abc
	makefile '+@jobctl list' 3
	unset MAKEFLAGS
	rm log
	make -j3 >out 2>&1
	[ "$(peak)" -le 3 ]
	running 180
	[ ! -s out ] || { cat out; false; }
}

@test "within a pool of tokend -j, in both forms" {
	tokend -j -b -n 3 "$FIFO" 3>&-
	mkfifo gate
	cat_jobs 6 >list
	for form in fifo pipe; do
		rm -f log
		tokget -j "$form" "$FIFO" jobctl list >out 2>&1 3>&- &
		batch=$!
		until_true running 3
		open_gate gate
		ends_with 0 "$batch"
		close_gate
		[ "$(peak)" -eq 3 ]
		[ ! -s out ] || { cat out; false; }
		until_true tokget -n -k 3 "$FIFO" true
	done
	tokstop "$FIFO"
}

# What follows is of jobctl_open, in every shell.

in_all_shells() { export TMPDIR=$here; everywhere "$1"; }

# script BODY -- where waits is a job that waits at the gate
script()
{
	cat - >script <<<"set -eu
. jobctl.sh
waits () { echo in >>log; : <gate; echo out >>log; }
$1"
}

@test "jobctl_open within make -jN: recipes share its tokens, and use all of them" {
	mkfifo gate
	script 'jobctl_open
for i in 1 2 3 4; do jobctl_run waits; done
jobctl_close'
	check_make() {
		if [ "$1" = busybox ]; then set -- 'busybox sh'; fi
		makefile "+@$1 script" 2
		make -j3 >out 2>&1 3>&- &
		make=$!
		until_true running 3
		open_gate gate
		ends_with 0 "$make"
		close_gate
		[ "$(peak)" -eq 3 ]
		running 8
		[ ! -s out ] || { cat out; false; }
		no_batch
	}
	in_all_shells make
}

@test "jobctl_open: a token that comes is used at once, and given back when its job has ended" {
	mkfifo gate1 gate2 gate3
	script 'numbered () { echo in >>log; : <gate$1; echo out >>log; }
jobctl_open
for i in 1 2 3; do jobctl_run numbered "$i"; done
jobctl_close
echo "$JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED"'
	make_pool ''
	flags "fifo:$here/pool" 9
	check_comes() {
		started "$1" script
		until_true running 1
		tokens ''
		printf x >&6
		until_true running 2
		tokens ''
		open_gate gate2
		until_true running 3 # with the token of the second
		open_gate gate3
		until_true tokens x
		open_gate gate1
		ends_with 0 "$script"
		close_gate
		[ "$(peak)" -eq 2 ]
		[ "$(cat out)" = '3 3 0' ]
		tokens x
		dd if=pool iflag=nonblock count=1 2>/dev/null >consumed
	}
	in_all_shells comes
}

@test "jobctl_open: no token, strictly one at a time; jobs that fail, are tried again, ask for more" {
	script 'heard () { echo "$2" >>heard; jobctl_run counted "$2"; }
counted () { echo "in" >>log; echo "out" >>log; [ "$1" -ge 8 ] || { jobctl_say "$(($1 * 2))"; jobctl_say "$(($1 * 2 + 1))"; }; }
nth () { [ "$JOBCTL_TRY" = "$1" ]; }
jobctl_open -m heard
jobctl_run counted 1
jobctl_close
echo "$JOBCTL_STARTED"
jobctl_open -r 3,0
for i in 1 3 4; do jobctl_run nth "$i"; done
got=0; jobctl_close || got=$?
echo "$got $JOBCTL_DONE $JOBCTL_FAILED"
jobctl_open -k
for i in 1 0 1 0; do jobctl_run eval "echo $i; exit $i" || break; done
got=0; jobctl_close || got=$?
echo "$got"
jobctl_open -D
jobctl_run touch never
jobctl_close
jobctl_open -b one; jobctl_open -b two
jobctl_in one; jobctl_run false
jobctl_in two; jobctl_run true
jobctl_close; jobctl_close || echo "one failed"'
	make_pool ''
	flags "fifo:$here/pool" 9
	check_serial() {
		for has in '' a ab; do
			rm -f log
			[ -z "$has" ] || printf %s "${has#"${had-}"}" >&6
			in_shell "$1" script >out 2>err || { cat out err; false; }
			[ "$(peak)" -le $((${#has} + 1)) ]
			[ "$(tr '\n' ';' <out)" = "15;1 3 1;1;0;1;0;1;'touch' 'never';one failed;" ]
			[ ! -s err ] || { cat err; false; }
			tokens "$has"
			had=$has
		done
		had=''
		dd if=pool iflag=nonblock count=1 2>/dev/null >consumed
	}
	in_all_shells serial
}

@test "jobctl_open: TERM and HUP of the script, KILL of its jobs and of itself: each token is back" {
	script 'jobctl_open
for i in 1 2 3 4 5; do jobctl_run "$here/sleeper" 1000; done
jobctl_close'
	make_pool ab
	flags "fifo:$here/pool" 9
	check_ends() {
		for sig in TERM HUP INT; do
			[ "$sig$1" != INTyash ] || continue # waits in read for the next line
			started "$1" script
			until_true asleep 3
			tokens ''
			kill -s "$sig" -- "-$script"
			wait "$script" || :
			until_true asleep 0
			until_true tokens ab
			nothing_left
		done
		started "$1" script
		until_true asleep 3
		pkill -KILL -o -f "^$here/sleeper"
		until_true asleep 3
		pkill -KILL -f "^$here/sleeper" || :
		until_true asleep 1
		pkill -KILL -f "^$here/sleeper"
		wait "$script" || :
		tokens ab
		# The script is killed: its jobs run on, but not with make's tokens.
		started "$1" script
		until_true asleep 3
		kill -KILL "$script"
		wait "$script" 2>/dev/null || :
		until_true tokens ab
		until_true pool_is_free
		asleep 3
		pkill -KILL -f "^$here/sleeper"
		nothing_left
	}
	in_all_shells ends
}

@test "jobctl_open: a job that returns its token early, and one that leaves something behind" {
	mkfifo gate
	script 'early () { echo C >&9; echo in >>log; : <gate; echo out >>log; }
jobctl_open
jobctl_run early
jobctl_run early
jobctl_run waits
jobctl_run waits
jobctl_close
echo "$JOBCTL_DONE"'
	make_pool ''
	flags "fifo:$here/pool" 9
	check_early() {
		started "$1" script
		until_true running 3
		open_gate gate
		ends_with 0 "$script"
		close_gate
		[ "$(cat out)" = 4 ]
		tokens ''
	}
	in_all_shells early
}

@test "jobctl_open: in a recipe without '+' a warning, one at a time; a number is what it says" {
	mkfifo gate
	script 'jobctl_open ${1+"$@"}
for i in 1 2 3; do jobctl_run waits; done
jobctl_close'
	make_pool a
	check_ordinary() {
		if [ "$1" = busybox ]; then set -- 'busybox sh'; fi
		sed 's/: <gate; //' script >serial
		makefile "@$1 serial" 1
		MAKEFLAGS='' make -j3 >out 2>errors 3>&-
		[ "$(peak)" -eq 1 ] && running 3
		grep -q '^tokend: warning: one job at a time, ' errors
		rm -f log
		flags 5,6 9
		$1 script 3 >out 2>errors 3>&- &
		script=$!
		until_true running 3
		tokens a
		open_gate gate
		ends_with 0 "$script"
		close_gate
		[ ! -s errors ] && rm -f log
		export MAKEFLAGS=" -- A=--jobserver-auth=5,6"
		$1 serial >out 2>errors 3>&-
		running 3
		[ ! -s errors ] || { cat errors; false; }
		tokens a
	}
	in_all_shells ordinary
}

@test "tokend -u: not with bytes, nor to wind up; and -n is of make's jobs" {
	make_pool ab
	run -125 tokend -u make -c "$FIFO"
	run -125 tokend -u make -a -r "$FIFO"
	run -123 tokend -u "$here/other" -a "$FIFO"
	[[ "$output" == *'no dispenser there'* ]]
	flags 5,6 8
	for n in '/8' '-n 50%/4' '-n -1/7' '-n 3/3' '-s a -n 1/1'; do
		run -0 bash -c "tokend -a -W $$ -u make ${n%%/*} '$FIFO' 3>&- | { read -r line; echo \"\$line\"; echo @end >'$FIFO'; cat >lines; }"
		[ "$output" = "ready ${n#*/} want" ] || { echo "$output"; false; }
		tokens ab
	done
	unset MAKEFLAGS
	run -0 bash -c "tokend -a -W $$ -u make -n 2 '$FIFO' 3>&- | { read -r line; echo \"\$line\"; echo @end >'$FIFO'; cat >lines; }"
	[ "$output" = 'ready 2' ]
}

@test "tokend -u: the script has died, its attendant and a job live on: nothing of make's is kept" {
	make_pool ab
	flags "fifo:$here/pool" 8
	"$here/sleeper" 1000 3>&- &
	watched=$!
	mkfifo pipe
	cat pipe >lines 3>&- 5<&- 6>&- &
	fresh -s tokend -a -u make -W "$watched" "$FIFO" >pipe 3>&- &
	until_true lines_in 2 lines
	held_lease 1 5<&- 6>&-
	echo @want >"$FIFO"
	until_true lines_in 3 lines
	until_true tokens b
	kill -KILL "$watched"
	until_true tokens ab
	until_true pool_is_free
	[ "$(tail -n 1 lines)" = 'stop orphan' ]
	pgrep -f "tokend -a -u make .*$here/"
	echo '@stop now' >"$FIFO"
}
