load ../helper
load ../helpers/jobctl

# jobctl: what becomes of the output of jobs, and how far the batch is.

@test "--group: what a job writes stays together; -k: in order of input; --tag: with its line" {
	mkfifo gate
	printf '%s\n' 'echo a1; : <gate; echo a2; echo a3 >&2' 'echo b1; echo b2; echo $$ >b' >list
	for mode in --group -k; do
		rm -f b
		begun $mode -j 2
		until_true test -s b
		until_true ended "$(cat b)"
		gate_opens "$batch"
		case $mode in
		--group) [ "$(tr '\n' ' ' <out)" = 'b1 b2 a1 a2 ' ] ;;
		-k) [ "$(tr '\n' ' ' <out)" = 'a1 a2 b1 b2 ' ] ;;
		esac
		same a3 "$(cat errors)"
	done
	seq 300 >many
	run -100 jobctl --quiet -k -j 7 sh -c 'echo "$1"; [ $(($1 % 3)) -gt 0 ]' sh <many
	same "$(seq 300)" "$output"
	printf 'a b\nc\n' >list
	[ "$(jobctl -k --tag printf '%s\nx\n\ny' <list | tr '\t\n' ':;')" = \
		'a b:a b;a b:x;a b:;a b:y;c:c;c:x;c:;c:y;' ]
}

# rests -- jobctl has begun 200 jobs or more, and runs none now
rests() { [ "$(wc -l <log)" -ge 200 ] && ! pgrep -P "$batch" >/dev/null; }

@test "no job begins while the output of 200 waits for its reader, and all is shown in the end" {
	mkfifo out
	for mode in --group -k; do
		rm -f log
		seq 300 | jobctl "$mode" -j 2 sh -c 'echo >>log; head -c 70000 /dev/zero' >out 3>&- &
		batch=$!
		exec {slow}<out
		until_true rests
		[ "$(wc -l <log)" -lt 210 ]
		same 21000000 "$(cat <&"$slow" | wc -c)"
		exec {slow}<&-
		ends_with 0 "$batch"
	done
}

@test "-k: a job that is not run at all does not keep those after it" {
	printf 'one\n\0\nthree\n' >list
	mkfifo to
	(timeout 60 jobctl -k -j 1 echo || :) < <(cat list; : >to) >out 2>errors &
	until_true grep -q three out # before the list ends
	: <to
	wait "$!"
	same 'one three ' "$(tr '\n' ' ' <out)"
	run -125 sh -c 'jobctl -k echo <list 2>&1 >/dev/full'
	[[ "$output" == *'jobctl: output: '* ]]
}

@test "--results: a file for each job's output and one for its errors, and nothing is shown" {
	printf 'a\nb\n' >list
	jobctl --results d sh -c 'echo "out $1"; echo "err $1" >&2' sh <list >out 2>errors
	[ ! -s out ]
	[ ! -s errors ]
	same 'out a,err a,out b,err b,' "$(cat d/{1.{out,err},2.{out,err}} | tr '\n' ,)"
	run -125 jobctl --results list echo <list
	run -125 jobctl --results list/d echo <list
	same 'jobctl: --results list/d: Not a directory' "$output"
	jobctl --results missing/too/ echo <list
	[ -s missing/too/2.out ]
	jobctl --dry-run --results none echo <list
	[ ! -e none ]
}

@test "a job that opens /dev/stderr again does not lose what it wrote before" {
	echo 'echo a >&2; echo b >/dev/stderr; echo c >&2' >list
	jobctl --group <list 2>errors
	same 'b c ' "$(tail -n 2 errors | tr '\n' ' ')"
}

@test "an output beyond the limit of a file's size is told once, and ends the batch; a job dies of its" {
	for mode in -k --group --line-buffer; do
		run -125 bash -c "ulimit -f 8; seq 40 |
			jobctl $mode -j 4 sh -c 'seq 1000' sh 2>&1 >out"
		same 1 "$(grep -c 'output: File too large' <<<"$output")"
	done
	run -1 jobctl sh -c 'ulimit -f 1; seq 10000 >big' sh ::: 1
	[[ "$output" == *"killed by signal $(kill -l XFSZ)"* || "$output" == *'exit status 153'* ]]
}

@test "nothing is left in TMPDIR, not even when jobctl is killed" {
	mkdir tmp; export TMPDIR=$here/tmp
	sleepers 4 >list
	for mode in --group -k; do
		begun $mode -j 4
		until_true has_sleepers 4
		same '' "$(ls -A tmp)"
		kill -KILL "$batch"
		ends_with 137 "$batch"
		same '' "$(ls -A tmp)"
		signal_ours TERM sleeper
		until_true has_sleepers 0
	done
	run -125 env TMPDIR="$here/none" jobctl --group echo <list
	[[ "${lines[0]}" == "jobctl: $here/none: "* ]]
}

@test "20 MB from one job come whole, and beside the others" {
	head -c 20000000 /dev/zero | tr '\0' x >big
	(echo "cat big"; seq -f 'echo %g' 50) >list
	for mode in --group -k; do
		jobctl $mode -j 3 <list >out
		same 20000000 "$(tr -cd x <out | wc -c)"
		same "$(seq 50)" "$(tr -d x <out | sort -n)"
	done
}

@test "a full disk for output is told: 125, and no line of the log for the job that filled it" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	head -c 1000000 /dev/zero >big
	mkdir tmp
	printf 'cat big 2>/dev/null; :\necho two\necho three\n' >list
	for mode in -k --tag '--results tmp/o' --group; do
		status=0
		TMPDIR=$here/tmp unshare -m sh -c 'mount -t tmpfs -o size=64k none tmp &&
			exec jobctl $1 -j 1 --joblog log' sh "$mode" <list >out 2>errors || status=$?
		same 125 "$status"
		[ "$(cut -f 1 log | paste -sd ' ')" = 'Seq 2 3' ] || [ "$mode" = '--results tmp/o' ]
		run -1 grep '^1	' log
		grep -qx 'jobctl: job 1: the disk is full, some of its output may be lost' errors
	done
	same 'jobctl: job 1: the disk is full, some of its output may be lost' "$(cat errors)"
	[ "$(tail -c 10 out | tr -d '\0')" = 'two
three' ]
	printf 'cat big\necho two\n' >list # it says so itself
	TMPDIR=$here/tmp run -125 unshare -m sh -c 'mount -t tmpfs -o size=64k none tmp &&
		exec jobctl --group -j 1 <list 2>&1 >/dev/null'
	[[ "$output" == *'jobctl: job 1: exit status 1: cat big'* ]]
}

@test "a disk that is full before a job writes anything is told, one without a size is not" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	mkdir tmp
	for size in 64k/1 0/0; do
		echo 'echo one 2>/dev/null; echo two >&2; :' >list
		status=0
		TMPDIR=$here/tmp unshare -m sh -c 'mount -t tmpfs -o size="$1" none tmp &&
			head -c 100000 /dev/zero 2>/dev/null >tmp/big
			exec jobctl --group' sh "${size%/*}" <list >out 2>errors || status=$?
		[ "$status" -eq $((125 * ${size#*/})) ]
		same "${size#*/}" "$(grep -c 'jobctl: job 1: the disk is full' errors)"
	done
}

@test "standard input or output closed: no other file takes its place, and somebody complains" {
	printf 'a\nb\n' >list
	jobctl -j 1 --joblog log echo <list
	cp log before
	run -125 bash -c 'jobctl --resume-failed --joblog log echo <&-'
	[[ "$output" == *input* ]]
	cmp log before
	for mode in --group -k --tag --dry-run; do
		run -125 bash -c "jobctl $mode --joblog log -a list echo >&-"
		[[ "$output" == *output* ]]
	done
	same 0 "$(grep -vcE '^(Seq|[12])	' log)"
	run -2 bash -c 'jobctl -a list echo >&-' # the jobs do
	run -0 bash -c 'jobctl -a list true {} <&- >&- 2>&-'
	for closed in '<&-' '<list >&-'; do
		run -125 bash -c "jobpool cat $closed"
		same 1 "${#lines[@]}"
	done
}

@test "when nobody reads what is kept or shown, the batch ends" {
	for mode in '' --quiet --group -k '--group --quiet' --dry-run; do
		echo "$mode" >&2
		yes | { jobctl $mode -j 2 echo 2>errors; echo "$?" >status; } | head -n 1 >out || :
		same 141 "$(cat status)" # of SIGPIPE, as any filter, and without a word
		is '' errors
	done
	seq 3 >list
	for mode in --group --dry-run; do
		run -125 bash -c "jobctl $mode echo <list 2>&1 >/dev/full"
		[[ "${lines[0]}" == 'jobctl: output: '* ]]
	done
}

@test "--bar tells how far it is, --quiet nothing, and by default only failures are told" {
	seq 10 >list
	run -0 jobctl true <list
	same '' "$output"
	run -0 jobctl --bar true <list
	[[ "${lines[${#lines[@]} - 1]}" == 'jobctl: 10/10, 100%, '*'/s, '?:?? ]]
	[[ "$output" != *$'\r'* ]]
	run -10 jobctl --bar false <list
	[[ "$output" == *'jobctl: 10/10, 100%, 10 failed, '*'/s, '?:??$'\n'* ]]
	run -10 jobctl --quiet false <list
	same '' "$output"
}
