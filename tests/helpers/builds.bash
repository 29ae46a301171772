# Real clients of tokend -j: the make, cargo and gcc that are installed; a make of 4.4
# or later and a ninja of 1.13 or later if MAKE44 and NINJA113 name them. Their jobs
# run by "seat" and wait at a gate: how many run at once is counted while they all
# wait, and over the whole build. All processes name the directory, so that a test
# that fails leaves none.

unset MAKE # a make of another kind may have set it

# passed GATE -- opens it, for good
passed() { exec 7<>"$1" && : >"$1.new" && mv "$1.new" "$1" && exec 7>&-; }

highest_seat() { awk '$2 > m {m = $2} END {print m + 0}' log; }
jobs_of() { cat log 2>/dev/null | grep -c "^$1 " || :; }
has_jobs() { [ "$(jobs_of "$1")" -eq "$2" ]; }
all_wait() { lines_in "$1" log && ! lines_in "$(($1 + 1))" log; }

# Each of these makes a build of twelve jobs in the directory NAME, and sets
# "command" to the command that builds it and "options" to tokget's options for it.
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

# ninja asks for a token only as it starts and as one of its own jobs ends: it does
# not see tokens that come later.
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

# cargo calls the wrapper for questions, too.
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
	cargo) ! command -v cargo >/dev/null && echo 'no cargo here' ;;
	cmake) ! command -v cmake >/dev/null && echo 'no cmake here' ;;
	*) return 1 ;;
	esac
}
need()
{
	local program reason
	for program; do ! reason=$(lacks "$program") || skip "$reason"; done
}

# started_build NAME CLIENT -- in a process group of its own; $more are options of the
# client. Sets $build.
more=
started_build()
{
	local name=$1 client=$2 options=()
	export SEATS=$here/log
	mkdir "$name" && mkfifo "$name/gate"
	"of_$client" "$name"
	# shellcheck disable=SC2086 # words
	fresh -s tokget "${options[@]}" "$FIFO" "${command[@]}" $more >"$name.out" 2>&1 3>&- &
	build=$!
}

# ended_well NAME -- that build did, with all its jobs done
ended_well()
{
	ends_with 0 "$2" || { cat "$1.out"; return 1; }
	same 12 "$(jobs_of "$1")"
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
	same 5 "$(highest_seat)"
	stopped
}

# together CLIENT CLIENT -- the two run no more than five jobs at once: while each has
# its part, and while one takes over tokens that the other gives back
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

# other_build -- a build that has only its first token until other/first is passed, and
# then wants all tokens
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

# other_has_all -- the first build's tokens are home, while the other went on
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

# signalled CLIENT -- the client, or all of its process group. Jobs that outlive it have
# their tokens until they end: ninja's do, as groups of their own.
signalled()
{
	local signal to at_once=4
	need "$1" make
	ulimit -c 0
	pool -j -n 5
	printf '%s\n' 'KILL itself' 'QUIT itself' 'TERM group' 'INT itself' 'KILL group' \
		'HUP itself' 'INT group' 'QUIT group' 'HUP group' 'TERM itself' | some 3 >signals
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
		if [ "$to" = itself ] || [ "$1" = ninja ]; then passed one/gate; fi
		status=0
		wait "$build" || status=$?
		[ "$status" -ne 0 ]
		other_has_all
	done <signals
	stopped
}

# jobs_fail CLIENT [OPTIONS] -- the jobs that wait succeed, and all that start later
# fail; with the options it goes on nevertheless
jobs_fail()
{
	local more on=${2-} status
	need "$1"
	if [ "$1" = cargo ] && ! cargo build --help | grep -q -e --keep-going; then on=''; fi
	pool -j -n 5
	for more in '' ${on:+"$on"}; do
		rm -rf log one gate
		started_build one "$1"
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
