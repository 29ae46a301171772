load ../helper

# Batches of jobctl.sh, in each shell.

@test "arguments with any bytes reach functions, builtins and programs as they are" {
	cat >script <<'S'
set -eu
. jobctl.sh
show () { printf '<%s>' "$@" >>log; }
jobctl_open 1
jobctl_run show 'a  b' '*' '' "it's" '"' '$(touch pwned)' '-n' 'two
lines' '\x'
jobctl_run eval 'printf "%s" "$JOBCTL_ID" >>log'
jobctl_run sh -c 'printf "<%s>" "$@" >>log' sh '; touch pwned' ''
jobctl_close
S
	check_bytes() {
		in_shell "$1" script
		same "<a  b><*><><it's><\"><\$(touch pwned)><-n><two
lines><\\x>2<; touch pwned><>" "$(cat log)"
		[ ! -e pwned ]
	}
	batch bytes
}

@test "statuses: close returns 1 when a job failed, which is first and how many are known" {
	cat >script <<'S'
. jobctl.sh
ended () { echo "$1 $2 $4" >>log; case $3 in *.*) ;; *) echo "seconds $3" >>log ;; esac; }
exits () { exit "$1"; }
dies () { kill -s KILL "$(exec sh -c 'echo "$PPID"')"; }
jobctl_open --on-end ended 1
jobctl_run exits 0
jobctl_run exits 7
jobctl_run exits 200
jobctl_run sh -c 'kill -9 $$'
jobctl_close
echo "$? $JOBCTL_FAILED $JOBCTL_FIRST" >>log
S
	logs '1 0 1,2 7 1,3 200 1,4 137 1,1 3 2'
}

@test "a script that ignores SIGCHLD, as a daemon's may, knows how its jobs ended" {
	cat >script <<'S'
trap '' CHLD
. jobctl.sh
fails () { return 4; }
jobctl_open --quiet 1
jobctl_run env true
jobctl_run sh -c 'exit 3'
jobctl_run fails
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED $JOBCTL_FIRST" >>log
S
	logs '1 3 2 2'
}

@test "a job that closes all descriptors keeps its slot until it ends" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run fresh -c sh -c 'echo in; read line <gate; echo out'
jobctl_run echo next
jobctl_close
S
	check_closing() {
		in_shell "$1" script >log &
		until_true grep -q in log
		echo go >gate
		ends_with 0 "$!"
		is 'in,out,next' log
	}
	batch closing
}

@test "the caller's input, descriptors, traps, options and names stay as they are" {
	cat >script <<'S'
set -eu
exec 8<other 7>log
. jobctl.sh
trap 'echo usr >>traps' USR1
i=1 x=2 line=none
jobctl_open 2
jobctl_run sh -c 'read line || echo "job reads nothing" >nothing'
read -r line
# In bash, until the trap has run: it may lose the status of a job that ends meanwhile. In
# mksh, yash and posh, which read on after a signal, the trap may run when the job has ended.
jobctl_run eval 'kill -s USR1 $$
	[ -z "${BASH_VERSION-}" ] || until [ -s traps ]; do "$here/sleeper" 0.1; kill -s USR1 $$; done'
jobctl_wait
read -r other <&8
echo "$i $x $line $other $#" >&7
case $- in *e*u* | *u*e*) echo eu >&7 ;; esac
jobctl_close
trap >out
S
	check_untouched() {
		rm -f traps nothing
		echo mine >other
		echo 'from input' | in_shell "$1" script
		grep -qx '1 2 from input mine 0' log
		grep -q 'job reads nothing' nothing
		grep -qx eu log
		same 1 "$(grep -c . out)"
		grep -q USR1 out
		same usr "$(sort -u traps)"
	}
	batch untouched
}

@test "several batches by name, in functions and in subshells" {
	cat >script <<'S'
set -eu
. jobctl.sh
note () { echo "$*" >>log; }
one () { jobctl_in one; jobctl_run note one "$1"; }
jobctl_open -b one 1
jobctl_open -b two 2
jobctl_run note two 1
one 1
one 2
jobctl_in two
jobctl_run false
( jobctl_open 1; jobctl_run note sub; jobctl_close )
two=0
jobctl_close || two=$?
echo "two $two $JOBCTL_STARTED $JOBCTL_FAILED" >>log
jobctl_run note one 3
jobctl_close
echo "one $JOBCTL_STARTED $JOBCTL_FAILED" >>log
S
	check_names() {
		in_shell "$1" script
		sort log | is 'one 1,one 2,one 3,one 3 0,sub,two 1,two 1 2 1' -
	}
	batch names
}

@test "a job hands results back, and asks for more work" {
	cat >script <<'S'
set -eu
. jobctl.sh
job () { # N -- returns 2N and 2N+1
	jobctl_say "$(($1 * 2))"
	jobctl_say "$(($1 * 2 + 1))"
}
heard () { echo "$2" >>log; [ "$2" -ge 16 ] || jobctl_run job "$2"; }
jobctl_open --on-message heard 4
jobctl_run job 1
jobctl_close
echo "$JOBCTL_STARTED" >out
S
	check_more() {
		in_shell "$1" script
		same "$(seq 2 31)" "$(sort -n log)"
		is 15 out
	}
	batch more
}

@test "what makes no sense is said in one line, and costs nothing" {
	cat >script <<'S'
. jobctl.sh
try () { "$@" 2>err; got=$?; echo "$got $(wc -l <err)" >>log; }
jobctl_open 1 && jobctl_close
try jobctl_run true
try jobctl_wait
try jobctl_close
try jobctl_open 0
try jobctl_open x
try jobctl_open 1 2
try jobctl_open -b 'a b' 1
try jobctl_open --on-end nosuch 1
try jobctl_open -Z 1
try jobctl_open --timeout x 1
try jobctl_open --halt nowhere 1
try jobctl_open --resume-failed 1
try jobctl_open --retries
try jobctl_open --results '' 1
try jobctl_open --results /dev/null 1
try jobctl_open --load 0 1
try jobctl_open --tag -u 1
try jobctl_open 1 -k
try jobctl_in nosuch
jobctl_open 1
try jobctl_open 1
try jobctl_run
try jobctl_tasks --retries 1000000000 true true
jobctl_tasks --retries 0000000008 true true || echo refused >>log
jobctl_close || echo "$? 1" >>log
S
	check_sense() {
		in_shell "$1" script
		same '125 1' "$(sort -u log)"
		same 23 "$(grep -c . log)"
	}
	batch sense
}

# Once for each: with its number and why, whatever else the shell would say, and no line of our source.
@test "a command that there is not, or that cannot be executed, is told of in one line" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open ${1+"$@"} 1
for word in '' nosuch ./nosuch ./file /tmp if '{' '!' for while case '[[ x' X=1 'sleep 1' -- -k; do
	jobctl_run "$word" 2>/dev/null
done
jobctl_close || echo "status $?, $JOBCTL_FAILED failed"
S
	: >file
	export LC_ALL=C
	cat >wanted <<'W'
jobctl_run: job 1: an empty word; is a variable empty?: ''
jobctl_run: job 2: no such command or function: nosuch
jobctl_run: job 3: no such file: ./nosuch
jobctl_run: job 4: cannot be executed: ./file
jobctl_run: job 5: cannot be executed: /tmp
jobctl_run: job 6: shell syntax, not a command; put it in a function: if
jobctl_run: job 7: shell syntax, not a command; put it in a function: '{'
jobctl_run: job 8: shell syntax, not a command; put it in a function: '!'
jobctl_run: job 9: shell syntax, not a command; put it in a function: for
jobctl_run: job 10: shell syntax, not a command; put it in a function: while
jobctl_run: job 11: shell syntax, not a command; put it in a function: case
jobctl_run: job 12: no such command; pass each word by itself, or write a function: '[[ x'
jobctl_run: job 13: no such command; write env in front of it: X=1
jobctl_run: job 14: no such command; pass each word by itself, or write a function: 'sleep 1'
jobctl_run: job 15: no such command; options belong to jobctl_open: --
jobctl_run: job 16: no such command; options belong to jobctl_open: -k
status 1, 16 failed
W
	check_why() {
		for options in '' -k '--nice 1' '--joblog log' '--deadline 0' '--results kept'; do
			rm -rf log kept
			# shellcheck disable=SC2086 # words
			in_shell "$1" script $options >said 2>&1
			diff wanted said
		done
		rm -f log
		in_shell "$1" script --joblog log >out 2>&1
		same '14 127 2 126 1 Exitval ' "$(cut -f 7 log | sort | uniq -c | sort -rn | xargs echo) "
	}
	batch why
}

@test "an alias is no command, a program named as syntax is one, and tries fail in one line" {
	cat >script <<'S'
. jobctl.sh
alias aliased=true
jobctl_open 1
jobctl_run time
jobctl_run aliased
jobctl_close
ended () { echo "$1: $2 $3"; }
jobctl_open --on-failure ended --retries 2,0 1
jobctl_run nosuch
jobctl_close || :
jobctl_open --retries 2,0 1
jobctl_run nosuch
jobctl_close || :
S
	fake time <<<'echo timed'
	check_alias() {
		in_shell "$1" script >out 2>err
		is 'timed,1: 127 nosuch' out
		grep -v 'alias: not found' err | sed 's/: [^:]*: aliased/: aliased/' >said
		printf 'jobctl_run: job %s\n' '2: aliased' \
			'1: no such command or function: nosuch' | diff - said
	}
	batch alias
}

@test "a program that has gone from one directory of PATH runs from the next one" {
	cat >script <<'S'
PATH=$here/1:$here/2:$PATH
. jobctl.sh
jobctl_open 1
jobctl_run prog
jobctl_wait
rm "$here/1/prog"
jobctl_run true
jobctl_run prog
jobctl_run plain
jobctl_close
S
	check_path() {
		mkdir -p 1 2
		for dir in 1 2; do
			printf '#!/bin/sh\necho %s\n' $dir >$dir/prog
			printf '#!/bin/sh\necho plain\n' >$dir/plain
			chmod +x $dir/prog
		done
		chmod +x 2/plain # and 1/plain cannot be executed
		run -0 in_shell "$1" script
		same $'1\n2\nplain' "$output"
	}
	batch path
}

@test "with set -a, no argument of a job gets into the environment" {
	cat >script <<'S'
set -a
. jobctl.sh
job () { :; }
jobctl_open 1
jobctl_run job "$@"
jobctl_wait
jobctl_run env
jobctl_close
S
	check_secret() {
		in_shell "$1" script se''cret >out
		grep -q ^PATH= out
		run -1 grep secret out
	}
	batch secret
}

@test "what a callback wants cannot be started: the batch says so, also under set -e" {
	cat >script <<'S'
set -eu
. jobctl.sh
other () { other="${FIFO%/*}/$((3 - JOBCTL_SLOT))"; rm "$other"; mkdir "$other"; }
other_gone () { : <gate; }
ended () { jobctl_run other_gone; jobctl_run echo never; }
jobctl_open --on-end ended 2
jobctl_run other
jobctl_close || echo "$?" >>log
S
	mkfifo gate
	check_unstarted() {
		: >err
		in_shell "$1" script 2>>err 3>&- &
		until_true grep -q 'fifo.d/[12]' err
		gate_opens "$!"
		is 123 log
		grep -q 'fifo.d/[12]' err
	}
	batch unstarted
}

@test "close in a callback is refused in one line, and the batch goes on" {
	cat >script <<'S'
set -eu
. jobctl.sh
ended () { jobctl_close || echo "in $?" >>log; jobctl_wait || echo "in $?" >>log; }
jobctl_open --on-end ended 1
jobctl_run true
jobctl_run true
jobctl_close
echo "out $? $JOBCTL_DONE" >>log
S
	check_callback() {
		in_shell "$1" script 2>err
		is 'in 125,in 125,in 125,in 125,out 0 2' log
		cut -d ' ' -f 1 err | is jobctl_close:,jobctl_wait:,jobctl_close:,jobctl_wait: -
	}
	batch callback
}

@test "two batches of which one's name and lease look like the other's: each knows its own jobs" {
	cat >script <<'S'
. jobctl.sh
ended () { echo "$1 $2" >>log; }
early () { echo C >"$FIFO"; late 3; }
late () { : <gate; exit "$1"; }
jobctl_open -b x --on-end ended 1
jobctl_open -b x_1 --on-end ended 1
jobctl_in x
jobctl_run early
jobctl_run late 4 # with the lease 1_1 of the batch x
jobctl_in x_1
jobctl_run late 5 # 1 of x_1
: >begun
jobctl_close || jobctl_close || :
S
	mkfifo gate
	check_alike() {
		rm -f begun
		in_shell "$1" script 3>&- &
		until_true test -e begun
		gate_opens "$!"
		is '1 5,1 3,2 4' log || is '1 5,2 4,1 3' log
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
jobctl_open -b first --on-end ended 1
jobctl_run note first
jobctl_close
jobctl_close
S
	logs 'before,first,later'
}

@test "process in the shell that has a batch open: each ends as it should" {
	cat >script <<'S'
. jobctl.sh
note () { echo "$1" >>log; }
job () { note "job $1"; }
jobctl_open 1
jobctl_run note before
jobctl_wait # mksh opens no FIFO while a child ends
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
		same '0 after before job 0 job 1 ' "$(sort log | tr '\n' ' ')"
	}
	batch both
}

@test "a job that a subshell starts reads an empty standard input to its end" {
	cat >script <<'S'
. jobctl.sh
count () { n=0; while [ "$n" -lt 9 ] && read -r line; do n=$((n + 1)); done; echo "$n" >>log; }
jobctl_open 2
(jobctl_run count)
jobctl_close
S
	logs 0
}
