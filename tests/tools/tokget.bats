load ../helper
# bats file_tags=waits

# tokget: options, the command, its signals and status.

@test "tokget runs the command with a token, with slot and label, and gives its status" {
	need_native
	pool -s 'gpu 0' -s b
	run -7 tokget "$FIFO" sh -c 'echo "$JOBCTL_SLOT|$JOBCTL_LABEL|$1"; exit 7' sh 'a b'
	same '1|gpu 0|a b' "$output"
	run -0 tokget -k 2 "$FIFO" sh -c 'echo "$JOBCTL_SLOT|$JOBCTL_LABEL"'
	[ "$output" = $'2 1|b\ngpu 0' ] || [ "$output" = $'1 2|gpu 0\nb' ]
	run -137 tokget "$FIFO" sh -c 'kill -KILL $$'
	run -127 tokget "$FIFO" ./missing
	: >plain
	run -126 tokget "$FIFO" ./plain
	same 1 "${#lines[@]}"
	echo 'echo "$# $1"' >plain; chmod +x plain
	for option in '' -o -x; do
		run -0 tokget $option "$FIFO" ./plain 'a b'
		same '1 a b' "$output"
	done
	for option in -o -x; do
		run -7 tokget "$option" "$FIFO" sh -c 'exit 7'
		run -127 tokget "$option" "$FIFO" ./missing
	done
	all_home 2
}

@test "-n and -t: status 124, and the place in the queue is given up" {
	pool -n 1
	take_tokens 1
	run -124 tokget -n "$FIFO" true
	run -124 tokget -t 0.05 "$FIFO" true
	run -124 tokget -t 0 "$FIFO" true
	give_tokens 1
	until_true pool_says '1 1 0 0'
	run -0 tokget -n "$FIFO" true
	run -0 tokget -t 60 "$FIFO" true
	until_true pool_says '1 1 0 0'
	names 0
	stopped
}

@test "-w is flock's -t; -E is the status in place of 124, and the command's own 124 is another" {
	pool -n 1
	run -124 tokget -E 9 -n "$FIFO" sh -c 'exit 124'
	take_tokens 1
	for how in -n '-t 0.05' '-w 0.05' '--wait=0.05' '-t 0' '-N 1 -n'; do
		run -9 tokget -E 9 $how "$FIFO" sh -c 'exit 124'
		[ -z "$output" ]
	done
	run -0 tokget --conflict-exit-code 0 -n "$FIFO" true
	run -255 tokget -l -n -E 255 "$FIFO"
	run -7 tokget -l -t 0 -E 7 "$FIFO"
	tokstop "$FIFO" 3>&- & stop=$!
	is_closing() { tokget -n "$FIFO" true 2>/dev/null; [ "$?" -eq 123 ]; }
	until_true is_closing
	run -123 tokget -E 9 -n "$FIFO" true
	run -9 tokget -E 9 -nN 1 "$FIFO" true # the next dispenser is not there in time
	give_tokens 1
	ends_with 0 "$stop"
	nothing_left
}

@test "the command is given SIGPIPE as tokget has it: at its default, or ignored" {
	pool -j -n 1
	for option in '' -x -o '-N 1' '-p 9'; do
		run -141 env --default-signal=PIPE tokget $option "$FIFO" sh -c 'kill -PIPE $$'
		run -0 env --ignore-signal=PIPE tokget $option "$FIFO" sh -c 'kill -PIPE $$'
	done
	stopped
	run -141 env --default-signal=PIPE tokget --without "$FIFO" sh -c 'kill -PIPE $$'
}

@test "without a command, or with an empty one, nothing is taken, and what to write is said" {
	pool -n 1
	unset nothing
	run -125 tokget "$FIFO"
	[[ "$output" == *'needs a command, or -l'*usage:* ]]
	run -125 tokget -t 5 "$FIFO" $nothing
	[[ "$output" == *'needs a command'* ]]
	run -125 tokget "$FIFO" "$nothing"
	[[ "$output" == *'the command is empty'* ]]
	run -125 tokget "$nothing" true
	[[ "$output" == *'the path of the FIFO is empty'* ]]
	for late in '-j4 true' '-- true' '-n'; do
		for early in '' -l; do
			run -125 tokget $early "$FIFO" $late
			[[ "$output" == *'options stand before it'* ]]
		done
	done
	until_true pool_says '1 1 0 0'
	run -125 tokget -j4 "$FIFO" true
	same 'tokget: -j 4: not fifo, pipe, both or none; tokens of the pool are -N, jobs of a build -J' \
		"$output"
	pool_says '1 1 0 0'
	stopped
}

@test "an option of sem, in GNU parallel, works, or what to write is said" {
	pool -n 1
	run -7 tokget --will-cite --fg "$FIFO" sh -c 'exit 7'
	mkfifo gate
	tokget --bg "$FIFO" sh -c ': <"$0"' gate 3>&-
	pool_says '1 0 1 0'
	: >gate
	until_true pool_says '1 1 0 0'
	said() # SAID OPTION...
	{
		run -125 tokget "${@:2}"
		same "tokget: $2: $1" "$output"
	}
	for option in --id --semaphorename --semaphore-name; do
		said 'the path of the FIFO is the name: tokget -N 4 ~/NAME.fifo COMMAND' "$option" x true
	done
	for option in --st --semaphoretimeout --semaphore-timeout; do
		said 'write -t SECONDS, which gives up: no token is taken by force' "$option" 3 true
	done
	said 'write -N 4, for a pool of 4 tokens' --jobs 4 true
	said 'write tokget -k all FIFO true' --idle "$FIFO"
	for words in '' "$FIFO"; do
		said 'needs SECONDS; to wait until no token is out, write: tokget -k all FIFO true' --wait $words
	done
	run -0 tokget --wait 5m "$FIFO" true
	stopped
}

@test "a program in the place of the FIFO, before a word that is none: the FIFO is missing" {
	for option in '-N 2' -n --without; do
		run -125 tokget $option echo hi
		same 'tokget: echo: FIFO missing? this is a program, and hi is none: write tokget ~/echo.fifo echo; a FIFO of that name is ./echo' "$output"
	done
	for words in '-n 2' '-N 2 4'; do
		run -125 tokget $words true
		[[ "$output" == 'tokget: needs a FIFO; the number of tokens is -N,'*'./8; '* ]]
	done
	[ ! -e echo ]
	run -0 tokget -N 2 echo echo hi # the name of a pool may be that of a program
	same hi "$output"
	run -127 tokget echo hi
	tokstop echo
	run -127 tokget -N 2 ./echo hi
	tokstop echo
	run -127 tokget -N 2 none hi
	tokstop none
}

@test "a path with a newline, by which no command could be told of its token, is refused" {
	for dir in . $'a\nb'; do
		mkdir -p "$dir"
		cd "$dir"
		name=f
		[ "$dir" != . ] || name=$'c\nd'
		tokend -b -n 1 "$name" 3>&-
		run -125 tokget "$name" true
		[[ "$output" == 'tokget: '*'\x0a'*': a path with a newline: '* ]]
		tokstop "$name"
	done
}

@test "a command that is not there is told of, and what to write for what only a shell knows" {
	need_native # an emulated child does not say why it could not become the command
	pool -n 1
	for word in nosuch 'true && true'; do # what is on a shell's command line
		run -127 tokget "$FIFO" "$word"
		same "tokget: $word: no such program on PATH; for a builtin, a function or an alias, write sh -c" "$output"
	done
	run -127 tokget "$FIFO" ./nosuch
	[[ "$output" == *'No such file'* ]]
	printf '#!/no/where\n' >sh-less
	chmod +x sh-less
	PATH=$here:$PATH run -127 tokget "$FIFO" sh-less
	[[ "$output" == *'sh-less: No such file'* ]]
	all_home 1
}

@test "-k all: as many as the pool has then, and so alone; readers share it, each by one" {
	pool -n 3
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate reader' 3>&- & one=$!
	tokget "$FIFO" bash -c 'cat_gate reader' 3>&- & two=$!
	until_true lines_in 2 log
	tokget -k all "$FIFO" sh -c 'echo "writer $JOBCTL_SLOT" >>log' 3>&- & writer=$!
	until_true waiting 1
	tokstat -o tsv "$FIFO" | grep -q '^wait	1	[0-9]*	[0-9.]*	3	5	'
	run -124 tokget -n "$FIFO" true # it does not overtake the writer
	tokput -n 4 "$FIFO"
	tokstat -o tsv "$FIFO" | grep -q '^wait	1	[0-9]*	[0-9.]*	4	5	'
	gate_opens $one $two $writer
	same 4 "$(sed -n 's/^writer //p' log | wc -w)"
	take_tokens 1
	run -124 tokget -k all -n "$FIFO" true
	give_tokens 1
	tokput -n 501 "$FIFO"
	run -125 tokget -k all "$FIFO" true
	same "tokget: $FIFO: -k all: the pool has more than 500 tokens" "$output"
	stopped
}

@test "a pool that grows beyond what one request may take refuses who waits for all of it" {
	pool -n 2
	take_tokens 1
	tokget -k all "$FIFO" true 2>err 3>&- & one=$!
	until_true waiting 1
	tokput -n 600 "$FIFO"
	ends_with 125 "$one"
	grep -q 'more than 500' err
	give_tokens 1
	stopped
}

@test "the token stays out while anything that the command started has it open, not with -o" {
	pool -n 1
	mkfifo gate
	tokget "$FIFO" bash -c '(: <gate) >/dev/null 2>&1 & echo' 3>&-
	until_true pool_says '1 0 1 0'
	open_gate gate
	until_true pool_says '1 1 0 0'
	close_gate
	tokget -o "$FIFO" bash -c '(: <gate) >/dev/null 2>&1 & echo' 3>&-
	until_true pool_says '1 1 0 0'
	open_gate gate
	close_gate
	stopped
}

@test "the token stays out when the command closes all descriptors, or tokget alone is killed" {
	pool -n 1
	mkfifo gate
	tokget "$FIFO" fresh -c bash -c 'cat_gate in' 3>&- & one=$!
	until_true lines_in 1 log
	until_true pool_says '1 0 1 0'
	gate_opens $one
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- & one=$!
	until_true lines_in 2 log
	kill -KILL "$one"
	wait "$one" || :
	until_true pool_says '1 0 1 0'
	open_gate gate
	until_true pool_says '1 1 0 0'
	close_gate
	stopped
}

@test "signals sent to tokget reach the command; its stop and continue are passed both ways" {
	pool -n 1
	for sig in TERM INT HUP USR1; do
		rm -f log
		fresh tokget "$FIFO" bash -c "trap 'echo got; exit 9' $sig; echo up >>log
			while :; do \"\$here/sleeper\" 0.02; done" >out 3>&- & one=$!
		until_true lines_in 1 log
		kill -s "$sig" "$one"
		ends_with 9 "$one"
		is got out
	done
	tokget "$FIFO" "$here/sleeper" 1000 3>&- & one=$!
	until_true signal_ours 0 sleeper
	command=$(ours sleeper)
	kill -TSTP "$one"
	until_true state T "$command"
	until_true state T "$one"
	kill -CONT "$one"
	until_true state S "$command"
	kill -TERM "$one"
	ends_with 143 "$one"
	all_home 1
}

@test "tokget -l: a shell holds the token by a descriptor" {
	pool -n 1
	lease=$(tokget -l "$FIFO" 3>&-)
	[ -p "$lease" ]
	exec 9>"$lease"
	echo + >&9
	until_true pool_says '1 0 1 0'
	run -124 tokget -t 0.1 "$FIFO" true
	exec 9>&-
	until_true pool_says '1 1 0 0'
	lease=$(tokget -l "$FIFO") # and is never opened
	until_true pool_says '1 0 1 0'
	tokget -t 60 "$FIFO" true
	lease=$(tokget -l "$FIFO")
	exec 9>"$lease" # and says nothing
	run -124 tokget -t 3.5 "$FIFO" true
	exec 9>&-
	all_home 1
}

@test "-N: 20 that start at once have one dispenser, which ends by itself" {
	pids=
	for i in {1..20}; do
		tokget -N 3 "$FIFO" sh -c 'echo in >>log; echo out >>log' 3>&- &
		pids="$pids $!"
	done
	for pid in $pids; do ends_with 0 "$pid"; done
	same 20 "$(grep -c in log)"
	[ "$(peak)" -le 3 ]
	same 1 "$(ours tokend 10 3 "$FIFO" | wc -l)"
	tokstop "$FIFO"
	nothing_left
	tokend -b -x 1 -n 1 "$FIFO" 3>&-
	nothing_left
}

@test "-N: a dispenser that is slow to open its inlet is waited for, in silence" {
	need_strace
	strace -f -qq -o trace -e inject=?mknod,mknodat:delay_enter=1000000 \
		tokend -b -x 1 -n 1 "$FIFO" 3>&- & slow=$!
	until_true grep -qs 'F_SETLK[^W]' trace
	run -0 tokget -N 1 "$FIFO" echo served
	same served "$output"
	ends_with 0 "$slow"
	nothing_left
}

@test "closed descriptors, an ignored SIGCHLD and a strange umask of the caller do no harm" {
	(umask 777; pool -n 1)
	run -7 bash -c 'trap "" CHLD; tokget "$FIFO" sh -c "exit 7"'
	run -7 bash -c 'exec tokget "$FIFO" sh -c "exit 7" <&- >&- 2>&-'
	take_tokens 1
	run -124 bash -c 'exec tokget -n "$FIFO" true <&- >&- 2>&-'
	run -125 bash -c 'exec tokget -k 9 "$FIFO" true 2>&-'
	give_tokens 1
	all_home 1
}

@test "tokget says in one line what is wrong, with 125, and 123 where no dispenser is" {
	run -123 tokget "$FIFO" true
	same 1 "${#lines[@]}"
	for bad in '-k 0' '-k x' '-p 10' '-p x' '-t x' '-t -1' '-t 1.2.3'; do
		run -125 tokget $bad "$FIFO" true
		same 1 "${#lines[@]}"
	done
	for bad in '-E 256' '-E x' '-w x' '-k 0x'; do
		run -125 tokget $bad "$FIFO" true
		same 1 "${#lines[@]}"
	done
	for bad in '' "-l -x $FIFO" "-l $FIFO true" "-bx $FIFO true" "-ox $FIFO true"; do
		run -125 tokget $bad
		[[ "$output" == *'usage: tokget '* ]]
	done
	echo precious >"$FIFO"
	run -125 tokget "$FIFO" true
	is precious "$FIFO"
	rm "$FIFO"
	run -125 tokget -N x "$FIFO" true
	no_files
}

@test "-N while the dispenser is closing: pauses between two requests; -n and -t are kept" {
	need_strace
	pool -n 1
	take_tokens 1
	tokstop "$FIFO" 3>&- & stop=$!
	is_closing() { tokget "$FIFO" true 2>/dev/null; [ "$?" -eq 123 ]; }
	until_true is_closing
	run -124 tokget -nN 1 "$FIFO" true
	run -124 tokget -t 0.1 -N 1 "$FIFO" true
	strace -qq -o trace -e trace='?nanosleep,?clock_nanosleep,?clock_nanosleep_time64' \
		tokget -N 1 "$FIFO" true 3>&- & one=$!
	until_true lines_in 3 trace
	give_tokens 1
	ends_with 0 "$stop"
	ends_with 0 "$one"
	stopped
}

@test "-N with what is no number is refused, whether there is a pool or not" {
	for pool in no yes; do
		[ "$pool" = no ] || pool -n 1
		for count in '' 0 abc 1.5 1e9 -; do
			run -125 tokget -N "$count" "$FIFO" echo ran
			[[ "$output" == "tokget: -N ${count:-"''"}: not a number of tokens"* ]]
		done
	done
	stopped
}

@test "-N of a pool that has another number of tokens says so, and goes on; equal numbers do not" {
	pool -n 2
	run -0 tokget -N 5 "$FIFO" echo ran
	same "tokget: $FIFO: -N 5: this pool exists, with 2 tokens, not 5"$'\nran' "$output"
	run -0 tokget -N 02 "$FIFO" true
	same '' "$output"
	tokput -n 3 "$FIFO"
	run -0 tokget -lN 3 "$FIFO"
	[[ "$output" == "$FIFO.d/"[123].* ]]
	tokput "$output"
	stopped
	pool -n 100% -d 0.01
	run -0 tokget -N 100% "$FIFO" true
	same '' "$output"
	run -0 tokget -N +1 "$FIFO" true
	same 1 "${#lines[@]}"
	stopped
	pool -j -n 2
	run -0 tokget -N 1 "$FIFO" sh -c 'echo "$MAKEFLAGS"'
	[[ "$output" == *"with 2 tokens, not 1"*-j2*jobserver* ]]
	stopped
}

@test "-N without a tokend in PATH: 125, and one message" {
	mkdir only
	ln -s "$(command -v tokget)" only
	PATH=$here/only run -125 tokget -N 1 "$FIFO" true
	same 1 "${#lines[@]}"
	[[ "$output" == 'tokget: tokend: '* ]]
}

@test "a command that is stopped and continued without its tokget does not leave that stopped" {
	pool -n 1
	tokget "$FIFO" "$here/sleeper" 1000 3>&- & one=$!
	until_true signal_ours 0 sleeper
	command=$(ours sleeper)
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

@test "--without: where no dispenser is, was killed, or ends, the command runs without a token" {
	says() { tokget --without "$@" "$FIFO" sh -c 'echo "${JOBCTL_SLOT-none}"; exit 7'; }
	for option in '' -x -o -n '-t 9'; do
		run -7 says $option
		same none "$output"
		run -127 tokget --without $option "$FIFO" ./missing
	done
	unset MAKEFLAGS
	for had in '' k '-k' 'k -j8 -- A=b'; do
		MAKEFLAGS=$had run -0 tokget --without -J 3 "$FIFO" sh -c 'echo "$MAKEFLAGS"'
		[[ "$output" =~ ^k?\ -j3( -k| -- A=b)?$ ]]
	done
	pool -n 1
	run -7 says
	same 1 "$output"
	run -0 tokget -J 3 "$FIFO" sh -c 'echo "${MAKEFLAGS-none}"'
	same "tokget: $FIFO: no jobserver, and so no further tokens for the command: start tokend with -j"$'\n'none "$output"
	run -0 tokget -j both "$FIFO" true
	[[ "$output" == *": no jobserver, "* ]]
	run -0 tokget -j none "$FIFO" true
	[ -z "$output" ]
	take_tokens 1
	run -124 tokget --without -n "$FIFO" true
	says >waited 3>&- & one=$!
	until_true waiting 1
	tokstop "$FIFO" 3>&- & stop=$!
	ends_with 7 "$one"
	is none waited
	run -7 says # a dispenser that closes
	same none "$output"
	give_tokens 1
	ends_with 0 "$stop"
	nothing_left
	pool -n 1
	killed
	run -7 says -x
	same none "$output"
	pool -n 1
	run -7 says -x
	same 1 "$output"
	stopped
	echo precious >"$FIFO"
	run -125 says
	[[ "$output" == *'not a FIFO'* ]]
	rm "$FIFO"
	for bad in "--without -b $FIFO true" "--without -N 1 $FIFO true" "--without -l $FIFO" \
		"--without far:$FIFO true"; do
		run -125 tokget $bad
		[[ "$output" == 'tokget: '*'--without'* ]]
	done
}
