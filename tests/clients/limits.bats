load ../helper

# Memory and load: the limits at which a dispenser gives no more.

@test "tokend -M, -A: beyond a limit so many tokens as -g says are out, or one" {
	for limit in '-M 900000G' '-A 0'; do
		pool -n 6 $limit
		tokget "$FIFO" "$here/sleeper" 100 3>&- & first=$!
		until_true pool_says '6 5 1 0'
		run -124 tokget -n "$FIFO" true
		tokget "$FIFO" true 3>&- & second=$!
		until_true pool_says '6 5 1 1'
		kill "$first"
		ends_with 0 "$second"
		stopped
		rm -f log
		pool -j -n 6 -g 3 $limit
		tokget "$FIFO" greedy make 20 0.01+3 a
		same 3 "$(peak)"
		stopped
	done
	for limit in '-M 1K' '-A 100000'; do
		rm -f log
		pool -j -n 4 $limit
		tokget "$FIFO" greedy make 20 0.01+4 a
		same 4 "$(peak)"
		stopped
	done
	for wrong in '-M x' '-M 5X' '-M 0' '-A -1' '-A 1x' '-g 0' '-a -M 1G'; do
		run -125 tokend $wrong "$FIFO"
	done
}

@test "a limit of tokend is digits" {
	for load in 1e999 0x10 -1 '' 1.5.2 inf; do
		run -125 tokend -A "$load" "$FIFO"
		[[ "$output" == *'not a load'* ]]
	done
	for size in -9999999999999999999 -1 '' K 0 1X 99999999999999999999G; do
		run -125 tokend -M "$size" "$FIFO"
		[[ "$output" == *'not a size'* ]]
	done
}
