load ../helper

# What comes seldom, and must be right all the same.

@test "jobctl reads a list from a FIFO that somebody made non-blocking" {
	mkfifo list
	bash -c 'dd iflag=nonblock count=0 2>/dev/null; exec jobctl echo' <list >out 3>&- & jobctl=$!
	exec 7>list
	until_true grep -q jobctl "/proc/$jobctl/comm"
	for i in 1 2 3; do
		echo "$i" >&7
		until_true lines_in "$i" out
	done
	exec 7>&-
	ends_with 0 "$jobctl"
	[ "$(sort out)" = "$(seq 3)" ]
}

@test "a jobserver that is none is not waited for: jobctl runs its jobs without" {
	mkfifo alone
	echo >file
	for auth in "fifo:$here/none" "fifo:$here/alone" "fifo:$here/file" "fifo:$here" nonsense -3,-4; do
		for j in '' -j -j0 -jx -j2; do
			MAKEFLAGS=" $j --jobserver-auth=$auth" run -0 timeout 20 jobctl echo <<<'a job'
			[[ "$output" == *'a job' ]]
		done
	done
}

@test "jobctl leaves the standard descriptors alone that its caller has closed, with a jobserver" {
	mkfifo pool
	exec 8<>pool
	printf ++ >&8
	echo a >list
	MAKEFLAGS=" -j3 --jobserver-auth=fifo:$here/pool" timeout 20 jobctl -f list true <&- 2>&-
	[ "$(dd bs=9 count=1 <&8 2>/dev/null)" = ++ ]
}

@test "what a client that was killed before it asked has left is removed after a while" {
	pool -n 1
	mkfifo "$FIFO.d/w.1_1" "$FIFO.d/w.2_2"
	touch -d '1 hour ago' "$FIFO.d/w.1_1" "$FIFO.d/w.2_2"
	exec 8<>"$FIFO.d/w.2_2"
	removed() { tokget "$FIFO" true && [ ! -e "$FIFO.d/w.1_1" ]; }
	until_true removed # 10 seconds
	[ -p "$FIFO.d/w.2_2" ]
	exec 8>&-
	stopped
}

@test "a dispenser that is stopped at once takes the tokens of those who hold them with it" {
	pool -j -n 4
	tokget "$FIFO" sh -c 'echo >in; exec "$here/sleeper" 100' 3>&- & one=$!
	until_true lines_in 1 in
	lease=$(tokget -l "$FIFO")
	tokstop -f "$FIFO"
	no_files
	kill "$one"
	wait "$one" || :
}

@test "jobctl -n takes a niceness, and one below zero where it may" {
	[ "$(echo x | jobctl -n 7 -c 'nice; : {}')" -eq $(($(nice) + 7)) ]
	if [ "$(id -u)" -eq 0 ]; then
		[ "$(echo x | jobctl -n -3 -c 'nice; : {}')" -eq $(($(nice) - 3)) ]
	fi
	echo x >list
	run -125 jobctl -n x -f list true
}

@test "tokend takes the labels of a file for its count" {
	printf 'gpu0\ngpu1\ngpu2\n' >labels
	pool -f labels
	until_true pool_says '3 3 0 0'
	[ "$(tokget "$FIFO" sh -c 'echo "$JOBCTL_LABEL"')" = gpu0 ]
	stopped
	run -125 tokend -b -f none "$FIFO"
	run -125 tokend -b -f . "$FIFO"
	run -125 tokend -b -n 2 -f labels "$FIFO"
}

@test "more labels and slots than an environment takes do not end tokget" {
	pool -n 1
	long=$(printf '%0999d' 1)
	for i in 1 2 3 4; do tokput -a "$i$long" "$FIFO"; done
	until_true pool_says '5 5 0 0'
	tokget -k 5 "$FIFO" sh -c 'set -- $JOBCTL_SLOT; [ "$#" -eq 5 ]'
	stopped
}

@test "a command that is a script without its #! runs, with tokget -x as well" {
	pool -n 1
	echo 'echo "$1 ran"' >script
	chmod 755 script
	[ "$(tokget "$FIFO" ./script it)" = 'it ran' ]
	[ "$(tokget -x "$FIFO" ./script it)" = 'it ran' ]
	until_true pool_says '1 1 0 0'
	stopped
}

@test "a pool within another waits for the other's token, and has it when it is free" {
	pool -j -n 2
	tokend -b -u "$FIFO" -n 2 inner 3>&-
	tokget "$FIFO" "$here/sleeper" 100 3>&- & outer=$!
	tokget inner "$here/sleeper" 101 3>&- & one=$!
	until_true pgrep -f "$here/sleeper 101" >/dev/null
	until_true pool_says '2 0 2 0'
	tokget inner touch done 3>&- & two=$!
	has_one_waiting() { tokstat -o tsv inner | grep -q '^wait'; }
	until_true has_one_waiting
	[ ! -e done ]
	kill "$outer"
	ends_with 0 "$two"
	[ -e done ]
	kill "$one"
	wait "$one" "$outer" || :
	tokstop inner
	until_true pool_says '2 2 0 0'
	stopped
}

@test "a FIFO of another user is left as it is" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	mkfifo "$FIFO"
	chown 65534 "$FIFO"
	run -125 tokend -b "$FIFO"
	[[ "$output" == *'another user'* ]]
	[ -p "$FIFO" ] && [ ! -e "$FIFO.d" ]
}

@test "jobctl -p on a terminal says how long it may take, and clears its line for a message" {
	script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1) that makes a terminal"
	seq 4 >list
	cat >job <<'S'
case $1 in
3) until grep -q about "$here/typescript"; do "$here/sleeper" 0.02; done; exit 1 ;;
esac
S
	timeout 60 script -qefc 'jobctl -j 1 -k -p -f list sh job' typescript >/dev/null 2>&1 </dev/null 3>&- || :
	grep -q '2 of 4 done.*about' typescript
	grep -q '1 failed' typescript
	grep -q 'exit status 1' typescript
}

@test "a report that its reader leaves unread waits, and is dropped at the end" {
	pool -n 5000
	for name in 1_1 2_2; do mkfifo "$FIFO.d/w.$name"; done
	exec 7<>"$FIFO.d/w.1_1" 8<>"$FIFO.d/w.2_2"
	printf '@stat 1_1\n@stat 2_2\n' >"$FIFO"
	tokget "$FIFO" true # it serves others
	read -r first <&7
	[[ "$first" == pool* ]]
	end=0
	while read -r word rest; do
		if [ "$word" = end ]; then break; fi
		end=$((end + 1))
	done <&7
	[ "$end" -ge 5000 ]
	tokstop -f "$FIFO"
	nothing_left
	exec 7>&- 8>&-
}
