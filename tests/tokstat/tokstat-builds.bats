load ../helper

# tokstat, showing builds.

# takes N -- the command of a build that takes N tokens beside its first, and holds them until the
# gate is opened
takes()
{
	exec 5<>"${MAKEFLAGS##*fifo:}"
	dd bs=1 count="$1" <&5 >took 2>/dev/null
	: <gate
}
export -f takes

# builds -- the lines of builds, from their share on
builds() { tokstat -o tsv "$FIFO" | sed -n 's/^build\t//p' | sort -n | cut -f 4-; }
shows() { [ "$(builds | paste -sd ,)" = "$1" ] || { builds >&2; return 1; }; }

# calls_itself NAME ARG... -- a script by that name, called like make, until the gate is open
calls_itself() { exec -a "$1" bash ./waits "${@:2}"; }
export -f calls_itself

setup_gate()
{
	mkfifo gate
	echo ': <gate' >waits
}

@test "a line for each build: its client, share, what it has out and ready, and its priority" {
	setup_gate
	pool -j -n 6
	tokget -j fifo -p 9 "$FIFO" bash -c 'takes 2' 3>&- & one=$!
	until_true shows $'6\t3\t3\t9\tbash -c takes 2'
	until_true pool_says '6 3 3 0'
	[[ "$(tokstat "$FIFO")" == *"build "*" pid $one "*" share 6, 3 out, 3 ready, priority 9  bash -c takes 2"* ]]
	[[ "$(tokstat -o json "$FIFO")" == *'"builds":[{"slot":'*'"share":6,"out":3,"ready":3,"priority":9,"command":"bash -c takes 2","runner":'*',"left_behind":false,"left_pool":null}],"slots":['* ]]
	if command -v python3 >/dev/null; then
		timeout 100 "$top/tests/helpers/screen.py" --until COMMAND --show --keys q -- \
			tokstat -w "$FIFO" >screen 3>&-
		grep -q "^ *[0-9]* build  *[0-9]* s  *$one share 6, 3 out, 3 ready, priority 9  bash" screen
	fi
	tokget -p 0 "$FIFO" bash -c 'eval ": <gate"' 3>&- & two=$!
	until_true pool_says '6 2 4 0'
	[ "$(builds | cut -f 1,2,4,5 | sort -rn | paste -sd ,)" = \
		$'5\t3\t9\tbash -c takes 2,1\t1\t0\tbash -c eval ": <gate"' ]
	gate_opens $one $two
	[ -z "$(builds)" ]
	stopped
}

@test "a build in which a make or ninja has its own -j is said to have left the pool" {
	setup_gate
	pool -j -n 2
	# its command line, and that of a process it has left
	while IFS='|' read -r words left; do
		tokget "$FIFO" bash -c 'calls_itself '"$words" 3>&- & one=$!
		until_true pool_says '2 1 1 0'
		until_true eval 'builds | grep -q "./waits"'
		builds >said
		if [ -n "$left" ]; then
			grep -q "	(left the pool: $left) [^ ]* ./waits" said
			[[ "$(tokstat "$FIFO")" == *"(left the pool: $left)"* ]]
			[[ "$(tokstat -o json "$FIFO")" == *"\"left_pool\":\"$left\""* ]]
		else
			! grep 'left the pool' said || false
		fi
		gate_opens $one
	done <<-END
		make -j8|make -j8
		/usr/bin/make -k -j 8 all|make -j8
		gmake -skj4|gmake -j4
		make -C sub --jobs=3|make -j3
		make-4.4.1 --jobs 12|make-4.4.1 -j12
		make -j|make -j
		make -j all|make -j
		ninja -C out -j 5|ninja -j5
		make -k|
		make -C -j8|
		make -l 3 -- -j8|
		makedepend -j8|
		cargo build -j8|
	END
	stopped
}

@test "a make that another make has started with -j has left the pool; what it starts is not said so" {
	setup_gate
	printf 'all:\n\t+$(MAKE) -f sub -j3 all\n' >Makefile
	printf 'all:\n\t+$(MAKE) -f last all\n' >sub
	printf 'all:\n\t: begun >begun; : <gate\n' >last
	pool -j -n 4
	tokget "$FIFO" make >/dev/null 2>&1 3>&- & one=$!
	until_true test -e begun
	[[ "$(builds)" == *"(left the pool: make -j3) make" ]]
	gate_opens $one
	stopped
}

@test "a build whose tokget or dispenser was killed is shown with the process that holds it now" {
	need_proc
	setup_gate
	pool -j -n 3
	tokget -j fifo -p 7 "$FIFO" bash -c 'echo $$ >pid; takes 1' 3>&- & one=$!
	until_true shows $'3\t2\t1\t7\tbash -c echo $$ >pid; takes 1'
	pid=$(cat pid)
	kill -KILL "$one"
	until_true shows $'3\t2\t1\t7\t(left behind) bash -c echo $$ >pid; takes 1'
	tokstat "$FIFO" >said
	grep -q "^build .* pid $pid  *share 3, 2 out, 1 ready, priority 7  (left behind) bash" said
	same 2 "$(grep -c "^slot .* out .* pid $pid  *(left behind) bash" said)"
	restarted -j -n 3
	until_true shows $'3\t2\t1\t5\tbash -c echo $$ >pid; takes 1'
	tokstat "$FIFO" >said
	grep -q "^build .* pid $pid  *share 3, 2 out, 1 ready, priority 5  bash" said
	grep -q "^slot .* out .* pid $pid  *bash" said
	open_gate gate
	until_true pool_says '3 3 0 0'
	close_gate
	stopped
}

lends() { tokget -j fifo "$FIFO" bash -c 'takes 1'; :; }
export -f lends

@test "a build within a build has its tokens in the line of that one" {
	setup_gate
	pool -j -n 3
	tokget "$FIFO" bash -c lends 3>&- & one=$!
	until_true shows $'3\t2\t1\t5\tbash -c lends'
	pool_says '3 1 2 0'
	gate_opens $one
	stopped
}

@test "the jobserver for all builds has a line while somebody has it" {
	need_proc
	setup_gate
	pool -j -n 3
	eval "$(tokstat -m "$FIFO")"
	[ -z "$(builds)" ]
	bash -c 'takes 2' 3>&- & one=$!
	until_true shows $'3\t2\t1\t5\tbash -c takes 2'
	gate_opens $one
	until_true shows ''
	stopped
}
