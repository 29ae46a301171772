load ../helper

# Tasks of jobctl.sh, in each shell: each has one result.

@test "the example: each task once, what it returned intact, though one job in twenty dies" {
	check_example() {
		local limit=32 n
		[ "$1" != dash ] || limit=128
		rm -rf kept wanted && mkdir kept wanted
		for ((n = 1; n < limit; n++)); do printf "%0$((12 * n))d" "$n" >"wanted/$n"; done
		in_shell "$1" "$top/share/examples/tasks.sh" "$limit" kept 2>err
		diff -r wanted kept
	}
	batch example
}

@test "results and arguments of any bytes and size; results come to the main shell" {
	cat >script <<'S'
set -eu
. jobctl.sh
work () {
	name=$1; shift
	case $name in bytes) cat "$1" ;; empty) ;; *) printf '<%s>' "$@" ;; esac
}
result () { n=$((n + 1)); cat >"got.$1"; }
n=0
jobctl_open 2
jobctl_tasks work result
jobctl_task bytes bytes
jobctl_task empty
jobctl_task args 'a  b' '*' '' "it's" '"' '$(touch pwned)' '-n' 'two
lines
' '\x' '~'
jobctl_close
echo "$n $JOBCTL_DONE $JOBCTL_FAILED" >log
S
	head -c 1000000 /dev/urandom >bytes
	check_any() {
		rm -f got.*
		in_shell "$1" script
		is '3 3 0' log
		cmp bytes got.bytes
		cmp /dev/null got.empty
		is "<a  b><*><><it's><\"><\$(touch pwned)><-n><two,lines,><\\x><~>" got.args
		[ ! -e pwned ]
	}
	batch any
}

@test "a name is any word without a newline or tab; one that was there before is refused" {
	cat >script <<'S'
. jobctl.sh
work () { [ "$#" -eq 1 ] && printf '%s\n' "$1"; }
result () {
	IFS= read -r line
	[ "$line" = "$1" ] && printf '%s\n' "$1" >>log
	jobctl_task "$1" 2>>err || echo "again $?" >>log
}
names () {
	for name in 'a b' a_b a-b a.b ab "it's" '*' '$x`y`' \\ -n '' 1 01 é ü; do "$1" "$name"; done
}
new () { jobctl_task "$1" || echo "new $?" >>log; }
twice () { jobctl_task "$1" 2>>err || echo "twice $?" >>log; }
wrong () { jobctl_task "$1" 2>>err || echo "wrong $?" >>log; }
long=x-
for i in 1 2 3 4 5 6 7 8; do long=$long$long; done
jobctl_open 3
jobctl_tasks work result
names new
names twice
new "$long"
wrong 'two
lines'
wrong 'a	tab'
wrong '	'
jobctl_close
echo "$? $JOBCTL_DONE" >>log
jobctl_open 1
jobctl_tasks work :
new ab
jobctl_close
echo "$? $JOBCTL_DONE" >>log
S
	{
		printf '%s\n' 'a b' a_b a-b a.b ab "it's" '*' '$x`y`' \\ -n '' 1 01 é ü '125 16' '0 1'
		printf 'x-%.0s' {1..256}
		echo
		for _ in {1..16}; do echo 'again 1'; done
		for _ in {1..15}; do echo 'twice 1'; done
		for _ in 1 2 3; do echo 'wrong 125'; done
	} | LC_ALL=C sort >wanted
	check_names() {
		for LC_ALL in C C.UTF-8; do
			[ "$1 $LC_ALL" != 'yash C' ] || continue # it reads no such script there
			rm -f err log
			in_shell "$1" script
			LC_ALL=C sort log | diff wanted -
			same '0 1' "$(tail -n 1 log)"
			same 31 "$(grep -c 'there was a task of this name before' err)"
			same 3 "$(grep -c ': a newline or a tab in a name$' err)"
		done
	}
	export LC_ALL
	batch names
}

@test "many tasks that a result adds at once" {
	cat >script <<'S'
set -eu
. jobctl.sh
work () { echo "$1"; }
result () {
	read -r line
	echo "$line" >>log
	[ "$1" = first ] || return 0
	i=1
	while [ "$i" -le "$many" ]; do jobctl_task "$i"; i=$((i + 1)); done
}
many=$1
jobctl_open 8
jobctl_tasks work result
jobctl_task first
jobctl_close
echo "$JOBCTL_DONE" >>log
S
	check_many() {
		local many=100
		[ "$1" != dash ] || many=${EXHAUSTIVE:+10000}
		in_shell "$1" script "${many:=500}"
		{ seq "$many"; printf '%s\n' first "$((many + 1))"; } | sort >wanted
		sort log | diff wanted -
	}
	batch many
}

@test "a task is tried so often, then given up; close returns 1; an ERROR may add tasks" {
	cat >script <<'S'
. jobctl.sh
work () {
	echo "try $1 $JOBCTL_TRY" >>log
	echo half
	case $1/$JOBCTL_TRY in
	exits/* | never/*) exit 7 ;;
	dies/[12]) sh -c 'kill -9 "$PPID"' ;;
	third/[12]) return 1 ;;
	esac
}
result () { echo "result $1 $(cat)" >>log; }
error () { echo "error $1 $2" >>log; [ "$1" != exits ] || jobctl_task after; }
jobctl_open 2
jobctl_tasks --retries 3 work result error
jobctl_task exits; jobctl_task dies; jobctl_task third; jobctl_task fine
jobctl_close
echo "close $? $JOBCTL_FAILED $JOBCTL_DONE" >>log
jobctl_open 1
jobctl_tasks work result
jobctl_task never; jobctl_task fine
jobctl_close
echo "close $? $JOBCTL_FAILED $JOBCTL_DONE" >>log
S
	check_tries() {
		in_shell "$1" script 2>/dev/null
		sort log | is 'close 1 1 2,close 1 1 5,error exits 7,result after half,result dies half,'\
'result fine half,result fine half,result third half,try after 1,try dies 1,try dies 2,try dies 3,'\
'try exits 1,try exits 2,try exits 3,try fine 1,try fine 1,try never 1,'\
'try third 1,try third 2,try third 3' -
	}
	batch tries
}

@test "plain jobs, early returns of the token, several batches, tokens of make" {
	cat >script <<'S'
set -eu
. jobctl.sh
work () { echo C >"$FIFO"; echo "$2"; }
result () { read -r line; echo "$1 $line" >>log; jobctl_in "$other"; jobctl_run plain "$1"; }
plain () { echo "plain $1" >>log; }
other=two
jobctl_open -b two
jobctl_tasks work result
jobctl_open -b one 2
jobctl_tasks work result
jobctl_run plain start
jobctl_task a of-one
jobctl_task b of-one
jobctl_in two
jobctl_task a of-two
jobctl_close
other=one
jobctl_close
S
	printf 'all:\n\t+%s script\n' '$(SHELL_OF_TEST)' >Makefile
	check_mixed() {
		local shell=${1/busybox/busybox sh}
		for how in "in_shell $1 script" "make -s -j 3"; do
			rm -f log
			SHELL_OF_TEST=$shell $how 3>&-
			sort log | is 'a of-one,a of-two,b of-one,plain a,plain a,plain b,plain start' -
		done
	}
	batch mixed
}

@test "-k, --joblog and --on-failure: of each task the last job, and what it was as the script knows it" {
	cat >script <<'S'
. jobctl.sh
work () { echo "$1, try $JOBCTL_TRY" >&2; [ "$1" != bad ] && [ "$1$JOBCTL_TRY" != odd1 ]; }
failed () { shift 2; printf '<%s>' "$@" >>log; }
jobctl_open -k --joblog jobs.log --on-failure failed 2
jobctl_tasks --retries 2 work :
jobctl_task a
jobctl_task bad "it's" 'x
y'
jobctl_task odd
jobctl_task b
jobctl_close
S
	check_last() {
		rm -f jobs.log
		in_shell "$1" script 2>err || :
		sort err | is 'a, try 1,b, try 1,bad, try 2,odd, try 2' -
		is "<work><bad><it's><x,y>" log
		tail -n +2 jobs.log | cut -f 9 | sort |
			is "work a,work b,work bad 'it'\''s' 'x'$'\n''y',work odd" -
	}
	batch last
}

@test "a worker may have a batch of its own, with tasks that add tasks" {
	cat >script <<'S'
. jobctl.sh
inner () { echo "$1"; }
add () { cat; [ "$1" != 1 ] || jobctl_task 2; }
work () { jobctl_open 1; jobctl_tasks inner add; jobctl_task 1; jobctl_task 3; jobctl_close; }
result () { echo "$1: $(sort | tr '\n' ' ')" >>log; }
jobctl_open 2
jobctl_tasks work result
jobctl_task x
jobctl_task y
jobctl_close
S
	check_own() {
		in_shell "$1" script
		sort log | is 'x: 1 2 3 ,y: 1 2 3 ' -
	}
	batch own
}

@test "what makes no sense is said in one line, and costs nothing" {
	cat >script <<'S'
. jobctl.sh
try () { "$@" 2>err; got=$?; echo "$got $(wc -l <err)" >>log; }
work () { jobctl_task inner 2>err || echo "$? $(wc -l <err)" >>log; }
result () { try jobctl_tasks work result; }
jobctl_open 1
try jobctl_tasks
try jobctl_tasks work
try jobctl_tasks nosuch result
try jobctl_tasks work nosuch
try jobctl_tasks work result nosuch
try jobctl_tasks work result result result
try jobctl_tasks --retries 0 work result
try jobctl_tasks --retries x work result
try jobctl_tasks -Z work result
try jobctl_tasks --retries
try jobctl_task a
jobctl_tasks work result
try jobctl_tasks work result
try jobctl_task
jobctl_task a
jobctl_close
try jobctl_tasks work result
try jobctl_task a
jobctl_open 1
jobctl_tasks work result
try jobctl_task b & wait "$!" # two shells at the same time
jobctl_close
within () { jobctl_open "$@" 1; try jobctl_tasks work result; jobctl_close; }
within --dry-run; within --on-end result; within --retries 2
within --joblog jobs.log --resume-failed
S
	check_sense() {
		run -125 in_shell "$1" script
		same '125 1' "$(sort -u log)"
		same 22 "$(grep -c . log)"
	}
	batch sense
}

@test "a callback adds a task while jobctl_run waits for a lease: that one has it" {
	cat >script <<'S'
. jobctl.sh
work () { echo "$1"; }
result () {
	cat >>log
	case $1 in a) jobctl_task b ;; esac
}
jobctl_open 1
jobctl_tasks work result
jobctl_task a
jobctl_run sh -c 'echo plain >>log'
jobctl_close
echo "$? $JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_waits() {
		in_shell "$1" script
		sort log | is '0 3 3 0,a,b,plain' -
	}
	batch waits
}
