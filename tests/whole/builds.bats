load ../helper

# Real clients of tokend -j: the make, cargo and gcc that are here; a make of 4.4
# or later and a ninja of 1.13 or later where MAKE44 and NINJA113 name them. Their
# jobs run by "seat" and wait at a gate: how many run at once is counted while they
# all wait, and over the whole build. All that runs names the directory, so that
# nothing is left of a test that fails.

unset MAKE MAKELEVEL # a make of another kind may have set it

# passed GATE -- opens it, for good
passed() { exec 7<>"$1" && : >"$1.new" && mv "$1.new" "$1" && exec 7>&-; }

highest_seat() { awk '$2 > m {m = $2} END {print m + 0}' log; }
jobs_of() { cat log 2>/dev/null | grep -c "^$1 " || :; }
has_jobs() { [ "$(jobs_of "$1")" -eq "$2" ]; }
all_wait() { [ "$(cat log 2>/dev/null | wc -l)" -eq "$1" ]; }

# Each of these makes a build of twelve jobs in the directory NAME, and sets
# "command" to what builds it and "options" to what tokget is told of that.
of_make() # NAME
{
	cat >"$1/Makefile" <<-M
	all: 1 2 3 4 5 6 7 8 9 10 11 12
	1 2 3 4 5 6 7 8 9 10 11 12:; @seat $1 sh -c ': <$here/$1/gate && : >\$@'
	M
	command=(make -C "$here/$1")
}

of_submakes()
{
	cat >"$1/Makefile" <<-M
	all: a b c
	a b c:; @\$(MAKE) \$@1 \$@2 \$@3 \$@4
	a1 a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4:; @seat $1 sh -c ': <$here/$1/gate && : >\$@'
	M
	command=(make -C "$here/$1")
}

of_make44() { of_make "$1"; command[0]=$MAKE44; }
of_submakes44() { of_submakes "$1"; command[0]=$MAKE44; }

# It asks for a token as it starts and as one of its own jobs ends, only: it does not
# see those that come later.
of_ninja()
{
	options=(-k "${at_once-1}")
	{
		echo 'rule job'
		echo " command = seat $1 sh -c ': <$here/$1/gate && : >\$out'"
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "build $i: job"; done
	} >"$1/build.ninja"
	command=("$NINJA113" --quiet -C "$here/$1")
}

# The wrapper is called for questions, too.
of_cargo()
{
	{
		echo '[workspace]'
		echo 'resolver = "2"'
		echo 'members = ["c*"]'
	} >"$1/Cargo.toml"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		mkdir -p "$1/c$i/src"
		printf '%s\n' '[package]' "name = \"c$i\"" 'version = "0.1.0"' 'edition = "2021"' \
			>"$1/c$i/Cargo.toml"
		echo 'pub fn one() -> i32 { 1 }' >"$1/c$i/src/lib.rs"
	done
	cat >"$1/rustc" <<-R
	#!/bin/sh
	case \$* in
	*'--crate-name c'*) exec seat $1 sh -c ': <$here/$1/gate && exec "\$@"' sh "\$@" ;;
	*) exec "\$@" ;;
	esac
	R
	chmod +x "$1/rustc"
	command=(env RUSTC_WRAPPER="$here/$1/rustc"
		cargo build --offline -q --manifest-path "$1/Cargo.toml")
}

# The link compiles, each file apart, by a make of its own.
of_gcc()
{
	mkdir "$1/tools"
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		echo "int f$i(int x) { return x + $i; }" >"$1/f$i.c"
	done
	echo 'int main(void) { return 0; }' >"$1/main.c"
	[ -d objects ] || { mkdir objects && (cd objects && gcc -O1 -flto -fPIC -c ../"$1"/*.c); }
	cat >"$1/tools/as" <<-A
	#!/bin/sh
	exec seat $1 sh -c ': <$here/$1/gate && exec "\$@"' sh $(command -v as) "\$@"
	A
	chmod +x "$1/tools/as"
	options=(-j pipe)
	command=(gcc -O1 -flto=jobserver -flto-partition=1to1 -shared "-B$here/$1/tools/"
		-o "$1/program" objects/*.o)
}

# lacks CLIENT -- says why it cannot be tested
lacks()
{
	case $1 in
	make | submakes) ! command -v make >/dev/null && echo 'no make here' ;;
	make44 | submakes44) [ -z "${MAKE44-}" ] && echo 'MAKE44 is not set' ;;
	ninja) [ -z "${NINJA113-}" ] && echo 'NINJA113 is not set' ;;
	gcc) [[ "$(gcc --version 2>/dev/null)" != *'Free Software'* ]] && echo 'no gcc here' ;;
	cargo)
		local version=' (1\.(7[4-9]|[89].|...)|[2-9])\.'
		[[ ! "$(cargo --version 2>/dev/null)" =~ $version ]] && echo 'no cargo of 1.74 or later'
		;;
	esac
}
need() { for client; do ! reason=$(lacks "$client") || skip "$reason"; done; }

# started_build NAME CLIENT -- in a process group of its own; $more are options of the
# client. Sets $build.
more=
started_build()
{
	local name=$1 client=$2 options=()
	export SEATS=$here/log
	mkdir "$name" && mkfifo "$name/gate"
	"of_$client" "$name"
	fresh -s tokget "${options[@]}" "$FIFO" "${command[@]}" $more >"$name.out" 2>&1 3>&- &
	build=$!
}

# ended_well NAME -- that build, all its jobs done
ended_well()
{
	ends_with 0 "$2" || { cat "$1.out"; return 1; }
	[ "$(jobs_of "$1")" -eq 12 ]
	until_true pool_says "$(size) $(size) 0 0"
}
size() { tokstat -o tsv "$FIFO" | sed -n 's/^pool.//p' | cut -f 1; }

# whole_pool CLIENT -- it runs five jobs while all wait, and never more
whole_pool()
{
	need "$1"
	pool -j -n 5
	started_build a "$1"
	until_true all_wait 5
	until_true pool_says '5 0 5 0'
	passed a/gate
	ended_well a "$build"
	[ "$(highest_seat)" -eq 5 ]
	stopped
}

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
	[ "$(highest_seat)" -eq 5 ]
	stopped
}

@test "two makes share the pool" { together make make; }
@test "make and cargo share the pool" { together make cargo; }
@test "cargo and make, with sub-makes, share the pool" { together cargo submakes; }
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
	[ "$(highest_seat)" -eq 5 ]
}

# signalled CLIENT -- it, or all of its process group. Jobs that outlive it have their
# tokens until they end: ninja's do, which are groups of their own.
signalled()
{
	local signal at_once=4
	need "$1" make
	ulimit -c 0
	pool -j -n 5
	for signal in INT TERM HUP QUIT KILL; do
		for to in itself group; do
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
		done
	done
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
	pool -j -n 5
	for more in '' "$*"; do
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
		[ "$(highest_seat)" -eq 5 ]
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
	pkill -f "$here/sleeper"
	until_true pool_says '5 5 0 0'
	tokget -o "$FIFO" make 3>&-
	until_true pool_says '5 5 0 0'
	pkill -f "$here/sleeper"
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
		[ "$(highest_seat)" -eq 5 ]
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
	[ "$(highest_seat)" -eq 2 ]
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
	[ "$(tokget "$FIFO" make --eval 'show:; @echo "$(A)"' show)" = --jobserver-auth=9,9 ]
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

@test "a make before 4.4 that a script starts dies of a path, with a message; not with -j pipe" {
	old_make
	pool -j -n 5
	echo 'all:; @echo made' >Makefile
	run -2 tokget "$FIFO" sh -c 'make; exit "$?"'
	[[ "$output" = *'jobserver'* ]]
	[[ "$output" != *made* ]]
	run -0 tokget -j pipe "$FIFO" sh -c 'make; exit "$?"'
	[ "$output" = made ]
	stopped
}
