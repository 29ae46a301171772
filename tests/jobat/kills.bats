# bats file_tags=waits
load ../helper
load ../helpers/places

# A job ends whatever was killed or stopped, and leaves nothing; its jobat ends after it, and tells
# the truth.

# Jobat's server has started the sh there.
far() { pgrep -P "$(server)"; }

# gone STATUS -- jobat ends with that, after the job
gone()
{
	ends_with "$1" "$jobat"
	dead "$job"
	no_places
}

# ends_alone STATUS -- the same, but only jobat was killed: the job ends later
ends_alone()
{
	ends_with "$1" "$jobat"
	until_true dead "$job"
	no_places
}

# lost -- nobody knows how the job ended, and jobat says so, in one line
lost()
{
	gone 122
	same 1 "$(grep -c '^jobat: a: lost: ' err)"
	same 1 "$(grep -c . err)" "$(cat err)"
}

@test "TERM, INT, HUP and QUIT of jobat end the job, which may have a last word" {
	BEAT=30
	local_places
	for sig in TERM:143 INT:130 HUP:129 QUIT:131; do
		long_job
		kill -"${sig%:*}" "$jobat"
		gone "${sig#*:}"
		[ ! -s err ]
	done
	export JOBCTL_GRACE=60
	long_job "trap 'echo last; exit 5' TERM; sh -c 'echo first; exec ./sleeper 1000' & wait"
	until_true grep -q first out
	kill -TERM "$jobat"
	gone 143
	same $'first\nlast' "$(cat out)"
}

@test "a job that ignores TERM and HUP is killed after the grace, with all it has started" {
	BEAT=30
	local_places
	long_job "trap '' TERM HUP; ./sleeper 1000 & echo begun; wait"
	until_true grep -q begun out
	kill -TERM "$jobat"
	gone 143
}

@test "KILL of jobat, also with its server, ends the job" {
	BEAT=30
	local_places
	long_job
	kill -KILL "$jobat"
	ends_alone 137
	long_job
	kill -KILL "$(server)" "$jobat"
	ends_alone 137
}

@test "KILL of the server: lost" {
	local_places
	long_job
	kill -KILL "$(server)"
	lost
}

@test "KILL of the sh there, of its watcher, or of who is beside the job: lost" {
	local_places
	for who in far watcher beside; do
		echo "$who" >&2
		long_job
		kill -KILL "$($who)"
		lost
	done
}

@test "KILL of all there at once, as when the place is switched off: lost" {
	local_places
	long_job
	kill -KILL $(far) $(watcher) $(beside) "$job"
	rm -r jobat.* # nobody is left to do so
	lost
}

@test "TERM of the sh there, as when a cluster takes the place away: lost" {
	local_places
	long_job
	kill -TERM "$(far)"
	lost
}

@test "TERM of all there at once, in any order, and the job ends well by it: lost" {
	local_places
	for order in '$job $(beside) $(watcher) $(far)' '$(far) $(watcher) $(beside) $job'; do
		long_job
		eval "kill -TERM $order"
		lost
	done
	# The sh of the job may say that the sleeper was terminated.
	long_job "exec 2>/dev/null; trap 'exit 0' TERM; echo begun; while :; do ./sleeper 0.1; done"
	until_true grep -q begun out
	kill -TERM "$job" $(beside) $(watcher) $(far)
	lost
}

@test "a signal for the job alone, or from the job for its group: its own status" {
	local_places
	for script in 'kill -TERM $$' 'trap "exit 9" TERM; kill -TERM 0; :' 'kill -KILL $$'; do
		fresh jobat --beat 30 -c a "$script" >out 2>err 3>&- &
		case $script in
		trap*) ends_with 9 $! ;;
		*KILL*) ends_with 137 $! ;;
		*) ends_with 143 $! ;;
		esac
	done
	[ ! -s err ]
	no_places
}

@test "the connection hangs: the job ends by itself, before jobat says that it is lost" {
	local_places
	long_job
	stopped=$(far)
	kill -STOP "$stopped"
	until_true dead "$job"
	alive "$jobat"
	kill -CONT "$stopped" || :
	lost
}

@test "the near side hangs: the job ends by itself" {
	local_places
	long_job
	server=$(server)
	kill -STOP "$server"
	until_true dead "$job"
	kill -CONT "$server"
	lost
}

@test "beats that come late do not count: nobody waits for them" {
	local_places
	# cat between: it can be stopped, and passes on later what it has read
	printf '#!/bin/sh\nshift\nmkfifo in; exec 3<&0; cat <&3 >in & exec "$@" <in 3<&-\n' >rsh
	long_job
	cat=$(pgrep -P "$(far)" -x cat)
	kill -STOP "$cat"
	until_true dead "$job"
	kill -CONT "$cat" || :
	rm -f in
	lost
}

@test "the directory of the place is removed: the job ends" {
	local_places
	long_job
	rm -rf "$here"/jobat.*
	lost
}

# A session that was begun may still start its job.
is_over() { ! signal_ours KILL sleeper && no_ours jobat && no_dens; }

@test "KILL of jobat at each of its system calls leaves no job and no file" {
	need_strace
	local_places
	strace -qq -o trace jobat a true
	killed=0
	while read -r call n; do
		echo "$call $n" >&2
		status=0
		failing "$call:signal=KILL:when=$n" \
			jobat -c a './sleeper 1000 & exit' >/dev/null 2>&1 3>&- || status=$?
		[ "$status" -ne 137 ] || killed=$((killed + 1))
		until_true is_over
	done < <(calls_in trace | some 12)
	[ "$killed" -ge 9 ]
}
