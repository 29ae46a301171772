load ../helper

# tokget -k LOW-HIGH: all free tokens, for tools that take a number.

# count COUNT OPTION... -- the number that a command is told that takes that many tokens
count() { tokget -k "$@" "$FIFO" sh -c 'echo "$JOBCTL_COUNT"; [ "$JOBCTL_COUNT" -eq "$(echo "$JOBCTL_SLOT" | wc -w)" ]'; }

# holding COUNT -- a client holds that many tokens; sets $held
holding()
{
	local free
	free=$(tokstat -o tsv "$FIFO" | sed -n 's/^pool.//p' | cut -f 2)
	tokget -k "$1" "$FIFO" "$here/sleeper" 1000 3>&- & held=$!
	until_true is_free $((free - $1))
}
is_free() { [ "$(tokstat -o tsv "$FIFO" | sed -n 's/^pool.//p' | cut -f 2)" -eq "$1" ]; }

@test "-k LOW-HIGH takes what is free, HIGH at most; JOBCTL_COUNT tells how many, of each -k" {
	pool -n 8
	for wanted in '1 1' '3 3' 'all 8' '2-5 5' '8-8 8' '2-99 8' '1-all 8'; do
		run -0 count ${wanted% *}
		same "${wanted#* }" "$output"
		for option in -x -o; do
			run -0 tokget "$option" -k ${wanted% *} "$FIFO" sh -c 'echo "$JOBCTL_COUNT"'
			same "${wanted#* }" "$output"
		done
		until_true pool_says '8 8 0 0'
	done
	holding 5
	run -0 count 1-8 -n
	same 3 "$output"
	run -0 count 2-2
	same 2 "$output"
	run -124 count 4-8 -n
	kill "$held"
	all_home 8
}

@test "-k LOW-HIGH waits for LOW, and takes what more has come home by then; later ones wait behind it" {
	pool -n 4
	holding 3; three=$held
	holding 1; one=$held
	count 2-4 >first 3>&- & first=$!
	until_true waiting 1
	tokget "$FIFO" true 3>&- & second=$!
	until_true waiting 2
	kill "$one"
	until_true pool_says '4 1 3 2'
	[ ! -s first ]
	kill "$three"
	ends_with 0 "$first"
	ends_with 0 "$second"
	is 4 first
	stopped
}

@test "-k LOW-HIGH: a waiter outlives its dispenser, and one that has taken over knows all that it holds" {
	pool -n 4
	holding 4
	mkfifo gate
	tokget -k 2-3 "$FIFO" bash -c 'cat_gate "$JOBCTL_COUNT"' 3>&- & first=$!
	until_true waiting 1
	restarted -n 4
	until_true pool_says '4 0 4 1'
	kill "$held"
	until_true is 3 log
	restarted -n 4
	until_true pool_says '4 1 3 0'
	gate_opens $first
	all_home 4
}

@test "-k LOW-HIGH beside a build: what is offered to that is free, what is its own is not" {
	pool -j -n 6
	tokget -k 2 "$FIFO" "$here/sleeper" 1000 3>&- & build=$!
	until_true pool_says '6 4 2 0'
	run -0 count 1-3
	same 3 "$output"
	run -0 count 1-all
	same 4 "$output"
	kill "$build"
	all_home 6
}

@test "-k LOW-HIGH within tokens of the pool: what of those is not lent yet" {
	pool -n 5
	run -0 tokget -k 3 "$FIFO" sh -c 'tokget -k 1-8 "$FIFO" sh -c "echo \$JOBCTL_COUNT"
		tokget -k 2-2 "$FIFO" sh -c "echo \$JOBCTL_COUNT"'
	is 3,2 - <<<"$output"
	until_true pool_says '5 5 0 0'
	mkfifo gate
	run -0 tokget -k 3 "$FIFO" bash -c 'tokget -k 2 "$FIFO" bash -c "cat_gate x" 3>&- &
		until [ -s log ]; do :; done
		tokget -k 1-8 "$FIFO" sh -c "echo \$JOBCTL_COUNT"; exec 7>gate; wait'
	same 1 "$output"
	all_home 5
}

@test "-k LOW-HIGH: no more than limits of load allow, nor than a parent has free" {
	pool -n 6 -g 3 -M 900000G
	run -0 count 1-6
	same 3 "$output"
	run -124 count 4-6 -n
	stopped
	tokend -b -j -n 5 "$here/parent" 3>&-
	tokend -b -u "$here/parent" -n 9 "$FIFO" 3>&-
	run -0 count 1-8
	same 5 "$output"
	tokget -k 3 "$here/parent" "$here/sleeper" 1000 3>&- & held=$!
	until_true has_left 2
	kill "$held"
	wait "$held" || :
	tokstop "$FIFO"
	tokstop "$here/parent"
	nothing_left
}
has_left() { [ "$(count 1-8)" -eq "$1" ]; }

@test "a -k that is no count is refused, and tells what is one" {
	pool -n 8
	for bad in '' 0 1,8 50% 0-3 1- -3 x-3 1-x 1-8-9 1-501 501-all all-3 1-0 99999999999999999999-1; do
		run -125 tokget -k "$bad" "$FIFO" true
		[[ "$output" == "tokget: -k ${bad:-''}: not a count: "* ]]
	done
	run -125 tokget -k 8-1 "$FIFO" true
	[[ "$output" == *'8-1: the first number is the lower one: 1-8' ]]
	run -125 tokget -k 9-10 "$FIFO" true
	[[ "$output" == *'-k 9-10: the pool has fewer tokens' ]]
	run -125 tokget -l -k 1-3 "$FIFO"
	pool_says '8 8 0 0'
	stopped
}
