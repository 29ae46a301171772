load ../helper

# MAKEFLAGS, which tells a build of its jobserver.

@test "an answer that has no room for the jobserver beside 500 slots goes without it" {
	long=$(printf '%0200d' 0)
	FIFO=$here/$long/$long/$long/$long/$long/$long/f
	mkdir -p "${FIFO%/f}"
	pool -j -n 11000
	for ((i = 0; i < 20; i++)); do tokget -b -j none -k 500 "$FIFO" "$here/sleeper" 1000 3>&-; done
	[[ "$(tokget "$FIFO" sh -c 'echo "$MAKEFLAGS"')" == *fifo:* ]]
	run -0 tokget -k 500 "$FIFO" sh -c 'echo "$MAKEFLAGS|$(echo "$JOBCTL_SLOT" | wc -w)"'
	same '|500' "$output"
	tokstop --kill "$FIFO"
	nothing_left
}

@test "tokget -j none, and a dispenser without -j, leave MAKEFLAGS alone" {
	pool -j -n 2
	MAKEFLAGS=k run -0 tokget -j none "$FIFO" sh -c 'echo "$MAKEFLAGS|${CARGO_MAKEFLAGS-}"'
	same 'k|' "$output"
	stopped
	pool -n 2
	MAKEFLAGS=k run -0 tokget "$FIFO" sh -c 'echo "$MAKEFLAGS|${CARGO_MAKEFLAGS-}"'
	same 'k|' "$output"
	stopped
}

@test "a make that is not GNU make is told nothing" {
	pool -j -n 2
	printf '#!/bin/sh\n[ "$*" != --version ] && echo "$MAKEFLAGS|${CARGO_MAKEFLAGS-}"\n' >bmake
	chmod +x bmake
	cp bmake make
	for make in ./bmake "$here/make"; do
		same 'k|' "$(MAKEFLAGS=k tokget "$FIFO" "$make")"
	done
	stopped
}

# flags WAS [OPTION...] -- the variables of a command: sets made and cargo, with 1.jobserver for the
# client's, and R,W for the same two descriptors at both places
flags()
{
	until_true pool_says '2 2 0 0'
	MAKEFLAGS=$1 tokget "${@:2}" "$FIFO" \
		sh -c 'printf "%s\n" "$MAKEFLAGS" "$CARGO_MAKEFLAGS"' >found
	sed -E 's/1\.[0-9]+_[0-9]+\./1./
		s/(--jobserver-fds=)([0-9]+,[0-9]+)( --jobserver-auth=)\2/\1R,W\3R,W/' found >flags
	{ IFS= read -r made && IFS= read -r cargo; } <flags
}

@test "MAKEFLAGS as make writes it; what was there stays, but for another jobserver" {
	pool -j -n 2
	path="--jobserver-auth=fifo:$FIFO.d/1.jobserver"
	ends='--jobserver-fds=R,W --jobserver-auth=R,W'
	flags '' -j fifo
	[ "$made|$cargo" = " -j2 $path| -j2 $path" ]
	flags kn -j fifo
	same "kn -j2 $path" "$made"
	flags 'k -j8 --jobserver-auth=3,4 -l2 -- A=--jobserver-auth=5 -j9' -j fifo
	same "k -j2 $path -l2 -- A=--jobserver-auth=5 -j9" "$made"
	flags ' -j --jobserver-fds=3,4 --warn -- --jobserver-auth=fifo:/a' -j fifo
	same " -j2 $path --warn" "$made"
	flags ' -- A=1' -j pipe
	[ "$made|$cargo" = " -j2 $ends -- A=1| -j2 $ends -- A=1" ]
	stopped
}

@test "by default MAKEFLAGS has descriptors, and a path as the last variable; cargo's has no path" {
	pool -j -n 2
	path="--jobserver-auth=fifo:$FIFO.d/1.jobserver"
	ends='--jobserver-fds=R,W --jobserver-auth=R,W'
	flags ''
	[ "$made|$cargo" = " -j2 $ends -- $path| -j2 $ends" ]
	flags 'k -j --warn -- A=a\ --jobserver-auth=fifo:/b'
	same "k -j2 $ends --warn -- A=a\\ --jobserver-auth=fifo:/b $path" "$made"
	flags ' -j9 --jobserver-auth=3,4 -- A=1 --jobserver-auth=fifo:/a B=2'
	[ "$made|$cargo" = " -j2 $ends -- A=1 B=2 $path| -j2 $ends -- A=1 B=2" ]
	stopped
}

@test "a path that MAKEFLAGS cannot carry is refused at the start" {
	for name in 'a b' 'a$b' "a'b"; do
		run -125 tokend -b -j "$here/$name"
		same 1 "${#lines[@]}"
	done
	FIFO=rel pool -j
	run -0 tokget rel sh -c 'echo "$MAKEFLAGS"'
	[[ "$output" == *" -- --jobserver-auth=fifo:$here/rel.d/1."*.jobserver ]]
	FIFO=rel stopped
}

@test "a command named make is asked which one it is; with -j both it is not" {
	pool -j -n 2
	printf '#!/bin/sh\necho "$*" >>asked; echo some make; echo "${MAKEFLAGS-none}" >flags\n' >make
	chmod +x make
	tokget "$FIFO" ./make x
	is --version,x asked
	is none flags
	rm asked
	tokget -j both "$FIFO" ./make x
	is x asked
	grep -q -e '--jobserver-auth=[0-9].*--jobserver-auth=fifo:' flags
	stopped
}
