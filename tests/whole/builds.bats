load ../helper
load ../helpers/builds

# Builds by make, ninja, cargo and gcc with the tokens of tokend -j: alone and two together,
# signals, jobs that fail, and a dispenser that is killed.

@test "make alone has the whole pool" { whole_pool make; }
@test "make and its sub-makes have the whole pool" { whole_pool submakes; }
@test "make of 4.4 has the whole pool" { whole_pool make44; }
@test "make of 4.4 and its sub-makes have the whole pool" { whole_pool submakes44; }
@test "ninja has the whole pool" { whole_pool ninja; }
@test "cargo has the whole pool" { whole_pool cargo; }
@test "gcc -flto=jobserver has the whole pool" { whole_pool gcc; }

# together CLIENT CLIENT -- no more than five of the two at once: while each has its
# part, and while one takes over what the other gives back
together()
{
	local a b first=5
	need "$@"
	[ "$2" != ninja ] || first=1
	pool -J 3 -n 5
	started_build a "$1"; a=$build
	until_true has_jobs a 3
	started_build b "$2"; b=$build
	until_true has_jobs b 2
	until_true pool_says '5 0 5 0'
	passed a/gate
	passed b/gate
	ended_well a "$a"
	ended_well b "$b"
	stopped
	pool -j -n 5
	started_build c "$1"; a=$build
	until_true has_jobs c 5
	started_build d "$2"; b=$build
	until_true pool_says '5 0 5 1'
	passed c/gate
	until_true has_jobs d "$first"
	passed d/gate
	ended_well c "$a"
	ended_well d "$b"
	same 5 "$(highest_seat)"
	stopped
}

@test "two makes share the pool" { together make make; }
@test "make and cargo share the pool" { together make cargo; }
@test "gcc and make share the pool" { together gcc make; }
@test "make of 4.4 and cargo share the pool" { together make44 cargo; }
@test "make of 4.4, with sub-makes, and make share the pool" { together submakes44 make; }
@test "ninja and make of 4.4 share the pool" { together ninja make44; }
@test "cargo and ninja share the pool" { together cargo ninja; }

# other_build -- one that has its first token only until other/first is passed, and
# then wants them all
other_build()
{
	export SEATS=$here/log
	mkdir other && mkfifo other/first other/gate
	cat >other/Makefile <<-M
	all: 1 2 3 4 5 6 7 8
	one:; @seat other sh -c ': <$here/other/first'
	1 2 3 4 5 6 7 8: one; @seat other sh -c ': <$here/other/gate'
	M
	fresh -s tokget "$FIFO" make -C "$here/other" >other.out 2>&1 3>&- &
	other=$!
	until_true has_jobs other 1
}

# other_has_all -- what was the first build's is home, while the other went on
other_has_all()
{
	until_true pool_says '5 4 1 0'
	passed other/first
	until_true has_jobs other 6
	until_true pool_says '5 0 5 0'
	passed other/gate
	ends_with 0 "$other"
	until_true pool_says '5 5 0 0'
	same 5 "$(highest_seat)"
}

# signalled CLIENT -- it, or all of its process group. Jobs that outlive it have their
# tokens until they end: ninja's do, which are groups of their own.
signalled()
{
	local signal to at_once=4
	need "$1" make
	ulimit -c 0
	pool -j -n 5
	printf '%s\n' 'KILL itself' 'QUIT itself' 'TERM group' 'INT itself' 'KILL group' 'HUP itself' \
		'INT group' 'QUIT group' 'HUP group' 'TERM itself' | some 3 >signals
	while read -r signal to; do
		echo "$signal to $to" >&2
		rm -rf log one other
		other_build
		started_build one "$1"
		until_true has_jobs one 4
		case $to in
		itself) pkill "-$signal" -P "$build" ;;
		group) kill "-$signal" -- "-$build" ;;
		esac
		[ "$to" = group ] && [ "$1" != ninja ] || passed one/gate
		status=0
		wait "$build" || status=$?
		[ "$status" -ne 0 ]
		other_has_all
	done <signals
	stopped
}

@test "a signal to make: its tokens are home, and others undisturbed" { signalled make; }
@test "a signal to make with sub-makes" { signalled submakes; }
@test "a signal to make of 4.4" { signalled make44; }
@test "a signal to make of 4.4 with sub-makes" { signalled submakes44; }
@test "a signal to ninja" { signalled ninja; }
@test "a signal to cargo" { signalled cargo; }
@test "a signal to gcc -flto=jobserver" { signalled gcc; }

# failing CLIENT [OPTION...] -- the jobs that wait succeed, and all that start later
# fail; with the options it goes on nevertheless
failing()
{
	local client=$1 status
	shift
	need "$client"
	if [ "$client" = cargo ] && ! cargo build --help | grep -q -e --keep-going; then set --; fi
	pool -j -n 5
	for more in '' ${*:+"$*"}; do
		rm -rf log one gate
		started_build one "$client"
		until_true all_wait 5
		mv one/gate gate
		passed gate
		status=0
		wait "$build" || status=$?
		[ "$status" -ne 0 ]
		[ -z "$more" ] || has_jobs one 12 || { cat one.out; return 1; }
		until_true pool_says '5 5 0 0'
		same 5 "$(highest_seat)"
	done
	stopped
}

@test "jobs of make fail, with and without -k" { failing make -k; }
@test "jobs of sub-makes fail, with and without -k" { failing submakes -k; }
@test "jobs of make of 4.4 fail, with and without -k" { failing make44 -k; }
@test "jobs of ninja fail, with and without -k 0" { failing ninja -k 0; }
@test "jobs of cargo fail, with and without --keep-going" { failing cargo --keep-going; }
@test "jobs of gcc fail" { failing gcc; }

# killed_submake CLIENT -- its jobs go on with the tokens that it took; only the one
# that stands for itself is given back, by its parent, as ever in make
killed_submake()
{
	need "$1"
	pool -j -n 5
	started_build one "$1"
	until_true all_wait 5
	pkill -KILL -P "$(pgrep -P "$build")" -f ' a1 a2 a3 a4$'
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
	signal_ours TERM sleeper
	until_true pool_says '5 5 0 0'
	tokget -o "$FIFO" make 3>&-
	until_true pool_says '5 5 0 0'
	signal_ours TERM sleeper
	stopped
}

@test "a dispenser is killed and started again: real builds go on, never above the pool" {
	for client in make submakes cargo gcc; do
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

# own_jobs CLIENT -- a -j of its own takes it out of the pool, and it says so
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

@test "cargo -j2 stays in the pool" {
	more=-j2 whole_pool cargo
}

@test "what looks like a jobserver among the variables of MAKEFLAGS is none" {
	export MAKEFLAGS=' -- A=--jobserver-auth=9,9'
	whole_pool make
	pool -j -n 5
	same --jobserver-auth=9,9 "$(tokget "$FIFO" make --eval 'show:; @echo "$(A)"' show)"
	stopped
}

# old_make -- one that knows descriptors only
old_make()
{
	need make
	[[ "$(make --version)" == 'GNU Make '[34].[0-3]* ]] || skip 'make here is of 4.4 or later'
}

@test "tokget -j fifo with a make before 4.4 says so" {
	old_make
	pool -j -n 2
	run -125 tokget -j fifo "$FIFO" make
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" = 'tokget: -j fifo: make knows -j pipe only: it is GNU Make '* ]]
	until_true pool_says '2 2 0 0'
	stopped
}
