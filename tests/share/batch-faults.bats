load ../helper

# What may go wrong in batches of jobctl.sh.

@test "a bare wait of the caller returns while a batch is open" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_run true
jobctl_wait
wait
jobctl_run true
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >log
S
	check_bare_wait() {
		in_shell "$1" script
		[ "$(cat log)" = '3 0' ]
	}
	batch bare_wait
}

@test "close returns 125 when the log cannot be written, or is of another batch" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -l jobs.log $2 1
jobctl_run eval "$1"
jobctl_run true; jobctl_run true
echo "run $?" >>log
jobctl_close
echo "close $?" >>log
S
	check_refused() {
		rm -f jobs.log
		in_shell "$1" script 'rm jobs.log; mkdir jobs.log' '' 2>err
		[ "$(cat log)" = 'run 125
close 125' ]
		[ "$(cat err)" = "jobctl_run: $here/jobs.log: cannot be written" ]
		rmdir jobs.log
		rm log
		in_shell "$1" script true ''
		[ "$(cat log)" = 'run 0
close 0' ]
		rm log
		in_shell "$1" script : -R 2>err
		[ "$(cat log)" = 'run 125
close 125' ]
		[ "$(grep -c . err)" -eq 1 ]
	}
	batch refused
}

@test "a log that cannot be made is refused by jobctl_open, and the script goes on" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -l "$1" 1 2>>log
echo "open $?" >>log
jobctl_open -l jobs.log 1
jobctl_run true
jobctl_close
echo "close $?" >>log
S
	check_unmade() {
		for path in "$here/none/jobs.log" "$here/script/jobs.log"; do
			rm -f log jobs.log
			in_shell "$1" script "$path"
			[ "$(cat log)" = "jobctl_open: $path: cannot be written
open 125
close 0" ]
		done
	}
	batch unmade
}

@test "what a callback wants cannot be started: the batch says so, also under set -e" {
	cat >script <<'S'
set -eu
. jobctl.sh
other () { other="${FIFO%/*}/$((3 - JOBCTL_SLOT))"; rm "$other"; mkdir "$other"; }
ended () { jobctl_run echo never; }
jobctl_open -e ended 2
jobctl_run other
jobctl_close || echo "$?" >>log
S
	check_unstarted() {
		in_shell "$1" script 2>err
		[ "$(cat log)" = 123 ]
		grep -q 'fifo.d/[12]' err
	}
	batch unstarted
}

@test "close in a callback is refused in one line, and the batch goes on" {
	cat >script <<'S'
set -eu
. jobctl.sh
ended () { jobctl_close || echo "in $?" >>log; jobctl_wait || echo "in $?" >>log; }
jobctl_open -e ended 1
jobctl_run true
jobctl_run true
jobctl_close
echo "out $? $JOBCTL_DONE" >>log
S
	check_callback() {
		in_shell "$1" script 2>err
		[ "$(cat log)" = 'in 125
in 125
in 125
in 125
out 0 2' ]
		[ "$(uniq -c err | awk '{print $1, $2}')" = '1 jobctl_close:
1 jobctl_wait:
1 jobctl_close:
1 jobctl_wait:' ]
	}
	batch callback
}

# A signal that is seen in a callback ends everything all the same.
@test "TERM while a callback runs ends the jobs and the script" {
	cat >script <<'S'
. jobctl.sh
ended () { [ "$1" -eq 1 ] || { sh -c 'kill -TERM "$PPID"'; while :; do :; done; }; }
jobctl_open -e ended 2
jobctl_run "$here/sleeper" 1000
jobctl_run true
jobctl_close
echo never >log
S
	check_in_callback() {
		started "$1" script
		ends_with 143 "$script"
		run ! grep jobctl out # posh and mksh say "Terminated"
		[ ! -e log ]
	}
	batch in_callback
}

@test "no shell sleeps when a signal has ended it" {
	need_strace
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run "$here/sleeper" 1000
: >log
jobctl_run true
S
	check_death() {
		local shell=$1 sig
		if [ "$shell" = busybox ]; then shell='busybox sh'; fi
		if [ "$1" = yash ]; then return; fi # waits in read for the next line
		for sig in HUP INT; do
			rm -f log
			fresh -s strace -f -o trace -e trace=nanosleep,clock_nanosleep $shell script </dev/null >out 2>&1 3>&- &
			strace=$!
			until_true test -e log
			script=$(pgrep -P "$strace")
			kill -s "$sig" "$script"
			ends_with "$((128 + $(kill -l "$sig")))" "$strace"
			run ! grep "^$script .*sleep(" trace
		done
	}
	batch death
}

# bash and ksh93 may lose a status when the signal comes while a job dies.
@test "a signal that the caller traps is not taken for the end of a job" {
	cat >script <<'S'
. jobctl.sh
trap 'caught=$((caught + 1))' USR1
job () { kill -s USR1 $$; return "$(($1 % 2 * 3))"; }
ended () { echo "$2" >>log; }
caught=0 i=0
jobctl_open -e ended 2
while [ "$i" -lt 60 ]; do jobctl_run job "$i"; i=$((i + 1)); done
jobctl_close
echo "$JOBCTL_STARTED $JOBCTL_DONE" >>log
S
	check_trapped() {
		in_shell "$1" script
		[ "$(tail -n 1 log)" = '60 60' ]
		case $1 in bash | ksh93) return ;; esac
		[ "$(grep -cx 0 log)" -eq 30 ] && [ "$(grep -cx 3 log)" -eq 30 ]
	}
	batch trapped
}

@test "newlines in the log and in what a job says; an IFS of digits; set -f" {
	cat >script <<'S'
set -euf
IFS=_0123456789
. jobctl.sh
heard () { printf '%s\n' "<$2>" >>log; }
job () { jobctl_say "$1"; [ "$JOBCTL_TRY" -eq 2 ]; }
jobctl_open -l jobs.log -m heard -r 2,0 ${1+"$@"} 1
jobctl_run job 'a
*

b'
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED $IFS $-" >>log
S
	check_newlines() {
		rm -f jobs.log
		in_shell "$1" script
		[ "$(head -n 8 log | tr '\n' ' ')" = '<a> <*> <> <b> <a> <*> <> <b> ' ]
		grep -q '^1 0 _0123456789 .*f' log
		[ "$(wc -l <jobs.log)" -eq 2 ]
		[ "$(tail -n 1 jobs.log | cut -f 9)" = "'job' 'a\\n*\\n\\nb'" ]
		rm log
		in_shell "$1" script -R
		[ "$(grep -c . log)" -eq 1 ]
	}
	batch newlines
}

@test "a job whose output cannot be opened has failed; a descriptor beyond the limit is not used" {
	cat >script <<'S'
. jobctl.sh
[ -z "$1" ] || ulimit -n "$1"
jobctl_open -o kept 1
jobctl_run true
jobctl_wait && rm -r kept
jobctl_run true
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_unopened() {
		in_shell "$1" script '' 2>/dev/null
		[ "$(cat log)" = '1 2 1' ]
		if [ "$1" != bash ]; then return; fi # others do not run at all then
		rm log
		in_shell "$1" script 8 2>/dev/null
		[ "$(cat log)" = '125 0 0' ]
	}
	batch unopened
}

# The first tokend is one whose inlet is full: it waits until somebody else has that open,
# to write or writing, and is killed.
full_tokend()
{
	mkdir -p fake
	cat >fake/tokend <<'S'
#!/bin/bash
for fifo; do :; done
case " $* " in *" -r "*) exec "$top/bin/tokend" "$@" ;; esac
mkfifo "$fifo"
mkdir -m 700 "$fifo.d"
exec 5<>"$fifo"
dd if=/dev/zero of=/dev/fd/5 bs=64k count=1 oflag=nonblock 2>/dev/null
echo ready 2
until for open in /proc/[0-9]*/fd/*; do
	[ "$open" -ef "$fifo" ] && [ "${open%/fd/*}" != "/proc/$$" ] && break
done; do :; done
kill -KILL $$
S
	chmod +x fake/tokend
	export top
}

@test "tokend killed just when the script writes to it: the script lives, its traps are as they were" {
	full_tokend
	cat >script <<'S'
set -eu
PATH=$here/fake:$PATH
. jobctl.sh
[ -z "$2" ] || trap 'echo piped >>log' PIPE
case $1 in
process)
	job () { :; }
	jobctrl 2 | { process 4 || echo "$?" >>log; }
	;;
*)
	jobctl_open $1 2
	jobctl_run true || echo "$?" >>log
	jobctl_close || :
	;;
esac
[ -z "$2" ] || kill -s PIPE "$$"
S
	check_pipe() {
		local what trap
		for what in process '' -g; do
			for trap in '' trap; do
				rm -f log
				in_shell "$1" script "$what" "$trap" 2>err
				[ "$(tr '\n' ' ' <log)" = "123 ${trap:+piped }" ]
				run ! grep -i pipe err
				rm -rf "$FIFO" "$FIFO.d"
			done
		done
	}
	batch pipe
}

# Traced without -f: only the script itself is killed, its children live.
@test "a script that is killed at any system call of a batch leaves no directory and no process" {
	need_strace
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_close
S
	check_killed_anywhere() {
		local shell=$1 call n some="shuf -n 12"
		if [ "$1" = busybox ]; then shell='busybox sh'; fi
		if [ "$1" = dash ]; then some=cat; fi
		strace -qq -o trace $shell script
		sed 's/(/ (/' trace | awk '/^[a-z]/ {n[$1]++; if (on) print $1, n[$1]} /batch.sh"/ {on = 1}' >calls
		[ "$(grep -c . calls)" -gt 40 ]
		$some calls >chosen
		while read -r call n; do
			echo "$call $n" >&2
			strace -qq -o trace -e "inject=$call:signal=KILL:when=$n" $shell script </dev/null >out 2>&1 3>&- || :
			clean
		done <chosen
	}
	batch killed_anywhere
}

@test "a log that reaches the limit of a file's size cannot be written; -t and a job that left no output" {
	cat >script <<'S'
. jobctl.sh
ulimit -f 2
jobctl_open -l jobs.log 2
while jobctl_run true; do :; done
jobctl_close
echo "$?" >>log
S
	cat >empty <<'S'
. jobctl.sh
lost () { rm "${FIFO%/fifo.d/*}/$JOBCTL_ID.err"; }
jobctl_open -t 1
jobctl_run lost
jobctl_close
S
	check_limit() {
		in_shell "$1" empty >out 2>err
		[ ! -s out ] && [ ! -s err ]
		if [ "$1" = posh ]; then return; fi # has no ulimit
		in_shell "$1" script 2>err
		[ "$(cat log)" = 125 ]
		[ "$(cat err)" = "jobctl_run: $here/jobs.log: cannot be written" ]
	}
	batch limit
}

@test "a job that exceeds its limit is ended, and not the one that has its slot next" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -T 0.5 1
for i in 1 2; do
	jobctl_run "$here/sleeper" 1000
	jobctl_run "$here/sleeper" 0.04
done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >log
S
	check_next() {
		in_shell "$1" script 2>err
		[ "$(cat log)" = '4 2' ]
	}
	batch next
}

@test "a dispenser that cannot be told of the end, for want of tokstop: jobctl_close returns 125, and it ends with the script" {
	mkdir path
	printf '#!/bin/sh\necho "tokstop: none today" >&2\nexit 125\n' >path/tokstop
	chmod +x path/tokstop
	cat >script <<'S'
PATH=$here/path:$PATH
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_close
echo "$?"
jobctl_open 1
jobctl_run true
jobctl_close
echo "$?"
S
	check_unasked() {
		in_shell "$1" script >out 2>err
		[ "$(tr '\n' , <out)" = '125,125,' ]
		[ "$(grep -c 'none today' err)" -eq 2 ]
	}
	batch unasked
}

@test "two batches of which one's name and lease look like the other's: each knows its own jobs" {
	cat >script <<'S'
. jobctl.sh
ended () { echo "$1 $2" >>log; }
early () { echo C >"$FIFO"; late 3; }
late () { until [ -e go ]; do "$here/sleeper" 0.02; done; exit "$1"; }
jobctl_open -b x -e ended 1
jobctl_open -b x_1 -e ended 1
jobctl_in x
jobctl_run early
jobctl_run late 4 # with the lease 1_1 of the batch x
jobctl_in x_1
jobctl_run late 5 # 1 of x_1
: >go
jobctl_close || jobctl_close || :
S
	check_alike() {
		rm -f go
		in_shell "$1" script
		[ "$(tr '\n' ' ' <log)" = '1 5 1 3 2 4 ' ] || [ "$(tr '\n' ' ' <log)" = '1 5 2 4 1 3 ' ]
	}
	batch alike
}

@test "what a callback of one batch wants in another is run, though nothing runs there" {
	cat >script <<'S'
. jobctl.sh
note () { echo "$1" >>log; }
ended () { jobctl_in second; jobctl_run note later; }
jobctl_open -b second 1
jobctl_run note before
jobctl_wait
jobctl_open -b first -e ended 1
jobctl_run note first
jobctl_close
jobctl_close
S
	check_wanted() {
		in_shell "$1" script
		[ "$(tr '\n' ' ' <log)" = 'before first later ' ]
	}
	batch wanted
}

@test "process in the shell that has a batch open: each ends as it should" {
	cat >script <<'S'
. jobctl.sh
note () { echo "$1" >>log; }
job () { note "job $1"; }
jobctl_open 1
jobctl_run note before
mkfifo news
jobctrl 1 >news &
process 2 <news
wait "$!"
jobctl_run note after
jobctl_close
echo "$?" >>log
S
	check_both() {
		rm -f news
		in_shell "$1" script
		[ "$(sort log | tr '\n' ' ')" = '0 after before job 0 job 1 ' ]
	}
	batch both
}

@test "JOBCTL_GRACE may have a fraction; what is no time is refused at once, and never run" {
	cat >script <<'S'
. jobctl.sh
job () { :; }
try () { "$@" 2>>err; echo "$1 $?" >>log; }
JOBCTL_GRACE='0; touch bad'
try jobctl_open 1
try jobctl_workers job job
try process 1 </dev/null
JOBCTL_GRACE=0.1
jobctl_open 1
stubborn () { trap '' TERM; : >running; while :; do "$here/sleeper" 0.1; done; }
jobctl_run stubborn
until [ -e running ]; do "$here/sleeper" 0.02; done
try jobctl_stop
try jobctl_close
jobctl_open 1
JOBCTL_GRACE='0; touch bad'
try jobctl_connections cat
JOBCTL_GRACE=0
jobctl_close
S
	check_grace() {
		rm -f running err
		in_shell "$1" script
		[ "$(tr '\n' ' ' <log)" = 'jobctl_open 125 jobctl_workers 125 process 125 jobctl_stop 0 jobctl_close 123 jobctl_connections 125 ' ]
		[ "$(grep -c 'JOBCTL_GRACE: 0; touch bad: not a number' err)" -eq 3 ]
		[ ! -e bad ]
	}
	batch grace
}

@test "numbers with zeros in front are numbers" {
	cat >script <<'S'
. jobctl.sh
once () { [ "$JOBCTL_TRY" -eq 2 ]; }
jobctl_open -r 02,00 -P 08 -H soon,done=09% 1
jobctl_run once
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_zeros() {
		in_shell "$1" script 2>err
		[ "$(cat log)" = '0 1 0' ]
		grep -q '^1 of 8 done' err
	}
	batch zeros
}

@test "a TMPDIR that is no absolute path: the script may go elsewhere meanwhile" {
	cat >script <<'S'
. jobctl.sh
TMPDIR=tmp
work () { echo C >"$FIFO"; echo "$1"; }
result () { cat >>"$here/log"; }
number () { while read -r n; do echo "$((n + 1))"; done; }
answer () { echo "$2" >>"$here/log"; }
jobctl_open 2
jobctl_tasks work result
jobctl_workers answer number
cd elsewhere
jobctl_task a
jobctl_close
echo "$?" >>"$here/log"
jobctl_ask 1
jobctl_workers_end
echo "$?" >>"$here/log"
S
	check_relative() {
		mkdir -p tmp elsewhere
		in_shell "$1" "$here/script"
		[ "$(tr '\n' ' ' <log)" = 'a 0 2 0 ' ]
		until_true rmdir tmp
	}
	batch relative
}

@test "what is called before anything is open says so; reading the library again changes nothing" {
	cat >script <<'S'
. jobctl.sh
try () { "$@" 2>err; got=$?; echo "$got $(wc -l <err)" >>log; }
show () { cat; }
try jobctl_run true
try jobctl_wait
try jobctl_close
try jobctl_in batch
try jobctl_tasks echo cat
try jobctl_task a
try jobctl_on true
try jobctl_ask a
try jobctl_answers
try jobctl_workers_end
jobctl_stop
jobctl_open 1
try jobctl_task a
try jobctl_ask a
try jobctl_on true
. jobctl.sh
jobctl_tasks echo show
. jobctl.sh
jobctl_task a
jobctl_close >>log
S
	check_early() {
		in_shell "$1" script
		[ "$(sort log | uniq -c | tr -s ' ' | tr '\n' ';')" = ' 13 125 1; 1 a;' ]
	}
	batch early
}

# zsh has a nice value of its own for what is in the background.
@test "-n adds to the nice value that jobs have, wherever the script begins" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run nice
jobctl_wait
jobctl_open -b lower -n 03 1
jobctl_run nice
jobctl_close
jobctl_close
S
	check_nice() {
		local shell=$1
		if [ "$1" = busybox ]; then shell='busybox sh'; fi
		for more in 0 1; do
			# shellcheck disable=SC2086 # two words
			nice -n "$more" timeout 60 fresh $shell script >out 3>&-
			[ "$(($(head -n 1 out) + 3))" -eq "$(tail -n 1 out)" ]
		done
	}
	batch nice
}
