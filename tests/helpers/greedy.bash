# Builds that want all tokens they can get: "build/greedy" makes the system calls of make, ninja and
# cargo, and writes a line into "log" as one of its jobs begins, and as it ends.

# build NAME STYLE [OPTION...] -- starts one without an end, with jobs of 0.1 s, in a process group
# of its own; it is told of descriptors, or of a path alone; sets $build
build()
{
	local name=$1 style=$2
	shift 2
	case $style in
	pipe) set -- -j pipe "$@" ;;
	*) set -- -j fifo "$@" ;;
	esac
	fresh -s tokget "$@" "$FIFO" greedy "$style" 0 0.1 "$name" 3>&- &
	build=$!
}

# ended_build SIGNAL PID -- the client itself gets it, once it is there, and gives nothing back
ended_build()
{
	until_true pkill "-$1" -P "$2" greedy
	wait "$2" || :
}

# taken PID -- the tokens that this build has, by the dispenser
taken()
{
	tokstat -o tsv "$FIFO" | awk -v pid="$1" '$3 == "out" && $4 == pid {n++} END {print n + 0}'
}
has_taken() { [ "$(taken "$2")" -eq "$1" ]; }

# begun MARK NAME -- how many jobs of that build have begun since the log had MARK lines
begun() { tail -n "+$(($1 + 1))" log | grep -c "^in $2$"; }
has_begun() { [ "$(begun "$1" "$3")" -ge "$2" ]; }

# run_now N NAME -- N jobs of that build run
run_now()
{
	[ "$(awk -v name="$2" '$2 == name {n += $1 == "in" ? 1 : -1} END {print n}' log)" -eq "$1" ]
}

# both FIRST STYLE -- builds high and low, which share ten tokens by now
both()
{
	local name
	rm -f log
	for name in "$1" "$([ "$1" = high ] && echo low || echo high)"; do
		build "$name" "$2" -p "$([ "$name" = high ] && echo 9 || echo 0)"
		eval "$name=\$build"
		[ "$name" != "$1" ] || until_true has_taken 10 "$build"
	done
	until_true has_taken 9 "$high"
	until_true has_taken 1 "$low"
}

ended_both()
{
	ended_build KILL "$high"
	until_true has_taken 10 "$low"
	ended_build KILL "$low"
	until_true pool_says '10 10 0 0'
}
