load ../helper

@test "never more than N at once, each job once, in every shell" {
	cat >script <<'S'
set -eu
. jobctl.sh
count () { echo "in $1" >>log; echo "out $1" >>log; }
jobctl_open 3
i=0
while [ "$i" -lt 200 ]; do jobctl_run count "$i"; i=$((i + 1)); done
jobctl_close
echo "$JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED" >out
S
	check_bound() {
		in_shell "$1" script
		[ "$(peak)" -le 3 ]
		[ "$(grep '^in' log | sort -k2n)" = "$(seq 0 199 | sed 's/^/in /')" ]
		[ "$(cat out)" = '200 200 0' ]
	}
	batch bound
}

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
		[ "$(cat log)" = "<a  b><*><><it's><\"><\$(touch pwned)><-n><two
lines><\\x>2<; touch pwned><>" ]
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
jobctl_open -e ended 1
jobctl_run exits 0
jobctl_run exits 7
jobctl_run exits 200
jobctl_run sh -c 'kill -9 $$'
jobctl_close
echo "$? $JOBCTL_FAILED $JOBCTL_FIRST" >>log
S
	check_statuses() {
		in_shell "$1" script 2>/dev/null
		[ "$(cat log)" = '1 0 1
2 7 1
3 200 1
4 137 1
1 3 2' ]
	}
	batch statuses
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
		wait "$!"
		[ "$(tr '\n' ' ' <log)" = 'in out next ' ]
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
jobctl_run sh -c 'read line || echo "job reads nothing" >&7' 7>&7
read -r line
# Until the trap has run: bash may lose the status of a job that ends meanwhile. A signal just
# before the shell blocks in read is heard of with the next one. (In yash and posh the trap
# runs when the job has ended.)
jobctl_run eval 'kill -s USR1 $$; [ -n "${YASH_VERSION-}${POSH_VERSION-}" ] ||
	until [ -s traps ]; do "$here/sleeper" 0.1; kill -s USR1 $$; done'
jobctl_wait
read -r other <&8
echo "$i $x $line $other $#" >&7
case $- in *e*u* | *u*e*) echo eu >&7 ;; esac
jobctl_close
trap >out
S
	check_untouched() {
		rm -f traps
		echo mine >other
		echo 'from input' | in_shell "$1" script
		grep -qx '1 2 from input mine 0' log
		grep -q 'job reads nothing' log
		grep -qx eu log
		[ "$(grep -c . out)" -eq 1 ] && grep -q USR1 out
		[ "$(sort -u traps)" = usr ]
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
		[ "$(sort log | tr '\n' ';')" = 'one 1;one 2;one 3;one 3 0;sub;two 1;two 1 2 1;' ]
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
heard () { echo "$2" >>log; [ "$2" -ge 64 ] || jobctl_run job "$2"; }
jobctl_open -m heard 4
jobctl_run job 1
jobctl_close
echo "$JOBCTL_STARTED" >out
S
	check_more() {
		in_shell "$1" script
		[ "$(sort -n log)" = "$(seq 2 127)" ]
		[ "$(cat out)" -eq 63 ]
	}
	batch more
}

@test "INT, TERM and HUP end the jobs and the script; a trap of the caller comes first" {
	cat >script <<'S'
. jobctl.sh
[ -z "$1" ] || trap 'echo caught >>log; jobctl_stop' INT TERM HUP
jobctl_open 2
for i in 1 2 3; do jobctl_run "$here/sleeper" 100 || break; done
jobctl_close
echo "closed $?" >>log
S
	two_run() { [ "$(pgrep -fc "^$here/sleeper")" -eq 2 ]; }
	check_signals() {
		for sig in 1 2 15; do
			# posh, mksh, zsh and yash have their ways with some: what counts is that all ends
			started "$1" script ''
			until_true two_run
			kill -TERM -- "-$script"
			ends_with 143 "$script"
			clean
		done
		rm -f log
		started "$1" script trap
		until_true two_run
		kill -TERM -- "-$script"
		ends_with 0 "$script"
		[ "$(cat log)" = 'caught
closed 123' ]
		if [ "$1" = yash ]; then return; fi # waits in read for the next line
		rm -f log
		started "$1" script ''
		until_true two_run
		kill -INT -- "-$script"
		ends_with 130 "$script"
	}
	batch signals
}

@test "a script that is killed, or forgets to close, leaves jobs to end and no files" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
jobctl_run sh -c 'echo started >>log; read line <gate; echo ended >>log'
[ -z "$1" ] || exit 3
while :; do :; done
S
	check_forgets() {
		started "$1" script exit
		ends_with 3 "$script"
		until_true lines_in 1 log
		echo go >gate
		until_true lines_in 2 log
		clean
		started "$1" script ''
		until_true lines_in 3 log
		kill -KILL "$script"
		ends_with 137 "$script" 2>/dev/null
		echo go >gate
		until_true lines_in 4 log
	}
	batch forgets
}

@test "when tokend is killed, run and close return 123, and the jobs are waited for" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run sh -c 'echo started >>log; read line <gate; echo ended >>log'
jobctl_run echo never
echo "run $?" >>log
jobctl_close
echo "close $?" >>log
S
	check_killed() {
		started "$1" script
		until_true lines_in 1 log
		pkill -KILL -f "^tokend .*$here/"
		until_true grep -q 'tokend was killed' out
		echo go >gate
		ends_with 0 "$script"
		[ "$(tr '\n' ' ' <log)" = 'started ended run 123 close 123 ' ]
	}
	batch killed
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
try jobctl_open -e nosuch 1
try jobctl_open -Z 1
try jobctl_open -T x 1
try jobctl_open -H never 1
try jobctl_open -R 1
try jobctl_open -r
try jobctl_in nosuch
jobctl_open 1
try jobctl_open 1
try jobctl_run
jobctl_close
S
	check_sense() {
		in_shell "$1" script
		[ "$(sort -u log)" = '125 1' ]
		[ "$(grep -c . log)" -eq 16 ]
	}
	batch sense
}

@test "a log as jobctl(1) writes it; -R runs what failed, and refuses another batch" {
	cat >script <<'S'
. jobctl.sh
job () { [ ! -e fail ] || [ "$1" != 2 ]; }
jobctl_open -l jobs.log "$@" 2
for i in 1 2 3; do jobctl_run job "$i" "it's" || break; done
jobctl_close
S
	check_log() {
		rm -f jobs.log
		: >fail
		status=0; in_shell "$1" script || status=$?; [ "$status" -eq 1 ]
		[ "$(head -1 jobs.log)" = "$(printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand')" ]
		[ "$(sort jobs.log | awk -F'\t' 'NR < 4 {print $1, $7, $8, $9, NF, ($3 > 1e9)}')" = "1 0 0 'job' '1' 'it'\\''s' 9 1
2 1 0 'job' '2' 'it'\\''s' 9 1
3 0 0 'job' '3' 'it'\\''s' 9 1" ]
		rm fail
		in_shell "$1" script -R
		[ "$(wc -l <jobs.log)" -eq 5 ] && tail -1 jobs.log | grep -q "^2.*'2'"
		sed -i "s/'job' '1'/'other'/" jobs.log
		status=0; in_shell "$1" script -R 2>err || status=$?
		grep -q 'another batch' err
		echo junk >jobs.log
		status=0; in_shell "$1" script 2>err || status=$?
		[ "$(cat jobs.log)" = junk ] && grep -q 'left as it is' err
	}
	batch log
}

@test "output in one piece, in order, tagged, or in files" {
	cat >script <<'S'
. jobctl.sh
says () { echo "a$1"; echo "e$1" >&2; [ "$1" != 1 ] || read line <gate; echo "b$1"; [ "$1" != 2 ] || echo go >gate; }
jobctl_open "$@" 2
for i in 1 2 3; do jobctl_run says "$i"; done
jobctl_close
S
	mkfifo gate
	check_output() {
		[ "$(in_shell "$1" script -k 2>err | tr '\n' ' ')" = 'a1 b1 a2 b2 a3 b3 ' ]
		[ "$(tr '\n' ' ' <err)" = 'e1 e2 e3 ' ]
		[ "$(in_shell "$1" script -g 2>err | paste - - | sort | tr '\t\n' '  ')" = 'a1 b1 a2 b2 a3 b3 ' ]
		[ "$(in_shell "$1" script -k -t 2>err | sed -n 3p)" = "'says' '2'	a2" ]
		in_shell "$1" script -o dir >out
		[ ! -s out ] && [ "$(cat dir/2.out)" = 'a2
b2' ] && [ "$(cat dir/3.err)" = e3 ]
	}
	batch output
}

@test "-t: a newline in an argument is \\n in the tag" {
	cat >script <<'S'
. jobctl.sh
jobctl_open "$@" 1
jobctl_run printf 'a\nb %s\n' 'x
y'
jobctl_close
S
	check_tag() {
		local log
		for log in '' '-l jobs.log'; do
			rm -f jobs.log
			in_shell "$1" script -k -t $log >out
			[ "$(cut -f 1 out | sort | uniq -c)" = "      3 'printf' 'a\\nb %s\\n' 'x\\ny'" ]
		done
	}
	batch tag
}

@test "tries, halting, time limits, dry run" {
	cat >script <<'S'
. jobctl.sh
nth () { echo "$1 $JOBCTL_TRY" >>tries; [ "$JOBCTL_TRY" = "$1" ]; }
jobctl_open -r 3,0 1; for i in 1 3 4; do jobctl_run nth "$i"; done; jobctl_close
echo "tries $? $JOBCTL_DONE $JOBCTL_FAILED"
jobctl_open -H soon,fail=2 1
for i in 0 1 0 1 0 0 0; do jobctl_run eval "exit $i" || break; done; jobctl_close
echo "soon $? $JOBCTL_STARTED"
jobctl_open -H now 2; jobctl_run "$here/sleeper" 100; jobctl_run false; jobctl_run "$here/sleeper" 100; jobctl_close
echo "now $?"
jobctl_open -H now,done=1 1; jobctl_run true; jobctl_run true; jobctl_close
echo "enough $?"
jobctl_open -T 1 2; jobctl_run "$here/sleeper" 100; jobctl_run true; jobctl_close
echo "late $? $JOBCTL_FAILED $JOBCTL_FIRST"
jobctl_open -L 0.3 1; jobctl_run "$here/sleeper" 100; jobctl_close
echo "limit $?"
jobctl_open -D 1; jobctl_run touch 'a b'; jobctl_close
S
	check_limits() {
		rm -f tries
		in_shell "$1" script >out 2>err
		[ "$(tr '\n' ';' <tries)" = '1 1;3 1;3 2;3 3;4 1;4 2;4 3;' ] ||
			[ "$(sort tries | tr '\n' ';')" = '1 1;3 1;3 2;3 3;4 1;4 2;4 3;' ]
		[ "$(cat out)" = "tries 1 3 1
soon 1 4
now 1
enough 0
late 1 1 1
limit 124
'touch' 'a b'" ] || { cat out err; return 1; }
	}
	batch limits
}
