# bats file_tags=waits
load ../helper
load ../helpers/places

# jobctl_open -S: places that are lost, processes that are killed; and the real ssh.

export BEAT

# held_script -- two jobs at a place, which sleep; "pids" has a line of each
held_script()
{
	cat >script <<'S'
. jobctl.sh
jobctl_open -S 2/a --beat $BEAT $2
for i in 1 2; do jobctl_run sh -c 'echo $$ >>"$1/pids"; exec "$1/sleeper" 1000' sh "$here"; done
jobctl_run true
echo "run $?"
jobctl_close
echo "close $?"
S
}
begun() { rm -f pids ran; started "$1" script '' "${2-}"; until_true lines_in 2 pids; }

@test "TERM of the script ends the jobs at places, and the script as ever" {
	local_places
	held_script
	check_term() {
		begun "$1"
		until_true in_read "$script"
		if [ "$1" = yash ]; then # it acts when a job has ended: all get it, as from a terminal
			kill -TERM -- "-$script"
		else
			kill -TERM "$script"
		fi
		ends_with 143 "$script"
		no_places
		same 2 "$(wc -l <ran)"
	}
	batch term
}

@test "KILL of the script: the jobs at places end, and nothing is left" {
	local_places
	held_script
	check_kill() {
		begun "$1"
		kill -KILL "$script"
		ends_with 137 "$script" 2>/dev/null
		no_places
	}
	SHELLS=dash batch kill
}

@test "KILL of the script: where a log is kept, the jobs are waited for" {
	local_places
	cat >script <<'S'
. jobctl.sh
jobctl_open -S 1/a --joblog jobs.log
jobctl_run sh -c 'echo >"$1/pids"; : <"$1/gate"' sh "$here"
read _ <never
S
	mkfifo never
	mkfifo gate
	check_logged() {
		rm -f pids jobs.log
		started "$1" script
		until_true lines_in 1 pids
		kill -KILL "$script"
		ends_with 137 "$script" 2>/dev/null
		open_gate gate
		until_true lines_in 2 jobs.log
		close_gate
		same 'a 0' "$(tail -n 1 jobs.log | columns 2,7 -)"
		no_places
	}
	batch logged
}

@test "KILL of the parent of tokend: its jobs at places are lost, others are not begun; nothing is left" {
	local_places
	held_script
	check_guard() {
		begun "$1"
		kill_tokends guard
		ends_with 0 "$script"
		is 'run 0,close 1' <(grep -E '^(run|close) ' out)
		same 3 "$(grep -c '^jobctl_run: job .: exit status 12[25]' out)"
		no_places
	}
	SHELLS='dash mksh' batch guard
}

@test "KILL of the parent of tokend before the first job: no job counts as done, and nothing is left" {
	local_places
	cat >script <<'S'
. jobctl.sh
jobctl_open -S 1/a --beat $BEAT
kill -KILL $(ps -o ppid= -p "$(cat "$_jobctl_b_fifo.d/lock")")
jobctl_run touch done
jobctl_close
echo "close $?"
S
	check_first() {
		in_shell "$1" script >out 2>err
		is 'close 1' out
		[ ! -e done ]
		no_places
	}
	SHELLS='dash bash' batch first
}

@test "KILL of tokend: the jobs at places go on to their end, and no more are started" {
	local_places
	cat >script <<'S'
. jobctl.sh
jobctl_open -S 1/a
jobctl_run sh -c 'echo >"$1/pids"; : <"$1/gate"; echo ended >"$1/ended"' sh "$here"
jobctl_run true
echo "run $?"
jobctl_close
echo "close $?"
S
	mkfifo gate
	check_tokend() {
		local old
		rm -f pids ended
		started "$1" script
		until_true lines_in 1 pids
		old=$(tokends dispenser)
		kill -KILL "$old"
		until_true ended "$old"
		gate_opens "$script"
		[ -e ended ]
		is 'run 123,close 123' <(grep -E '^(run|close) ' out)
		no_places
	}
	batch tokend
}

# Traced without -f: only the script itself is killed.
@test "a script that is killed at any system call of such a batch leaves nothing" {
	need_strace
	local_places
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open -S 1/a --beat $BEAT
jobctl_run true
jobctl_close
S
	strace -qq -o trace dash script
	sed 's/(/ (/' trace |
		awk '/^[a-z]/ {n[$1]++; if (on) print $1, n[$1]} /batch.sh"/ {on = 1}' >calls
	[ "$(grep -c . calls)" -gt 40 ]
	while read -r call n; do
		echo "$call $n" >&2
		status=0
		failing "$call:signal=KILL:when=$n" dash script >out 2>&1 || status=$?
		[ "$status" -eq 137 ] || [ "$status" -eq 0 ] # where there are fewer this time
		no_places
		clean
	done < <(some 8 <calls)
}

@test "no place is left: 123, and the log resumes the rest" {
	local_places
	cat >script <<'S'
. jobctl.sh
jobctl_open -S 1/a --joblog jobs.log "$@"
for i in 1 2 3 4; do jobctl_run sh -c 'echo "$1" >>"$2/done"' sh "$i" "$here" || break; done
jobctl_close
echo "close $?"
S
	export JOBCTL_REST=0.02
	: >dead.a
	in_shell dash script >out 2>err
	is 'close 123' out
	grep -q '^jobctl_run: a: left out from now on, after six failures: rsh: no route to a$' err
	grep -q '^jobctl_run: no place is left$' err
	rm dead.a
	in_shell dash script --resume-failed
	same 1,2,3,4 "$(paste -sd , done)"
	no_places
}

@test "a job that was lost has failed with 122; --retries begins it again, and --once does not" {
	local_places
	cat >script <<'S'
. jobctl.sh
jobctl_open -S 1/a --beat 0.5 --joblog jobs.log --retries "$@"
jobctl_run sh -c '[ "$JOBCTL_TRY" = 2 ] && exit
	kill -9 $(ps -o ppid= -p $PPID)
	exec "$1/sleeper" 1000' sh "$here"
jobctl_close
echo "close $?"
S
	in_shell dash script 2,0 --once >out 2>err
	is 'close 1' out
	is 'jobctl_run: job 1: lost at a: the connection was lost' err
	same Exitval,122 "$(columns 7 jobs.log)"
	rm jobs.log
	in_shell bash script 2,0 >out 2>err
	is 'close 0' out
	no_places
}

@test "by ssh: slots share a connection; the script is killed, and nothing is left" {
	real_sshd
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open -S 12/a --joblog jobs.log -k
seq 40 | while read -r i; do jobctl_run printf '%s\n' "it's $i"; done
jobctl_close
S
	in_shell dash script >out 2>err
	same "$(seq 40 | sed "s/^/it's /")" "$(cat out)"
	[ ! -s err ]
	same ' 1 Host, 40 a' "$(cut -f 2 jobs.log | tally)"
	[ "$(grep -c 'Accepted publickey' sshd.log)" -le 2 ]
	no_places
	held_script
	begun dash
	kill -KILL "$script"
	ends_with 137 "$script"
	no_places
	until_true no_masters
}
