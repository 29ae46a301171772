# bats file_tags=waits
load ../helper
load ../helpers/limits

# jobctl_open --load and --memfree.

# in_faked SHELL SCRIPT -- in the background, with memory and load as the test has them
in_faked()
{
	local shell=$1
	shift
	if [ "$shell" = busybox ]; then set -- sh "$@"; fi
	faked timeout 100 fresh "$shell" "$@" >out 2>err &
	script=$!
}

@test "jobctl_open --memfree, --load: no job is started while a limit is reached" {
	need_mounts
	cat >script <<'S'
. jobctl.sh
jobctl_open --memfree 1M --load 5 2
jobctl_run sh -c 'echo started >>log'
jobctl_close
S
	check_held() {
		available 1023
		loaded 4.99
		in_faked "$1" script
		until_true no_news
		looked_again "$(cat "$here"/jobctl.*/fifo.d/lock)"
		[ ! -e log ]
		loaded 5
		available 1024
		looked_again "$(cat "$here"/jobctl.*/fifo.d/lock)"
		[ ! -e log ]
		loaded 4.99
		ends_with 0 "$script"
		is started log
	}
	no_news() { ls "$here"/jobctl.*/fifo.d/calls >/dev/null 2>&1; }
	batch held
}
