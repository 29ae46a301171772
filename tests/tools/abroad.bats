load ../helper
load ../helpers/places

# A token of another machine: tokget HOST:FIFO. Who asks next is here, and takes a seat beside that
# of the command: it would get the second one if the command were not dead.

setup_file() { export SEATS=seats; }

# lent [OPTION...] -- a command has the only token, and ignores TERM: sets $borrower, $lender,
# $guard, $command, and $next, who waits for the token
lent()
{
	need_native
	rm -f pid seats
	fresh tokget --beat 2 "$@" "far:$FIFO" seat far sh -c "trap '' TERM HUP INT
		echo \$\$ >pid.new; mv pid.new pid; exec '$here/sleeper' 1000" 2>err 3>&- &
	borrower=$!
	until_true test -s pid
	command=$(cat pid)
	guard=$(ps -o ppid= -p "$command" | tr -d ' ')
	lender=$(pgrep -P "$borrower" | grep -vx "$guard")
	tokget "$FIFO" seat next true 3>&- &
	next=$!
	until_true waiting 1
}

# Of the place: the sh, its watcher, who is beside the job, the job, what holds the token.
far() { pgrep -P "$lender"; }
beside() { pgrep -P "$(far)" -f _jX; }
watcher() { pgrep -P "$(far)" | grep -vx "$(beside)"; }
holder() { pgrep -P "$(beside)"; }
rest() { pgrep -P "$(holder)" -f 9999999; }

# up PID N -- its ancestor, so many above
up()
{
	local pid=$1 i
	for ((i = 0; i < $2; i++)); do pid=$(ps -o ppid= -p "$pid" | tr -d ' '); done
	echo "$pid"
}
dead() { [[ "$(ps -o stat= -p "$1")" =~ ^(Z|$) ]]; }
holders()
{
	local pid
	for pid in $(pgrep -f 'sleep 9999999'); do
		[ "$(readlink "/proc/$pid/cwd")" != "$here" ] || echo "$pid"
	done
}
no_holders() { [ -z "$(holders)" ]; }

# home_there -- the token came home after the command was dead
home_there()
{
	ends_with 0 "$next"
	dead "$command"
	is 'far 1,next 1' seats
	until_true pool_says '1 1 0 0'
}

# home -- the same, and all is over
home()
{
	home_there
	until_true no_holders
	no_places
}

# lost -- the same as home, and tokget says so, once
lost()
{
	ends_with 122 "$borrower"
	[ "$(grep -c "^tokget: far:$FIFO: lost: .*; the command was ended$" err)" -eq 1 ]
	home
}

# lost_by_kill_of WHO... -- each in turn: what such a text evaluates to
lost_by_kill_of()
{
	local who
	for who in "$@"; do
		echo "$who" >&2
		lent
		eval "kill -KILL $who"
		lost
	done
	stopped
}

@test "a command has a token of another machine, its slot and label, and its own status" {
	local_places
	pool -s "one a" -s @
	run -7 tokget "far:$FIFO" sh -c 'echo "$JOBCTL_SLOT $JOBCTL_LABEL"; exit 7'
	[ "$output" = '1 one a' ]
	run -0 tokget -k 2 "far:$FIFO" sh -c 'echo "$JOBCTL_SLOT" "$JOBCTL_LABEL"; tokstat "$1"' sh "$FIFO"
	[ "${lines[0]} ${lines[1]}" = '2 1 @ one a' ] || [ "${lines[0]} ${lines[1]}" = '1 2 one a @' ]
	[[ "$output" == *'held for '* ]]
	for wanted in '1 1' 'all 2' '1-8 2'; do
		run -0 tokget -k ${wanted% *} "far:$FIFO" sh -c 'echo "$JOBCTL_COUNT"'
		[ "$output" = "${wanted#* }" ]
	done
	pool_says '2 2 0 0'
	echo text | tokget "far:$FIFO" cat >out
	[ "$(cat out)" = text ]
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
	[[ "$output" == *"-k 3: it has fewer tokens"* ]]
	run -123 tokget far:none true
	[[ "$output" == *"none: no dispenser there"* ]]
	for option in -b -x '-j fifo'; do
		run -125 tokget $option "far:$FIFO" true
		[[ "$output" == *"tokget: ${option% *}: "* ]]
	done
	run -125 tokget -l "far:$FIFO"
	[[ "$output" == *"cannot be opened here"* ]]
	run -125 tokget --beat 1 "$FIFO" true
	JOBCTL_RSH=echo run -123 tokget '[::1]:x' true
	[[ "$output" == *'::1:x: no token: '* ]]
	run -125 tokstat far:-f
	[[ "$output" == *'write far:./-f'* ]]
	run -125 tokstat -m "far:$FIFO"
	run -125 tokend -b -n 1 far:f
	[[ "$output" == *'HOST:FIFO'*'./far:f' ]]
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
	run -0 env FIFO="far:$FIFO" tokstat
	[[ "$output" == '2 tokens, 2 free'* ]]
	tokget --unwatched "far:$FIFO"
	pool_says '2 1 1 0'
	run -124 tokget --idle -n "far:$FIFO"
	FIFO=far:$FIFO tokput
	pool_says '2 2 0 0'
	tokget --idle "far:$FIFO"
	tokstop "far:$FIFO"
	run -123 tokstop "far:$FIFO"
	nothing_left
}

@test "no way there, or no tokget there: never asked, and the reason" {
	local_places
	: >dead.a
	run -123 tokget "a:$FIFO" true
	[ "$output" = "tokget: a:$FIFO: no token: rsh: no route to a" ]
	JOBCTL_RSH='' run -123 tokget "a:$FIFO" true
	[[ "$output" == *'JOBCTL_RSH is empty'* ]]
	printf '#!/bin/sh\nPATH=/usr/bin:/bin; shift; exec "$@"\n' >rsh
	run -127 tokget "b:$FIFO" true
	[[ "$output" == *'tokget: '*'not found'* ]]
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
	open_gate gate
	for pid in $pids; do ends_with 0 "$pid"; done
	close_gate
	is 'first,1,2,3,4' log
	stopped
}

@test "signals are for the command; who waits for a token can be ended" {
	local_places
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

@test "what the command leaves behind holds no token once it has ended; with -o it never did" {
	local_places
	pool -n 1
	tokget "far:$FIFO" sh -c '"$0" 1000 & echo $! >pid' "$here/sleeper" 3>&-
	pool_says '1 1 0 0'
	kill "$(cat pid)"
	tokget -o "far:$FIFO" sh -c 'ls -l /proc/self/fd' >fds
	tokget "far:$FIFO" sh -c 'ls -l /proc/self/fd' >more
	[ "$(wc -l <more)" -eq $(($(wc -l <fds) + 1)) ]
	stopped
}

@test "a command that wants the terminal is told so, and killed" {
	local_places
	pool -n 1
	run -137 timeout -k 9 60 script -qec "tokget 'far:$FIFO' sh -c 'read x </dev/tty'" /dev/null
	[[ "$output" == *'wants the terminal'* ]]
	stopped
}

@test "KILL of tokget ends the command, also where it is the job of somebody who has given up" {
	need_native
	local_places
	pool -n 1
	lent
	kill -KILL "$borrower"
	ends_with 137 "$borrower"
	home
	rm -f pid
	timeout -s KILL 1000 tokget --beat 2 "far:$FIFO" sh -c 'echo $$ >pid; exec "$0" 1000' \
		"$here/sleeper" 3>&- & # it kills its group
	timeout=$!
	until_true test -s pid
	kill -ALRM "$timeout"
	ends_with 137 "$timeout"
	until_true dead "$(cat pid)"
	until_true pool_says '1 1 0 0'
	stopped
}

@test "-t ends the wait for a place that does not answer" {
	local_places
	printf '#!/bin/sh\nexec "%s/sleeper" 1000\n' "$here" >rsh
	run -124 tokget -t 0.3 "far:$FIFO" true
	run -9 tokget -E 9 -t 0.3 "far:$FIFO" true
	until_true no_process "$here/sleeper"
}

@test "a place that hangs as the command ends: its status, and a message; a signal ends the wait" {
	local_places
	pool -n 1
	for sig in '' TERM INT; do
		echo "$sig" >&2
		lent
		far=$(far)
		kill -STOP "$far"
		kill -KILL "$command"
		until_true dead "$guard"
		[ -z "$sig" ] || kill -"$sig" "$borrower"
		ends_with 137 "$borrower"
		[ "$(cat err)" = "tokget: far:$FIFO: the token is not home yet" ]
		kill -CONT "$far"
		home
	done
	stopped
}

@test "what the command has started in groups of its own is ended, too, and has its signals" {
	need_native
	local_places
	pool -n 1
	tokend -b -n 1 "$FIFO.2" 3>&-
	for way in 'timeout 900 "$@"' 'setsid "$@"' 'set -m; "$@" & wait' \
		'tokget --beat 2 "again:$FIFO.2" "$@"'; do
		echo "$way" >&2
		rm -f pid
		fresh tokget --beat 2 "far:$FIFO" bash -c "$way; exit" sh sh -c "trap '' TERM
			echo \$\$ >pid.new; mv pid.new pid; exec '$here/sleeper' 1000" 2>err 3>&- &
		borrower=$!
		until_true test -s pid
		command=$(cat pid)
		lender=$(for pid in $(pgrep -P "$borrower"); do
			[ "$(ps -o sid= -p "$pid")" -ne "$pid" ] || echo "$pid"; done)
		kill -KILL "$lender"
		ends_with 122 "$borrower"
		dead "$command"
		until_true pool_says '1 1 0 0'
	done
	tokstop "$FIFO.2"
	rm -f pid
	fresh tokget "far:$FIFO" timeout 900 sh -c 'echo $$ >pid.new; mv pid.new pid; exec "$0" 1000' \
		"$here/sleeper" 3>&- &
	borrower=$!
	until_true test -s pid
	kill -TERM "$borrower"
	ends_with 143 "$borrower"
	until_true no_process "$here/sleeper 1000"
	stopped
}

@test "all of tokget is killed at once by its name: the command dies with it" {
	[ "$(uname)" = Linux ] && ! grep -q -e -DPORTABLE "$top/build/compiler" ||
		skip 'a build where a child does not hear that its parent has died'
	local_places
	pool -n 1
	lent
	kill -KILL "$borrower" "$guard" "$lender"
	ends_with 137 "$borrower"
	home
	stopped
}

@test "KILL of tokget and its guard ends the command though it has closed its lease" {
	need_native
	local_places
	pool -n 1
	for way in 'tokget -o' 'tokget'; do
		rm -f pid seats
		# fresh closes what is above 2
		fresh $way --beat 2 "far:$FIFO" fresh seat far sh -c "trap '' TERM
			echo \$\$ >pid.new; mv pid.new pid; exec '$here/sleeper' 1000" 3>&- &
		borrower=$!
		until_true test -s pid
		command=$(cat pid)
		guard=$(ps -o ppid= -p "$command" | tr -d ' ')
		tokget "$FIFO" seat next true 3>&- &
		next=$!
		kill -KILL "$borrower" "$guard"
		ends_with 137 "$borrower"
		home
	done
	stopped
}

@test "STOP of the guard, and then a loss: the lender ends the command" {
	local_places
	pool -n 1
	lent
	kill -STOP "$guard"
	kill -KILL "$(far)"
	ends_with 0 "$next"
	is 'far 1,next 1' seats
	dead "$command"
	lost
	stopped
}

@test "all here are stopped for long: the command is killed when they go on" {
	local_places
	pool -n 1
	lent
	kill -STOP "$borrower" "$lender" "$guard" "$command"
	ends_with 0 "$next"
	kill -CONT "$lender" "$guard" "$borrower"
	ends_with 122 "$borrower"
	dead "$command"
	stopped
}

@test "a thousand descriptors of the caller; the lender keeps none of them" {
	need_native
	local_places
	pool -n 1
	ulimit -n 2000 || skip 'too few descriptors'
	(for fd in {20..1200}; do eval "exec $fd</dev/null"; done
	exec tokget "far:$FIFO" sh -c 'ls /proc/self/fd | wc -l; for p in $(pgrep -x tokget); do
		echo "$p $(readlink /proc/$p/cwd) $(ls /proc/$p/fd | wc -l)"; done') >fds 3>&-
	[ "$(head -n 1 fds)" -gt 1100 ]
	[ "$(awk -v here="$here" '$2 == here && $3 < 20' fds | wc -l)" -eq 2 ]
	stopped
}

@test "KILL of the lender, of the guard, or of both: the command is dead before the token is home" {
	local_places
	pool -n 1
	lost_by_kill_of '$lender' '$guard' '$lender $guard'
}

@test "KILL of tokget and of the lender, or of the guard, at one instant: likewise" {
	local_places
	pool -n 1
	for who in '$lender' '$guard'; do
		echo "$who" >&2
		lent
		eval "kill -KILL $borrower $who"
		ends_with 137 "$borrower"
		home
	done
	stopped
}

@test "STOP of the lender: likewise, though the place goes on" {
	local_places
	pool -n 1
	lent
	kill -STOP "$lender"
	until_true dead "$command"
	kill -CONT "$lender"
	lost
	stopped
}

@test "KILL at the other machine of the sh, its watcher, who is beside the job, or two of them: likewise" {
	local_places
	pool -n 1
	lost_by_kill_of '$(far)' '$(watcher)' '$(beside)' '$(far) $(watcher)' '$(beside) $(holder)'
}

@test "KILL there of what holds the token: likewise" {
	local_places
	pool -n 1
	lent
	kill -KILL "$(holder)"
	lost
	lent
	kill -KILL "$(rest)" # it is not missed
	kill -KILL "$command"
	ends_with 137 "$borrower"
	home
	stopped
}

@test "TERM there of what holds the token ends the command here, and then that" {
	local_places
	pool -n 1
	lent
	kill -TERM "$(rest)" "$(holder)"
	lost
	stopped
}

@test "the place hangs, for ever or for some time: likewise" {
	local_places
	pool -n 1
	for then in CONT KILL; do
		echo "$then" >&2; lent
		far=$(far)
		kill -STOP "$far"
		ends_with 122 "$borrower"
		dead "$command"
		kill -"$then" "$far" || : # the watcher may have killed it
		home
	done
	stopped
}

@test "another dispenser takes over from one that was killed: the token is out still" {
	local_places
	pool -n 1
	lent
	killed
	pool -n 1
	until_true pool_says '1 0 1 1'
	kill -KILL "$command"
	ends_with 137 "$borrower"
	home
	stopped
}

@test "KILL of tokget at each of its system calls: the token comes home" {
	need_strace
	local_places
	pool -n 1
	strace -qq -o trace tokget "far:$FIFO" true
	while read -r call n; do
		strace -qq -o /dev/null -e inject="$call:signal=KILL:when=$n" \
			tokget --beat 2 "far:$FIFO" true >/dev/null 2>&1 3>&- || :
		until_true pool_says '1 1 0 0' || { echo "$call $n" >&2; return 1; }
	done < <(calls_in trace)
	until_true no_holders
	stopped
	no_places
}

@test "by the real sshd: KILL and STOP of ssh and of sshd's session end the command before the token is home" {
	real_sshd
	pool -n 1
	run -3 tokget "far:$FIFO" sh -c 'exit 3'
	for what in 'KILL ssh' 'TERM ssh' 'STOP ssh' 'KILL sshd' 'STOP sshd'; do
		echo "$what" >&2
		lent
		case $what in # the holder, who is beside it, the sh there, sshd
		*sshd) victim=$(up "$(pgrep -f "^sh -c : held for .* process $borrower;")" 3) ;;
		*) victim=$(pgrep -P "$lender") ;;
		esac
		kill -s "${what% *}" "$victim"
		ends_with 122 "$borrower"
		home_there
		kill -CONT "$victim" 2>/dev/null || :
	done
	tokstop "$FIFO"
	until_true no_files
}
