load ../helper

@test "each parser takes its whole corpus, and keeps its promises" {
	for target in "$top"/tests/fuzz/corpus/*; do
		TMPDIR=$here timeout 60 "$top/build/replay/${target##*/}" "$target"/* 2>log ||
			{ tail -n 5 log >&2; false; }
		[ "$(tail -n 1 log)" = "$(ls "$target" | wc -l) inputs" ]
	done
}

# answered TEXT COMMAND... -- the command, whose request is answered by somebody who is no
# dispenser
answered()
{
	local text=$1 answerer
	shift
	mkdir -p "$FIFO.d"
	[ -p "$FIFO" ] || mkfifo "$FIFO"
	exec 7<>"$FIFO"
	{
		IFS=' ' read -r _ name _ <&7
		printf "$text" >"$FIFO.d/w.$name"
	} 3>&- &
	answerer=$!
	run -125 "$@" 7>&-
	wait "$answerer" || : # it may not be let finish
	exec 7>&-
	[[ "$output" == *'not the answer of a dispenser'* || "$output" == *'no tokens for builds'* ]]
	[ ! -e pwned ]
}

@test "tokstat gives a shell nothing that somebody wrote in place of the dispenser" {
	pool='pool\t2\t1\t1\t0\t1\t0\t0\t0.1\t0.1\n'
	answered "${pool}slot\t1\tout\t1;touch pwned\t4.0\tlabel\nend\n" tokstat "$FIFO"
	answered "${pool}wait\t1\t1;touch pwned\t1\t5\t4.0\nend\n" tokstat "$FIFO"
	answered "pool\t2,\"x\":1\t1\t1\t0\t1\t0\t0\t0.1\t0.1\nend\n" tokstat -o json "$FIFO"
	answered 'end\n' tokstat -o json "$FIFO"
	answered "slot\t1\tfree\t0\t0\t\nend\n" tokstat -o json "$FIFO"
	answered "ok 8 /x';touch pwned;'\n" tokstat -m "$FIFO"
	answered 'ok 8 x\n' tokstat -m "$FIFO"
}

@test "tokget gives neither a script a path nor make a word that somebody wrote there" {
	answered 'ok 1\n../../home/me/.profile\n' tokget -l "$FIFO"
	answered 'ok 1\n1/../x label\n' tokget -l "$FIFO"
	answered 'ok 1 8 /x --eval=$(shell touch pwned)\n1\n' tokget "$FIFO" true
	answered 'ok 1 8 x\n1\n' tokget "$FIFO" true
}

@test "a slot that is added while too many tokens are out is given when enough are home" {
	pool -n 3
	for holder in 1 2 3; do
		tokget "$FIFO" "$here/sleeper" 100 3>&- &
		pids="${pids-} $!"
		until_true pool_says "3 $((3 - holder)) $holder 0"
	done
	tokput -n 1 "$FIFO"
	tokput -a gpu "$FIFO"
	until_true pool_says '2 0 3 0'
	run -124 tokget -n "$FIFO" true
	for pid in $pids; do
		kill "$pid"
		wait "$pid" || :
	done
	until_true pool_says '2 2 0 0'
	[ "$(tokget -k 2 "$FIFO" sh -c 'echo "$JOBCTL_LABEL"' | tr -d '\n')" = gpu ]
	stopped
}

@test "a pool that grows while a slot leaves has all its tokens" {
	pool -n 1
	tokput -a gpu "$FIFO"
	tokget -k 2 "$FIFO" "$here/sleeper" 100 3>&- &
	until_true pool_says '2 0 2 0'
	tokput -d gpu "$FIFO"
	tokput -n 47 "$FIFO"
	until_true pool_says '47 46 2 0'
	kill "$!"
	wait "$!" || :
	until_true pool_says '47 47 0 0'
	stopped
}

@test "a limit of tokend is digits" {
	for load in 1e999 0x10 -1 '' 1.5.2 inf; do
		run -125 tokend -A "$load" "$FIFO"
		[[ "$output" == *'not a load average'* ]]
	done
	for size in -9999999999999999999 -1 '' K 0 1T 99999999999999999999G; do
		run -125 tokend -M "$size" "$FIFO"
		[[ "$output" == *'not a size'* ]]
	done
}

@test "jobctl takes memory for the lines of a log, not for the numbers in it" {
	most='awk "/VmHWM/ {print \$2}" /proc/$PPID/status'
	for id in 1 99999999; do
		printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n' >log
		printf '%d\t1\t0.0\t0.0\t0\t0\t1\t0\tx\n' "$id" >>log
		echo "$most" >list
		[ "$id" -ne 1 ] || sed -i '2d' log
		jobctl -q -R -l log -f list >"most.$id"
	done
	[ "$(cat most.99999999)" -lt $(($(cat most.1) * 2)) ]
}

@test "a keeper of connections takes away the FIFOs that are left, not what else has such a name" {
	mkdir batch batch/keep batch/keep/5.out
	mkfifo batch/fifo batch/news batch/keep/3.in
	: >batch/keep/4.in
	ln -s ../news batch/keep/6.out
	exec 6<>batch/fifo 7<>batch/news
	fresh jobkeep -n 1 "$here/batch" cat >said 6>&- 7>&- 3>&- &
	until_true grep -q ready said
	[ ! -e batch/keep/3.in ]
	[ -f batch/keep/4.in ]
	[ -d batch/keep/5.out ]
	[ -L batch/keep/6.out ]
	exec 6>&-
	ends_with 0 "$!"
}

@test "the input of jobpool -a ends with a line \"end\", and with no other" {
	printf ':1\nend\0x\nend \n:2\nend\n:3\n' | timeout 60 jobpool -ak -j 1 sh -c 'while read -r x; do echo "$x"; done' |
		cmp - <(printf 'ready\n1 1\n2 2\n')
}

# nursery OPTION... -- jobpool, whose shell is the test: orders come by descriptor 7, requests
# go by 6. One worker is to be started.
nursery()
{
	mkdir nursery
	mkfifo orders requests
	JOBCTL_GRACE=0.1 jobpool -a -j 1 "$@" -f "$here/nursery" <requests >answers 3>orders &
	pool=$!
	exec 6>requests 7<orders
	echo :x >&6
	read -r line <&7
	[ "$line" = 'start 1 1' ]
}

@test "what a shell says of a worker is words and numbers, or nothing" {
	nursery
	exec 8<nursery/1.in 9>nursery/1.out
	printf 'ended 1 0x\nended 1 \nended 1x 0\nended -1 0\nended 1 99999999999999999999\n' >nursery/workers
	printf 'opened 1\nopen 1x\nopen 1 1\nended 1\nended 2 0\nopen\n\n' >nursery/workers
	[ -p nursery/1.in ]
	echo 'open 1' >nursery/workers
	head -c 17000000 /dev/zero | tr '\0' x >nursery/workers
	echo >nursery/workers
	read -r line <&8
	echo "answer to $line" >&9
	until_true grep -q answer answers
	echo end >&6
	exec 8<&- 9>&-
	echo 'ended 1 0' >nursery/workers
	ends_with 0 "$pool"
	cmp answers <(printf 'ready\n1 answer to x\n')
	exec 6>&- 7<&-
}

@test "a worker that comes as it is to be ended, and stays, is not waited for" {
	nursery -q -r 1 -T 0.1
	read -r line <&7
	[ "$line" = 'kill 1 0' ]
	exec 9>nursery/1.out
	echo 'open 1' >nursery/workers
	echo end >&6
	ends_with 1 "$pool"
	cmp answers <(printf 'ready\nfailed 1 the worker gave no answer in 0.100 seconds\n')
	exec 6>&- 7<&- 9>&-
}

@test "a batch minds neither the caller's IFS nor its noclobber" {
	cat >script <<'S'
set -eu
IFS=0123456789.
set -C
. jobctl.sh
jobctl_open -n 1 -k 2
jobctl_run echo one
jobctl_run echo two
jobctl_close
jobctl_open -o files -l log 1
jobctl_run echo three
jobctl_close
S
	check_set() {
		rm -rf files
		[ "$(in_shell "$1" script)" = 'one
two' ]
		[ "$(cat files/1.out)" = three ]
	}
	batch set
}

@test "batches made up at random come to what they must, in every shell" {
	for shell in $(shells); do
		for seed in 7 8 9; do
			TMPDIR=$here BATCH_SEED=$seed BATCH_SHELL=$shell "$top/tests/fuzz/batches.sh"
		done
	done
}

# Each of six is looked for until it is found: where there is other work, that takes a while.
export BATS_TEST_TIMEOUT=700

@test "what a library does wrong, random batches find" {
	cat >faults <<'S'
batches batch s/_jobctl_b_failed += 1/_jobctl_b_failed += 2/
batches batch s/"$_jobctl_id" "$_jobctl_status"/"$_jobctl_id" 0/
batches batch s/JOBCTL_ID=$_jobctl_b_id JOBCTL/JOBCTL_ID=0 JOBCTL/
batches connections s/_jobctl_status=$?/_jobctl_status=0/
tasks tasks s/-lt "$_jobctl_b_attempts"/-lt 1/
workers workers s/JOBCTL_ANSWERED + 1/JOBCTL_ANSWERED + 2/
S
	cat >search <<'S'
set -eu
kind=${1%% *} rest=${1#* }
mkdir "$JOBCTL_ID"
cp -r "$top/bin" "$top/share" "$JOBCTL_ID"
file=$JOBCTL_ID/share/jobctl/${rest%% *}.sh
sed -i.was "${rest#* }" "$file"
if cmp -s "$file" "$file.was"; then exit 2; fi
status=0
FIFO= TMPDIR=$here/$JOBCTL_ID BATCH_BIN=$here/$JOBCTL_ID/bin BATCH_KIND=$kind BATCH_SHELL=dash FUZZ=120 \
	"$top/tests/fuzz/batches.sh" >"$JOBCTL_ID/out" || status=$?
[ "$status" -eq 1 ] && grep -q '^again: ' "$JOBCTL_ID/out"
S
	export top
	jobctl -j 3 -f faults sh search
}
