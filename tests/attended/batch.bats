# bats file_tags=waits
load ../helper

# tokend -a: how jobs end, and what the shell says of them in the file "calls".

# count N PATTERN -- that many lines were said
count() { [ "$(grep -c "$2" lines)" -eq "$1" ]; }

# job L [ID] -- starts a job on that lease, which sleeps, and tells its pid. Sets $pid.
job()
{
	"$here/sleeper" 100 9>"$FIFO.d/$1" 3>&- & pid=$!
	until_true test -e "/proc/$pid/fd/9"
	[ -z "${2-}" ] || echo "p $2 $pid" >>"$FIFO.d/calls"
}

# closes RESULT... -- the dispenser's last word is RESULT, and it has left nothing
closes()
{
	calls q
	ends_with 0 "$tokend"
	wait "$reader"
	[ "$(tail -n 1 lines)" = "all $*" ] || { cat lines >&2; false; }
	nothing_left
}

@test "a job's last word is its status: 3 has failed, and all says so" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	echo '=3 false "a b"' >"$FIFO.d/1"
	until_true grep -qx '1 3' lines
	job_ends 2
	until_true grep -qx '2 4' lines
	grep -qx 'tokend: job 1: exit status 3: false "a b"' errors
	closes 1 2 2 1 1
}

@test "in a plain batch a lease without a last word is a success, until the shell says otherwise" {
	dispenser -a -B who=tokend -B waits -n 2
	until_true lines_in 3 lines
	[ "$(head -n 1 lines)" = 'ready 2 plain' ]
	: >"$FIFO.d/1" # success
	until_true grep -qx '1 3' lines
	: >"$FIFO.d/2" # a failure that is told of late
	until_true grep -qx '2 4' lines
	printf '%s\n' "f 2 3 'late'" "f 2 3 'twice'" 'f 99 1 x' 'f 1 0' 'f x' >>"$FIFO.d/calls"
	echo "f 3 4 'early'" >>"$FIFO.d/calls" # its lease is not even open
	: >"$FIFO.d/1"
	until_true grep -qx '1 5' lines
	echo 'j 4' >>"$FIFO.d/calls" # it would have had a last word
	: >"$FIFO.d/2"
	until_true grep -qx 'who 4 2' lines
	printf '%s\n' a 's 4 9 killed' >>"$FIFO.d/calls"
	closes 1 4 4 3 2
	[ "$(grep -cE "job (2: exit status 3: late|3: exit status 4: early|4: exit status 9: killed)" \
		errors)" -eq 3 ]
}

@test "a signal that interrupts a read of what the shell says hides nothing of it" {
	need_strace
	for nth in 1 3; do
		mkfifo pipe
		cat pipe >lines 3>&- & reader=$!
		strace -D -qq -o /dev/null -P "$FIFO.d/calls" -e inject=read:error=EINTR:when="$nth" \
			tokend -a -B who=tokend -n 1 "$FIFO" >pipe 2>errors 3>&- & tokend=$!
		until_true lines_in 2 lines
		job_ends 1
		until_true lines_in 3 lines
		closes 0 1 1 0
		rm pipe lines # of this turn
	done
}

@test "what the shell says while it holds the bell open is heard" {
	dispenser -a -B who=tokend -n 1 -B ended
	until_true lines_in 2 lines
	exec 8>"$FIFO.d/bell"
	echo h >>"$FIFO.d/calls"
	until_true grep -qx 'stop 0 again' lines
	exec 8>&-
	last_word
}

@test "a last word that comes while the end was asked for, and all is looked at all the time, is heard" {
	dispenser -a -B who=tokend -n 2 -B ended
	until_true lines_in 3 lines
	exec 9>"$FIFO.d/2"
	printf S >"$FIFO"
	sh -c 'while echo; do :; done >"$FIFO"' 3>&- & noise=$!
	for i in {1..8}; do
		echo "=3 x" >"$FIFO.d/1"
		until_true grep -q "^1 $((i + 2))$" lines
	done
	kill "$noise"
	wait "$noise" || :
	echo '=0' >&9
	exec 9>&-
	wait "$tokend" "$reader" || :
	same 8 "$(grep -c '^ended [0-9]* 3 ' lines)"
	run -1 grep who lines
}

@test "the first last word counts, a status above 256 is a signal's, and others are junk" {
	dispenser -a -B who=tokend -n 1 -B ended
	until_true lines_in 2 lines
	printf '=0\n=3\n' >"$FIFO.d/1"
	until_true grep -q '^ended 1 0 ' lines
	job_ends 1 265
	until_true grep -q '^ended 2 137 ' lines
	[ ! -s errors ] || [ "$(cat errors)" = 'tokend: job 2: killed by signal 9' ]
	printf '%s\n' = =x =512 =-1 =3x =99999999999 >"$FIFO.d/1"
	until_true grep -q '^who ' lines
	until_true grep -q 'junk' errors
	last_word
}

@test "a job without a word is asked for, and the answer counts; nobody's child was killed" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	: >"$FIFO.d/1"
	: >"$FIFO.d/2"
	until_true grep -qx 'who 1 1' lines
	until_true grep -qx 'who 2 2' lines
	calls w
	calls 's 1 4' 's 1 0' 's 77 1' 's 2 -1'
	until_true grep -qx 'all 1 2 2 2 1' lines
	grep -q 'job 1: exit status 4' errors
	grep -q 'job 2: killed by signal 9' errors
	closes 1 2 2 2 1
}

@test "all is said when all leases are home, and once for each time it is asked for" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	exec 9>"$FIFO.d/1"
	exec 8>"$FIFO.d/2"
	calls w
	echo '=0' >&9
	exec 9>&-
	echo ':not yet' >&8
	until_true grep -qx 'said 2 not yet' lines
	run -1 grep -q ^all lines
	echo '=0' >&8
	exec 8>&-
	until_true lines_in 7 lines
	is 'ready 2,1 1,2 2,said 2 not yet,all 0 2 2 0,1 3,2 4' lines
	closes 0 2 2 0
	count 2 ^all
}

@test "leases that were not opened are recalled while all is waited for; their numbers come again" {
	dispenser -a -B who=tokend -n 3
	until_true lines_in 4 lines
	exec 9>"$FIFO.d/1"
	calls w
	echo '=0' >&9
	exec 9>&-
	until_true lines_in 8 lines
	is 'ready 3,1 1,2 2,3 3,all 0 1 1 0,1 2,2 3,3 4' lines
	closes 0 1 1 0
}

@test "the number of a job that a callback wants is not given to another one" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	calls 'c true'
	job_ends 1
	until_true grep -qx '1 3 true' lines
	calls w
	job_ends 1
	until_true grep -qx 'all 0 2 2 0' lines
	until_true lines_in 7 lines
	is 'ready 2,1 1,2 2,1 3 true,all 0 2 2 0,1 4,2 5' lines
	closes 0 2 2 0
}

@test "the command of a callback whose lease was in a line that is lost is given another one" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	calls 'c true'
	job_ends 1
	until_true grep -qx '1 3 true' lines
	calls 'y 7'
	until_true lines_in 8 lines
	is 'ready 2,1 1,2 2,1 3 true,sync 7,count 1 0,1 2 true,2 3' lines
	job_ends 1
	closes 0 2 2 0
}

@test "with asks nothing is given that was not asked for" {
	dispenser -a -B who=tokend -n 2 -B asks -B ended
	until_true lines_in 1 lines
	calls n
	until_true lines_in 2 lines
	calls n n
	until_true lines_in 3 lines
	calls n
	job_ends 1
	until_true lines_in 5 lines
	is 'ready 2 asks tells,1 1,2 2,count 1 0,ended 1 0 * 1,1 3' <(sed 's/ [0-9]*\.[0-9]* / * /' lines)
	job_ends 1
	job_ends 2
	closes 0 3 3 0
}

@test "halt: who asks then is told to stop; what waits to be tried again has failed" {
	for how in soon now; do
		dispenser -a -B who=tokend -n 3 -B asks -B --retries=2,1000 -B "--halt=$how,fail=1" -B grace=0
		until_true lines_in 1 lines
		calls 'n one'
		until_true grep -qx '1 1' lines
		fails 1 1 3
		calls n
		until_true says 2
		calls n
		until_true says 3
		job "$(lease_of 3)" 3
		job_ends "$(lease_of 2)" 4
		calls n
		until_true grep -qx 'stop 1 again' lines
		[ "$how" = now ] || kill "$pid"
		until_true grep -q '^who 3 ' lines
		calls 's 3 0'
		read -r lease <&7 # of none
		same '' "$lease"
		closes 1 3 3 2 2
		rm pipe
	done
}
# fails ID LEASE STATUS -- ends a job whose shell can repeat it, and waits for that, as descriptor 7
fails()
{
	[ -p "$FIFO.d/$1.again" ] || mkfifo "$FIFO.d/$1.again" # it has one for all tries
	exec 7<>"$FIFO.d/$1.again"
	echo "=$3 echo 'a  b'" >"$FIFO.d/$2"
}
says() { [ -n "$(lease_of "$1")" ]; }
# lease_of ID -- the lease of that job
lease_of() { sed -n "s/^\([0-9_]*\) $1$/\1/p" lines; }

@test "a job that failed is tried again by its shell, which hears of a lease; none other has that of its start" {
	dispenser -a -B who=tokend -n 1 -B asks -B --retries=3,0 -B ended -B failed
	until_true lines_in 1 lines
	calls "n echo 'a  b'"
	until_true grep -qx '1 1' lines
	fails 1 1 3
	read -r lease try <&7
	same '1_1 2' "$lease $try"
	exec 9>"$FIFO.d/$lease" 7>&-
	calls n # waits for that lease
	fails 1 1_1 4
	exec 9>&-
	read -r lease try <&7
	same '1_1 3' "$lease $try"
	exec 9>"$FIFO.d/$lease" 7>&-
	echo '=5' >&9
	exec 9>&-
	until_true grep -q '^ended 1 5 ' lines
	grep -qx "failed 1 5 echo 'a  b'" lines
	until_true grep -qx '1_1 2' lines
	fails 2 1_1 6
	read -r lease try <&7
	same '1 2' "$lease $try"
	exec 9>"$FIFO.d/1" 7>&-
	echo =0 >&9
	exec 9>&-
	closes 1 2 2 1 1
	[ ! -s errors ]
}

@test "a job whose shell is killed while it waits for a lease, or before it opens that, has failed" {
	dispenser -a -B who=tokend -n 1 -B asks -B --retries=3,1000 -B failed
	until_true lines_in 1 lines
	calls 'n one'
	until_true grep -qx '1 1' lines
	shell_of 1
	fails 1 1 3
	kill "$shell"
	until_true grep -qx 'failed 1 3 one' lines
	calls 'n two'
	until_true says 2
	exec 9>"$FIFO.d/$(lease_of 2)"
	shell_of 2
	echo '>0' >&9
	fails 2 "$(lease_of 2)" 4
	exec 9>&-
	read -r lease try <&7
	same 2 "$try"
	kill "$shell"
	until_true grep -qx 'failed 2 4 two' lines
	calls 'n three'
	until_true says 3
	job_ends "$(lease_of 3)"
	closes 1 3 3 2 1
}
# shell_of ID -- a process that is told to be the shell of that job
shell_of()
{
	sleep 1000 3>&- 7>&- 9>&- &
	shell=$!
	calls "i $1 $shell"
}

@test "a task has a name that comes once; its result, or its failure, is told" {
	dispenser -a -B who=tokend -n 1 -B asks
	until_true lines_in 1 lines
	calls $'T 1 one\twork 1' # the answer waits until the job has begun
	until_true grep -qx 'task 1 0' lines
	calls $'T 2 one\twork 1' $'t 3 two\twork 2'
	until_true grep -qx 'task 3 0' lines
	job_ends 1
	until_true grep -qx '1 2 task work 2' lines
	job_ends 1 7
	until_true grep -q '^gave' lines
	is "ready 1 asks tells,1 1 task work 1,task 1 0,task 2 1,task 3 0,count 1 0,result 1 one,\
1 2 task work 2,count 2 1 2,gave 7 two" lines
	closes 1 2 2 1 2
}

@test "k ends the jobs, by tokstop, and no more are started" {
	export top
	fake tokstop <<<'echo "$*" >>"$here/ended"; exec "$top/bin/tokstop" "$@"'
	dispenser -a -B who=tokend -n 3
	until_true lines_in 4 lines
	job 1 1
	one=$pid
	job 2
	calls "l 2 $pid" 'k 3'
	until_true grep -qx 'who 1 1' lines
	until_true grep -qx 'who 2 2' lines
	is "-p -g 3 -d $FIFO -- $one $pid" ended
	calls 's 1 143' 's 2 143' h
	until_true count 2 ^stop
	is 'stop 123 asked,stop 123 again' <(grep ^stop lines)
	calls 'c true' 'k 3'
	closes 123 2 2 2 1
	[ ! -s errors ]
}

@test "jobs were ended: a process that left its job's family with the lease is not waited for" {
	dispenser -a -B who=tokend -n 1
	until_true lines_in 2 lines
	job 1
	calls 'k 0'
	until_true grep -qx 'who 1 1' lines
	calls 's 1 0'
	closes_but_for "$pid"
}

# closes_but_for PID -- the same, but that process lives on
closes_but_for()
{
	calls q
	ends_with 0 "$tokend"
	until_true no_files
	kill "$1"
	nothing_left
}

@test "a job whose pid is told after k is ended, too" {
	dispenser -a -B who=tokend -n 2
	until_true lines_in 3 lines
	job 1
	calls 'k 0'
	calls "p 1 $pid"
	until_true grep -qx 'who 1 1' lines
	until_true ended "$pid"
	calls 's 1 137' q
	ends_with 0 "$tokend"
	nothing_left
}

@test "-l ends a job whose pid was told without a ring, and no other one" {
	dispenser -a -B who=tokend -n 2 -l 0.3 -B grace=0 -B --halt=soon,fail=1
	until_true lines_in 3 lines
	same 'ready 2 clock tells' "$(head -n 1 lines)"
	job 2 2
	other=$pid
	job 1 1
	echo + >"$FIFO.d/1"
	until_true grep -qx 'who 1 1' lines
	calls 's 1 143'
	until_true grep -q 'stop 1 ' lines
	grep -q 'job 1: ' errors
	sleep 1.2 # longer than ended jobs are waited for
	run -1 grep 'who 2' lines
	kill "$other"
	until_true grep -qx 'who 2 2' lines
	calls 's 2 0'
	closes 1 2 2 1 1
}

@test "-L ends all jobs, and says stop" {
	dispenser -a -B who=tokend -n 2 -L 1 -B grace=0
	until_true lines_in 3 lines
	job 1
	calls "p 1 $pid" # before or after that limit
	until_true grep -qx 'stop 124 limit' lines
	until_true grep -qx 'who 1 1' lines
	calls 's 1 137'
	job 2 # the shell has not heard yet; the job is ended when its pid is known
	calls "p 2 $pid"
	until_true grep -qx 'who 2 2' lines
	calls 's 2 137'
	closes 124 2 2 2 1
}

@test "x gives up: what was not opened comes home, and all is said when the rest has" {
	dispenser -a -B who=tokend -n 3
	until_true lines_in 4 lines
	exec 9>"$FIFO.d/2"
	calls 'x 125'
	until_true grep -qx 'stop 125 again' lines
	calls w
	echo '=0' >&9
	exec 9>&-
	until_true grep -qx 'all 125 1 1 0' lines
	closes 125 1 1 0
}

@test "the calls file is replaced when it is long, and no line is lost" {
	dispenser -a -B who=tokend -n 1 -B asks
	until_true lines_in 1 lines
	for n in 100 200 300; do # of 66,000 bytes and more, each hundred
		awk -v n="$n" 'BEGIN {for (i = n - 99; i <= n; i++) printf "t %d %d\t%0650d\n", i, i, 0}' \
			>>"$FIFO.d/calls"
		: >"$FIFO.d/bell"
		until_true count "$n" '^task '
		until_true test ! -s "$FIFO.d/calls"
	done
	printf 'h' >>"$FIFO.d/calls"
	: >"$FIFO.d/bell"
	printf '\n' >>"$FIFO.d/calls"
	: >"$FIFO.d/bell"
	until_true grep -q '^stop 0 again' lines
	count 1 ^stop
	calls 'x 3' q
	ends_with 0 "$tokend"
	nothing_left
}

@test "the words to a dispenser that was killed mean nothing to the next one" {
	dispenser -a -B who=tokend -n 1
	until_true lines_in 2 lines
	printf 'x 9\nq\n' >>"$FIFO.d/calls"
	kill -KILL "$tokend"
	wait "$tokend" "$reader" || :
	rm pipe
	dispenser -a -B who=tokend -n 1
	until_true lines_in 2 lines
	calls w
	until_true grep -q ^all lines
	is 'ready 1,1 1,all 0 0 0 0,1 1' <(head -n 4 lines)
	closes 0 0 0 0
}

@test "junk in the calls file is told of once, and ignored" {
	dispenser -a -B who=tokend -n 1
	until_true lines_in 2 lines
	calls '' nonsense 'p 1' 'p 1 1' 'p x 5' 's 1' 's 1 x' 'l 1 0' 'l 1' $'\377' T 'T x' 'x' 'o nothing'
	until_true grep -q '^stop' lines
	until_true grep -q junk errors
	same "tokend: $FIFO: junk on the calls ignored" "$(grep junk errors)"
	closes 125 0 0 0
}

@test "-B refuses what is no option of a batch" {
	for bad in nothing '' - -Z --retries=0 --halt=x --total-jobs --total-jobs=x out=1 asks=; do
		refused 1 -a -n 1 -B "$bad" "$FIFO"
	done
	refused 4 -B asks "$FIFO"
}

@test "a job's word on its next try is for that try alone, and junk there is reported" {
	dispenser -a -B who=tokend -n 1 -B asks -B --retries=3,0.5
	until_true lines_in 1 lines
	calls 'n one'
	until_true grep -qx '1 1' lines
	exec 9>"$FIFO.d/1"
	echo '>0' >&9
	fails 1 1 3
	exec 9>&-
	read -r lease try <&7
	before=$(now)
	exec 9>"$FIFO.d/$lease" 7>&-
	echo '>soon' >&9
	fails 1 "$lease" 4
	exec 9>&-
	read -r lease try <&7
	same 3 "$try"
	[ "$(now)" -ge $((before + 1000000)) ]
	job_ends "$lease"
	closes 0 1 1 0
	same 1 "$(grep -c 'lease of a job' errors)"
}
