load ../helper

# Batches of jobctl.sh, in each shell: the options of jobctl_open.

@test "a log as jobctl(1) writes it; what has failed or is not there is run again" {
	cat >script <<'S'
. jobctl.sh
job () { [ ! -e fail ] || [ "$1" != 2 ]; }
jobctl_open --joblog jobs.log "$@" 2
for i in 1 2 3; do jobctl_run job "$i" "it's" || break; done
jobctl_close
S
	check_log() {
		rm -f jobs.log
		: >fail
		run -1 in_shell "$1" script
		head -n 1 jobs.log | tr '\t' , |
			is Seq,Host,Starttime,JobRuntime,Send,Receive,Exitval,Signal,Command -
		awk -F'\t' 'NR > 1 {print $1, $7, $8, $9, NF, ($3 > 1e9)}' jobs.log | sort >lines
		is "1 0 0 job 1 'it'\\''s' 9 1,2 1 0 job 2 'it'\\''s' 9 1,3 0 0 job 3 'it'\\''s' 9 1" lines
		rm fail
		in_shell "$1" script --resume-failed
		same 5 "$(wc -l <jobs.log)"
		tail -1 jobs.log | grep -q "^2.* 2 "
		sed -i 's/job 1/other/' jobs.log
		in_shell "$1" script --resume-failed
		same "1	job 1 'it'\\''s'" "$(tail -1 jobs.log | cut -f 1,9)"
		sed -i '1!s/job/other/' jobs.log
		run -0 in_shell "$1" script --resume-failed
		[[ "$output" == *'none of its 4 commands was in this list'* ]]
		echo junk >jobs.log
		run ! in_shell "$1" script
		[[ "$output" == *'left as it is'* ]]
		is junk jobs.log
	}
	batch log
}

@test "output in one piece, in order, tagged, or in files" {
	cat >script <<'S'
. jobctl.sh
says () {
	echo "a$1"; echo "e$1" >&2
	[ "$1" != 1 ] || read line <gate
	echo "b$1"
	[ "$1" != 2 ] || echo go >gate
}
jobctl_open "$@" 2
for i in 1 2 3; do jobctl_run says "$i"; done
jobctl_close
S
	mkfifo gate
	check_output() {
		same 'a1 b1 a2 b2 a3 b3 ' "$(in_shell "$1" script -k 2>err | tr '\n' ' ')"
		is 'e1,e2,e3' err
		in_shell "$1" script --group 2>err | paste -d ' ' - - | sort >out
		is 'a1 b1,a2 b2,a3 b3' out
		same "says 2	a2" "$(in_shell "$1" script -k --tag 2>err | sed -n 3p)"
		rm -f jobs.log
		in_shell "$1" script --results dir --joblog jobs.log >out
		[ ! -s out ]
		same 'Receive 6 6 6' "$(cut -f 6 jobs.log | paste -sd ' ')"
		is a2,b2 dir/2.out
		is e3 dir/3.err
	}
	batch output
}

@test "--tag: a newline in an argument is \\n in the tag" {
	cat >script <<'S'
. jobctl.sh
jobctl_open "$@" 1
jobctl_run printf 'a\nb %s\n' 'x
y'
jobctl_close
S
	check_tag() {
		local log
		for log in '' '--joblog jobs.log'; do
			rm -f jobs.log
			in_shell "$1" script -k --tag $log >out
			same "printf 'a\\nb %s\\n' 'x'\$'\\n''y'" "$(cut -f 1 out | uniq)"
			same 3 "$(grep -c . out)"
		done
	}
	batch tag
}

@test "tries, halting, time limits, dry run" {
	cat >script <<'S'
. jobctl.sh
nth () { echo "$1 $JOBCTL_TRY" >>tries; [ "$JOBCTL_TRY" = "$1" ]; }
jobctl_open --retries 3,0 1; for i in 1 3 4; do jobctl_run nth "$i"; done; jobctl_close
echo "tries $? $JOBCTL_DONE $JOBCTL_FAILED"
jobctl_open --halt soon,fail=2 1
for i in 0 1 0 1 0 0 0; do jobctl_run eval "exit $i" || break; done; jobctl_close
echo "soon $? $JOBCTL_STARTED"
jobctl_open --halt now 2
for job in "$here/sleeper" false "$here/sleeper"; do jobctl_run "$job" 100; done; jobctl_close
echo "now $?"
jobctl_open --halt now,done=1 1; jobctl_run true; jobctl_run true; jobctl_close
echo "enough $?"
for limit in 0.1 1 20; do # the first that is enough here for what is quick
	jobctl_open --timeout "$limit" 2; jobctl_run "$here/sleeper" 100; jobctl_run true; jobctl_close
	result=$?
	[ "$JOBCTL_FAILED" -ne 1 ] || break
done
echo "late $result $JOBCTL_FAILED $JOBCTL_FIRST"
jobctl_open --deadline 0.2 1; jobctl_run "$here/sleeper" 100; jobctl_close
echo "limit $?"
jobctl_open --dry-run 1; jobctl_run touch 'a b'; jobctl_close
S
	check_limits() {
		rm -f tries
		in_shell "$1" script >out 2>err
		sort tries >sorted
		is '1 1,3 1,3 2,3 3,4 1,4 2,4 3' sorted
		is "tries 1 3 1,soon 1 4,now 1,enough 0,late 1 1 1,limit 124,touch 'a b'" out
	}
	batch limits
}

@test "a log that cannot be made is refused by jobctl_open, and the script goes on" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --joblog "$1" 1 2>>log
echo "open $?" >>log
jobctl_open --joblog jobs.log 1
jobctl_run true
jobctl_close
echo "close $?" >>log
S
	check_unmade() {
		for path in "$here/none/jobs.log" "$here/script/jobs.log"; do
			rm -f log jobs.log
			in_shell "$1" script "$path"
			[[ "$(cat log)" = "jobctl_open: --joblog $path: "*"
open 125
close 0" ]]
		done
	}
	batch unmade
}

@test "newlines in the log and in what a job says; an IFS of digits; set -f" {
	cat >script <<'S'
set -euf
IFS=_0123456789
. jobctl.sh
heard () { printf '%s\n' "<$2>" >>log; }
job () { jobctl_say "$1"; [ "$JOBCTL_TRY" -eq 2 ]; }
jobctl_open --joblog jobs.log --on-message heard --retries 2,0 ${1+"$@"} 1
jobctl_run job 'a
*

b'
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED $IFS $-" >>log
S
	check_newlines() {
		rm -f jobs.log
		in_shell "$1" script
		same '<a> <*> <> <b> <a> <*> <> <b> ' "$(head -n 8 log | tr '\n' ' ')"
		grep -q '^1 0 _0123456789 .*f' log
		same 2 "$(wc -l <jobs.log)"
		same "job 'a'\$'\\n''*'\$'\\n'''\$'\\n''b'" "$(tail -n 1 jobs.log | cut -f 9)"
		rm log
		in_shell "$1" script --resume-failed
		same 1 "$(grep -c . log)"
	}
	batch newlines
}

@test "a job whose output cannot be opened has failed; a descriptor beyond the limit is not used" {
	cat >script <<'S'
. jobctl.sh
[ -z "$1" ] || ulimit -n "$1"
jobctl_open --results kept 1
jobctl_run true
jobctl_wait && rm -r kept
jobctl_run true
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_unopened() {
		in_shell "$1" script '' 2>/dev/null
		is '1 2 1' log
		if [ "$1" != bash ]; then return; fi # others do not run at all then
		rm log
		in_shell "$1" script 8 2>/dev/null
		is '125 0 0' log
	}
	batch unopened
}

@test "a log that reaches the limit of a file's size cannot be written; --tag without any output" {
	cat >script <<'S'
. jobctl.sh
ulimit -f 2
jobctl_open --joblog jobs.log 2
while jobctl_run true; do :; done
jobctl_close
echo "$?" >>log
S
	cat >empty <<'S'
. jobctl.sh
lost () { rm "$FIFO.err"; }
jobctl_open --tag 1
jobctl_run lost
jobctl_close
S
	check_limit() {
		in_shell "$1" empty >out 2>err
		[ ! -s out ]
		[ ! -s err ]
		if [ "$1" = posh ]; then return; fi # has no ulimit
		in_shell "$1" script 2>err
		is 125 log
		is "jobctl_run: --joblog $here/jobs.log: File too large" err
	}
	batch limit
}

@test "a job that exceeds its limit is ended, and not the one that has its slot next" {
	cat >script <<'S'
. jobctl.sh
for limit in 0.2 1 20; do # the first that is enough here for what is quick
	jobctl_open --timeout "$limit" 1
	for i in 1 2; do
		jobctl_run "$here/sleeper" 1000
		jobctl_run "$here/sleeper" 0.04
	done
	jobctl_close
	[ "$JOBCTL_FAILED" -ne 2 ] || break
done
echo "$JOBCTL_DONE $JOBCTL_FAILED" >log
S
	logs '4 2'
}

@test "--bar tells of a batch how many jobs are done, as jobctl does" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --bar 2
for job in true false true; do jobctl_run "$job"; done
jobctl_close || exit
S
	check_progress() {
		run -1 in_shell "$1" script
		[[ "$output" == *'jobctl_run: 3 done, 1 failed, '*'/s, '?:?? ]]
	}
	batch progress
}

@test "an option of jobctl_open that makes no sense: a message, and 125" {
	cat >script <<'S'
. jobctl.sh
newline='
'
refused ()
{
	jobctl_open "$@" 2>err && echo "$*: opened"
	read -r message <err && echo "$message"
}
refused --nice x 2
refused --nice 41 2
refused --on-end '' 2
refused -b 1x 2
refused 2 3
refused --keeper 2
refused -x 2
refused --joblog "a${newline}b" 2
refused --joblog
S
	local unknown='no such option; jobctl_open --help lists them'
	unknown=": $unknown, and jobctl-parallel(7) those of xargs and parallel"
	local name=': a name is letters, digits and _, no digit first'
	local more=': nothing follows the number of jobs; jobctl_run takes commands'
	check_options() {
		in_shell "$1" script >out
		printf 'jobctl_open: %s\n' '--nice x: not a number from -40 to 40' \
			'--nice 41: not a number from -40 to 40' \
			'--on-end: an empty name; is a variable empty?' "-b 1x$name" "3$more" \
			'--keeper: no such option; did you mean --keep-order?' "-x$unknown" \
			'--joblog: a newline in a path' '--joblog: needs FILE' | diff - out
	}
	batch options
}

@test "numbers with zeros in front are numbers" {
	cat >script <<'S'
. jobctl.sh
once () { [ "$JOBCTL_TRY" -eq 2 ]; }
jobctl_open --retries 02,00 --total-jobs 08 --halt soon,done=09% 1
jobctl_run once
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >>log
S
	check_zeros() {
		in_shell "$1" script 2>err
		is '0 1 0' log
		grep -q '^jobctl_run: 1/8, 12%' err
	}
	batch zeros
}

# zsh has a nice value of its own for what is in the background.
@test "--nice adds to the nice value that jobs have, wherever the script begins" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run nice
jobctl_wait
jobctl_open -b lower --nice 03 1
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
			same "$(tail -n 1 out)" "$(($(head -n 1 out) + 3))"
		done
	}
	batch nice
}

@test "a long command is tried again, and is a task, with all its arguments" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$JOBCTL_TRY $#" >>log; [ "$JOBCTL_TRY" -eq 2 ]; }
work () { echo "$#"; }
result () { echo "result $(cat)" >>log; }
failed () { echo "failed $(($# - 2))" >>log; }
jobctl_open --quiet --retries 2,0 --on-failure failed 2
for pad in a aa aaa aaaa; do
	jobctl_run job "$pad" $words
done
jobctl_run sh -c 'exit 1' $words
jobctl_close
jobctl_open --tag 2
jobctl_tasks work result
jobctl_task name $words
jobctl_close
echo "$?" >>log
S
	export words=''
	words=$(printf '%0120d ' {1..50}) # more than a pipe takes in one piece
	check_words() {
		if [ "$1" = zsh ]; then shwordsplit='-o shwordsplit'; else shwordsplit=; fi
		in_shell "$1" $shwordsplit script
		sort log | uniq -c | tr -s ' ' |
			is ' 1 0, 4 1 51, 4 2 51, 1 failed 53, 1 result 51' -
	}
	batch words
}

@test "output that is redirected for one job goes there, each stream by itself; the rest is kept, as one after 2>&1" {
	cat >script <<'S'
. jobctl.sh
job () { echo "out $1"; echo "err $1" >&2; }
jobctl_open "$@" 1
jobctl_run job 1 >1.out
jobctl_run job 2 2>2.err
jobctl_run job 3 >3.out 2>&1
jobctl_run job 4
jobctl_run job 6 2>&1
{ jobctl_run job 5; jobctl_close; } >5.out
S
	check_where() {
		local option n
		for option in -k --group --tag '--results dir'; do
			rm -rf dir ?.out ?.err
			in_shell "$1" script $option >out 2>err
			case $option in --results*) cat dir/*.out >out; cat dir/*.err >err ;; esac
			sed 's/.*	//' out | sort | is 'err 6,out 2,out 4,out 6' -
			sed 's/.*	//' err | sort | is 'err 1,err 4,err 5' -
			is 'out 1' 1.out
			is 'err 2' 2.err
			is 'out 3,err 3' 3.out
			is 'out 5' 5.out
		done
	}
	batch where
}
