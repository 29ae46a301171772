load ../helper

# What went wrong once: each of these ended in a hang, a token lost or one too
# many. Instants that are short are made long by strace, which stops a program
# at a system call.

killed() { kill -KILL "$(cat "$FIFO.d/lock")" && until_true no_process "^tokend .*$FIFO"; }

need_containers() { unshare -pf true || skip "no process namespaces here"; }

@test "a request that was given up is not served to the next client with its pid" {
	need_containers
	pool -n 3
	tokget -k 3 "$FIFO"
	run -124 unshare -pf tokget -t 0.1 -k 2 "$FIFO"
	unshare -pf tokget "$FIFO" true 3>&- &
	one=$!
	until_true names 1
	tokput "$FIFO"; tokput "$FIFO"; tokput "$FIFO"
	ends_with 0 "$one"
	until_true pool_says '3 3 0 0'
	stopped
}

@test "the first process of a container that waits ends by TERM" {
	need_containers
	pool -n 1
	tokget "$FIFO"
	unshare -pf tokget "$FIFO" true 3>&- &
	one=$!
	until_true waiting 1
	kill -TERM "$(pgrep -f "^tokget $FIFO")"
	ends_with 143 "$one"
	names 0
	stopped -f
}

@test "two clients with one pid, the second between mkfifo and open of the first: both are served" {
	need_strace
	need_containers
	pool -n 1
	tokget "$FIFO"
	stops_at "$MKFIFO" unshare -pf tokget "$FIFO" echo A >A
	unshare -pf tokget "$FIFO" echo B >B 3>&- &
	two=$!
	until_true waiting 1
	kill -CONT "$stuck"
	until_true waiting 2
	tokput "$FIFO"
	ends_with 0 "$two"
	ends_with 0 "$tracer"
	[ "$(cat A B | tr '\n' ' ')" = 'A B ' ]
	until_true pool_says '1 1 0 0'
	stopped
}

@test "an answer that cannot be written: the request is refused, and nothing was given" {
	need_strace
	# Its writes: that it is ready, the answer, which is tried three times.
	strace -f -qq -o /dev/null -e inject=write:error=EAGAIN:when=2..4 \
		sh -c 'tokend -b -n 2 "$FIFO"; mkdir ready' 3>&- &
	until_true [ -d ready ]
	tokget "$FIFO" 3>&- &
	ends_with 125 "$!"
	until_true pool_says '2 2 0 0'
	tokput "$FIFO"
	until_true pool_says '2 2 0 0'
	tokget -k 2 "$FIFO" true
	stopped
}

# crowd LIMIT... -- 14 clients hold tokens of a pool of 2 that is to have 30
crowd()
{
	(ulimit "$@"; pool -n 2)
	tokput -n 30 "$FIFO"
	mkfifo gate
	pids=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
		tokget "$FIFO" sh -c ': <gate' 3>&- &
		pids="$pids $!"
	done
}

crowd_leaves()
{
	open_gate gate
	for pid in $pids; do ends_with 0 "$pid"; done
	close_gate
	rm gate
	until_true pool_says '30 30 0 0'
	tokget -k 30 "$FIFO" true
	until_true pool_says '30 30 0 0'
	stopped
}

@test "a pool that grows beyond its descriptors has more; beyond what it may have, clients wait for one" {
	crowd -S -n 20
	until_true pool_says '30 16 14 0'
	crowd_leaves
	crowd -n 20
	refused() { tokget -n "$FIFO" true; [ "$?" -eq 124 ]; }
	until_true refused
	run -124 tokget -t 0.1 "$FIFO"
	crowd_leaves
}


@test "-n is refused, too, where there is a token, but no descriptor to give it by" {
	(ulimit -n 20; pool -n 2)
	tokput -n 30 "$FIFO"
	held=0 status=0
	mkfifo gate
	while [ "$status" -eq 0 ]; do
		timeout -s KILL 20 tokget -n "$FIFO" true || status=$?
		if [ "$status" -eq 0 ]; then
			tokget "$FIFO" sh -c ': <gate' 3>&- &
			held=$((held + 1))
			until_true pool_says "30 $((30 - held)) $held 0"
		fi
	done
	[ "$status" -eq 124 ]
	[ "$held" -lt 20 ]
	open_gate gate
	until_true pool_says '30 30 0 0'
	close_gate
	stopped
}

@test "-k 500 gets them all, whatever the labels; more are refused" {
	long=$(printf '%0900d' 0)
	pool -n 1000 -s "$long" -s "$long" -s "$long" -s "$long" -s "$long"
	run -0 tokget -k 500 "$FIFO" sh -c 'echo "$JOBCTL_SLOT" | wc -w'
	[ "$output" -eq 500 ]
	until_true pool_says '1000 1000 0 0'
	tokget -k 900 "$FIFO" true 3>&- &
	ends_with 125 "$!"
	mkfifo "$FIFO.d/w.1"
	exec 9<>"$FIFO.d/w.1"
	echo '@get 1 900 5 -' >"$FIFO"
	read -r line <&9
	[ "$line" = 'no many' ]
	exec 9>&-
	until_true pool_says '1000 1000 0 0'
	stopped
}

@test "a waiter that does not run while tokend is killed and started again asks anew" {
	pool -n 1
	tokget "$FIFO"
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true waiting 1
	kill -STOP "$one"
	killed
	pool -n 1
	kill -CONT "$one"
	ends_with 0 "$one"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "a waiter that does not run while tokend is killed on the way to its answer, and started again, asks anew" {
	need_strace
	# Its writes: that it is ready, the first answer, the second.
	strace -f -qq -o /dev/null -e inject=write:signal=KILL:when=3 \
		sh -c 'tokend -b -n 1 "$FIFO"; mkdir ready' 3>&- &
	tracer=$!
	until_true [ -d ready ]
	tokget "$FIFO"
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true names 1
	kill -STOP "$one"
	tokput "$FIFO"
	wait "$tracer" || :
	pool -n 1
	kill -CONT "$one"
	until_true ended "$one"
	ends_with 0 "$one"
	until_true pool_says '1 1 0 0'
	stopped
}

# the_open -- sets $opens to the call, and which of these it is, by which tokget has both
# ends of its FIFO open
the_open()
{
	pool -n 1
	strace -qq -o trace -e trace='?open,?openat' tokget "$FIFO" true
	opens=$(awk -F'(' '{n[$1]++} /\/w\..*O_WRONLY/ {print $1 ":when=" n[$1]}' trace)
	stopped
}
about_to_ask() { stops_at "$opens" tokget "$FIFO" true && names 1; }

@test "a client about to ask, while tokend ends and another one is started on the same FIFO, asks anew" {
	need_strace
	the_open
	mkfifo "$FIFO" # so it stays
	pool -n 1
	about_to_ask
	tokstop "$FIFO"
	until_true [ ! -e "$FIFO.d" ]
	pool -n 1
	kill -CONT "$stuck"
	until_true ended "$tracer"
	ends_with 0 "$tracer"
	until_true pool_says '1 1 0 0'
	tokstop "$FIFO"
}

@test "a client about to ask, while tokend is killed as it ends, and started again, asks anew" {
	need_strace
	the_open
	for call in '?unlink:when=1' '?unlinkat:when=2' '?renameat,?renameat2:when=1' 'write:when=1'; do
		echo "$call" >&2
		strace -f -qq -o /dev/null -e inject="$call:signal=KILL" tokend -n 1 "$FIFO" 2>/dev/null 3>&- &
		tokend=$!
		until_true is_inlet "$FIFO"
		about_to_ask
		tokstop "$FIFO" || :
		wait "$tokend" || :
		pool -n 1
		kill -CONT "$stuck"
		until_true ended "$tracer"
		ends_with 0 "$tracer"
		until_true pool_says '1 1 0 0'
		stopped
	done
}

@test "tokend started again while a client is between mkfifo and open: it is served" {
	need_strace
	pool -n 1
	stops_at "$MKFIFO" tokget "$FIFO" true
	killed
	pool -n 1
	names 1
	touch -d '1 hour ago' "$FIFO.d"/w.*
	killed
	pool -n 1
	names 0
	kill -CONT "$stuck"
	ends_with 0 "$tracer"
	until_true pool_says '1 1 0 0'
	stopped
}

# at_the_last_look -- tokget -t 0, stopped when it has seen no answer; it
# is granted a token then
at_the_last_look()
{
	need_strace
	pool -n 1
	tokget "$FIFO"
	run -124 strace -qq -o trace -e trace=read tokget -t 0 "$FIFO"
	stops_at "read:when=$(grep -c '^read' trace)" tokget -t 0 "$FIFO"
	names 1
	tokput "$FIFO"
	until_true pool_says '1 0 1 0'
}

@test "a plain token that is granted as the time ends is not lost" {
	at_the_last_look
	kill -CONT "$stuck"
	ends_with 0 "$tracer"
	until_true pool_says '1 0 1 0'
	tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "a plain token that is granted to one who is just ended by a signal is returned" {
	at_the_last_look
	kill -TERM "$stuck"
	kill -CONT "$stuck"
	ends_with 143 "$tracer"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "-x counts from the end of a job, however long it was" {
	pool -x 2 -n 1
	tokget "$FIFO" "$here/sleeper" 2.1
	tokget "$FIFO" true
	nothing_left
}

@test "-N while the dispenser is closing: pauses between two requests; -n and -t are kept" {
	need_strace
	pool -n 1
	tokget "$FIFO"
	tokstop "$FIFO" 3>&- &
	stop=$!
	is_closing() { tokget "$FIFO" 2>/dev/null; [ "$?" -eq 123 ]; }
	until_true is_closing
	run -124 tokget -nN 1 "$FIFO" true
	run -124 tokget -t 0.1 -N 1 "$FIFO" true
	strace -qq -o trace -e trace='?nanosleep,?clock_nanosleep' tokget -N 1 "$FIFO" true 3>&- &
	one=$!
	until_true lines_in 3 trace
	tokput "$FIFO"
	ends_with 0 "$stop"
	ends_with 0 "$one"
	stopped
}

@test "the second restart of tokend in a waiter's life is waited for like the first" {
	pool -n 1
	tokget "$FIFO"
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true waiting 1
	killed
	until_true names 0 # it has seen that
	kill -STOP "$one"
	pool -n 1
	tokget "$FIFO"
	kill -CONT "$one"
	until_true waiting 1
	"$here/sleeper" 2.1 # longer than an outage may be
	killed
	until_true names 0
	pool -n 1
	ends_with 0 "$one"
	stopped
}

@test "-N without a tokend in PATH: 125, and one message" {
	mkdir only
	ln -s "$(command -v tokget)" only
	PATH=$here/only run -125 tokget -N 1 "$FIFO" true
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == 'tokget: tokend: '* ]]
}

@test "tokstat is refused, not forgotten, while too many reports are under way" {
	for i in {1..80}; do printf '%0900d\n' "$i"; done >labels
	pool -f labels
	for i in {1..64}; do
		mkfifo "$FIFO.d/w.$i"
		exec {fd}<>"$FIFO.d/w.$i"
		fds="${fds-} $fd"
		echo "@stat $i" >"$FIFO"
	done
	run -125 tokstat "$FIFO"
	[[ "$output" == *'too many'* ]]
	for fd in $fds; do exec {fd}<&-; done
	rm "$FIFO.d"/w.*
	until_true pool_says '80 80 0 0'
	stopped
}

@test "a command that is stopped and continued without its tokget does not leave that stopped" {
	pool -n 1
	tokget "$FIFO" "$here/sleeper" 1000 3>&- &
	one=$!
	runs() { command=$(pgrep -P "$one" -f "^$here/sleeper"); }
	until_true runs
	slept() { awk '/ctxt/ {n += $2} END {print n}' "/proc/$one/status"; }
	before=$(slept)
	saw_it() { [ "$(slept)" -gt "$before" ]; }
	kill -STOP "$command"
	until_true saw_it
	kill -CONT "$command"
	kill -TERM "$command"
	until_true pool_says '1 1 0 0'
	ends_with 143 "$one"
	stopped
}

@test "a restart of tokend adopts each slot once, and is not hindered by names that are none of its own" {
	pool -n 3
	exec 9>"$(tokget -l "$FIFO")"
	killed
	ln "$FIFO.d/1" "$FIFO.d/01"
	mkfifo "$FIFO.d/2147483647"
	exec 8<>"$FIFO.d/2147483647"
	ln -s ../precious "$FIFO.d/3"
	pool -n 3
	until_true pool_says '3 2 1 0'
	tokget "$FIFO"; tokget "$FIFO"
	run -124 tokget -n "$FIFO" true
	exec 8<&- 9>&-
	tokput "$FIFO"; tokput "$FIFO"
	until_true pool_says '3 3 0 0'
	rm "$FIFO.d/01" "$FIFO.d/2147483647"
	stopped
}

@test "who gave up is not counted as waiting, nor keeps others from it" {
	pool -n 1
	tokget "$FIFO"
	n=0
	for p in 9 1 5; do
		tokget -p "$p" "$FIFO" true 3>&- &
		eval "p$p=$!"
		until_true names "$((n += 1))"
	done
	run -124 tokget -t 0 "$FIFO"
	until_true pool_says '1 0 1 3'
	kill -KILL "$p9"
	until_true pool_says '1 0 1 2'
	# with these two, all that may wait
	awk 'BEGIN {for (i = 3; i <= 100000; i++) {print "@get " i " 1 5 -"; fflush()}}' >"$FIFO"
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true pool_says '1 0 1 3'
	tokput "$FIFO"
	for one in "$p1" "$p5" "$one"; do ends_with 0 "$one"; done
	until_true pool_says '1 1 0 0'
	stopped
}

@test "labels taken away from a pool that has shrunk already do not make it smaller still" {
	pool -s a -s b
	tokget -k 2 "$FIFO"
	tokput -n 1 "$FIFO"
	tokput -d a "$FIFO"
	until_true pool_says '1 0 2 0'
	tokput -d b "$FIFO"
	until_true pool_says '0 0 2 0'
	tokput -a c "$FIFO"
	until_true pool_says '1 1 2 0'
	tokget "$FIFO" true
	tokput "$FIFO"; tokput "$FIFO"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "a dispenser of one kind removes what a dead one of the other left" {
	pool -n 1
	tokget "$FIFO"
	tokget "$FIFO" true 3>&- &
	one=$!
	until_true waiting 1
	kill -KILL "$one"
	killed
	tokend -r "$FIFO"
	nothing_left
	killed_dispenser
	mkfifo "$FIFO.d/2_1"
	: >"$FIFO.d/traps"
	kill "$holder"
	pool -n 2
	stopped
}

@test "a lease that is opened too late, and so is a plain file, is in nobody's way" {
	pool -n 2
	for slot in 1 2; do exec 9>"$FIFO.d/$slot"; done
	exec 9>&-
	tokget -k 2 "$FIFO" true
	exec 9>"$FIFO.d/1"
	exec 9>&-
	stopped
}

@test "who opens a lease while its token comes home does not wait for ever" {
	need_strace
	strace -f -qq -o trace -e trace=unlinkat -e inject=unlinkat:delay_enter=300000 tokend -b -n 2 "$FIFO" 3>&- &
	tracer=$!
	until_true is_inlet "$FIFO"
	pid=$(cat "$FIFO.d/lock")
	closed() { ! find "/proc/$pid/fd" -lname "$FIFO.d/1*" | grep -q .; }
	tokget -k 2 "$FIFO" true
	until_true closed
	timeout 60 sh -c 'exec 9>"$FIFO.d/1"'
	tokget "$FIFO" # without a command, and so without a lease
	timeout 60 sh -c 'exec 9>"$FIFO.d/1"'
	tokput "$FIFO"
	stopped
	wait "$tracer"
}

@test "a label with a tab in it is one field of tokstat" {
	pool -s $'a\tb\033c'
	[ "$(tokstat -o tsv "$FIFO" | tail -n 1)" = $'slot\t1\tfree\t0\t0\ta b c\t' ]
	[ "$(tokstat "$FIFO" | tail -n 1 | tr -s ' ')" = 'slot 1 free a b c' ]
	[[ "$(tokstat -o json "$FIFO")" == *'"label":"a\u0009b\u001bc"'* ]]
	stopped
}
