#!/usr/bin/env bats
# The display of a batch while it runs: --bar and --status, at a terminal and elsewhere.

load ../helper
load ../helpers/display

@test "--bar: all of it at 200 columns, what matters at 20; it follows the window's size" {
	held_jobs
	seq 12 >list
	at_terminal --size 200x5 --until '3 running' --show --resize 20x5 --gone ' 0:0' --show \
		--run 'echo >open' -- jobctl -j 3 --bar -a list sh job || :
	grep -q '^0/12  \[>  *\]  0%  3 running  [0-9]*:' screen
	grep -q '^0/12' <(sed -n '/^-$/,$p' screen)
	sed -n '/^-$/,$p' screen | awk 'length > 20 {exit 1}'
}

@test "output of jobs never mixes with the bar, also one whose last line does not end" {
	held_jobs
	seq 4 >list
	at_terminal --size 80x20 --until '2 running' --run 'echo >open' \
		--raw raw -- jobctl -j 2 --bar -a list sh job || :
	same 4 "$(grep -c '^job [1-4]$' screen)"
	same 4 "$(grep -c '^its end$' screen)"
	grep -q '^jobctl: job 2: exit status 1: sh job 2$' screen
	grep -q '^4/4  \[=*\]  100%  1 failed  [0-9.]*/s  [0-9]*:[0-9][0-9]$' screen
	same 11 "$(wc -l <screen)" # 8 lines of jobs, a message, the bar, the sum
}

@test "a terminal that nobody reads stops no job" {
	need_python
	! portable || skip "the portable build cannot open its terminal anew, not to wait for it"
	can_hold
	seq 120 >list
	cat >unread <<'P'
import fcntl, os, pty, select, struct, sys, termios
pid, fd = pty.fork()
fcntl.ioctl(fd if pid else 0, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 1000, 0, 0))
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
select.select([fd], [], [])
open("open", "w").close()
os.waitpid(pid, 0)
P
	timeout 60 python3 unread jobctl --status -j 40 -a list sh -c \
		"sh hold open; echo >>done; : $(printf '%01000d' 0)" 3>&-
	is 120 <(wc -l <done)
}

@test "at a terminal what a job writes to 1 and to 2 stays in its order" {
	cat >job <<'S'
for i in 1 2 3 4 5 6 7 8; do
	echo "out $i"
	echo "err $i" >&2
done
S
	at_terminal --size 80x40 -- jobctl --bar sh job ::: 1
	same 1122334455667788 "$(sed -n 's/^\(out\|err\) //p' screen | tr -d '\n')"
	same 8 "$(grep -c -A1 '^out' screen)"
	grep -A 1 '^out 4$' screen | grep -q '^err 4$'
}

@test "--status: a line for each running job, as many as fit; slots, labels, times, commands" {
	held_jobs
	seq 9 >list
	at_terminal --size 40x6 --until 'and 1 more' --show --run 'echo >open' -- \
		jobctl -j 5 --label gpu0 --label 'Ä日本' --label c --label d --label e --status \
		-a list -c 'sh hold open; : {} a long command, longer than the line'
	grep -q '^0/9  \[> *\]  0%  5 running$' screen || grep -q '^0/9 .*5 running' screen
	grep -q '^1  gpu0              [0-9]*:[0-9][0-9]  *sh hold' screen
	grep -q '^2  Ä日本             [0-9]*:[0-9][0-9]  *sh hold' screen
	grep -q '^and 1 more$' screen
}

@test "no escape sequence of a command or a label reaches the terminal" {
	held_jobs
	printf '%s\n' $'\e[31mred\e]0;title\a\x9b\xc2\x9bx' >list
	at_terminal --size 100x6 --until '1 running' --show --run 'echo >open' --raw raw -- \
		jobctl -j 1 --label $'\e[1mbold' --status -t -a list -c ': {}; sh hold open; exit 3' || :
	grep -q '\\x1b\[1mbold.*\\x1b\[31mred\\x1b\]0;title\\x07' screen
	if grep -q $'\e\\[31mred\|\e\\[1mbold\|\a' raw; then return 1; fi
}

@test "no colours with NO_COLOR, and neither these nor lines of jobs with TERM=dumb" {
	seq 3 >list
	at_terminal --raw raw -- jobctl --bar -a list true
	grep -q $'\e\\[32m' raw
	NO_COLOR=1 at_terminal --raw raw -- jobctl --bar -a list true
	grep -q '3/3' raw
	if grep -q $'\e\\[[0-9]*m' raw; then return 1; fi
	TERM=dumb at_terminal --raw raw -- jobctl --status -a list true
	grep -q '3/3' raw
	if grep -q $'\e' raw; then return 1; fi
}

@test "the jobs of a pipe are counted while they run" {
	held_jobs
	at_terminal --until '0/7' --run 'echo >open' -- \
		sh -c 'seq 7 | jobctl -j 2 --bar sh job' || :
	grep -q '^7/7 ' screen
}

@test "elsewhere: a plain line now and then, without escape sequences" {
	seq 10 >list
	run -0 jobctl --status -j 2 true <list
	[[ "$output" == 'jobctl: 10/10, 100%, '*'/s, '?:?? ]]
	run -0 jobctl --bar true </dev/null
	[[ "$output" == 'jobctl: 0/0, '?:?? ]]
}

@test "a terminal that is stopped by Ctrl-S stops no jobs" {
	can_hold
	seq 50 >list
	at_terminal --run 'stty -F "$TTY" ixon' --keys '\x13' --run 'echo >go; sh hold all' \
		--keys '\x11' -- sh -c 'sh hold go; jobctl -j 2 --bar -a list -c "echo {} >>done
			[ \$(wc -l <done) -lt 50 ] || : >all"'
	same 50 "$(wc -l <done)"
}

@test "the last line does not say what time is left, nor a rate of no time" {
	run -1 jobctl --bar --halt now,fail=1 -j 1 false ::: 1 2 3
	[[ "$output" == *$'\njobctl: 1/3, 33%, 1 failed, '*?:??$'\njobctl: 0 succeeded'* ]]
	for i in 1 2 3; do
		run -0 jobctl --bar --dry-run true ::: 1
		[[ "$output" != *-/s* ]]
	done
}

@test "in the background nothing is drawn until it is in the foreground; the last line is" {
	held_jobs
	seq 2 >list
	at_terminal --size 80x20 --keys 'jobctl -j 2 --status -a list sh job & echo $! >pid\r' \
		--run 'sh hold began.1 began.2' --run "$top/tests/scripts/looked.sh pid" --keys 'echo t"yp"ed\r' --until typed --show \
		--keys 'fg\r' --until '2 running' --show --run 'echo >open' --until '2/2' \
		--keys 'exit\r' -- bash --norc -i || :
	if sed '/^-$/q' screen | grep running; then return 1; fi
	grep -q '^1  [0-9]*:[0-9][0-9]  *sh job 1$' <(sed '1,/^-$/d' screen)
	grep -q '^2/2  \[=*\]  100%  1 failed' screen
}

@test "what a job's own redirection takes is in that file, and nowhere else, with each display" {
	for options in --bar --status --tag --line-buffer '--bar --line-buffer' -k --group '--results d' -u; do
		rm -rf file? d
		# shellcheck disable=SC2086 # an option and its argument
		at_terminal -- jobctl $options -j 1 -c 'echo ta""ken >file{}; echo ta""ken >>file{} 2>&1' ::: 1 2
		same 'taken,taken,taken,taken,' "$(cat file? | tr '\n' ,)"
		run -1 grep taken screen
		[ ! -d d ] || run -1 grep -r taken d
	done
}
