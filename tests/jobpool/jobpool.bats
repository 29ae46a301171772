load ../helper
load ../helpers/jobpool

# jobpool: requests, answers, and how many workers there are.

@test "each request is answered once: as answers come, in order, with the number" {
	worker
	squares 500 >expected
	seq 500 | jobpool -j 4 sh worker >answers
	sort -n answers | cmp - expected
	seq 500 | jobpool -j 4 -k sh worker | cmp - expected
	seq 500 | jobpool -j 4 --tag sh worker | sort -n >answers
	seq 500 | paste - expected | cmp - answers
	same "$(grep -c out log)" "$(grep -c in log)"
	printf '3\n4' | jobpool -k sh worker | cmp - <(printf '9\n16\n')
	same '' "$(jobpool sh worker </dev/null)"
}

@test "-k: any number of answers wait for the first one, and a failure, too" {
	mkfifo gate
	cat >first <<'S'
while read -r x; do
	[ "$x" -ne 1 ] || : <gate
	[ "$x" -ne 5 ] || kill -KILL "$$"
	echo "$x"
	echo "$x" >>log
done
S
	pool_of --quiet -k --retries 1 --ahead 1 -j 2 sh first
	seq 300 >&6
	until_true lines_in 298 log
	[ ! -s answers ]
	open_gate gate
	exec 6>&-
	ends_with 1 "$pool"
	close_gate
	cmp answers <(seq 300 | sed 's/^5$//')
	rm log
	pool_of -k --ahead 1 -j 2 sh first
	seq 100 >&6
	until_true lines_in 50 log
	kill "$pool"
	ends_with 143 "$pool"
	exec 6>&-
	[ ! -s answers ]
}

@test "no more than -j workers, of which each has no more than --ahead requests" {
	mkfifo gate
	pool_of --trace -j 3 --ahead 1 sh worker
	seq 20 >&6
	until_true lines_in 3 log
	open_gate gate
	exec 6>&-
	ends_with 0 "$pool"
	close_gate
	same 3 "$(peak)"
	sort -n answers | cmp - <(squares 20)
	# A worker that reads two before it answers gets two with --ahead 2, but hangs with 1.
	printf 'while read -r a; read -r b; do echo "$a"; echo "$b"; done\n' >two
	seq 8 | jobpool -j 1 --ahead 2 sh two | cmp - <(seq 8)
	run -1 jobpool --quiet --retries 1 --timeout 0.1 -j 1 --ahead 1 sh two <<<$'1\n2'
	same '' "$output"
}

@test "a second worker is started when the first one has a request, before that gets two" {
	mkfifo gate
	pool_of -j 2 sh worker
	seq 2 >&6
	until_true lines_in 2 log
	exec 6>&-
	gate_opens "$pool"
	sort -n answers | cmp - <(squares 2)
}

@test "--idle workers are started at once, and others as there are requests for them" {
	mkfifo gate
	pool_of --trace --idle 2 -j 4 --ahead 1 sh worker
	until_true lines_in 2 log
	until_true said 2 started
	seq 4 >&6
	until_true lines_in 4 log
	open_gate gate
	until_true lines_in 4 answers
	seq 5 6 >&6
	until_true lines_in 6 answers
	exec 6>&-
	ends_with 0 "$pool"
	close_gate
	same "$(grep -c out log)" "$(grep -c in log)"
	same 4 "$(peak)"
}

@test "a request that its workers die of has no answer after --retries tries; the others have" {
	cat >worker <<'S'
while read -r x; do
	[ "$x" -ne 4 ] || { echo try >>log; kill -KILL $$; }
	echo "$x"
done
S
	run -1 --separate-stderr jobpool -k -j 2 --retries 3 sh worker < <(seq 8)
	same $'1\n2\n3\n\n5\n6\n7\n8' "$output"
	same 3 "$(grep -c try log)"
	[[ "$stderr" == *"jobpool: request 4 has no answer: the worker was killed by signal 9"* ]]
	[[ "$stderr" == *"jobpool: 1 of 8 requests have no answer" ]]
	run -1 --separate-stderr jobpool --quiet -k -j 2 --retries 3 sh worker < <(seq 8)
	same '' "$stderr"
}

@test "a worker that retires answers what it has, and another one goes on" {
	cat >worker <<'S'
echo in >>log
n=0
while read -r x; do
	n=$((n + 1))
	[ "$n" -ne 3 ] || echo '#retire'
	echo "$n" >>served
	echo "$x"
done
echo out >>log
S
	seq 30 | jobpool --error-prefix '#' -k -j 1 --ahead 2 sh worker | cmp - <(seq 30)
	same 1 "$(peak)"
	[ "$(sort -n served | tail -n 1)" -le 4 ]
	[ "$(grep -c in log)" -ge 8 ]
}

@test "a line with the prefix of --error-prefix is an event, told with the number of the worker" {
	printf 'echo "!begun"; while read -r x; do echo "!on $x"; echo "$x"; done' >worker
	seq 2 | jobpool --error-prefix '!' -j 1 sh worker >answers 2>errors
	is '1,2' answers
	is 'jobpool: worker 1: begun,jobpool: worker 1: on 1,jobpool: worker 1: on 2' errors
}

@test "--begin is what each worker is asked first; what it answers is no answer of a request" {
	same $'.125\n.250' "$(printf '1/8\n1/4\n' | jobpool -k --begin 'scale=3;0' bc)"
	cat >worker <<'S'
read -r x
until mkdir first 2>/dev/null || [ -e ended ]; do :; done
echo; cat; echo >ended
S
	same 1 "$(jobpool --begin hello --idle 1 --ahead 1 -j 2 sh worker <<<1)" # the second begins as all ends
	printf 'read -r x; echo "asked $x" >>log; exit 1' >worker
	run -125 --separate-stderr jobpool --quiet --begin hello -j 2 sh worker < <(seq 5)
	same '' "$output"
	same "$useless ended with 1; no more are started" "$stderr"
	same 'asked hello' "$(sort -u log)"
	printf 'read -r x; "$here/sleeper" 1000' >worker
	run -125 --separate-stderr jobpool --quiet --begin hello --timeout 0.01 -j 2 sh worker < <(seq 5)
	[[ "$stderr" == *'in a row gave no answer'* ]]
}

@test "two answers, where nobody asked: the worker is ended, and that is told" {
	printf 'while read -r x; do echo "$x"; echo "again $x"; done' >worker
	run -1 --separate-stderr jobpool -j 1 sh worker <<<1
	[[ "$output" == 1* ]]
	[[ "$stderr" == *'jobpool: worker 1 wrote a line that answers no request'* ]]
}

@test "a line too many as a worker ends is told, and answers nothing" {
	printf 'while read -r x; do echo "$x"; done; echo "$x"' >worker
	run -1 --separate-stderr jobpool -j 1 sh worker <<<1
	same 1 "$output"
	same 'jobpool: worker 1 wrote a line that answers no request' "$stderr"
	run -1 --separate-stderr jobpool --quiet -j 1 sh worker <<<1
	[ "$output$stderr" = 1 ]
}

@test "--numbered has gone: what to write instead" {
	run -125 jobpool --numbered cat
	same 'jobpool: --numbered: write the number into the request, and --ahead 1' "$output"
}

@test "half a line is no answer" {
	cat >worker <<'S'
while read -r x; do
	if mkdir first 2>/dev/null; then printf 1; exit; fi
	echo "$x"
done
S
	seq 10 20 | jobpool -k -j 1 sh worker >answers 2>errors
	cmp answers <(seq 10 20)
	is 'jobpool: worker 1 ended with 0 within a line' errors
}

@test "a line without an end is no answer, and does not fill the memory" {
	printf 'read -r x; exec yes | tr -d "\\n"' >worker
	run -1 --separate-stderr jobpool --retries 2 -j 1 sh worker <<<1
	same '' "$output"
	[[ "$stderr" == *'worker 1 wrote a line without an end'* ]]
	until_true no_worker
}

@test "what a worker has said counts, though it has ended since" {
	printf 'read -r x; echo "#retire"; echo "$x"' >worker
	seq 60 | jobpool --quiet -k --error-prefix '#' --retries 1 --ahead 1 -j 3 \
		sh worker | cmp - <(seq 60)
}

@test "bytes of any kind go through as they are, and long lines" {
	LC_ALL=C awk 'BEGIN {for (i = 0; i < 256; i++) if (i != 10) printf "a%cb\n", i}' >requests
	printf 'x\0y\n\0\n\n' >>requests
	head -c 300000 /dev/zero | tr '\0' y >>requests
	echo >>requests
	jobpool -k -j 2 --ahead 9 sed -u '' <requests | cmp - requests
	seq -f %020000.f 20 >requests # more than a pipe holds
	jobpool -k -j 1 --ahead 20 sed -u '' <requests | cmp - requests
}

@test "-j takes all forms of a count" {
	worker
	for form in 1 +0 50% 500; do jobpool -j "$form" cat </dev/null; done
	for form in 0 x 501 ''; do run -125 jobpool -j "$form" cat; done
	run -125 jobpool --idle 3 -j 2 cat
	same 'jobpool: --idle 3 is more than the 2 workers of -j' "$output"
}

@test "what makes no sense, or cannot be, is refused with 125" {
	run -125 jobpool --error-prefix $'two\nlines' cat
	same 'jobpool: --error-prefix two\x0alines: must be one line' "$output"
	JOBCTL_GRACE=x run -125 jobpool cat
	same 'jobpool: JOBCTL_GRACE: x: not a number of seconds' "$output"
	run -125 jobpool
	[ "$output" = 'jobpool: needs a command that answers requests; jobpool --help tells more
usage: jobpool [option...] command [arg...]' ]
	for wrong in '--watch 1' '--directory d'; do
		run -125 jobpool $wrong cat
		[[ "$output" == 'jobpool: --directory and --watch go together; '* ]]
	done
	run -125 jobpool cat <"$here"
	same 'jobpool: input: Is a directory' "$output"
	long=$(printf '%5000s' '' | tr ' ' x)
	for directory in "$here" "$here/nowhere" "$long"; do
		[ "$directory" != "$here" ] || mkfifo workers
		run -125 jobpool --attended -j 2 --directory "$directory" 3>news
		[[ "$output" == 'jobpool: 2 workers: '* ]]
	done
	run -125 bash -c 'exec jobpool --attended -j 2 --directory . 3>&-'
	same 'jobpool: 2 workers: Bad file descriptor' "$output"
	[ -p workers ]
}

@test "the input of jobpool --attended ends with a line \"end\", and with no other" {
	printf ':1\nend\0x\nend \n:2\nend\n:3\n' | jobpool --attended -k -j 1 sed -u '' |
		cmp - <(printf 'ready\n1 1\n2 2\n')
}

@test "requests that come by a FIFO do not end when nobody has it open" {
	mkfifo requests
	jobpool --attended -k -j 1 --watch "$$" --directory . cat >out 3>&- &
	echo :1 >requests
	until_true lines_in 2 out
	printf ':2\nend\n' >requests
	ends_with 0 "$!"
	is 'ready,1 1,2 2' out
	rm requests
	: >requests
	run -125 jobpool --attended --watch "$$" --directory . cat
	same 'jobpool: ./requests: File exists' "$output"
}

@test "jobpool --attended says all, with figures, when the requests before it are settled" {
	printf ':a\n:b\nall\n:c\nend\n' | jobpool --attended -k sed -u 's/^/</' >out
	is 'ready,1 <a,2 <b,3 <c,all 3 3 0' out
	printf ':a\n:b\nall\nend\n' >in
	run -1 jobpool --attended --quiet -j 1 --retries 1 sh -c 'read -r x; [ "$x" != a ] || exit; echo b' <in
	same $'ready\nfailed 1 the worker ended with 1\n2 b\nall 2 1 1' "$output"
}
