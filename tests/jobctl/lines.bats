load ../helper
load ../helpers/jobctl

# jobctl --line-buffer: output as it comes, by whole lines.

# writer N LINES -- a job that writes as many lines of its own, by pieces that end anywhere
writer() { echo "yes job-$1-abcdefghijklmnopqrstuvwxyz | head -n $2 | dd bs=9973 2>/dev/null"; }

# on_terminal COMMAND -- what it writes to a terminal, in "typescript"
on_terminal()
{
	script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1) that makes a terminal"
	timeout 60 script -qefc "$1" typescript </dev/null >/dev/null 2>&1 3>&-
}

@test "--line-buffer: lines are whole and in order, each kind to its own, and the last has an end" {
	printf 'echo a%s; printf b%s; echo c%s >&2; printf d%s >&2\n' 1 1 1 1 2 2 2 2 >list
	run -0 jobctl --line-buffer -j 1 --tag true {#} <list
	same '' "$output"
	jobctl --line-buffer -j 1 list >out 2>errors
	same 'a1 b1 a2 b2 ' "$(tr '\n' ' ' <out)"
	same 'c1 d1 c2 d2 ' "$(tr '\n' ' ' <errors)"
	for i in 1 2 3 4; do writer $i 20000; done >list
	for to in 'cat >out' 'dd bs=100 2>/dev/null >out'; do
		jobctl --line-buffer -j 4 list | sh -c "$to"
		sort out | uniq -c | diff - <(printf '  20000 job-%d-abcdefghijklmnopqrstuvwxyz\n' 1 2 3 4)
	done
	echo 'seq 50000' >list
	jobctl --line-buffer list | cmp - <(seq 50000)
	jobctl --line-buffer list >out
	cmp out <(seq 50000)
}

@test "--line-buffer: a line is shown at once, though its job and another one run on" {
	mkfifo gate
	printf '%s\n' 'echo one; printf half; : <gate; echo ' 'echo two; : <gate' >list
	begun --line-buffer -j 2 --tagstring '<{#}>'
	until_true grep -q two out
	until_true grep -q one out
	run -1 grep half out
	gate_opens "$batch"
	same '<1>:half;<1>:one;<2>:two;' "$(sort out | tr '\t\n' ':;')"
}

@test "--tag and --tagstring stand before each line, also of long ones and many short ones" {
	printf 'a b\nc/d.e\n' >list
	jobctl --line-buffer --tag -j 1 printf '%s\n\nx' <list >out
	same 'a b:a b;a b:;a b:x;c/d.e:c/d.e;c/d.e:;c/d.e:x;' "$(tr '\t\n' ':;' <out)"
	for mode in --line-buffer --group -k; do
		jobctl $mode --tagstring '{#} {/.}' -j 1 echo <list >out
		same '1 a b:a b;2 d:c/d.e;' "$(tr '\t\n' ':;' <out)"
	done
	echo 1 | jobctl --tag --line-buffer sh -c 'yes "" | head -n 100000; seq 20000' sh >out
	same 100000 "$(grep -cx '1	' out)"
	tail -n 20000 out | cut -f 2 | cmp - <(seq 20000)
}

@test "a line longer than what is held comes whole, and others wait for its end" {
	for i in 1 2 3; do
		echo "head -c 6000000 /dev/zero | tr '\\0' $i; echo; seq 10 19; printf end"
	done >list
	for tag in '' --tag; do
		jobctl --line-buffer $tag -j 3 list | sed 's/^.*	//' >out
		grep -v '[04-9]' out | tr -s 123 | sort | is 1,1,1,1,12,12,12,13,13,13,2,3,end,end,end -
		same "$((3 * (6000001 + 10 * 3 + 4)))" "$(wc -c <out)" bytes
	done
	echo "head -c 6000000 /dev/zero | tr '\\0' x" >list # without an end
	same '1 6000001' "$(jobctl --line-buffer list | wc -lc | awk '{print $1, $2}')"
}

@test "jobs that are within long lines, each where another one has more to say, all get on" {
	cat >job <<'S'
x () { head -c "$1" /dev/zero | tr '\0' "$2"; }
meet () { case $1 in 1) : >meeting ;; 2) : <meeting ;; esac; }
both () { x 6000000 "$1"; meet "$1"; x 600000 "$1" >&3; echo >&3; echo; }
case $1 in
2) both 2 3>&1 >&2 ;;
*) both "$1" 3>&2 ;;
esac
S
	mkfifo meeting
	jobctl --line-buffer -j 2 sh job ::: 1 2 >out 2>errors
	for file in out errors; do
		tr -s 12 <"$file" | sort | is 1,2 -
		same 6600002 "$(wc -c <"$file")"
	done
	jobctl --line-buffer -j 3 sh job ::: 3 4 5 >out 2>&1
	tr -s 345 <out | sort | is 3,3,4,4,5,5 -
}

@test "who reads no more stops jobs, but neither limits nor signals, and costs no memory" {
	ln -s "$(command -v yes)" flooder
	for i in $(seq 40); do echo "exec $here/flooder $i"; done >list
	mkfifo to
	"$here/sleeper" 1000 <to 3>&- & # the reader
	reader=$!
	ln -sf "$top/bin/jobctl" jobctl
	JOBCTL_GRACE=1 fresh "$here/jobctl" --line-buffer --tag -j 40 --timeout 1 -a list >to \
		2>errors 3>&- &
	batch=$!
	until_true grep -q 'job 40: ' errors
	until_true no_process "^$here/flooder"
	grep -q __asan_init "$top/bin/jobctl" || # which has its own memory
		[ "$(awk '/^VmHWM/ {print $2}' "/proc/$batch/status")" -lt 40000 ]
	kill -TERM "$batch"
	ends_with 143 "$batch"
	kill "$reader"
}

@test "what outlives a job does not hold the batch up, and no more of it is shown" {
	printf '%s\n' "$here/sleeper 1000 & echo one" \
		"(exec 3>&-; while :; do echo flood; done) & echo two; echo \$! >flooder" >list
	timeout 60 jobctl --line-buffer -j 2 list | grep -v flood >out
	kill "$(cat flooder)" 2>/dev/null || : # of SIGPIPE, as a rule
	same 'one two ' "$(sort out | tr '\n' ' ')"
}

@test "--line-buffer: a job's line of the log counts its bytes, and comes when they are shown" {
	printf '%s\n' 'seq 100000; printf end' 'echo 2 >&2' 'exit 3' >list
	run -1 jobctl -q --line-buffer -j 1 --joblog log list
	same '1:588898:0;2:0:0;3:0:3;' "$(cut -f 1,6,7 log | tail -n +2 | sort | tr '\t\n' ':;')"
	run -125 bash -c 'jobctl -q --line-buffer -j 1 --joblog log list >/dev/full 2>/dev/null'
	same 1 "$(wc -l <log)"
	echo 'echo "$JOBCTL_TRY"; [ "$JOBCTL_TRY" -gt 2 ]' >list
	jobctl --line-buffer --retries 3,0.01 --joblog log list >out
	same '1 2 3 ' "$(tr '\n' ' ' <out)" # as they came; the log has the last one
	same '1:2:0;' "$(cut -f 1,6,7 log | tail -n +2 | tr '\t\n' ':;')"
}

@test "--line-buffer: when nobody reads any more the batch ends, by SIGPIPE as a filter does" {
	yes | { jobctl --line-buffer -j 2 echo 2>errors || echo "$?" >status; } | head -n 1 >out || :
	same 141 "$(cat status)"
	[ ! -s errors ]
	echo x >list
	run -125 bash -c 'jobctl --line-buffer echo <list 2>&1 >/dev/full'
	same 1 "$(grep -c 'jobctl: output: ' <<<"$output")"
}

@test "--line-buffer: a reader that leaves when all jobs have ended is missed, too" {
	mkfifo pipe
	for expected in 141 125; do
		rm -f done
		bash -c "[ $expected -eq 141 ] || trap '' PIPE
			jobctl --line-buffer sh -c 'seq 20000; echo >done' sh ::: 1 2>errors >pipe" 3>&- &
		batch=$!
		{ until_true test -e done; } <pipe
		ends_with "$expected" "$batch"
		grep -c 'nobody reads it' errors >count || :
		same "$((expected == 125))" "$(cat count)"
	done
	jobctl --line-buffer seq ::: 30000 30000 2>errors >/dev/full || [ "$?" -eq 125 ]
	same 1 "$(grep -c 'output: No space' errors)"
}

@test "-t does not tear a line that a job has begun" {
	cat >job <<'S'
[ "$1" -eq 1 ] || : >two
head -c 9000000 /dev/zero | tr '\0' "$1" >&2
[ "$1" -eq 2 ] || : <two
echo >&2
S
	: >out
	mkfifo two
	{ echo 1; until_true lines_in 1 out; until_true grep -q 11111 out; echo 2; } |
		jobctl -t --line-buffer -j 2 sh job 2>out
	same '1;2;sh job 1;sh job 2;' "$(tr -s 12 <out | sort | tr '\n' ';')"
}

@test "messages of jobctl do not tear lines that jobs write to the same place" {
	for i in $(seq 8); do echo "yes $i-abcdefghijklmnopqrstuvwxyz | head -n 20000; exit 1"; done >list
	jobctl --line-buffer -j 4 list 2>&1 | dd bs=1000 2>/dev/null >out || :
	same 9 "$(grep -cvxE '[1-8]-abcdefghijklmnopqrstuvwxyz' out)" # a message each, and the sum
	same 9 "$(grep -c '^jobctl: ' out)"
}

@test "--line-buffer with more jobs at once than select(2) has descriptors, or than there may be" {
	mkfifo gate
	most_at_once=600
	case $(cat "$top/build/compiler") in # others wait, without epoll
	*-DPORTABLE* | *tcc*) most_at_once=400 ;;
	esac
	seq 600 >list
	for most in 4096 40; do
		: >out
		[ "$most" -ne 40 ] || seq 60 >list
		(ulimit -n "$most"; exec jobctl --line-buffer -j 600 \
			sh -c 'echo "$1"; : <gate' sh <list >out 2>errors) 3>&- &
		batch=$!
		until_true lines_in $((most == 40 ? 2 : most_at_once)) out
		gate_opens "$batch"
		sort -n out | cmp - list
	done
	grep -q 'tried again later' errors
}

@test "a job that waits for descriptors when the batch is ended was not started, and is told as that" {
	seq 60 >list
	bash -c "ulimit -n 40; exec jobctl --line-buffer -j 60 -a list $here/sleeper 1000" \
		>out 2>errors 3>&- &
	batch=$!
	until_true grep -q 'tried again later' errors
	kill -TERM "$batch"
	ends_with 143 "$batch"
	grep -q ' ended by us, 1 not started; nothing after job ' errors
}

@test "on a terminal tags have colours, unless NO_COLOR or TERM says no, and no control bytes" {
	printf '%s\0' $'a\e[2Jb' $'c\x9bd' >list
	for mode in --line-buffer --group; do
		command="jobctl -0 $mode --tag -j 1 -a list printf x"
		TERM=xterm NO_COLOR='' on_terminal "$command"
		grep -q $'\e\[33ma\\\\x1b\[2Jb\e\[m\tx' typescript
		grep -q $'\e\[34mc\\\\x9bd\e\[m\tx' typescript
		for no in NO_COLOR=1 TERM=dumb; do
			TERM=xterm NO_COLOR='' on_terminal "env $no $command"
			run -1 grep -q $'\e' typescript
			grep -q $'^a\\\\x1b\[2Jb\tx' typescript
		done
	done
	printf 'a\n' >list
	same $'a\ta' "$(jobctl --tag echo <list)"
	same $'\e[33ma\e[m\ta' "$(NO_COLOR=1 jobctl --tag --colour echo <list)"
}

@test "--line-buffer does not go with --keep-order or --results, and says so" {
	for other in -k '--results d'; do
		run -125 jobctl --line-buffer $other echo </dev/null
		[[ "$output" == jobctl:*--line-buffer* ]]
		run -125 jobctl $other --line-buffer echo </dev/null
		[[ "$output" == jobctl:*--line-buffer* ]]
	done
	[ ! -e d ]
}

@test "--results with --keep-order, --group or --tag: files stay, and are shown" {
	printf 'a\nb\n' >list
	for show in -k --group --tag --tagstring=x; do
		for order in "$show --results d" "--results d $show"; do
			rm -rf d
			jobctl $order -j 1 sh -c 'echo "out $1"; echo "err $1" >&2' sh <list >out 2>errors
			same 'out a,err a,out b,err b,' "$(cat d/{1.{out,err},2.{out,err}} | tr '\n' ,)"
			same 'out a,out b,' "$(sed 's/.*\t//' out | tr '\n' ,)"
			same 'err a,err b,' "$(sed 's/.*\t//' errors | tr '\n' ,)"
		done
	done
	jobctl --results d -u echo <list >out
	[ ! -s out ]
}

@test "--line-buffer: an output that is closed, or cannot be written, is told: 125" {
	for options in '' --tag; do
		run -125 bash -c "jobctl --line-buffer $options echo ::: 1 2 >&-"
		[[ "$output" == 'jobctl: output: Bad file descriptor'* ]]
		run -125 bash -c "jobctl --line-buffer $options --joblog log echo ::: 1 2 1</dev/null"
		same '' "$(awk 'NR > 1 && $7 + $8 == 0' log)" # none is done
	done
}
