# Our programs as clients of GNU make's jobserver: with make itself, and with a server of
# the test's own, whose tokens can be counted.

# make_pool BYTES -- a FIFO with these as its tokens, open as descriptors 5 and 6
make_pool()
{
	[ -p pool ] || mkfifo pool
	exec 5<>pool
	exec 6>pool 7<pool 5<&- 5<&7 7<&-
	printf %s "$1" >&6
	flags "5,6" 9
}

# flags AUTH N -- MAKEFLAGS, as make writes them
flags() { export MAKEFLAGS=" -j$2 --jobserver-auth=$1"; }

# tokens BYTES -- these, and no others, are in the pool
tokens()
{
	local got
	got=$(dd if=pool iflag=nonblock bs=512 count=1 2>/dev/null) || :
	printf %s "$got" >&6
	[ "$(fold -w 1 <<<"$got" | sort | tr -d '\n')" = "$1" ]
}

# cat_jobs N -- N jobs that say that they are in, wait at the gate, and say that they are out
cat_jobs() { for ((i = 1; i <= $1; i++)); do echo 'echo in >>log; : <gate; echo out >>log'; done; }

# has_one MAKE -- the command that it runs has one job, and waits, and starts no other beside it
has_one() { running 1 && state S "$(pgrep -P "$1" | head -n 1)"; }

running() { [ "$(grep -c in log 2>/dev/null)" = "$1" ]; }

# makefile RECIPE N -- N targets with that recipe
makefile()
{
	{
		echo "all:"
		for ((i = 1; i <= $2; i++)); do printf 'all: t%s\nt%s:\n\t%s\n' "$i" "$i" "$1"; done
	} >Makefile
}

# Nobody but this test has it open: its children are in sessions of their own.
pool_is_free()
{
	for pid in $(find /proc/[0-9]*/fd -lname "$here/pool" 2>/dev/null | cut -d / -f 3); do
		case "$(ps -o sess= -p "$pid" | tr -d ' ')" in
		'' | "$(ps -o sess= -p $$ | tr -d ' ')") ;;
		*) return 1 ;;
		esac
	done
}
