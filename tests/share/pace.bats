# bats file_tags=waits
load ../helper
load ../helpers/pace

# The time between starts (-i, -d), in each shell.

@test "channels.sh: nine calls on two channels, never two starts of a channel within the time" {
	# of 0.2 seconds, and calls of a tenth of theirs
	sed 's/--slot-delay 1 /--slot-delay 0.2 /; s/ sleep ".*"/ sleep "0.0$tenths"/' \
		"$top/share/examples/channels.sh" >channels.sh
	same 2 "$(diff "$top/share/examples/channels.sh" channels.sh | grep -c '^>')"
	check_channels() {
		in_shell "$1" -eu channels.sh 2 9 >out
		cut -d ' ' -f 1 out | sort -n | is 1,2,3,4,5,6,7,8,9 -
		cut -d ' ' -f 2 out | sort -u | is 1,2 -
		awk '{printf "%d %.0f\n", $2, $3 * 1000000}' out >starts # mawk: 2.1e+09
		spaced starts 0.2
	}
	batch channels
}

@test "jobctl_open --slot-delay: retries, callbacks that add jobs, early returns, in every shell" {
	cat >script <<'S'
set -eu
. jobctl.sh
job () { # NUMBER
	echo "$JOBCTL_SLOT $(now)" >>log
	echo + >&9
	if [ "$1" -eq 1 ]; then echo C >"$FIFO"; fi
	[ "$1" -ne 2 ] || [ "$JOBCTL_TRY" -eq 2 ]
}
ended () { # ID STATUS SECONDS SLOT
	echo "$1 $2" >>ends
	[ "$1" -ge 4 ] || jobctl_run job 9
}
now >before
jobctl_open --on-end ended --retries 2,0 "$@" 2
for i in 1 2 3; do jobctl_run job "$i"; done
jobctl_close
echo "$JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED"
more () { [ "$JOBCTL_STARTED" -ge 3 ] || jobctl_run true; } # while the only slot rests
jobctl_open --on-end more "$@" 1
jobctl_run true
jobctl_close
echo "$JOBCTL_STARTED"
S
	check_pace() {
		for options in '--slot-delay 0.2 --joblog jobs.log' '--slot-delay 0.1 --delay 0.05'; do
			rm -f log ends
			same $'6 6 0\n3' "$(in_shell "$1" script $options)"
			same 7 "$(wc -l <log)"
			sort -n ends | is '1 0,2 0,3 0,4 0,5 0,6 0' -
			case $options in
			'--slot-delay 0.2'*) spaced log 0.2 ;;
			*)
				spaced log 0.1
				cut -d ' ' -f 2 log | since "$(cat before)" 0.05
				;;
			esac
			[ "$1" = dash ] || break
		done
	}
	batch pace
}

# That the job ends before the limit is not certain: tried until it has.
@test "jobctl_open --delay: the script is not asleep, and hears of what ends and of the time limit" {
	cat >script <<'S'
. jobctl.sh
ended () { echo "$1 ended"; }
jobctl_open --on-end ended --delay 1000 --deadline 0.5 2
jobctl_run true
jobctl_run true || echo "run $?"
jobctl_close || echo "close $?"
S
	check_asleep() { until_true hears "$1"; }
	hears() { in_shell "$1" script | is '1 ended,run 124,close 124' -; }
	batch asleep
}

@test "jobctrl -i | process: every job once, its end told at once, in every shell" {
	cat >script <<'S'
. jobctl.sh
job () {
	echo "$JOBCTL_SLOT $(now)" >>log
	[ "$how" != -i ] || echo + >&9
	until [ "$(wc -l <log)" -ge 2 ]; do ./sleeper 0.02; done # two run at once
	return "$(($1 == 3))"
}
[ -z "$1" ] || job_done () { echo "$1 $2" >>ends; }
shift
how=$1
jobctrl 2 "$@" | { process 6; echo "$? $JOBCTL_DONE $JOBCTL_FAILED $JOBCTL_FIRST" >out; }
S
	check_paced() {
		in_shell "$1" script '' -i 0.1
		is '1 6 1 3' out
		same 6 "$(wc -l <log)"
		spaced log 0.1
		rm log
		before=$(now)
		in_shell "$1" script 1 -d 0.05
		is '1 6 1 3' out
		same 6 "$(wc -l <log)"
		cut -d ' ' -f 2 log | since "$before" 0.05
		sort ends | is '0 0,1 0,2 0,3 1,4 0,5 0' -
		rm ends
	}
	everywhere paced
}

@test "jobctl_open --slot-delay within make -j: its tokens, and a slot's time" {
	export TMPDIR=$here
	cat >script <<'S'
. jobctl.sh
job () { echo "$$-$JOBCTL_SLOT $(now)" >>log; echo + >&9; }
jobctl_open "$@"
for i in 1 2 3 4 5 6; do jobctl_run job; done
jobctl_close
echo "$JOBCTL_DONE $JOBCTL_FAILED" >>done
S
	for options in '--slot-delay 0.2' '--delay 0.1'; do
		rm -f log done
		printf 'all: a b\na b:; +@dash script %s\n' "$options" >Makefile
		before=$(now)
		make -j 3 >out 2>&1 3>&-
		diff /dev/null out
		is '6 0,6 0' done
		same 12 "$(wc -l <log)"
		if [ "$options" = '--slot-delay 0.2' ]; then
			spaced log 0.2
		else
			for pid in $(cut -d - -f 1 log | sort -u); do
				sed -n "s/^$pid-.* //p" log | since "$before" 0.1
			done
		fi
		clean
	done
}
