load ../helper
load ../helpers/builds

# Within a build: a recipe, or another job, asks for a token of the pool that its build is in, and
# gets the token that its build has for it. ("seat" counts, by locks, how many are at work at once,
# and they wait at a gate.)

# recipes COUNT RECIPE -- of a Makefile; each line a job
recipes()
{
	local i all=
	for ((i = 1; i <= $1; i++)); do all="$all t$i"; done
	printf 'all:%s\n%s:\n\t@%s\n' "$all" "${all# }" "$2" >Makefile
}
at_gate="seat a sh -c ': <$here/gate'"

# build COMMAND... -- in the pool, in the background; sets $build
build()
{
	export SEATS=$here/log at_gate="seat a sh -c ': <$here/gate'"
	[ -p gate ] || mkfifo gate
	fresh -s tokget "$FIFO" "$@" >out 2>&1 3>&- &
	build=$!
}

# most_at_once N -- while all wait there are N, there never were more, and all get on
most_at_once()
{
	until_true all_wait "$1"
	passed gate
	ends_with 0 "$build" || { cat out; return 1; }
	same "$1" "$(highest_seat)"
	until_true pool_says "$(size) $(size) 0 0"
}

@test "each recipe is lent the token that its make has for it" {
	need_proc
	need make
	pool -j -n 4
	recipes 6 'tokget $(FIFO) sh -c "$$at_gate"'
	build make
	most_at_once 4
	same 6 "$(jobs_of a)"
	stopped
}

@test "each recipe is lent the token that its make has for it, of a make of 4.4" {
	need_proc
	need make44
	pool -j -n 4
	recipes 6 '+tokget $(FIFO) sh -c "$$at_gate"'
	build "$MAKE44"
	most_at_once 4
	stopped
}

@test "ninja's jobs are lent theirs" {
	need_proc
	need ninja
	pool -j -n 3
	{
		echo 'rule job'
		echo " command = tokget $FIFO sh -c \"\$\$at_gate\""
		for i in 1 2 3 4 5; do echo "build $i: job"; done
	} >build.ninja
	export SEATS=$here/log at_gate="seat a sh -c ': <$here/gate'"
	mkfifo gate
	fresh -s tokget -k 3 "$FIFO" "$NINJA113" --quiet >out 2>&1 3>&- &
	build=$!
	until_true all_wait 3
	passed gate
	ends_with 0 "$build"
	same 3 "$(highest_seat)"
	stopped
}

@test "one token: recipes that ask for it get it, and so do those that ask within that again" {
	need make
	pool -j -n 1
	recipes 4 'tokget $(FIFO) seat a tokget $(FIFO) true; tokget $(FIFO) seat a true'
	build make
	ends_with 0 "$build"
	same 1 "$(highest_seat)"
	same 8 "$(jobs_of a)"
	stopped
}

@test "a recipe that starts several at once has its token for one of them" {
	need make
	pool -j -n 2
	recipes 1 'for i in 1 2 3; do tokget $(FIFO) sh -c "$$at_gate" & done; wait'
	build make
	most_at_once 2
	same 3 "$(jobs_of a)"
	stopped
}

@test "a make with a -j of its own has left the pool, and its recipes together do not" {
	need make
	pool -j -n 3
	recipes 8 'tokget $(FIFO) sh -c "$$at_gate"'
	build make -j8
	most_at_once 3
	same 8 "$(jobs_of a)"
	stopped
}

@test "jobs of a make or jobctl with a -j of its own are lent no token of another recipe" {
	need_proc
	need make
	pool -j -n 2
	a_job
	recipes 3 'tokget $(FIFO) sh -c "$$at_gate"' && mv Makefile inner
	for left in 'make -j3 -f inner' 'seq 3 | jobctl -j 3 ./job'; do
		rm -f begun gate log
		{
			echo 'all: x y'
			echo "x:; @seat a sh -c ': >begun; : <$here/gate'"
			echo "y:; +@until [ -e begun ]; do :; done; $left"
		} >Makefile
		build make
		until_true pool_says '2 0 2 2'
		most_at_once 2
		same 4 "$(jobs_of a)"
	done
	stopped
}

@test "a make that a recipe starts with tokget has the pool, and no token more" {
	need make
	pool -j -n 3
	printf 'all:\n\t@tokget %s make -f inner\n' "$FIFO" >Makefile
	recipes 5 'sh -c "$$at_gate"' && mv Makefile inner
	printf 'all:; @tokget %s make -f inner\n' "$FIFO" >Makefile
	build make
	most_at_once 3
	stopped
}

@test "jobs of jobctl below tokget are lent its token, and wait for what is free" {
	pool -j -n 3
	a_job
	build sh -c 'seq 5 | jobctl -j 4 ./job'
	most_at_once 3
	stopped
}

@test "jobctl in a recipe has a token for each of its jobs, and each is lent that" {
	need_proc
	need make
	pool -j -n 3
	a_job
	recipes 1 'seq 5 | jobctl ./job'
	sed -i 's/@/@+/' Makefile
	build make
	most_at_once 3
	stopped
}
a_job() { printf '#!/bin/sh\nexec tokget "$FIFO" sh -c "$at_gate"\n' >job && chmod +x job; }

@test "a batch in a pool: its jobs are lent what it has" {
	pool -j -n 2
	cat >script <<-S
	#!/bin/sh -eu
	. "$top/share/jobctl.sh"
	jobctl_open 4
	for i in 1 2 3 4; do jobctl_run tokget "$FIFO" seat a true; done
	jobctl_close
	S
	chmod +x script
	build ./script
	ends_with 0 "$build" || { cat out; false; }
	[ "$(highest_seat)" -le 2 ]
	same 4 "$(jobs_of a)"
	stopped
}

@test "a pool within a pool: a client of the inner one is lent the outer one's token" {
	pool -j -n 2
	tokend -b -u "$FIFO" inner 3>&-
	tokget inner sh -c 'tokget -n "$FIFO" tokget -n inner tokget -n "$FIFO" echo outer' >out
	is outer out
	# two of them have two tokens, and each lends its own
	mkfifo gate
	export SEATS=$here/log
	for i in 1 2; do
		tokget inner tokget "$FIFO" seat a sh -c ': <gate' 3>&- &
		pids="${pids-} $!"
	done
	until_true all_wait 2
	passed gate
	for pid in $pids; do ends_with 0 "$pid"; done
	tokstop inner
	until_true pool_says '2 2 0 0'
	stopped
}

@test "tokget -b or -k 2 in a job of a build is refused, with what to write; -b -n takes another token" {
	need_proc
	need make
	pool -j -n 3
	recipes 1 'tokget $(how) $(FIFO) $(here)/sleeper 1000'
	run -2 tokget "$FIFO" make how=-b
	[[ "$output" == *"$FIFO: -b: this is a job of a build"*'leave out -b, or start'* ]]
	run -2 tokget -k 2 "$FIFO" make how='-k 2'
	[[ "$output" == *"this job of a build runs with fewer tokens of that pool than -k 2"* ]]
	[[ "$output" == *'wait for ever: start it before the build'* ]]
	tokget -o "$FIFO" make how=-bn 3>&-
	until_true pool_says '3 2 1 0'
	signal_ours TERM sleeper
	until_true pool_says '3 3 0 0'
	tokget -k 3 "$FIFO" make how=-b >out 2>&1 || same 2 "$?"
	grep -q 'job of a build' out
	recipes 1 'tokend -b -u $(FIFO) child'
	run -2 tokget "$FIFO" make
	[[ "$output" == *"tokend: -u $FIFO: this is a job of a build"*'start it before the build'* ]]
	stopped
}

