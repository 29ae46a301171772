# bats file_tags=waits
load ../helper
load ../helpers/greedy

# The dispenser as a jobserver; real clients are in whole/builds.bats.

@test "a build alone has the whole pool, and not more: by a path, descriptors or both" {
	pool -j -n 5
	for call in 'make -j fifo' 'pipe -j pipe' 'ninja -j fifo' 'cargo -j fifo' make ninja cargo; do
		rm -f log
		read -ra words <<<"$call"
		tokget "${words[@]:1}" "$FIFO" greedy "${words[0]}" 20 0.02+5 a
		same 5 "$(peak)"
		same 20 "$(grep -c '^out' log)"
		until_true pool_says '5 5 0 0'
		same 'lock w w/*' "$(cd "$FIFO.d" && echo * w/*)"
	done
	stopped
}

@test "one token: a build is strictly serial" {
	pool -j -n 1
	for style in make pipe; do
		[ "$style" = make ] && option=fifo || option=pipe
		tokget -j "$option" "$FIFO" greedy "$style" 5 0.01 a
		same 1 "$(peak)"
	done
	stopped
}

differ_by_one()
{
	local apart=$(($(taken "$1") - $(taken "$2")))
	[ "$((apart * apart))" -le 1 ]
}

@test "several builds: never above the pool, and shared evenly within one token" {
	pool -j -n 7
	for styles in 'pipe pipe' 'make pipe' 'pipe make' 'ninja make'; do
		rm -f log
		build a "${styles% *}"; a=$build
		until_true has_taken 7 "$a"
		build b "${styles#* }"; b=$build
		until_true differ_by_one "$a" "$b"
		until_true pool_says '7 0 7 0'
		[ "$(peak)" -le 7 ]
		ended_build KILL "$a"
		until_true has_taken 7 "$b"
		ended_build KILL "$b"
		until_true pool_says '7 7 0 0'
		[ "$(peak)" -le 7 ]
	done
	stopped
}

@test "a build that left its tokens unread gets its share once it wants it" {
	pool -j -n 6
	mkfifo gate
	for style in make pipe; do
		[ "$style" = make ] && option=fifo || option=pipe
		fresh -s tokget -j "$option" "$FIFO" bash -c ': <gate; exec greedy "$0" 0 0.1 a' "$style" \
			3>&- & a=$!
		until_true has_taken 1 "$a"
		build b "$style"; b=$build
		until_true has_taken 5 "$b"
		open_gate gate
		close_gate
		until_true has_taken 3 "$a"
		until_true differ_by_one "$a" "$b"
		ended_build KILL "$a"
		ended_build KILL "$b"
		until_true pool_says '6 6 0 0'
	done
	stopped
}

# Two clients in one build, each with its first job: so the build has one job more than the pool.
@test "in one build one gives back by descriptor and one by path: each token counts, none twice" {
	need_proc # for tokstat to find who has the leases
	pool -j -n 5
	mixed() # JOBS SECONDS
	{
		exec fresh -s tokget "$FIFO" sh -c 'path=" --jobserver-auth=${MAKEFLAGS##*=}"
			MAKEFLAGS=$path greedy make "$1" "$2" a & greedy pipe "$1" "$2" a; wait' \
			sh "$@" 3>&-
	}
	(mixed 20 0.01+6)
	same 6 "$(peak)"
	same 40 "$(grep -c '^out' log)"
	until_true pool_says '5 5 0 0'
	mixed 0 0.02 & a=$!
	until_true has_taken 5 "$a"
	build b make; b=$build
	until_true differ_by_one "$a" "$b"
	restarted -j -n 5
	until_true pool_says '5 0 5 0'
	ended_build KILL "$b"
	all_are_mixed() { tokstat -o tsv "$FIFO" | cut -f 1,5,10 | grep -q '^holder	5	.*sh -c'; }
	until_true all_are_mixed
	pkill -KILL -g "$a"
	wait "$a" || :
	until_true pool_says '5 5 0 0'
	[ "$(peak)" -le 6 ]
	stopped
}

has_some() { [ "$(taken "$1")" -ge 1 ]; }

@test "a build gets a signal, and gives nothing back: all its tokens are home, others undisturbed" {
	pool -j -n 6
	build other make; other=$build
	for style in make pipe ninja cargo; do
		for signal in TERM KILL; do
			build one "$style"
			until_true has_some "$build"
			ended_build "$signal" "$build"
			until_true has_taken 6 "$other"
		done
	done
	[ "$(peak)" -le 6 ]
	ended_build KILL "$other"
	all_home 6
}

@test "what a build leaves unread goes to one that wants it, and to a command that waits" {
	pool -j -n 6
	tokget "$FIFO" "$here/sleeper" 100 3>&- & idle=$! pids=$!
	until_true has_taken 1 "$idle"
	until_true pool_says '6 5 1 0'
	build a make
	until_true has_taken 5 "$build"
	ended_build KILL "$build"
	for i in 1 2 3 4 5; do tokget "$FIFO" true; done
	for i in 1 2 3 4 5; do
		tokget -n "$FIFO" "$here/sleeper" 100 3>&- & pids="$pids $!"
		until_true pool_says "6 $((5 - i)) $((1 + i)) 0"
	done
	run -124 tokget -n "$FIFO" true
	kill $pids
	all_home 6
}

@test "a command that waits is served before a build takes further tokens" {
	pool -j -n 3
	for style in make pipe; do
		build a "$style"
		until_true has_taken 3 "$build"
		tokget -j none "$FIFO" true
		[ "$style" = make ] || tokget -j none -k 2 "$FIFO" true
		until_true has_taken 3 "$build"
		ended_build KILL "$build"
		until_true pool_says '3 3 0 0'
	done
	[ "$(peak)" -le 3 ]
	stopped
}

bytes_in() { [ "$(cat "$2" 2>/dev/null | wc -c)" -eq "$1" ]; }

@test "a command that waits for two is told of the second, where one lay unread" {
	pool -j -n 3
	mkfifo gate
	tokget "$FIFO" sh -c 'exec 5<>"${MAKEFLAGS##*fifo:}"; dd bs=1 count=1 <&5 >took 2>/dev/null
		: <gate; printf + >&5; exec "$here/sleeper" 100' 3>&- & one=$!
	until_true bytes_in 1 took
	tokget -j none -k 2 "$FIFO" true 3>&- & two=$!
	until_true waiting 1
	open_gate gate
	close_gate
	ends_with 0 "$two"
	kill "$one"
	all_home 3
}

@test "no look at what a build has while nobody competes" {
	need_strace
	pool -j -n 4
	build a pipe
	until_true has_taken 4 "$build"
	tokstat "$FIFO" >/dev/null
	rests # a build that always takes its tokens back before tokend causes no news
	ended_build KILL "$build"
	all_home 4
}

@test "tokens given back too often, and junk in the FIFO, are no tokens" {
	pool -j -n 3
	tokget "$FIFO" sh -c 'P=${MAKEFLAGS##*fifo:}
		printf ++++++++++ >"$P"
		greedy make 20 0.01+3 a
		printf "junk\n" >"$P"; printf "junk" >"${P%.*}.returned"'
	until_true pool_says '3 3 0 0'
	rm log
	tokget "$FIFO" greedy make 20 0.01+3 a
	same 3 "$(peak)"
	stopped
}

@test "a build of another user of the group gets tokens as one's own, and a restart finds them" {
	if [ "$(id -u)" -ne 0 ]; then skip "needs root"; fi
	chmod 777 "$here"
	as() { setpriv --reuid="$1" --regid=0 --clear-groups env FIFO="$FIFO" "${@:2}" 3>&-; }
	as daemon tokend -b -j -m 660 -n 4 "$FIFO"
	for style in make pipe; do
		[ "$style" = make ] && option=fifo || option=pipe
		rm -f log
		as bin tokget -j "$option" "$FIFO" greedy "$style" 20 0.02+4 a
		same 4 "$(peak)"
	done
	rm -f log
	as bin fresh -s tokget "$FIFO" greedy make 0 0.02 a & build=$!
	until_true pool_says '4 0 4 0'
	killed
	as daemon tokend -b -j -m 660 -n 4 "$FIFO"
	until_true pool_says '4 0 4 0'
	parent=$(pgrep -P "$build")
	pkill -KILL -P "${parent:?}" greedy
	wait "$build" || :
	all_home 4
}

@test "a pool that shrinks, by size, label or restart, shrinks for a build alone, and grows again" {
	pool -j -n 6
	for style in pipe make; do
		rm -f log
		build a "$style"
		until_true has_taken 6 "$build"
		tokput -n 2 "$FIFO"
		until_true has_taken 2 "$build"
		restarted -j -n 5
		until_true pool_says '5 0 5 0'
		restarted -j -n 3
		until_true pool_says '3 0 3 0'
		[ "$(peak)" -le 6 ]
		ended_build KILL "$build"
		tokput -n 6 "$FIFO"
		until_true pool_says '6 6 0 0'
	done
	stopped
	pool -j -s a -s b -s c -s d
	tokget "$FIFO" "$here/sleeper" 100 3>&- & one=$!
	until_true pool_says '4 3 1 0'
	tokput -d d "$FIFO"; tokput -d c "$FIFO"
	until_true pool_says '2 1 1 0'
	kill "$one"
	all_home 2
}

@test "tokend -J: so many tokens for one build" {
	pool -J 3 -n 8
	tokget "$FIFO" greedy make 20 0.01+3 a
	same 3 "$(peak)"
	stopped
}

@test "tokget -J: so many tokens for this build, of which MAKEFLAGS tells; others get the rest" {
	pool -j -n 6
	for style in make pipe; do
		rm -f log
		option=fifo
		[ "$style" = make ] || option=pipe
		tokget -J 3 -j "$option" "$FIFO" greedy "$style" 20 0.01+3 a
		same 3 "$(peak)"
	done
	run -0 tokget -J 3 "$FIFO" sh -c 'echo "$MAKEFLAGS"'
	[[ "$output" == ' -j3 --jobserver-'*" -- --jobserver-auth=fifo:"* ]]
	run -0 tokget -J 9 "$FIFO" sh -c 'echo "$MAKEFLAGS"'
	[[ "$output" == ' -j6 --jobserver-'*" -- --jobserver-auth=fifo:"* ]]
	build a make -J 2; a=$build
	build b make; b=$build
	until_true has_taken 4 "$b"
	until_true has_taken 2 "$a"
	ended_build KILL "$b"
	until_true pool_says '6 4 2 0'
	ended_build KILL "$a"
	all_home 6
	pool -J 2 -n 6
	rm log
	tokget -J 3 "$FIFO" greedy make 20 0.01+2 a
	same 2 "$(peak)"
	for bad in '-J 0' '-J x' '-J 2 -k 3' '-J 2 -k 1-3' '-J 2 -k all' '-J 2 -j none'; do
		run -125 tokget $bad "$FIFO" true
		[[ "$output" == 'tokget: -J'* ]]
	done
	run -125 tokget -l -J 2 "$FIFO"
	[[ "$output" == 'tokget: -J: '* ]]
	run -125 tokget -J 2 "far:$FIFO" true
	[[ "$output" == 'tokget: HOST:FIFO has no '*-J* ]]
	stopped
}

@test "tokget -k: its tokens are the build's from the start, and its own" {
	pool -j -n 5
	tokget -k 4 "$FIFO" "$here/sleeper" 100 3>&- & four=$!
	until_true pool_says '5 1 4 0'
	tokget -n "$FIFO" true
	run -124 tokget -n -k 2 "$FIFO" true
	kill "$four"
	until_true pool_says '5 5 0 0'
	tokget -k 3 -j pipe "$FIFO" greedy pipe 20 0.01+5 a
	same 5 "$(peak)"
	stopped
}

@test "a background process keeps the build's tokens, unless it closes the lease, or with -o" {
	pool -j -n 4
	keeper='greedy make 8 0.01 a; "$here/sleeper" 100 >/dev/null 2>&1 3>&- & echo $! >pid'
	tokget "$FIFO" sh -c "$keeper"
	until_true pool_says '4 3 1 0'
	kill "$(cat pid)"
	until_true pool_says '4 4 0 0'
	tokget -o "$FIFO" sh -c "$keeper"
	until_true pool_says '4 4 0 0'
	kill "$(cat pid)"
	stopped
}

@test "a dispenser killed and started again: builds keep what they took, no token is given twice" {
	pool -j -n 6
	for style in make pipe; do
		build a "$style"; a=$build
		until_true has_taken 6 "$a"
		build b "$style"; b=$build
		until_true differ_by_one "$a" "$b"
		restarted -j -n 6
		until_true pool_says '6 0 6 0'
		tokget -j none "$FIFO" true
		ended_build TERM "$a"
		until_true pool_says '6 0 6 0'
		ended_build TERM "$b"
		until_true pool_says '6 6 0 0'
	done
	[ "$(peak)" -le 6 ]
	same 'lock w w/*' "$(cd "$FIFO.d" && echo * w/*)"
	stopped
}

@test "a dispenser killed before its build: that one's tokens are free for the next dispenser" {
	pool -j -n 3
	build a make
	until_true has_taken 3 "$build"
	killed
	ended_build KILL "$build"
	[ -p "$(find "$FIFO.d" -name '1.*.jobserver')" ]
	pool -j -n 3
	until_true pool_says '3 3 0 0'
	same 'lock w w/*' "$(cd "$FIFO.d" && echo * w/*)"
	stopped
}
