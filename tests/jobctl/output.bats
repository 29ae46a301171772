load ../helper
load ../helpers/jobctl

# jobctl: what becomes of the output of jobs, and how far the batch is.

@test "-g: what a job writes stays together; -k: in the order of the input; -t: with its line" {
	mkfifo gate
	printf '%s\n' 'echo a1; : <gate; echo a2; echo a3 >&2' 'echo b1; echo b2; echo $$ >b' >list
	for mode in -g -k; do
		rm -f b
		begun $mode -j 2
		until_true test -s b
		until_true ended "$(cat b)"
		open_gate gate
		ends_with 0 "$batch"
		close_gate
		case $mode in
		-g) [ "$(tr '\n' ' ' <out)" = 'b1 b2 a1 a2 ' ] ;;
		-k) [ "$(tr '\n' ' ' <out)" = 'a1 a2 b1 b2 ' ] ;;
		esac
		[ "$(cat errors)" = a3 ]
	done
	seq 300 >many
	run -100 jobctl -qk -j 7 sh -c 'echo "$1"; [ $(($1 % 3)) -gt 0 ]' sh <many
	[ "$output" = "$(seq 300)" ]
	printf 'a b\nc\n' >list
	[ "$(jobctl -kt printf '%s\nx\n\ny' <list | tr '\t\n' ':;')" = \
		'a b:a b;a b:x;a b:;a b:y;c:c;c:x;c:;c:y;' ]
}

@test "-k: a job that is not run at all does not keep those after it" {
	printf 'one\n\0\nthree\n' >list
	mkfifo to
	(timeout 60 jobctl -k -j 1 echo || :) < <(cat list; : >to) >out 2>errors &
	until_true grep -q three out # before the list ends
	: <to
	wait "$!"
	[ "$(tr '\n' ' ' <out)" = 'one three ' ]
	run -125 sh -c 'jobctl -k echo <list 2>&1 >/dev/full'
	[[ "$output" == *'jobctl: output: '* ]]
}

@test "-o: a file for each job's output and one for its errors, with -k too" {
	printf 'a\nb\n' >list
	for order in '-o d' '-k -o d' '-o d -k'; do
		rm -rf d
		jobctl $order sh -c 'echo "out $1"; echo "err $1" >&2' sh <list >out 2>errors
		[ ! -s out ]
		[ ! -s errors ]
		echo "$order" >&2
		[ "$(cat d/{1.{out,err},2.{out,err}} | tr '\n' ,)" = 'out a,err a,out b,err b,' ]
	done
	run -125 jobctl -o list echo <list
	run -125 jobctl -o missing/d echo <list
}

@test "a job that opens /dev/stderr again does not lose what it wrote before" {
	echo 'echo a >&2; echo b >/dev/stderr; echo c >&2' >list
	jobctl -g <list 2>errors
	[ "$(tail -n 2 errors | tr '\n' ' ')" = 'b c ' ]
}

@test "nothing is left in TMPDIR, not even when jobctl is killed" {
	mkdir tmp; export TMPDIR=$here/tmp
	sleepers 4 >list
	for mode in -g -k; do
		begun $mode -j 4
		until_true asleep 4
		[ "$(ls -A tmp)" = '' ]
		kill -KILL "$batch"
		ends_with 137 "$batch"
		[ "$(ls -A tmp)" = '' ]
		pkill -f "^$here/sleeper"
		until_true asleep 0
	done
	run -125 env TMPDIR="$here/none" jobctl -g echo <list
	[[ "${lines[0]}" == "jobctl: $here/none: "* ]]
}

@test "20 MB from one job come whole, and beside the others" {
	head -c 20000000 /dev/zero | tr '\0' x >big
	(echo "cat big"; seq -f 'echo %g' 50) >list
	for mode in -g -k; do
		jobctl $mode -j 3 <list >out
		[ "$(tr -cd x <out | wc -c)" -eq 20000000 ]
		[ "$(tr -d x <out | sort -n)" = "$(seq 50)" ]
	done
}

@test "a full disk for output is told: 125, and no line of the log for the job that filled it" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	head -c 1000000 /dev/zero >big
	mkdir tmp
	printf 'cat big 2>/dev/null; :\necho two\necho three\n' >list
	for mode in -k -t '-o tmp/o' -g; do
		status=0
		TMPDIR=$here/tmp unshare -m sh -c 'mount -t tmpfs -o size=64k none tmp &&
			exec jobctl $1 -j 1 -l log' sh "$mode" <list >out 2>errors || status=$?
		[ "$status" -eq 125 ]
		[ "$(cut -f 1 log | paste -sd ' ')" = 'Seq 2 3' ] || [ "$mode" = '-o tmp/o' ]
		run ! grep '^1	' log
		grep -qx 'jobctl: job 1: the disk is full, some of its output may be lost' errors
	done
	[ "$(cat errors)" = 'jobctl: job 1: the disk is full, some of its output may be lost' ]
	[ "$(tail -c 10 out | tr -d '\0')" = 'two
three' ]
	printf 'cat big\necho two\n' >list # it says so itself
	TMPDIR=$here/tmp run -125 unshare -m sh -c 'mount -t tmpfs -o size=64k none tmp &&
		exec jobctl -g -j 1 <list 2>&1 >/dev/null'
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
			exec jobctl -g' sh "${size%/*}" <list >out 2>errors || status=$?
		[ "$status" -eq $((125 * ${size#*/})) ]
		[ "$(grep -c 'jobctl: job 1: the disk is full' errors)" -eq "${size#*/}" ]
	done
}

@test "standard input or output closed: no other file takes its place, and somebody complains" {
	printf 'a\nb\n' >list
	jobctl -j 1 -l log echo <list
	cp log before
	run -125 bash -c 'jobctl -R -l log echo <&-'
	[[ "$output" == *input* ]]
	cmp log before
	for mode in -g -k -t -D; do
		run -125 bash -c "jobctl $mode -l log -f list echo >&-"
		[[ "$output" == *output* ]]
	done
	[ "$(grep -vcE '^(Seq|[12])	' log)" -eq 0 ]
	run -2 bash -c 'jobctl -f list echo >&-' # the jobs do
	run -0 bash -c 'jobctl -f list true {} <&- >&- 2>&-'
	for closed in '<&-' '<list >&-'; do
		run -125 bash -c "jobpool cat $closed"
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "when nobody reads what is kept or shown, the batch ends" {
	for mode in -g -k -gq -D; do
		echo "$mode" >&2
		yes | { jobctl $mode -j 2 echo 2>errors; echo "$?" >status; } | head -n 1 >out || :
		[ "$(cat status)" -eq 125 ]
	done
	seq 3 >list
	for mode in -g -D; do
		run -125 bash -c "jobctl $mode echo <list 2>&1 >/dev/full"
		[[ "${lines[0]}" == 'jobctl: output: '* ]]
	done
}

@test "jobs that die of SIGPIPE for our output has no reader end the batch" {
	yes | { jobctl -q -j 2 echo 2>errors; echo "$?" >status; } | head -n 1 >out || :
	[ "$(cat status)" -eq 125 ]
}

@test "-p tells how far it is, -q nothing, and by default only failures are told" {
	seq 10 >list
	run -0 jobctl true <list
	[ "$output" = '' ]
	run -0 jobctl -p true <list
	[[ "${lines[${#lines[@]} - 1]}" == 'jobctl: 10 of 10 done, 0 running, '* ]]
	[[ "$output" != *$'\r'* ]]
	run -10 jobctl -p false <list
	[[ "$output" == *'jobctl: 10 of 10 done, 10 failed, 0 running, '* ]]
	run -10 jobctl -q false <list
	[ "$output" = '' ]
	timeout 20 script -qec 'jobctl -p true <list 2>&1 >/dev/null' /dev/null >out </dev/null
	grep -q $'\r10 of 10 done' out
}

@test "jobctl -p on a terminal says how long it may take, and clears its line for a message" {
	script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1) that makes a terminal"
	seq 4 >list
	cat >job <<'S'
case $1 in
3) until grep -q about "$here/typescript"; do "$here/sleeper" 0.02; done; exit 1 ;;
esac
S
	timeout 200 script -qefc 'jobctl -j 1 -k -p -f list sh job' typescript \
		</dev/null >/dev/null 2>&1 3>&- && status=0 || status=$?
	[ "$status" -eq 1 ]
	grep -q '2 of 4 done.*about' typescript
	grep -q '1 failed' typescript
	grep -q 'exit status 1' typescript
}
