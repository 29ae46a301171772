load ../helper
load ../helpers/greedy

# The tokens of a dispenser: how many, their labels, and how many can be given.

@test "resize: up at once, down as tokens come home; labels by name" {
	pool -s a -s b
	take_tokens 2
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1
	tokput -n 3 "$FIFO"
	ends_with 0 "$one"
	tokput -n 1 "$FIFO"
	until_true pool_says '1 0 2 0'
	give_tokens 1
	until_true pool_says '1 0 1 0'
	give_tokens 1
	until_true pool_says '1 1 0 0'
	has_new() { [[ "$(tokstat "$FIFO")" == *'new one'* ]]; }
	tokput -a 'new one' "$FIFO"
	has_new
	tokput -d 'new one' "$FIFO"
	until_true pool_says '1 1 0 0'
	run ! has_new
	stopped
}

@test "tokput -n 0 pauses a pool: holders go on, nothing is given, nothing forgotten, until -n N" {
	need_strace
	pool -s one -s two
	holder
	tokput -n 0 "$FIFO"
	pool_says '0 0 1 0'
	[[ "$(tokstat "$FIFO")" == *'paused, 1 out, 0 free, 0 waiting'* ]]
	run -124 tokget -n "$FIFO" true
	for count in all 2; do
		tokget -k "$count" "$FIFO" sh -c 'echo "$JOBCTL_LABEL" >>log' 3>&- & pids="${pids-} $!"
		until_true waiting "$(wc -w <<<"$pids")"
	done
	gate_opens "$one"
	close_gate
	until_true pool_says '0 0 0 2'
	rests
	is in log
	tokput -n 2 "$FIFO"
	for pid in $pids; do ends_with 0 "$pid"; done
	same 'in one one two two' "$(sort log | xargs)"
	stopped
}

@test "tokput -n 0: a pool within another gives its token back, whoever waits" {
	tokend -b -j -n 1 "$here/parent" 3>&-
	tokend -b -u "$here/parent" -n 1 "$FIFO" 3>&-
	tokput -n 0 "$FIFO"
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1
	tokget "$here/parent" true
	tokput -n 1 "$FIFO"
	ends_with 0 "$one"
	tokstop "$FIFO"
	tokstop "$here/parent"
	nothing_left
}

@test "a paused pool does not end by -x, which would forget the pause; one that goes on does" {
	past() { [ "$(now)" -gt "$((before + idle * 1000000 + 1500000))" ]; }
	for idle in 1 2 4 8 16; do # tokget may be slower than -x
		pool -n 1 -x "$idle"
		before=$(now)
		! tokget "$FIFO" tokput -n 0 "$FIFO" 2>>errors || break
		until_true no_files
	done
	until_true past
	pool_says '0 0 0 0'
	tokput -n 1 "$FIFO"
	until_true no_files
}

@test "tokput -n 0: builds keep what they work with, and get no more" {
	pool -j -n 4
	build a make
	until_true has_taken 4 "$build"
	tokget -j none -k 2 "$FIFO" "$here/sleeper" 100 3>&- & one=$!
	until_true has_taken 2 "$build"
	tokput -n 0 "$FIFO"
	until_true pool_says '0 0 3 0'
	kill "$one"
	until_true pool_says '0 0 1 0'
	lines=$(wc -l <log)
	until_true has_begun "$lines" 2 a
	pool_says '0 0 1 0'
	tokput -n 4 "$FIFO"
	until_true has_taken 4 "$build"
	ended_build KILL "$build"
	all_home 4
}

@test "tokend takes the labels of a file for its count" {
	printf 'gpu0\ngpu1\ngpu2\n' >labels
	pool -f labels
	until_true pool_says '3 3 0 0'
	same gpu0 "$(tokget "$FIFO" sh -c 'echo "$JOBCTL_LABEL"')"
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
	gate_opens $pids
	rm gate
	until_true pool_says '30 30 0 0'
	tokget -k 30 "$FIFO" true
	all_home 30
}

@test "a pool that grows beyond its descriptors has more; beyond what it may have, clients wait" {
	crowd -S -n 20
	until_true pool_says '30 16 14 0'
	crowd_leaves
	crowd -n 20
	refused() { tokget -n "$FIFO" true; [ "$?" -eq 124 ]; }
	until_true refused
	run -124 tokget -t 0.1 "$FIFO" true
	crowd_leaves
}

@test "-n is refused, too, where there is a token, but no descriptor to give it by" {
	(ulimit -n 20; pool -n 2)
	tokput -n 30 "$FIFO"
	held=0 status=0
	mkfifo gate
	while [ "$status" -eq 0 ]; do
		timeout -s KILL 100 tokget -n "$FIFO" true || status=$?
		if [ "$status" -eq 0 ]; then
			tokget "$FIFO" sh -c ': <gate' 3>&- &
			held=$((held + 1))
			until_true pool_says "30 $((30 - held)) $held 0"
		fi
	done
	same 124 "$status"
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
	same 500 "$output"
	until_true pool_says '1000 1000 0 0'
	tokget -k 900 "$FIFO" true 3>&- &
	ends_with 125 "$!"
	mkfifo "$FIFO.d/w/1"
	exec 9<>"$FIFO.d/w/1"
	echo '@get 1 900 5 -' >"$FIFO"
	read -r line <&9
	same 'no many' "$line"
	exec 9>&-
	all_home 1000
}

@test "labels taken away from a pool that has shrunk already do not make it smaller still" {
	pool -s a -s b
	take_tokens 2
	tokput -n 1 "$FIFO"
	tokput -d a "$FIFO"
	until_true pool_says '1 0 2 0'
	tokput -d b "$FIFO"
	until_true pool_says '0 0 2 0'
	tokput -a c "$FIFO"
	until_true pool_says '1 1 2 0'
	tokget "$FIFO" true
	give_tokens 2
	all_home 1
}

@test "a slot that is added while too many tokens are out is given when enough are home" {
	pool -n 3
	for holder in 1 2 3; do
		tokget "$FIFO" "$here/sleeper" 100 3>&- &
		pids="${pids-} $!"
		until_true pool_says "3 $((3 - holder)) $holder 0"
	done
	tokput -n 1 "$FIFO"
	tokput -a gpu "$FIFO"
	until_true pool_says '2 0 3 0'
	run -124 tokget -n "$FIFO" true
	for pid in $pids; do
		kill "$pid"
		wait "$pid" || :
	done
	until_true pool_says '2 2 0 0'
	same gpu "$(tokget -k 2 "$FIFO" sh -c 'echo "$JOBCTL_LABEL"' | tr -d '\n')"
	stopped
}

@test "a pool that grows while a slot leaves has all its tokens" {
	pool -n 1
	tokput -a gpu "$FIFO"
	tokget -k 2 "$FIFO" "$here/sleeper" 100 3>&- &
	until_true pool_says '2 0 2 0'
	tokput -d gpu "$FIFO"
	tokput -n 47 "$FIFO"
	until_true pool_says '47 46 2 0'
	kill "$!"
	wait "$!" || :
	all_home 47
}
