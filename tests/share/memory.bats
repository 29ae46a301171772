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

@test "jobctl_open --memfree: below half of it the youngest job is ended, and run again" {
	need_mounts
	cat >script <<'S'
. jobctl.sh
old () { echo "old $JOBCTL_TRY" >>log; : <gate; echo shown; }
young () {
	echo "young $JOBCTL_TRY" >>log
	[ ! -s again ] || return 0
	echo lost
	exec sh -c 'trap "printf \"MemAvailable: %9d kB\\n\" 1023 1<>meminfo; exit 1" TERM
		"$here/sleeper" 1000 & wait'
}
jobctl_open -k --memfree 1M --retries 2,0 --joblog joblog 2
jobctl_run old
jobctl_run young
jobctl_close
echo "$? $JOBCTL_FAILED"
S
	check_yields() {
		rm -f again gate joblog
		mkfifo gate
		available 2000
		in_faked "$1" script
		until_true lines_in 2 log
		until_true signal_ours 0 sleeper
		available 511
		until_true grep -q 'job 2: ended, to be run again' err
		until_true no_ours sleeper
		echo >again
		open_gate gate
		available 1024
		ends_with 0 "$script"
		same $'shown\n0 0' "$(cat out)"
		same 'old 1,young 1,young 1' "$(sort log | paste -sd ,)"
		same $'1\t0\t0\n2\t0\t0' "$(tail -n +2 joblog | cut -f 1,7,8 | sort)"
	}
	batch yields
}
