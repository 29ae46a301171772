load ../helper

# System calls that failed once (make faults), and ended in a file left, a token lost, or in
# nothing said.

@test "a client that cannot ask, or wait, takes the name of its request away" {
	need_strace
	pool -n 1
	run -125 failing write:error=ENOSPC:when=1 tokget "$FIFO" true
	[[ "$output" == "tokget: $FIFO: "* ]]
	run -125 failing write:error=EIO:when=1 tokstat "$FIFO"
	names 0
	tokget "$FIFO"
	for how in '' true; do
		run -125 failing poll:error=ENOMEM:when=1 tokget "$FIFO" $how
		[[ "$output" == 'tokget: poll: '* ]]
	done
	names 0
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "an inlet that tokend cannot remove is told of" {
	need_strace
	failing unlink:error=EACCES:when=1 tokend -n 1 "$FIFO" 2>err &
	tokend=$!
	until_true tokget "$FIFO" true 2>/dev/null
	tokstop "$FIFO" || :
	ends_with 0 "$tokend"
	[ "$(cat err)" = "tokend: $FIFO: Permission denied" ]
	rm "$FIFO"
	nothing_left
}

# A tokend whose first run is killed as it removes its files.
dying_tokend()
{
	mkdir -p fake
	cat >fake/tokend <<-S
		#!/bin/sh
		mkdir "$here/began" 2>/dev/null || exec "$(command -v tokend)" "\$@"
		exec strace -D -qq -o /dev/null -e inject='?unlink,?unlinkat:signal=KILL:when=1' "$(command -v tokend)" "\$@"
	S
	chmod +x fake/tokend
	PATH=$here/fake:$PATH
}

@test "a batch whose dispenser is killed as it ends: the next one is told to end, too" {
	need_strace
	dying_tokend
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_killed_at_end() {
		rm -rf began
		in_shell "$1" script 2>err
		[ "$(cat log)" = '1 0' ]
		grep -q 'tokend was killed' err
	}
	batch killed_at_end
}

@test "a signal for process as its dispenser is killed at its end: the next one ends" {
	need_strace
	dying_tokend
	cat >script <<'S'
. jobctl.sh
job () { exec "$here/sleeper" 1000; }
jobctrl 1 >news 2>>out &
process 1 <news
echo "after $?" >>log
S
	check_signal() {
		if [ "$1" = yash ]; then return; fi # waits in read for the next line
		rm -rf began
		[ -p news ] || mkfifo news
		started "$1" script
		until_true is_held
		kill -TERM "$script"
		ends_with 143 "$script"
	}
	is_held() { pgrep -f "^$here/sleeper" >/dev/null; }
	everywhere signal
}

@test "tokend killed as it signs the lock: the next one removes all there is" {
	need_strace
	for call in pwrite64:when=1 ftruncate:when=1; do
		pool -n 1
		kill -KILL "$(cat "$FIFO.d/lock")"
		until_true no_process "^tokend .*$FIFO"
		run -137 failing "${call%:*}:signal=KILL:${call#*:}" tokend -n 1 "$FIFO"
		pool -n 1
		stopped
	done
}

@test "the acknowledgement of the end is written though a signal came" {
	need_strace
	mkfifo pipe
	strace -D -qq -o trace tokend -c -n 1 "$FIFO" >pipe 3>&- &
	cat pipe >bytes 3>&- &
	until_true is_inlet "$FIFO"
	tokstop "$FIFO"
	nothing_left
	last=$(grep -c '^write(' trace)
	strace -D -qq -o /dev/null -e inject=write:error=EINTR:when="$last" tokend -c -n 1 "$FIFO" >pipe 3>&- &
	cat pipe >bytes 3>&- &
	until_true is_inlet "$FIFO"
	tokstop "$FIFO"
	said_all() { [ "$(cat bytes)" = C. ]; }
	until_true said_all
	nothing_left
}

@test "a client whose FIFO cannot be opened, for want of a descriptor, is served when one is there" {
	need_strace
	pool -n 1
	for error in ENFILE ENOMEM; do
		rm -f attached
		strace -qq -o attached -p "$(cat "$FIFO.d/lock")" -e trace='?open,?openat' -e inject="?open,?openat:error=$error:when=1..9" 3>&- &
		tracer=$!
		is_traced() { [ "$(sed -n 's/^TracerPid:\t//p' "/proc/$(cat "$FIFO.d/lock")/status")" -ne 0 ]; }
		until_true is_traced
		tokget -t 60 "$FIFO" true
		[ "$(grep -c INJECTED attached)" -eq 9 ]
		kill "$tracer"
		wait "$tracer" || :
	done
	until_true pool_says '1 1 0 0'
	stopped
}

@test "a word to the attendant that cannot be written is written again, or told of and the last" {
	need_strace
	mkfifo pipe
	for fault in when=1 when=1+; do
		strace -D -qq -o /dev/null -P "$here/pipe" -e inject="write:error=EIO:$fault" tokend -c -n 1 "$FIFO" >pipe 2>err 3>&- &
		cat pipe >bytes 3>&- &
		reader=$!
		if [ "$fault" = when=1 ]; then
			until_true [ -s bytes ]
			tokstop "$FIFO"
			wait "$reader"
			[ "$(cat bytes)" = C. ]
			[ ! -s err ]
		else
			wait "$reader"
			[ ! -s bytes ]
			[[ "$(cat err)" == 'tokend: standard output: '* ]]
		fi
		nothing_left
	done
}

@test "tokget gives up though the name of its request cannot be removed" {
	need_strace
	pool -n 1
	tokget "$FIFO"
	run -124 failing unlink:error=EIO:when=1 tokget -t 0.1 "$FIFO" true
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "jobctl does not forget a job when a signal interrupts its look" {
	need_strace
	seq 9 >list
	timeout 100 strace -qq -o /dev/null -e inject=wait4:error=EINTR:when=1+2 jobctl -j 2 -f list echo >out 3>&-
	[ "$(sort -n out)" = "$(seq 9)" ]
}

@test "tokend that cannot tell whether the lock is new does not begin, and leaves it" {
	need_strace
	run -125 timeout 60 strace -qq -o /dev/null -P "$FIFO.d/lock" -e inject=lseek:error=EIO tokend "$FIFO" 3>&-
	[[ "$output" == *"$FIFO.d/lock: "* ]]
	[ -e "$FIFO.d/lock" ]
	pool -n 1
	stopped
}

@test "tokstop -k does not take a part of the processes for all" {
	need_strace
	grep -q sched_getaffinity "$top/src/lib/processors.o" || skip "the portable build asks ps"
	dispenser -a -n 1
	held_lease 1
	run -125 strace -D -qq -o /dev/null -e inject=getdents64:error=EIO:when=1 tokstop -k -g 1 "$FIFO" "$holder"
	[[ "$output" == "tokstop: cannot tell the jobs' processes: "* ]]
	kill "$holder"
	tokstop "$FIFO" 2>/dev/null || :
	nothing_left
}

@test "jobkeep whose answer cannot be written ends, and the next one gives it; no child is forgotten" {
	need_strace
	imitation='while read -r line; do echo "answer to $line"; done'
	cat >script <<'S'
set -eu
. jobctl.sh
query () { echo "$1" >&6; read -r answer <&7; echo "$answer" >>log; }
jobctl_open -r 3,0 1
jobctl_connections -u 1 sh -c "$imitation"
jobctl_run jobctl_on query a
jobctl_run jobctl_on query b
jobctl_close
S
	mkdir path
	export imitation
	for fault in write:error=EIO:when=2 waitid:error=EINTR:when=2 write:error=EINTR:when=2; do
		cat >path/jobkeep <<S
#!/bin/sh
mkdir "$here/began" 2>/dev/null || exec "$(command -v jobkeep)" "\$@"
exec strace -D -qq -o "$here/trace" -e inject=$fault "$(command -v jobkeep)" "\$@"
S
		chmod +x path/jobkeep
		run -0 env PATH="$here/path:$PATH" timeout 30 dash script
		grep -q INJECTED trace
		[ "$(tr '\n' , <log)" = 'answer to a,answer to b,' ]
		rm -r began log
		clean
	done
	cat >path/jobkeep <<S
#!/bin/sh
exec strace -D -qq -o "$here/trace" -e inject=write:error=EIO:when=1 "$(command -v jobkeep)" "\$@"
S
	run -125 env PATH="$here/path:$PATH" timeout 30 dash script
	[[ "$output" == *'jobkeep: standard output: '* ]]
	clean
}

@test "jobpool that fails beside a script says why, and the workers it has begun end" {
	need_strace
	cat >script <<'S'
. jobctl.sh
double () { while read -r n; do echo "$((n * 2))"; done; }
answer () { :; }
jobctl_workers -j 2 answer double
for n in 1 2 3 4; do jobctl_ask "$n"; done
jobctl_workers_end
S
	mkdir path
	for fault in '?pselect6:error=ENOMEM:when=3' write:error=EIO:when=1; do
		cat >path/jobpool <<S
#!/bin/sh
exec strace -D -qq -o "$here/trace" -e inject='$fault' "$(command -v jobpool)" "\$@"
S
		chmod +x path/jobpool
		status=0
		PATH=$here/path:$PATH timeout 30 dash script >out 2>&1 3>&- || status=$? # no pipe: a worker may have it
		[ "$status" -eq 125 ]
		grep -q INJECTED trace
		grep -q '^jobpool: pselect: \|^jobpool: output: ' out
		clean
	done
}

# Its open of a FIFO is at the earliest after it was made: whoever makes it is traced from then
# on; its Nth such call fails, or it is killed at that. What it has begun to wait at the
# other end, lives.
@test "who makes the directory of a batch or of workers fails or dies at any open: 125, and nothing is left" {
	need_strace
	cat >script <<'S'
. jobctl.sh
answer () { :; }
"$@" 2>err
echo "$?" >>log
jobctl_close 2>/dev/null || jobctl_workers_end 2>/dev/null || :
S
	mkdir fake
	cat >fake/mkfifo <<'S'
#!/bin/sh
PATH=${PATH#*:}
mkfifo "$@" || exit
strace -qq -o trace -p "$PPID" -e trace=open,openat -e inject=open,openat:"$how":when="$n" </dev/null >/dev/null 2>&1 &
until grep -q 'TracerPid:.*[1-9]' "/proc/$PPID/status"; do :; done
S
	chmod +x fake/mkfifo
	check_maker() {
		local begin n seen
		for how in signal=KILL error=EIO; do
			for begin in 'jobctl_open 2' 'jobctl_workers answer cat'; do
				seen=
				for n in 1 2 3 4 5; do
					export how n
					rm -f log
					# shellcheck disable=SC2086 # words
					PATH=$here/fake:$PATH in_shell "$1" "$here/script" $begin
					clean
					seen="$seen $(cat log)"
					case $how$(cat log) in
					*KILL125) grep -q "^jobctl: $here/jobctl.*was killed\$" err ;;
					*125) [ -s err ] ;;
					esac
				done
				echo "$how $begin:$seen" >&2
				[[ "$seen" == ' 125 125 '*0 ]]
			done
		done
	}
	batch maker
}

@test "tokend -b that cannot read whether it is ready: 125, and none is in the background" {
	need_strace
	strace -qq -o trace -e trace=read tokend -b -n 1 "$FIFO" </dev/null 3>&-
	tokstop "$FIFO"
	nth=$(grep -c '^read' trace) # which is the last thing it reads
	grep -q '^read(.*, 1) *= 1$' trace
	run -125 failing "read:error=EIO:when=$nth" tokend -b -n 1 "$FIFO"
	[[ "$output" == 'tokend: read: '* && ${#lines[@]} -eq 1 ]]
	nothing_left
}

# (Where there is no epoll, nothing fails.)
@test "a client that comes while tokend fails to begin is told, and its name is not left" {
	need_strace
	strace -qq -o /dev/null -e inject=epoll_ctl:error=ENOSPC:delay_enter=500000:when=1 \
		tokend -n 1 "$FIFO" </dev/null 2>err 3>&- &
	tokend=$!
	until_true test -p "$FIFO"
	status=0
	tokget -t 10 "$FIFO" true || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 123 ]
	tokstop "$FIFO" || :
	wait "$tokend" || [ -s err ]
	nothing_left
}
