load ../helper

# Shares of builds by their priority. "build/greedy" wants all it can get, and writes a line into
# "log" as a job of it begins.

# build NAME STYLE OPTION... -- without an end, with jobs of 0.05 s; sets $build
build()
{
	local name=$1 style=$2
	shift 2
	[ "$style" != pipe ] || set -- -j pipe "$@"
	fresh -s tokget "$@" "$FIFO" greedy "$style" 0 0.05 "$name" 3>&- &
	build=$!
}

# killed_build PID -- its client, which gives nothing back
killed_build()
{
	pkill -KILL -P "$1" greedy
	wait "$1" || :
}

# taken PID -- the tokens that this build has, as the dispenser sees it
taken() { tokstat -o tsv "$FIFO" | awk -v pid="$1" '$3 == "out" && $4 == pid' | wc -l; }
has_taken() { [ "$(taken "$2")" -eq "$1" ]; }

# since MARK NAME -- how many jobs of that build have begun since the log had so many lines
since() { tail -n "+$(($1 + 1))" log | grep -c "^in $2$"; }
has_begun() { [ "$(since "$1" "$3")" -ge "$2" ]; }

# run_now N NAME -- so many jobs of that build
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

@test "-p 9 beside -p 0: at least four jobs to one, whoever came first, and none is starved" {
	pool -j -n 10
	for way in 'high pipe' 'low pipe' 'high make' 'low make'; do
		both "${way% *}" "${way#* }"
		mark=$(wc -l <log)
		until_true has_begun "$mark" 300 high
		few=$(since "$mark" low)
		many=$(since "$mark" high)
		echo "$way: $many to $few" # 8.9 to 1 at the lowest of 24 runs beside six busy loops
		[ "$many" -ge $((4 * few)) ]
		until_true has_begun "$mark" 10 low
		[ "$(peak)" -le 10 ]
		killed_build "$high"
		until_true has_taken 10 "$low"
		killed_build "$low"
		until_true pool_says '10 10 0 0'
	done
	stopped
}

@test "a dispenser that takes over does not know -p: the builds that it finds get equal shares" {
	pool -j -n 10
	both high pipe
	killed
	pool -j -n 10
	until_true run_now 5 high
	until_true run_now 5 low
	killed_build "$high"
	killed_build "$low"
	stopped
}
