load ../helper

# How a build is told of its jobserver: MAKEFLAGS.

@test "an answer that has no room for the jobserver beside 500 slots goes without it" {
	long=$(printf '%0200d' 0)
	FIFO=$here/$long/$long/$long/$long/$long/$long/f
	mkdir -p "${FIFO%/f}"
	pool -j -n 11000
	for ((i = 0; i < 20; i++)); do tokget --unwatched -k 500 "$FIFO"; done
	[[ "$(tokget "$FIFO" sh -c 'echo "$MAKEFLAGS"')" == *fifo:* ]]
	run -0 tokget -k 500 "$FIFO" sh -c 'echo "$MAKEFLAGS|$(echo "$JOBCTL_SLOT" | wc -w)"'
	[ "$output" = '|500' ]
	tokstop -f "$FIFO"
	nothing_left
}

@test "tokget -j none, and a dispenser without -j, leave MAKEFLAGS alone" {
	pool -j -n 2
	MAKEFLAGS=k run -0 tokget -j none "$FIFO" sh -c 'echo "$MAKEFLAGS|${CARGO_MAKEFLAGS-}"'
	[ "$output" = 'k|' ]
	stopped
	pool -n 2
	MAKEFLAGS=k run -0 tokget "$FIFO" sh -c 'echo "$MAKEFLAGS|${CARGO_MAKEFLAGS-}"'
	[ "$output" = 'k|' ]
	stopped
}

@test "a make that is not GNU make is told nothing" {
	pool -j -n 2
	printf '#!/bin/sh\n[ "$*" != --version ] && echo "$MAKEFLAGS|${CARGO_MAKEFLAGS-}"\n' >bmake
	chmod +x bmake
	cp bmake make
	for make in ./bmake "$here/make"; do
		[ "$(MAKEFLAGS=k tokget "$FIFO" "$make")" = 'k|' ]
	done
	stopped
}

@test "MAKEFLAGS as make writes it; what was there stays, but for another jobserver" {
	pool -j -n 2
	flags() # WAS [pipe] -- sets $output to what it becomes, without the name of the client
	{
		until_true pool_says '2 2 0 0'
		MAKEFLAGS=$1 run -0 tokget -j "${2-fifo}" "$FIFO" \
			sh -c 'echo "$MAKEFLAGS"; [ "$MAKEFLAGS" = "$CARGO_MAKEFLAGS" ]'
		output=$(echo "$output" | sed 's/1\.[0-9]*_[0-9]*\./1./')
	}
	ours="-j2 --jobserver-auth=fifo:$FIFO.d/1.jobserver"
	flags ''
	[ "$output" = " $ours" ]
	flags kn
	[ "$output" = "kn $ours" ]
	flags 'k -j8 --jobserver-auth=3,4 -l2 -- A=--jobserver-auth=5 -j9'
	[ "$output" = "k $ours -l2 -- A=--jobserver-auth=5 -j9" ]
	flags ' -j --jobserver-fds=3,4 --warn'
	[ "$output" = " $ours --warn" ]
	flags '' pipe
	[[ "$output" =~ ^' -j2 --jobserver-fds='([0-9]+,[0-9]+)' --jobserver-auth='([0-9]+,[0-9]+)$ ]]
	[ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
	stopped
}

@test "a path that MAKEFLAGS cannot carry is refused at the start" {
	for name in 'a b' 'a$b' "a'b"; do
		run -125 tokend -b -j "$here/$name"
		[ "${#lines[@]}" -eq 1 ]
	done
	FIFO=rel pool -j
	run -0 tokget rel sh -c 'echo "$MAKEFLAGS"'
	[[ "$output" == " -j"[0-9]*" --jobserver-auth=fifo:$here/rel.d/1."*.jobserver ]]
	FIFO=rel stopped
}
