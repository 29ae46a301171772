load ../helper
load ../helpers/places
load ../helpers/abroad

# A token of another machine: tokget HOST:FIFO.

@test "a command has a token of another machine, its slot and label, and its own status" {
	local_places
	pool -s "one a" -s @
	run -7 tokget "far:$FIFO" sh -c 'echo "$JOBCTL_SLOT $JOBCTL_LABEL"; exit 7'
	same '1 one a' "$output"
	run -0 tokget -k 2 "far:$FIFO" sh -c 'echo "$JOBCTL_SLOT" "$JOBCTL_LABEL"; tokstat "$1"' sh "$FIFO"
	[ "${lines[0]} ${lines[1]}" = '2 1 @ one a' ] || [ "${lines[0]} ${lines[1]}" = '1 2 one a @' ]
	[[ "$output" == *'held for '* ]]
	for wanted in '1 1' 'all 2' '1-8 2'; do
		run -0 tokget -k ${wanted% *} "far:$FIFO" sh -c 'echo "$JOBCTL_COUNT"'
		same "${wanted#* }" "$output"
	done
	pool_says '2 2 0 0'
	echo text | tokget "far:$FIFO" cat >out
	same text "$(cat out)"
	run -137 tokget "far:$FIFO" sh -c 'kill -9 $$'
	run -127 tokget "far:$FIFO" ./none
	pool_says '2 2 0 0'
	stopped
	no_places
}

@test "options are those of the other machine's tokget; what cannot be there is refused" {
	local_places
	run -0 tokget -N 1 "far:$FIFO" true
	run -124 tokget "far:$FIFO" tokget -n "far:$FIFO" true
	run -9 tokget "far:$FIFO" tokget -E 9 -t 0.1 "far:$FIFO" true
	run -125 tokget -k 3 "far:$FIFO" true
	[[ "$output" == *"-k 3: the pool has fewer tokens"* ]]
	run -123 tokget far:none true
	[[ "$output" == *"none: no tokend runs there"* ]]
	for option in -b -x '-j fifo'; do
		run -125 tokget $option "far:$FIFO" true
		[[ "$output" == *"HOST:FIFO has no "*"${option% *}"* ]]
	done
	run -125 tokget -l "far:$FIFO"
	[[ "$output" == *"cannot be opened here"* ]]
	run -125 tokget --beat 1 "$FIFO" true
	JOBCTL_RSH=echo run -123 tokget '[::1]:x' true
	[[ "$output" == *'::1:x: no token: '* ]]
	run -125 tokstat far:-f
	[[ "$output" == *'write far:./-f'* ]]
	run -125 tokend -b -n 1 far:f
	[[ "$output" == *'HOST:FIFO'*'./far:f' ]]
	for name in b:c '~/b:c' :1:c; do
		run -125 tokget "far:$name" true
		name=${name#\~/}
		[[ "$output" == *": not HOST:FIFO: a file $name there is far:./$name, "* ]]
	done
	run -125 tokput far:b:c
	run -125 tokget ":$FIFO" true
	[[ "$output" == *'not HOST:FIFO'* ]]
	stopped
}

@test "tokstat, tokput, tokstop and what takes no lease work there, also with FIFO in the environment" {
	local_places
	pool -n 1
	run -0 tokstat -o tsv "far:$FIFO"
	[[ "$output" == pool* ]]
	tokput -n 2 "far:$FIFO"
	pool_says '2 2 0 0'
	for option in '' --kill; do
		run -125 timeout 100 tokget "far:$FIFO" tokstop $option "far:$FIFO"
		[[ "$output" == "tokstop: far:$FIFO: this command holds a token of that pool"* ]]
	done
	run -0 env FIFO="far:$FIFO" tokstat
	[[ "$output" == *'2 tokens, 0 out, 2 free, '* ]]
	tokget -k all "far:$FIFO" true
	tokstop "far:$FIFO"
	run -123 tokstop "far:$FIFO"
	nothing_left
}

@test "no way there, or no tokget there: never asked, and the reason" {
	local_places
	: >dead.a
	run -123 tokget "a:$FIFO" true
	same "rsh: no route to a" "${lines[0]}"
	same "tokget: a:$FIFO: no token: it cannot be reached" "${lines[1]}"
	JOBCTL_RSH='' run -123 tokget "a:$FIFO" true
	[[ "$output" == *'no token: JOBCTL_RSH: is empty' ]]
	JOBCTL_RSH=./none run -123 tokget "a:$FIFO" true
	[[ "$output" == *"no token: ./none: No such file"* ]]
	printf '#!/bin/sh\nPATH=/usr/bin:/bin; shift; exec "$@"\n' >rsh
	for program in tokget tokstat tokput tokstop; do
		command=("$program" "it's b:$FIFO")
		[ "$program" != tokget ] || command+=(true)
		run -127 "${command[@]}"
		same "$program: it's b: no $program on PATH there: install it in /usr/local/bin, or set \
PATH in ~/.zshenv or at the top of ~/.bashrc" "$output"
	done
}

@test "who asks from there and who asks from here wait in one line" {
	local_places
	pool -n 1
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate first' 3>&- & pids=$!
	until_true lines_in 1 log
	n=0
	for fifo in "far:$FIFO" "$FIFO" "far:$FIFO" "$FIFO"; do
		n=$((n + 1))
		tokget "$fifo" sh -c 'echo "$1" >>log' sh "$n" 3>&- & pids="$pids $!"
		until_true waiting "$n"
	done
	gate_opens $pids
	is 'first,1,2,3,4' log
	stopped
}

@test "signals are for the command; who waits for a token can be ended" {
	relay_places
	pool -n 1
	for sig in TERM:15 INT:2 HUP:1 USR1:10; do
		rm -f pid
		fresh tokget "far:$FIFO" sh -c 'echo $$ >pid.new; mv pid.new pid; exec "$0" 1000' \
			"$here/sleeper" 3>&- &
		borrower=$!
		until_true test -s pid
		fresh tokget "far:$FIFO" true 3>&- &
		waits=$!
		until_true waiting 1
		kill -TERM "$waits"
		ends_with 143 "$waits"
		until_true waiting 0
		kill -"${sig%:*}" "$borrower"
		ends_with $((128 + ${sig#*:})) "$borrower"
		until_true pool_says '1 1 0 0'
	done
	stopped
	no_places
}

@test "what the command leaves behind holds no token once it has ended" {
	local_places
	pool -n 1
	tokget "far:$FIFO" sh -c '"$0" 1000 & echo $! >pid' "$here/sleeper" 3>&-
	pool_says '1 1 0 0'
	kill "$(cat pid)"
	stopped
}

@test "to read the terminal is an error for the command, which does not wait" {
	local_places
	pool -n 1
	run -7 timeout -k 9 60 script -qec "tokget 'far:$FIFO' sh -c 'read x </dev/tty || exit 7'" \
		/dev/null
	stopped
}

@test "-t ends the wait for a place that does not answer" {
	local_places
	printf '#!/bin/sh\nexec "%s/sleeper" 1000\n' "$here" >rsh
	run -124 tokget -t 0.3 --beat "$BEAT" "far:$FIFO" true
	run -9 tokget -E 9 -t 0.3 --beat "$BEAT" "far:$FIFO" true
	until_true no_ours sleeper
}

@test "a thousand descriptors of the caller; the guard keeps none of them" {
	need_native
	local_places
	pool -n 1
	ulimit -n 2000 || skip 'too few descriptors'
	(for fd in {20..1200}; do eval "exec $fd</dev/null"; done
	exec tokget "far:$FIFO" sh -c 'ls /proc/self/fd | wc -l; for p in $(pgrep -x tokget); do
		echo "$p $(readlink /proc/$p/cwd) $(ls /proc/$p/fd | wc -l)"; done') >fds 3>&-
	[ "$(head -n 1 fds)" -gt 1100 ]
	same 1 "$(awk -v here="$here" '$2 == here && $3 < 20' fds | wc -l)"
	stopped
}

@test "KILL of tokget before the command has begun: the token is home at once" {
	relay_places
	sed 's/^cat |/{ head -n 1; cat 3>\&1 >beats; } |/' rsh >rsh.new # no beat comes there
	cat rsh.new >rsh
	pool -n 1
	tokget --beat 30 "far:$FIFO" true 3>&- &
	until_true pool_says '1 0 1 0'
	kill -KILL "$!"
	until_true pool_says '1 1 0 0'
	until_true no_holders
	stopped
}

@test "another dispenser takes over from one that was killed: the token is out still" {
	local_places
	pool -n 1
	BEAT=30 lent
	killed
	pool -n 1
	until_true pool_says '1 0 1 1'
	kill -KILL "$command"
	killed_home
	stopped
}

@test "KILL of tokget at each of its system calls: the token comes home" {
	need_strace
	local_places
	pool -n 1
	strace -qq -o trace tokget "far:$FIFO" true
	killed=0
	while read -r call n; do
		status=0
		failing "$call:signal=KILL:when=$n" \
			tokget --beat "$BEAT" "far:$FIFO" true >/dev/null 2>&1 3>&- || status=$?
		[ "$status" -ne 137 ] || killed=$((killed + 1))
		until_true pool_says '1 1 0 0' || { echo "$call $n" >&2; return 1; }
	done < <(calls_in trace | some 30)
	[ "$killed" -ge 20 ]
	until_true no_holders
	stopped
	no_places
}
