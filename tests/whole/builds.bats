load ../helper
load ../helpers/builds

# Builds by make, ninja, cargo and gcc with the tokens of tokend -j: alone and two together,
# signals, jobs that fail, and a dispenser that is killed. More of them are in
# tests/trust/builds.bats.

@test "make alone has the whole pool" { whole_pool make; }
@test "make and its sub-makes have the whole pool" { whole_pool submakes; }
@test "make of 4.4 has the whole pool" { whole_pool make44; }
@test "make of 4.4 and its sub-makes have the whole pool" { whole_pool submakes44; }
@test "ninja has the whole pool" { whole_pool ninja; }
@test "cargo has the whole pool" { whole_pool cargo; }
@test "gcc -flto=jobserver has the whole pool" { whole_pool gcc; }

@test "two makes share the pool" { together make make; }
@test "make and cargo share the pool" { together make cargo; }
@test "ninja and make of 4.4 share the pool" { together ninja make44; }

@test "a signal to make: its tokens are home, and others undisturbed" { signalled make; }
@test "a signal to make of 4.4" { signalled make44; }
@test "a signal to ninja" { signalled ninja; }

@test "jobs of make fail, with and without -k" { jobs_fail make -k; }
@test "jobs of ninja fail, with and without -k 0" { jobs_fail ninja '-k 0'; }
@test "jobs of cargo fail, with and without --keep-going" { jobs_fail cargo --keep-going; }

# killed_submake CLIENT -- its jobs go on with the tokens that it took; only its own
# token is given back, by its parent, as always in make
killed_submake()
{
	need "$1"
	pool -j -n 5
	started_build one "$1"
	until_true all_wait 5
	parent=$(pgrep -P "$build")
	kill -KILL $(pgrep -P "${parent:?}" -f ' a1 a2 a3 a4$')
	until_true grep -q Killed one.out
	goes_on() { pool_says '5 0 5 0' || pool_says '5 1 4 0'; }
	until_true goes_on
	passed one/gate
	ends_with 2 "$build"
	until_true pool_says '5 5 0 0'
	[ "$(highest_seat)" -le 6 ]
	stopped
}

@test "a sub-make is killed" { killed_submake submakes; }
@test "a sub-make of 4.4 is killed" { killed_submake submakes44; }

@test "a recipe's process in the background keeps the build's first token, unless tokget -o" {
	need make
	pool -j -n 5
	cat >Makefile <<-M
	all: 1 2 3 4 5 6
	1 2 3 4 5:; @true
	6:; @"$here/sleeper" 100 >/dev/null 2>&1 &
	M
	tokget "$FIFO" make 3>&-
	until_true pool_says '5 4 1 0'
	tokget "$FIFO" make 1 2 3 4 5
	until_true signal_ours TERM sleeper
	until_true pool_says '5 5 0 0'
	tokget -o "$FIFO" make 3>&-
	until_true pool_says '5 5 0 0'
	signal_ours TERM sleeper
	stopped
}

@test "a dispenser is killed and started again: real builds go on, never above the pool" {
	for client in make cargo; do
		! lacks "$client" || continue
		rm -rf one log
		pool -j -n 5
		started_build one "$client"
		until_true all_wait 5
		killed
		pool -j -n 5
		until_true pool_says '5 0 5 0'
		passed one/gate
		ended_well one "$build"
		same 5 "$(highest_seat)"
		stopped
	done
}

# own_jobs CLIENT -- a -j of its own takes the client out of the pool, and it says so
own_jobs()
{
	need "$1"
	pool -j -n 5
	more=-j2 started_build one "$1"
	until_true all_wait 2
	until_true pool_says '5 4 1 0'
	grep 'resetting jobserver mode' one.out
	passed one/gate
	ended_well one "$build"
	same 2 "$(highest_seat)"
	stopped
}

@test "make -j2 leaves the pool, and says so" { own_jobs make; }
@test "make -j2 of 4.4 leaves the pool, and says so" { own_jobs make44; }

@test "what looks like a jobserver among the variables of MAKEFLAGS is none" {
	export MAKEFLAGS=' -- A=--jobserver-auth=9,9'
	whole_pool make
	pool -j -n 5
	same --jobserver-auth=9,9 "$(tokget "$FIFO" make --eval 'show:; @echo "$(A)"' show)"
	stopped
}
