# bats file_tags=waits
load ../helper

# Batches of jobctl.sh, in each shell: the books. No way of use, right or wrong, returns 0 for work
# that was not done, and no order of events loses a status or what a job has written.

# outputs SHELL -- how output is kept, which the dispenser does: in dash all ways
outputs() { if [ "$1" = dash ]; then echo --group -k --tag; else echo -k; fi; }

@test "a hundred and twenty jobs, forty at once, never more: each runs once, each status is known" {
	cat >script <<'S'
set -eu
. jobctl.sh
ended () { [ "$2" -eq $(($1 % 3 == 0)) ] || echo "$*" >>wrong; }
job () { echo "in $1" >>log; : <gate; echo "out $1" >>log; return "$(($1 % 3 == 0))"; }
jobctl_open --quiet --on-end ended 40
i=0
while [ "$i" -lt 120 ]; do
	i=$((i + 1))
	jobctl_run job "$i"
done
jobctl_close || echo "$? $JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED" >figures
[ "$((JOBCTL_FIRST % 3))" -eq 0 ] || echo "$JOBCTL_FIRST is first" >>wrong
S
	mkfifo gate
	check_many() {
		rm -f figures
		started "$1" script
		until_true lines_in 40 log
		gate_opens "$script"
		same 40 "$(peak)"
		same "$(seq 120)" "$(sed -n 's/^in //p' log | sort -n)"
		is '1 120 120 40' figures
		[ ! -e wrong ]
	}
	batch many
}

@test "what jobs wrote before they were ended is shown: --halt now, TERM, and --deadline" {
	cat >script <<'S'
. jobctl.sh
job () { echo "out$1"; echo "$1" >>begun; "$here/sleeper" 100; }
fails () { echo "out$1"; : <both; false; }
jobctl_open --quiet "$@" 2
case $1 in
--halt) jobctl_run fails 1; jobctl_run eval 'echo out2; : >both; "$here/sleeper" 100' ;;
*) jobctl_run job 1; jobctl_run job 2 ;;
esac
jobctl_close
echo "status $?"
S
	mkfifo both
	showed() { same "$1" "$(grep -o -e 'out[12]$' -e 'status.*' out | sort | paste -sd ,)"; }
	check_shown() {
		for output in $(outputs "$1"); do
			in_shell "$1" script --halt now "$output" >out
			showed 'out1,out2,status 1'
			for limit in 0.2 2 20; do # the first that is enough here
				rm -f begun
				in_shell "$1" script --deadline "$limit" "$output" >out
				if lines_in 2 begun; then break; fi
			done
			showed 'out1,out2,status 124'
			rm -f begun
			started "$1" script "$output"
			until_true lines_in 2 begun
			until_true in_read "$script"
			kill -TERM -- "-$script"
			ends_with 143 "$script"
			showed out1,out2
		done
	}
	batch shown
}

@test "a script that ends without jobctl_close: kept output is shown, and the log is complete" {
	cat >script <<'S'
. jobctl.sh
job () { echo "out$1"; : <gate; echo "end$1"; }
jobctl_open "$2" --joblog log 2
jobctl_run job 1
jobctl_run job 2
[ "$1" = exits ] || kill -KILL $$
exit 3
S
	mkfifo gate
	check_gone() {
		for how in exits/3 dies/137; do
			for output in $(outputs "$1"); do
				rm -f log
				started "$1" script "${how%/*}" "$output"
				ends_with "${how#*/}" "$script"
				open_gate gate
				clean
				close_gate
				same 2/2 "$(grep -c 'out[12]$' out)/$(grep -c 'end[12]$' out)"
				same 2 "$(cut -f 7,8 log | grep -cx '0	0')"
			done
		done
	}
	batch gone
}

@test "the guard killed, and no jobctl_close: kept output is shown all the same" {
	cat >script <<'S'
. jobctl.sh
job () { : <gate; echo out; }
jobctl_open -k --joblog log 1
jobctl_run job
: >opened
: <end
S
	mkfifo end gate
	check_unguarded() {
		rm -f log opened
		started "$1" script
		until_true test -e opened
		kill_tokends guard
		: >end
		ends_with 0 "$script"
		open_gate gate
		until_true no_process "$here/"
		close_gate
		grep -v 'ended without jobctl_close' out | is out -
		same 1 "$(cut -f 7,8 log | grep -cx '0	0')"
		rm -rf "$here"/jobctl.*
	}
	export TMPDIR=$here
	everywhere unguarded
}

@test "kept output of any length goes into a plain file" {
	cat >script <<'S'
. jobctl.sh
big () { head -c 300000 /dev/zero; }
jobctl_open "$1" 1
jobctl_run big
jobctl_close
S
	check_long() {
		for output in $(outputs "$1"); do
			in_shell "$1" script "$output" >plain
			same 300000 "$(tr -cd '\0' <plain | wc -c)"
		done
	}
	batch long
}

@test "a loop at the end of a pipe is killed while it waits for a lease: the others go on" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; : <gate; }
jobctl_open -k 1
echo | {
	sh -c 'echo "$PPID"' >sub
	jobctl_run job 1
	jobctl_run job 2
}
jobctl_run job 3
jobctl_close
echo "$? $JOBCTL_STARTED $JOBCTL_DONE" >>log
S
	mkfifo gate
	check_cut() {
		case $1 in ksh93 | zsh) return 0 ;; esac # there the loop is the script
		rm -f log sub
		started "$1" script
		until_true lines_in 1 log
		until_true asked
		kill -KILL "$(cat sub)"
		gate_opens "$script"
		is '1,3,0 2 2' log
	}
	asked() { grep -q '^n.*2' "$here"/jobctl.*/fifo.d/calls; }
	batch cut
}

@test "a job that waits to be tried again when the batch is stopped has failed, and is told of" {
	cat >script <<'S'
. jobctl.sh
job () { return 3; }
jobctl_open --joblog log --retries 3,1000 1
jobctl_run job 1
jobctl_run true # when that has ended
case $1 in
stops)
	jobctl_stop
	jobctl_close
	;;
esac
S
	check_given() {
		for how in stops ends; do
			rm -f log
			in_shell "$1" script "$how" 2>err || :
			clean
			cut -f 1,7,8,9 log | grep -qx '1	3	0	job 1'
			grep -v 'ended without jobctl_close' err |
				is 'jobctl_run: job 1: exit status 3: job 1' -
		done
	}
	batch given
}

@test "output that cannot be written: 125, and a message" {
	cat >script <<'S'
. jobctl.sh
exec >/dev/full
jobctl_open -k 2
jobctl_run echo a
jobctl_close
echo "$?" >log
S
	check_full() {
		in_shell "$1" script 2>err
		is 125 log
		is 'jobctl_run: output: No space left on device' err
	}
	batch full
}

@test "a loop at the end of a pipe: its jobs run, are bounded, waited for, and counted" {
	cat >script <<'S'
. jobctl.sh
set -eu
job () { echo in >>log; sh -c :; echo out >>log; [ "$1" != 3 ]; }
exits () { exit "$1"; }
jobctl_open --quiet ${1+"$@"} 2
jobctl_run true
seq 5 | while read -r x; do jobctl_run job "$x"; done
( jobctl_run job 6 )
seq 0 1 | while read -r x; do jobctl_run exits "$x"; done
jobctl_run job 7
result=0
jobctl_close || result=$?
echo "$result $JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED" >figures
S
	check_piped() {
		local some=('' '--on-end true')
		[ "$1" != dash ] || some+=(-k '--retries 1' '--halt soon,fail=9')
		for options in "${some[@]}"; do
			echo "$options" >&2
			rm -f log
			in_shell "$1" script $options # words
			is '1 10 10 2' figures
			same 7 "$(grep -c in log)"
			[ "$(peak)" -le 2 ]
		done
	}
	batch piped
}

@test "halting, resuming and tasks in a loop at the end of a pipe" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1" >>log; [ "$1" != 3 ]; }
jobctl_open --quiet --halt soon --joblog jobs.log 1
seq 9 | while read -r x; do jobctl_run job "$x" || break; done
jobctl_run job never || echo "run $?"
jobctl_close
echo "close $? $JOBCTL_DONE"
jobctl_open --quiet --resume-failed --joblog jobs.log 1
seq 4 | while read -r x; do jobctl_run job "$x"; done
jobctl_close
echo "close $? $JOBCTL_DONE"
result () { read -r line; echo "$1 $line" >>results; }
jobctl_open 2
( jobctl_tasks --retries 2 echo result ) # a copy of the shell may set them up for itself alone
jobctl_tasks echo result
seq 3 | while read -r x; do jobctl_task "$x"; done
jobctl_task 2 2>/dev/null || echo "twice $?"
jobctl_close
echo "close $? $JOBCTL_DONE $(sort results | tr '\n' ' ')"
S
	check_rest() {
		rm -f jobs.log results
		in_shell "$1" script | is 'run 1,close 1 3,close 1 4,twice 1,close 0 3 1 1 2 2 3 3 ' -
		is '1,2,3,3,4' log
	}
	batch rest
}

@test "a list on the descriptor of the batch is refused; close returns 125" {
	printf '%s\n' a b c >words
	printf '%s\n' '1 10' '2 11' '1 12' >numbers
	printf '%s\n' '1 10 1 touch evil' '1 11 1 touch evil' >commands
	cat >script <<'S'
. jobctl.sh
job () { echo "job $*"; }
jobctl_open $3 2
case $1 in
loop) while read -r x <&8; do jobctl_run job "$x"; done 8<"$2" ;;
text) while read -r x <&8; do jobctl_run job "$x"; done 8<<EOF ;;
$(cat "$2")
EOF
stays)
	exec 8<"$2"
	while read -r x <&8; do jobctl_run job "$x"; done
	;;
late) exec 8<"$2" ;;
shut) exec 8<&- ;;
esac
jobctl_close
echo "$?" >log
S
	check_shadowed() {
		for how in 'loop words' 'text numbers' 'stays commands' 'late words' 'shut words' \
			'loop commands -k' 'stays numbers -k' 'late commands -k'; do
			echo "$how" >&2
			in_shell "$1" script $how >out 2>err
			is 125 log
			[ ! -s out ]
			[ ! -e evil ]
			same 1 "$(grep -c "descriptor 8 is the batch's.*open that before" err)"
		done
	}
	batch shadowed
}

@test "jobctl_run command & is refused, with what to write instead; close returns 125" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
for x in 1 2 3; do jobctl_run touch "ran$x" & done
[ -z "$waits" ] || wait
jobctl_close
echo "$?" >log
S
	check_ampersand() {
		for waits in 1 ''; do
			waits=$waits in_shell "$1" script 2>err
			is 125 log
			run ! ls ran*
			grep -q 'without "&"' err
		done
	}
	batch ampersand
}

@test "a bare wait left in before jobctl_close makes nothing fail" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 3
for x in 1 2; do jobctl_run true; done
for x in 3 4 5; do jobctl_run eval ": <gate$x"; done
for x in 3 4 5; do : >"gate$x" & done
wait
jobctl_run true
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >log
S
	mkfifo gate3 gate4 gate5
	logs '0 6 0'
}

@test "wait for jobs by their pids takes no status" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 3
jobctl_run true
first=$!
jobctl_run sh -c 'exit 3'
wait "$first" "$!" || got=$?
jobctl_run true
jobctl_close
echo "$got $? $JOBCTL_DONE $JOBCTL_FAILED" >log
S
	logs '3 1 3 1'
}

@test "jobs without a last word count as failed where wait is a function of the caller, too" {
	cat >script <<'S'
wait () { return 0; }
. jobctl.sh
ends () { exit 3; }
jobctl_open 2
jobctl_run ends
jobctl_run sh -c 'kill -9 $$'
jobctl_run true
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >log
S
	logs '1 3 2'
}

@test "a subshell may change to another batch" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -b one 1
jobctl_open -b two 1
(
	jobctl_in one
	jobctl_run true
	jobctl_in two
	jobctl_run true
	jobctl_wait
) 2>&1
jobctl_close && jobctl_close
S
	check_changes() {
		in_shell "$1" script >out 2>&1
		[ ! -s out ]
	}
	batch changes
}

@test "which job failed is said, by its command, once; of a killed one no line of our source" {
	cat >script <<'S'
. jobctl.sh
dies () { sh -c 'kill -9 "$PPID"'; : ; }
fails () { return 3; }
jobctl_open 2
jobctl_run fails 'a b' "it's"
jobctl_wait
# On one line: when bash reads another line of a script it reports jobs that were killed just then.
jobctl_run dies; jobctl_wait
jobctl_run sh -c 'kill -9 $$'; jobctl_wait
jobctl_run no_such_command x
jobctl_wait
jobctl_run fails 'a\nb'
jobctl_close
jobctl_open --quiet 1
jobctl_run fails
jobctl_close
S
	check_said() {
		run -1 in_shell "$1" script
		# what the job's own shell says of its child
		same "jobctl_run: job 1: exit status 3: fails 'a b' 'it'\\''s'
jobctl_run: job 2: killed by signal 9: dies
jobctl_run: job 3: killed by signal 9: sh -c 'kill -9 \$\$'
jobctl_run: job 4: no such command or function: no_such_command x
jobctl_run: job 5: exit status 3: fails 'a\nb'" "$(grep -v Killed <<<"$output")"
	}
	batch said
}

@test "a function that set -e or exit has ended is told of with its command" {
	cat >script <<'S'
set -e
. jobctl.sh
fails () { false; echo no; }
leaves () { exit 3; }
jobctl_open "$@" 1
jobctl_run fails
jobctl_run fails 'a b'
jobctl_run leaves "it's" b c
jobctl_run leaves 'a
b'
set +e # now the job itself says how it ended
jobctl_run false
jobctl_close || echo "$?"
S
	check_named() {
		for options in '' '--on-end :' '--deadline 0' -k '--joblog log'; do
			rm -f log
			# shellcheck disable=SC2086 # words
			in_shell "$1" script $options >out 2>&1
			sed -E 's/(fails|leaves) [^.].*/\1 .../' out | diff wanted - # -k and a log know the rest
		done
	}
	cat >wanted <<'W'
jobctl_run: job 1: exit status 1: fails
jobctl_run: job 2: exit status 1: fails ...
jobctl_run: job 3: exit status 3: leaves ...
jobctl_run: job 4: exit status 3: leaves ...
jobctl_run: job 5: exit status 1: false
1
W
	batch named
}

@test "a jobctl_open that failed is told of once, whatever follows; nothing of it returns 0" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --halt sometimes 2
for x in 1 2 3; do jobctl_run true && echo ran; done
jobctl_wait && echo waited
jobctl_close
echo "$?"
S
	check_unopened() {
		run -0 in_shell "$1" script
		[ "${#lines[@]}" -eq 2 ]
		[[ "${lines[0]}" == 'jobctl_open: --halt sometimes: not such as '* ]]
		[ "${lines[1]}" = 125 ]
	}
	batch unopened
}

@test "the log and the messages are those of jobctl, which resumes from it; and the other way" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --joblog jobs.log $1 1
for x in 'a b' "it's" plain; do jobctl_run test "$x" = plain; done
jobctl_close
S
	check_same() {
		rm -f jobs.log their.log
		run -1 in_shell "$1" script
		sed 's/^jobctl_run/jobctl/' <<<"$output" >ours
		printf '%s\n' 'a b' "it's" plain >list
		run -2 jobctl -j 1 --joblog their.log test {} = plain <list
		head -n 2 <<<"$output" | cmp - ours
		cut -f 1,2,7- their.log >theirs
		cut -f 1,2,7- jobs.log | cmp - theirs
		jobctl --quiet -j 1 --resume-failed --joblog jobs.log test {} = plain <list || :
		same 6 "$(grep -c . jobs.log)"
		mv their.log jobs.log
		run -1 in_shell "$1" script --resume-failed
		same 6 "$(grep -c . jobs.log)"
	}
	batch same
}

@test "jobs and batches within jobs, callbacks and job_done share nothing" {
	cat >script <<'S'
. jobctl.sh
inner () { jobctl_open --quiet 2; jobctl_run true; jobctl_run false; jobctl_close; [ $? -eq 1 ]; }
job () { inner; }
job_done () { inner || echo "done $1" >>log; [ "$1" != 1 ] || nested; }
nested () {
	(job_done () { :; }; job () { :; }; FIFO=$here/nested; jobctrl 1 | process 2) ||
		echo nested >>log
}
jobctl_open 2
jobctl_run inner
jobctl_run inner
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >log
jobctrl 2 | { process 4; echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >>log; }
S
	logs '0 2 0,0 4 0'
}

# dd imitates a copy of the shell that was killed as it read.
@test "a line of which a copy has read a part, and died, costs no job, whatever is left of it" {
	cat >script <<'S'
. jobctl.sh
for count in 1 3 6; do
	jobctl_open 2
	dd bs=1 count="$count" <&8 >/dev/null 2>&1
	for job in a b c d; do jobctl_run eval "echo $job >>jobs"; done
	jobctl_close
	echo "$count $? $JOBCTL_DONE" >>log
done
S
	check_torn() {
		rm -f jobs log
		in_shell "$1" script
		is '1 0 4,3 0 4,6 0 4' log
		same ' 3 a 3 b 3 c 3 d ' "$(sort jobs | uniq -c | tr -s ' \n' ' ')"
	}
	batch torn
}
