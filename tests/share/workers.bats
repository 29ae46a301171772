load ../helper

# jobctl_workers, in each shell.

@test "a function is the worker: each answer reaches its callback once, in the main shell" {
	cat >script <<'S'
set -eu
. jobctl.sh
offset=1000 sum=0
square () { while read -r x; do echo "$((x * x + offset))"; done; }
answer () { sum=$((sum + 1)); echo "$1 $2" >>log; }
jobctl_workers -j 3 answer square
offset=0
i=0
while [ "$i" -lt 100 ]; do i=$((i + 1)); jobctl_ask "$i"; done
jobctl_answers
echo "$JOBCTL_ASKED $JOBCTL_ANSWERED $JOBCTL_UNANSWERED $sum" >out
jobctl_ask 200
jobctl_workers_end
echo "$JOBCTL_ASKED $JOBCTL_ANSWERED $sum" >>out
S
	check_function() {
		in_shell "$1" "$here/script"
		{ seq 100 | awk '{print $1, $1 * $1 + 1000}'; echo '101 41000'; } >wanted
		sort -n log | cmp - wanted
		is '100 100 0 100,101 101 101' out
	}
	batch function
}

@test "a program with arguments is the worker; any line is answered as it is, in order with -k" {
	cat >lines <<'S'

  two  blanks  
a\nb\\c\
it's "$x" `x` * ~ $(touch bad)
-n
:x
failed 7 so
gone 1
é
S
	cat >script <<'S'
set -eu
. jobctl.sh
answer () { printf '%s|%s\n' "$1" "$2" >>log; }
jobctl_workers -k -j 2 answer sed -u -e "s/x'y/ /" -e 's/^/</'
while IFS= read -r line; do jobctl_ask "$line"; done <lines
jobctl_workers_end
S
	check_program() {
		in_shell "$1" "$here/script"
		awk '{print NR "|<" $0}' lines | cmp - log
		[ ! -e bad ]
	}
	batch program
}

@test "callbacks ask for more: a tree of 255, each once; then an end callback, once" {
	cat >script <<'S'
set -eu
. jobctl.sh
twice () { while read -r x; do echo "$x $((x * 2)) $((x * 2 + 1))"; done; }
answer () {
	echo "$2" >>log
	set -- $2
	[ "$2" -ge 256 ] || { jobctl_ask "$2"; jobctl_ask "$3"; }
	jobctl_answers 2>>misuse || :
}
over () { echo "over $1 $JOBCTL_ANSWERED" >>log; }
jobctl_workers -j 2 --on-end over answer twice
jobctl_ask 1
jobctl_workers_end
S
	check_tree() {
		rm -f misuse
		[ "$1" != zsh ] || sed -i 's/^set -eu/set -eu; setopt sh_word_split/' script
		in_shell "$1" "$here/script"
		same 'over 0 255' "$(tail -n 1 log)"
		same "$(seq 255)" "$(sed '$d' log | cut -d ' ' -f 1 | sort -n)"
		[ "$(sort -u misuse)" = \
			'jobctl_answers: not in a callback; call it from the script itself' ]
		[ "$1" != zsh ] || sed -i 's/^set -eu.*/set -eu/' script
	}
	batch tree
}

@test "jobctl_ask returns at once until --most requests wait, and then hears answers" {
	cat >script <<'S'
set -eu
. jobctl.sh
answer () { echo "$2" >>log; }
jobctl_workers --most 3 answer cat
jobctl_ask 1; jobctl_ask 2; jobctl_ask 3
echo "$JOBCTL_ANSWERED" >out
jobctl_ask 4
[ "$JOBCTL_ANSWERED" -lt 1 ] || echo heard >>out
jobctl_workers_end
S
	sed -i 's/answer cat/answer sed -u ""/' script
	check_queue() {
		in_shell "$1" "$here/script"
		is 0,heard out
		same "$(seq 4)" "$(sort -n log)"
	}
	batch queue
}

@test "events reach --on-message; a worker that retires is replaced; --begin and JOBCTL_SLOT" {
	cat >script <<'S'
set -eu
. jobctl.sh
worker () {
	read -r first
	echo "#began with $first"
	echo ready
	read -r x
	echo '#retire'
	echo "$x in $JOBCTL_SLOT"
	while read -r x; do echo "$x too"; done
}
answer () { echo "$1 $2" >>log; }
heard () { echo "heard $1 $2" >>log; }
jobctl_workers --error-prefix '#' --begin hello --ahead 1 -j 1 --on-message heard answer worker
for x in a b; do jobctl_ask "$x"; done
jobctl_workers_end
S
	logs 'heard 1 began with hello,1 a in 1,heard 1 began with hello,2 b in 1'
}

@test "what makes no sense is refused with 125" {
	cat >script <<'S'
. jobctl.sh
answer () { :; }
worker () { cat; }
try () { "$@"; echo "$?"; }
try jobctl_workers answer
try jobctl_workers nothing worker
try jobctl_workers answer nothing
try jobctl_workers --on-message nothing answer worker
try jobctl_workers -y answer worker
try jobctl_workers -j
try jobctl_workers --quiet=yes answer worker
try jobctl_workers --most 0 answer worker
try jobctl_workers -j x answer worker
exec 3</dev/null 4<&3 5<&3 6<&3 7<&3 # it needs two
try jobctl_workers answer worker
exec 3<&- 4<&- 5<&- 6<&- 7<&-
jobctl_workers answer worker
try jobctl_workers answer worker
try jobctl_ask 'two
lines'
try jobctl_ask doit 5
try jobctl_ask
jobctl_workers_end
try jobctl_ask x
try jobctl_answers
try jobctl_workers_end
S
	check_misuse() {
		in_shell "$1" "$here/script" >out 2>err
		same 125 "$(sort -u out)"
		same 17 "$(grep -c . out)"
		same 17 "$(grep -c . err)"
		grep -q '^jobctl_workers: needs a free descriptor .*; close one$' err
		grep -q "^jobctl_ask: 2 arguments.* jobctl_ask 'doit 5'" err
		grep -q '^jobctl_ask: 0 arguments' err
	}
	batch misuse
}

@test "the caller's descriptors, traps, options and names stay; a bare wait returns" {
	cat >script <<'S'
set -eu
exec 8<other 7>log
. jobctl.sh
trap 'echo usr >>traps' USR1
i=1 x=2 word=none line=none
worker () { while read -r w; do echo "$w"; done; }
answer () { echo "$2" >&7; }
jobctl_workers answer worker
jobctl_ask a
wait
IFS=a
jobctl_answers
IFS=' '
read -r line
read -r other <&8
jobctl_workers_end
echo "$i $x $word $line $other $#" >&7
case $- in *e*u* | *u*e*) echo eu >&7 ;; esac
trap >out
S
	check_untouched() {
		echo mine >other
		echo 'from input' | in_shell "$1" "$here/script"
		is 'a,1 2 none from input mine 0,eu' log
		same 1 "$(grep -c . out)"
		grep -q USR1 out
	}
	batch untouched
}

@test "a job or a subshell has not the workers of the script, but may have its own" {
	cat >script <<'S'
set -eu
. jobctl.sh
worker () { while read -r x; do echo "$x of $whose"; done; }
answer () { echo "$2" >>log; }
inner () { read -r line <&8; echo "$line" >>log; }
own () {
	whose=$1
	jobctl_workers answer worker
	jobctl_ask "$1"
	jobctl_workers_end
}
job () {
	for n in 3 4 5 6 7 8; do
		! eval "{ :; } <&$n" 2>/dev/null && ! eval "{ :; } >&$n" 2>/dev/null ||
			echo "$n is open" >>log
	done
	! jobctl_ask lost 2>>said
	! jobctl_workers_end 2>>said
	exec 8<mine # as the script has the workers' there
	jobctl_workers answer worker
	jobctl_open 1
	jobctl_run inner
	jobctl_close
	jobctl_workers_end
	exec 8<&-
	own job
}
whose=script
jobctl_workers answer worker
jobctl_open 2
jobctl_run job
jobctl_wait
jobctl_close
(own subshell)
jobctl_open 2
jobctl_ask 1
jobctl_run job
jobctl_workers_end
jobctl_run job
jobctl_close
S
	check_whose() {
		rm -f said
		echo mine >mine
		in_shell "$1" script
		sort log | is '1 of script,job of job,job of job,job of job,mine,mine,mine,'\
'subshell of subshell' -
		same 6 "$(grep -c 'there are no workers' said)"
	}
	batch whose
}

@test "a loop at the end of a pipe may ask: all is heard, and counted, in the main shell" {
	cat >script <<'S'
set -eu
. jobctl.sh
worker () { while read -r x; do [ "$x" -ne 7 ] || exit; echo "$x"; done; }
answer () { echo "$1 $2" >>log; }
failed () { echo "$1 none" >>log; }
jobctl_workers --quiet --most "$1" --retries 1 -j 2 --on-failure failed answer worker
jobctl_ask 1000
seq 20 | while read -r x; do jobctl_ask "$x"; done
result=0
jobctl_answers || result=$?
echo "$result $JOBCTL_ASKED $JOBCTL_ANSWERED $JOBCTL_UNANSWERED" >out
jobctl_ask 2000
seq 3 | while read -r x; do jobctl_ask "$x"; done
jobctl_workers_end || result=$?
echo "$result $JOBCTL_ASKED $JOBCTL_ANSWERED $JOBCTL_UNANSWERED" >>out
S
	check_pipe() {
		for size in 1000 3 1; do # with few, the loop hears answers itself
			rm -f log out
			in_shell "$1" "$here/script" "$size"
			is '1 21 20 1,1 25 24 1' out
			{ echo 1000; seq 20; echo 2000; seq 3; } |
				awk '{print NR, $1 == 7 ? "none" : $1}' >wanted
			sort -n log | cmp - wanted
		done
	}
	batch pipe
}

@test "a subshell cannot end the workers of its parent, nor hear all answers: 125, and they stay" {
	cat >script <<'S'
. jobctl.sh
worker () { while read -r x; do echo "$x"; done; }
answer () { echo "$1 $2" >>log; }
job () { jobctl_workers_end; echo "$?"; }
jobctl_workers answer worker
jobctl_ask a
(jobctl_workers_end; echo "$?")
(jobctl_answers; echo "$?")
{ jobctl_workers_end; echo "$?"; } | cat
x=$(jobctl_answers; echo "$?")
echo "$x"
{ jobctl_workers_end; echo "$?"; } & wait
jobctl_open 1
jobctl_run job
jobctl_close
jobctl_ask b
jobctl_workers_end
echo "end $?"
S
	check_subshell() {
		in_shell "$1" "$here/script" >out 2>err
		is '125,125,125,125,125,125,end 0' out
		is '1 a,2 b' log
		same 5 "$(grep -c 'this is a subshell' err)"
	}
	batch subshell
}

@test "the example adds up its squares, in order" {
	check_example() {
		in_shell "$1" "$top/share/examples/workers.sh" 12 >out
		seq 12 | awk '{print "request " $1 ": " $1 * $1; s += $1 * $1}
			END {print "sum " s ", status 0"}' | cmp - out
	}
	batch example
}
