# bats file_tags=waits
load ../helper
load ../helpers/places

# jobctl_open -S, in each shell: jobs at places, which here are this machine.

# far NAME -- as "batch", with a transport to any name
far()
{
	local_places
	check_far() { rm -f ran; "check_$far" "$1"; no_places; }
	far=$1
	batch far
}

@test "slots are dealt in turn; label and Host are the place; a slot keeps its session" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open -S 2/a,1/b -S 1/: --joblog jobs.log
for i in 1 2 3 4; do
	jobctl_run sh -c 'echo "$JOBCTL_SLOT $JOBCTL_LABEL $1 $JOBCTL_ID" >>slots; : <gate' sh "$i"
done
jobctl_wait
seq 8 | while read -r i; do jobctl_run sh -c 'test "$1" = "it'\''s $2"' sh "it's $i" "$i"; done
jobctl_close
S
	mkfifo gate
	check_slots() {
		rm -f slots jobs.log
		started "$1" script
		until_true lines_in 4 slots
		gate_opens "$script"
		[ ! -s out ]
		same '1 a,2 b,3 :,4 a' "$(sort slots | cut -d ' ' -f 1,2 | paste -sd ,)"
		same '' "$(awk '$3 != $4' slots)"
		same ' 1 :, 1 Host, 2 a, 1 b' "$(head -n 5 jobs.log | cut -f 2 | tally)"
		same 13 "$(wc -l <jobs.log)"
		same ' 2 a, 1 b' "$(tally ran)"
	}
	far slots
}

@test "a function is refused, wherever its slot is: 125, and no more is started" {
	cat >script <<'S'
. jobctl.sh
work () { echo worked; }
hook () { [ "$1" != 1 ] || jobctl_run work; }
says () { echo "$1 $?"; }
case $2 in
after) jobctl_open 1; jobctl_run work; jobctl_close; says first; jobctl_open -S "$1" ;;
beside) jobctl_open -b far -S "$1"; jobctl_open -b near 1; jobctl_run work; jobctl_close ;;
hook) jobctl_open -S "$1" --on-end hook; jobctl_run true; jobctl_close; says close; exit ;;
*) jobctl_open -S "$1" ;;
esac
jobctl_run work x
says run
jobctl_run touch never
says then
jobctl_close
says close
S
	check_function() {
		local place
		for place in 1/: 1/a; do
			in_shell "$1" script "$place" '' >out 2>err
			is 'run 125,then 125,close 125' out
			is "jobctl_run: work: a function cannot run at another machine; \
make it a script, or write: jobctl_run sh -c '...'" err
		done
		in_shell "$1" script "$place" after >out 2>err
		is 'worked,first 0,run 125,then 125,close 125' out
		in_shell "$1" script "$place" beside >out 2>err
		is 'worked,run 125,then 125,close 125' out
		in_shell "$1" script "$place" hook >out 2>err
		is 'close 125' out
		same 1 "$(grep -c 'a function cannot' err)"
		[ ! -e never ]
	}
	far function
}

@test "a program that is only there runs; one that is not there is 127; so is a builtin without one" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open -S "$1" --joblog jobs.log -k
jobctl_run echo 'a builtin'
jobctl_run only_there
for command in nosuch ./nosuch eval ''; do jobctl_run "$command" x; done
jobctl_close || echo "close $? $JOBCTL_FAILED"
jobctl_open -b here 1
jobctl_run only_there
jobctl_close || echo "here $?"
S
	mkdir there
	printf '%s\n' '#!/bin/sh' 'echo only there' >there/only_there
	chmod +x there/only_there
	check_programs() {
		rm -f jobs.log
		JOBCTL_RSH="$here/rsh_there" in_shell "$1" script 1/a >out 2>err
		is 'a builtin,only there,close 1 4,here 1' out
		same Exitval,0,0,127,127,127,127 "$(columns 7 jobs.log)"
		same 1 "$(grep -c 'an empty word; is a variable empty' err)"
		rm jobs.log
		in_shell "$1" script 1/: >out 2>err
		is 'a builtin,close 1 5,here 1' out
		same Exitval,0,127,127,127,127,127 "$(columns 7 jobs.log)"
	}
	printf '%s\n' '#!/bin/sh' "export PATH=$here/there:\$PATH" "exec $here/rsh \"\$@\"" >rsh_there
	chmod +x rsh_there
	far programs
}

@test "output of all kinds, by a place as here" {
	cat >script <<'S'
set -eu
. jobctl.sh
place=$1
shift
jobctl_open -S "2/$place" "$@"
for i in 1 2 3 4; do jobctl_run sh -c 'echo "a $1"; echo "b $1" >&2; echo c' sh "$i"; done
jobctl_close
S
	check_output() {
		local mode place
		for mode in '--tag -k' '--results out' -u; do
			for place in : a; do
				rm -rf out
				in_shell "$1" script "$place" $mode 2>err.$place | sort >out.$place
				sort err.$place >err && mv err err.$place
				[ ! -d out ] || cat out/* | sort >>out.$place
				[ "$(wc -l <out.$place)" -ge 8 ]
			done
			cmp out.: out.a
			cmp err.: err.a
		done
	}
	far output
}

@test "a job that fails, is late, or is killed there, has failed as one here has" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -S 1/a --joblog jobs.log
for text in 'exit 3' 'kill -9 $$' 'exit 122' 'exit 123' :; do jobctl_run sh -c "$text"; done
jobctl_close
echo "close $? $JOBCTL_DONE $JOBCTL_FAILED, $(($(wc -l <ran))) connection"
jobctl_open -S 1/a --timeout 0.1 --joblog late.log
jobctl_run ./sleeper 1000
jobctl_close
echo "close $? $JOBCTL_DONE $JOBCTL_FAILED"
S
	check_failures() {
		rm -f jobs.log
		in_shell "$1" script >out 2>err
		is 'close 1 5 4, 1 connection,close 1 1 1' out
		same 'Exitval Signal,3 0,0 9,122 0,123 0,0 0' "$(columns 7,8 jobs.log)"
		same 'Exitval Signal,0 15' "$(columns 7,8 late.log)"
		same 5 "$(grep -c '^jobctl_run: job' err)"
		same 0 "$(grep -ciE 'lost|not begun|cannot be used' err)"
	}
	far failures
}

@test "variables, the directory, tries; what has succeeded is left out by --resume-failed" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open ${1+"$@"} -S 1/a --env COLOUR --workdir "$here/other" --retries 2,0 --joblog jobs.log
jobctl_run sh -c 'echo "$COLOUR $JOBCTL_TRY ${PWD##*/}"; [ "$JOBCTL_TRY" = 2 ]'
jobctl_run sh -c '[ -e flag ]'
jobctl_close || echo "close $?"
S
	mkdir other
	export COLOUR=red
	check_variables() {
		rm -f jobs.log other/flag
		in_shell "$1" script >out 2>err
		is 'red 1 other,red 2 other,close 1' out
		: >other/flag
		in_shell "$1" script --resume-failed >out 2>err
		is '' out
		same 'Seq Exitval,1 0,2 1,2 0' "$(columns 1,7 jobs.log)"
	}
	far variables
}

@test "a job runs in the directory of its jobctl_run, as it does here" {
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open -S 1/a -k
jobctl_run pwd
jobctl_run pwd
cd "it's"
jobctl_run pwd
cd ..
(cd / && jobctl_run pwd)
jobctl_close
S
	mkdir "it's"
	check_directory() {
		in_shell "$1" script >out
		is "$here,$here,$here/it's,/" out
		same 3 "$(wc -l <ran)" # a session is of one directory
	}
	far directory
}

@test "a place that refuses rests, and its jobs go elsewhere, each once, without a try" {
	cat >script <<'S'
set -eu
. jobctl.sh
hook () { ends=$((ends + 1)); }
jobctl_open -S 2/a,2/b --joblog jobs.log --on-end hook
ends=0 i=0
while [ "$i" -lt 12 ]; do
	i=$((i + 1))
	jobctl_run sh -c 'echo "$1 $JOBCTL_ID" >>done' sh "$i"
done
jobctl_close
echo "$ends $JOBCTL_DONE"
S
	check_elsewhere() {
		rm -f jobs.log done
		: >dead.a
		in_shell "$1" script >out 2>err
		is '12 12' out
		same "$(seq 12 | sed 's/.*/& &/')" "$(sort -n done)"
		is 'jobctl_run: a: cannot be used, and is tried again: rsh: no route to a' err
		same Host,b "$(cut -f 2 jobs.log | sort -u | paste -sd ,)"
	}
	export JOBCTL_REST=100
	far elsewhere
}

@test "places of a file, and N for those without a number; wrong options" {
	cat >script <<'S'
. jobctl.sh
jobctl_open "$@" || exit
jobctl_run sh -c 'echo "$JOBCTL_LABEL" >>labels; : <gate'
i=1
while [ "$i" -lt 5 ]; do i=$((i + 1)); jobctl_run sh -c 'echo "$JOBCTL_LABEL" >>labels; : <gate'; done
jobctl_close
S
	printf '%s\n' '# ours' '2/a # two' '' '  b' >list
	: >none
	mkfifo gate
	check_file() {
		local wrong
		rm -f labels
		started "$1" script --sshloginfile list 3
		until_true lines_in 5 labels
		gate_opens "$script"
		same ' 2 a, 3 b' "$(tally labels)"
		same 5 "$(in_shell "$1" script -S a --dry-run | wc -l)"
		for wrong in '-S ,' '-S 0/a' '-S -a' '--slf none' '--slf missing' '--once' '--wd /' \
			'-S a --label x' '-S a --env a.b' '-S a --beat 0' '-S'; do
			run -125 in_shell "$1" script $wrong
			[ "${#lines[@]}" -eq 1 ]
			[[ "$output" == 'jobctl_open: '* ]]
		done
	}
	far file
}

@test "tasks are refused in such a batch" {
	cat >script <<'S'
. jobctl.sh
work () { :; }
jobctl_open -S 1/a
jobctl_tasks work work
echo "tasks $?"
jobctl_close
S
	check_tasks() {
		run -125 --separate-stderr in_shell "$1" script
		same 'tasks 125' "$output"
		[[ "$stderr" == *'not in a batch with -S'* ]]
	}
	far tasks
}

@test "a job that is at no place cannot say that it was not begun, or is lost: it has failed" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1 because" >&9; return 3; }
jobctl_open "$@"
jobctl_run job '~never'
jobctl_run job '~lost'
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED"
S
	check_fates() {
		local options
		for options in '' '--label a --label b'; do
			# shellcheck disable=SC2086 # words
			same '1 2 2' "$(in_shell "$1" script $options --retries 2,0 2 2>err)"
			grep -q 'junk on the lease of a job ignored$' err
			same 2 "$(grep -c 'exit status 3' err)"
		done
	}
	batch fates
}
