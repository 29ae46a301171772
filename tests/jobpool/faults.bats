# bats file_tags=waits
load ../helper
load ../helpers/jobpool

# jobpool: workers that die, hang or lie; signals; resources it cannot have.

@test "SIGKILL of workers with requests: each request is answered exactly once" {
	pool_of --quiet --idle 3 -j 3 --ahead 5 --retries 1000 sh worker
	for ((i = 0; i < 10; i++)); do
		until_true lines_in $((i + 3)) log
		seq $((i * 100 + 1)) $((i * 100 + 100)) >&6
		kill -KILL "$(awk '/^in/ {pid = $2} END {print pid}' log)"
		until_true lines_in $((i * 100 + 100)) answers
	done
	exec 6>&-
	ends_with 0 "$pool"
	sort -n answers | cmp - <(squares 1000)
	[ "$(grep -c in log)" -ge 12 ]
	[ ! -s errors ]
}

@test "who does not answer within --timeout seconds is ended; another one gets its requests" {
	cat >worker <<'S'
while read -r x; do
	if [ "$x" -eq 3 ] && mkdir first 2>/dev/null; then "$here/sleeper" 1000; fi
	echo "$x"
done
S
	seq 6 | jobpool -k --retries 1000 --timeout 0.5 -j 2 sh worker >answers 2>errors
	cmp answers <(seq 6)
	grep -q '^jobpool: worker [1-9]* gave no answer in 0.500 seconds$' errors
	until_true no_worker
}

@test "workers that die at once: an error and an end; the same where it cannot be run" {
	for command in false true 'kill -9 $$'; do
		printf 'echo in >>log; %s' "$command" >worker
		run -125 --separate-stderr jobpool --quiet -j 2 --idle 1 sh worker < <(seq 10000)
		same '' "$output"
		[[ "$stderr" == "$useless "*'; no more are started' ]]
	done
	[ "$(grep -c in log)" -lt 40 ]
	run -127 jobpool "$here/nowhere" <<<1
	same "jobpool: $here/nowhere: No such file or directory" "${lines[0]}"
	: >plain
	run -126 jobpool ./plain <<<1
	same "jobpool: ./plain: Permission denied" "${lines[0]}"
}

@test "a worker that retires at once, again and again, is no endless loop" {
	printf 'echo @retire; exec cat >/dev/null' >worker
	mkfifo open
	exec 8<>open
	run -125 --separate-stderr jobpool --quiet --error-prefix @ --idle 1 -j 2 --timeout 1 sh worker <&8
	exec 8>&-
	[[ "$stderr" == "$useless"* ]]
}

@test "few descriptors: as many workers as there can be; none: an error" {
	seq 200 >list
	for most in 12 13 14 15; do # the one that is missing is another end each time
		fresh bash -c "ulimit -n $most
			exec timeout 200 jobpool -j 9 --ahead 1 sed -u ''" <list >answers 2>errors
		sort -n answers | cmp - list
		grep -q '^jobpool: cannot start more than [2-6] workers: ' errors
	done
	for none in 4 5; do
		run -125 fresh bash -c "ulimit -n $none; exec jobpool --quiet cat" <list
		[[ "$output" == 'jobpool: cat: '* ]] # the reason, in the words of the C library
	done
}

@test "descriptors above those that select(2) takes are as none" {
	seq 200 >list
	ulimit -S -n 2000 || skip "not so many descriptors"
	perl -e 1 || skip "no perl"
	cat >opened <<'S'
$^F = 2000;
for (3 .. 1016) { open($f[$_], "<", "/dev/null") or die; }
exec @ARGV;
S
	fresh perl opened timeout 200 jobpool -j 9 --ahead 1 sed -u '' <list >answers 2>errors
	sort -n answers | cmp - list
	grep -q '^jobpool: cannot start more than [23] workers: ' errors
}

@test "who closes input or output is no worker any more; its requests go to others" {
	cat >worker <<'S'
one () { read -r x; echo "$x"; }
if mkdir first 2>/dev/null; then one; exec <&-; "$here/sleeper" 1000; fi # seen by -T
if mkdir second 2>/dev/null; then one; exec >&-; "$here/sleeper" 1000; fi
exec cat
S
	export JOBCTL_GRACE=0.2
	jobpool --quiet -k --timeout 1 --retries 1000 -j 1 --ahead 30 sh worker < <(seq 1000) |
		cmp - <(seq 1000)
	until_true no_worker
}

@test "nobody reads the answers: the workers end, and so does jobpool" {
	worker
	{ yes 2 | jobpool -j 2 sh worker 2>errors || echo "$?" >status; } | head -n 1
	until_true test -s status
	is 125 status
	is 'jobpool: output: Broken pipe' errors
	until_true no_worker
}

@test "who does not read its answers for long stops neither the workers nor the memory" {
	mkfifo pipe
	yes | jobpool -j 2 sh -c 'echo >>log; exec cat' >pipe 3>&- &
	exec 7<pipe
	until_true test -s log
	head -n 100000 <&7 >answers
	exec 7<&-
	same 100000 "$(grep -cx y answers)"
	ends_with 125 "$!"
}

@test "TERM, HUP or INT to jobpool ends its workers and what these have started" {
	printf 'echo in >>log; "$here/sleeper" 1000 & "$here/sleeper" 1001' >sleeps
	for sig in TERM HUP INT; do
		rm -f log
		pool_of --idle 2 -j 2 sh sleeps
		until_true lines_in 2 log
		kill -s "$sig" "$pool"
		ends_with $((128 + $(kill -l "$sig"))) "$pool"
		exec 6>&-
		until_true no_worker
	done
}

@test "SIGINT after TERM: who ignores that is killed at once" {
	export JOBCTL_GRACE=1000
	cat >ignores <<'S'
trap 'echo told >>log' TERM
echo in >>log
while :; do "$here/sleeper" 0.02; done
S
	pool_of --idle 2 -j 2 sh ignores
	until_true lines_in 2 log
	kill "$pool"
	until_true lines_in 4 log
	kill -INT "$pool"
	ends_with 143 "$pool"
	exec 6>&-
	until_true no_worker
}

@test "TSTP stops jobpool; it goes on with CONT" {
	pool_of --idle 2 -j 2 sh worker
	until_true lines_in 2 log
	kill -TSTP "$pool"
	until_true state T "$pool"
	kill -CONT "$pool"
	until_true state S "$pool"
	seq 20 >&6
	exec 6>&-
	ends_with 0 "$pool"
	sort -n answers | cmp - <(squares 20)
}

@test "a worker that is in another process group now is ended as the others are" {
	perl -e 1 || skip "no perl"
	cat >moves <<'S'
setpgrp(0, getpgrp(getppid()));
open(L, ">>log"); print L "in\n"; close(L);
sleep;
S
	pool_of --idle 1 perl moves "$here/"
	until_true lines_in 1 log
	kill "$pool"
	ends_with 143 "$pool"
	exec 6>&-
	until_true no_worker
}

@test "a child of whoever became jobpool is no worker, and waited for" {
	cat >worker <<'S'
while read -r pid; do
	kill "$pid"
	while kill -0 "$pid" 2>/dev/null; do "$here/sleeper" 0.02; done
	echo "$pid"
done
S
	timeout 200 bash -c '"$here/sleeper" 1000 & echo "$!" >child
		exec jobpool sh worker <child' >answers 3>&-
	cmp child answers
}

@test "workers that ignore TERM are killed after the grace" {
	export JOBCTL_GRACE=0.1
	cat >ignores <<'S'
trap '' TERM
echo in >>log
"$here/sleeper" 1000; "$here/sleeper" 1000
S
	pool_of --idle 2 -j 2 sh ignores
	until_true lines_in 2 log
	kill "$pool"
	ends_with 143 "$pool"
	exec 6>&-
	until_true no_worker
}

@test "SIGKILL of jobpool: its workers see the end of their input" {
	pool_of --idle 2 -j 2 sh worker
	until_true lines_in 2 log
	kill -KILL "$pool"
	until_true lines_in 4 log
	exec 6>&-
}

@test "what a worker leaves behind in its process group is killed" {
	printf '"$here/sleeper" 1000 & read -r x; echo "$x"' >worker
	same 5 "$(jobpool -j 1 sh worker <<<5)"
	until_true no_worker
}

@test "the shell that is to start the workers has gone: what is asked is told to have no answer" {
	mkfifo orders
	printf ':1\n:2\nend\n' >requests
	exec 7<>orders 8>orders 7<&-
	status=0
	jobpool --attended -j 2 --directory . <requests 3>&8 8>&- >answers 2>errors || status=$?
	exec 8>&-
	same 125 "$status"
	is 'jobpool: worker 1 ended,jobpool: worker 2 ended,jobpool: the shell that starts workers: Broken pipe' errors
	[ "$(sort answers | tr '\n' ,)" = \
		'failed 1 there are no workers,failed 2 there are no workers,ready,' ]
	same '*.in *.out workers' "$(echo *.in *.out workers)"
}

# nursery OPTION... -- jobpool with the test as its shell: orders come by descriptor 7, requests go
# by 6. One worker is to be started.
nursery()
{
	mkdir nursery
	mkfifo orders requests
	JOBCTL_GRACE=0.1 jobpool --attended -j 1 "$@" --directory "$here/nursery" <requests >answers 3>orders &
	pool=$!
	exec 6>requests 7<orders
	echo :x >&6
	read -r line <&7
	same 'start 1 1' "$line"
}

@test "what a shell says of a worker is words and numbers, or nothing" {
	nursery
	exec 8<nursery/1.in 9>nursery/1.out
	printf 'ended %s\n' '1 0x' '1 ' '1x 0' '-1 0' >nursery/workers
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
	nursery --quiet --retries 1 --timeout 0.1
	read -r line <&7
	same 'kill 1 0' "$line"
	exec 9>nursery/1.out
	echo 'open 1' >nursery/workers
	echo end >&6
	ends_with 1 "$pool"
	cmp answers <(printf 'ready\nfailed 1 the worker gave no answer in 0.100 seconds\n')
	exec 6>&- 7<&- 9>&-
}

# 400 workers of a shell need 1200 descriptors.
@test "a shell's workers get no descriptors that select cannot name" {
	mkdir workers
	(ulimit -n 4096) 2>/dev/null || skip "no 4096 descriptors"
	(ulimit -n 4096; { until_true grep -q . errors; echo end; } |
		JOBCTL_GRACE=0.1 timeout 60 jobpool --attended --directory workers -j 400 --idle 400 \
			3>orders >out 2>errors)
	same 1 "$(wc -l <errors)"
	[[ "$(cat errors)" == 'jobpool: cannot start more than '*' workers: '* ]]
	[ "$(grep -c '^start ' orders)" -lt 400 ]
	same workers "$(ls workers)"
}
