load ../helper

# Batches of jobctl.sh, in each shell, killed at random times.

# The killer takes any child of the script that it sees, again and again: the callback has none.
@test "kill -9 of any child at any time loses no result and delivers none twice" {
	cat >script <<'S'
. jobctl.sh
work () { printf '%s ' "$1"; printf "%0$((12 * $1))d\n" "$1"; }
result () {
	read -r text
	echo "$text" >>log
	[ "$1" -ge 32 ] || { jobctl_task "$((2 * $1))"; jobctl_task "$((2 * $1 + 1))"; }
}
jobctl_open 4
jobctl_tasks --retries 1000 work result
read -r go <gate
jobctl_task 1
jobctl_close
: >closed # by no child, as that would be killed
S
	check_killed() {
		local n
		rm -f closed
		[ -p gate ] || mkfifo gate
		started "$1" script
		echo >gate
		until [ -e closed ] || ended "$script"; do
			kill -KILL $(pgrep -P "$script" | shuf -n 1) 2>/dev/null || :
		done
		ends_with 0 "$script"
		for n in $(seq 1 63); do printf "%s %0$((12 * n))d\n" "$n" "$n"; done >wanted
		sort -n log | diff wanted -
	}
	batch killed
}

@test "a batch killed at any time, in each mode: all output comes, now or with --resume-failed" {
	cat >script <<'S'
. jobctl.sh
says () { [ "$1" != 1 ] || "$here/sleeper" 0.03; echo "job $1"; }
jobctl_open "$@" --joblog log 2
for job in 1 2 3; do jobctl_run says "$job"; done
jobctl_close
S
	check_anytime() {
		local mode tokend
		for mode in -k -k -k --group --tag; do
			for _ in 1 2 3 4 5; do
				rm -f log
				started "$1" script "$mode"
				"$here/sleeper" "0.0$((RANDOM % 80 + 10))"
				tokend=$(cat "$here"/jobctl.*/fifo.d/lock 2>/dev/null) || :
				kill -KILL ${tokend:+"$tokend"} "$script" 2>/dev/null || :
				wait "$script" || :
				until_true no_batch
				in_shell "$1" script "$mode" --resume-failed >>out
				sed 's/^.*	//' out | sort -u | grep -x 'job [0-9]*' | is 'job 1,job 2,job 3' -
			done
		done
	}
	batch anytime
}
