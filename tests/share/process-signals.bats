load ../helper

# jobctrl and process, in each shell: signals.

# A script with a batch of jobs that never end by themselves; its programs are
# found by the name of the test's directory.
long_script()
{
	cat >script <<'S'
. jobctl.sh
job () { echo "in $1" >>log; "$here/sleeper" 1000; echo never >>log; }
job_done () { echo "$1 $2" >>ends; }
jobctrl 3 | process 10
echo "after $?" >>log
S
}

# begun SHELL -- the script runs, and three jobs in it
begun()
{
	rm -f log ends
	started "$1" "$here/script"
	until_true lines_in 3 log
	until_true has_sleepers 3
	until_true in_read "$script"
}

died_of() # SIGNAL SHELL
{
	local got=0
	wait "$script" || got=$?
	case $2$1 in zshHUP) [ "$got" -ne 1 ] || return 0 ;; esac # what zsh makes of its HUP
	[ "$got" -eq $((128 + $(kill -l "$1"))) ] || { echo "$2 ended with $got"; return 1; }
}

# A shell that waits for a pipeline leaves an INT for itself alone until that has
# ended, for a terminal sends it to the whole group: so TERM and HUP here. mksh
# and posh do that with every signal.
@test "TERM or HUP to the script: its jobs get TERM, all goes, it dies of the signal" {
	long_script
	for shell in $(shells | grep -vxE 'mksh|posh'); do
		for sig in TERM HUP; do
			echo "$sig to $shell" >&2
			begun "$shell"
			kill -s "$sig" "$script"
			died_of "$sig" "$shell"
			nothing_left
			run -1 grep -q never log
		done
	done
}

# A further job may be started, and end, as the signal comes.
told_of_all() { ! sed -n 's/^in //p' log | grep -vxFf <(cut -d ' ' -f 1 ends); }

@test "TERM, HUP or INT to the whole group, as a terminal sends it" {
	long_script
	for shell in $(shells); do
		for sig in TERM HUP INT; do
			echo "$sig to the group of $shell" >&2
			begun "$shell"
			kill -s "$sig" -- "-$script"
			died_of "$sig" "$shell"
			nothing_left
			run -1 grep -qE 'never|after' log
			until_true told_of_all || { cat log ends; false; }
			# HUP was sent to the jobs as well; zsh ends with 1 for it
			run -1 grep -vxE '[0-9] (143|129|1)' ends
		done
	done
}

# Jobs of some shells ignore it, as POSIX wants of what was started with &: these go on.
@test "QUIT to the whole group, as for Ctrl-\\: no file and no dispenser is left" {
	long_script
	ulimit -c 0
	for shell in $(shells); do
		begun "$shell"
		kill -s QUIT -- "-$script"
		wait "$script" || :
		until_true no_files
		until_true no_process " $FIFO\$"
		signal_ours KILL sleeper || :
		nothing_left
	done
}

@test "SIGKILL of the script: tokend and its files go, and what is left of the script" {
	long_script
	for shell in $(shells); do
		echo "KILL to $shell" >&2
		begun "$shell"
		kill -KILL "$script"
		until_true no_files
		until_true no_process "tokend .*$here"
		case $shell in
		ksh93 | zsh) signal_ours KILL sleeper ;; # process was the script itself
		esac
		until_true no_process "$here/"
	done
}

# stubborn_script WHAT -- a batch of jobs that run that
stubborn_script()
{
	cat >script <<S
. jobctl.sh
JOBCTL_GRACE=0
job () { echo "in \$1" >>log; $1 "$here/sleeper" 1000; }
jobctrl 3 | process 9 2>errors
S
}

@test "a job that ignores TERM, or whose program has closed its descriptors, is ended with all" {
	for what in "trap '' TERM;" 'fresh -c'; do
		stubborn_script "$what"
		for shell in $(shells); do
			begun "$shell"
			kill -TERM -- "-$script"
			died_of TERM "$shell"
			nothing_left
		done
	done
}

# yash dies of it at once, though it waits for the pipeline: the shell of "process" then
# gets the signal and tokend's line about the death of the script at the same time.
@test "INT to the group while jobs ignore TERM: they are killed, and nothing is said" {
	stubborn_script "trap '' TERM;"
	for shell in $(shells); do
		begun "$shell"
		kill -INT -- "-$script"
		died_of INT "$shell"
		nothing_left
		# bash tells of its jobs
		run -1 grep -v -e Killed -e _jobctl -e '\*)' -e ';;' -e '^esac' errors
	done
}

@test "where the caller has a trap, it runs, and process returns 128+n" {
	cat >script <<'S'
. jobctl.sh
job () { echo "in $1" >>log; "$here/sleeper" 1000; }
jobctrl 3 | {
	trap 'echo trapped >>log' TERM
	sh -c 'echo "$PPID"' >pid
	process 9
	echo "returned $?" >>log
}
S
	# The read of yash goes on after a trap.
	for shell in $(shells | grep -vx yash); do
		begun "$shell"
		kill -TERM "$(cat pid)"
		ends_with 0 "$script" || :
		tail -n 2 log | is 'trapped,returned 143' -
		nothing_left
	done
}

@test "a job killed with SIGKILL: its token is home at once and job_done knows" {
	cat >script <<'S'
. jobctl.sh
job () { echo "in $1" >>log; [ "$1" -ne 0 ] || sh -c 'kill -KILL "$PPID"'; }
job_done () { echo "$1 $2" >>ends; }
jobctrl 1 | process 3
S
	for shell in $(shells); do
		rm -f log ends
		run -1 in_shell "$shell" script
		is '0 137,1 0,2 0' ends
		nothing_left
	done
}

@test "a signal while job_done has a batch: its jobs end, and it is not called within itself" {
	cat >script <<'S'
. jobctl.sh
job () { :; }
job_done () {
	echo "in $1" >>log
	sh -c 'echo "$PPID"' >pid
	jobctl_open 1
	jobctl_run "$here/sleeper" 1000
	jobctl_run : # not before the first has ended
	jobctl_close
	echo "close $?" >>log
}
jobctrl 1 | process 1
S
	check_within() {
		rm -f log
		started "$1" "$here/script"
		until_true signal_ours 0 sleeper
		until_true in_read "$script"
		kill -TERM "$(cat pid)"
		[ "$1" != yash ] || signal_ours KILL sleeper # it runs the trap when its read returns
		until_true no_process "$here/script"
		until_true no_process "$here/"
		same 1 "$(grep -c in log)"
		rm -rf "$FIFO" "$FIFO.d"
	}
	everywhere within
}
