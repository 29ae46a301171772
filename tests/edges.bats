load helper

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
