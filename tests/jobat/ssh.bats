load ../helper
load ../helpers/places

# jobat and jobctl -S by the real ssh and sshd, on loopback.

# dead PID -- also when nobody has waited for it yet
dead() { [[ "$(ps -o stat= -p "$1")" =~ ^(Z|$) ]]; }
server() { pgrep -P "$jobat"; }
ssh_of() { pgrep -P "$(server)"; }
# The sshd of the session: the parent of the sh there, whose child is beside the job.
far() { ps -o ppid= -p "$(ps -o ppid= -p "$job" | tr -d ' ')" | tr -d ' '; }
session() { ps -o ppid= -p "$(far)" | tr -d ' '; }

lost()
{
	ends_with 122 "$jobat"
	dead "$job"
	[ "$(grep -c '^jobat: a: lost: ' err)" -eq 1 ]
	no_places
}

@test "a job by ssh: output, status, arguments, directory" {
	real_sshd
	run -7 --separate-stderr jobat -c a 'echo "out $1"; pwd; echo err >&2; exit 7'
	[ "$output,$stderr" = "out 
$here,err" ]
	[ "$(jobat a printf '%s|' "it's" '' '$x' $'a\nb')" = $'it\'s||$x|a\nb|' ]
	run -255 jobat a sh -c 'exit 255'
	[ "$output" = '' ]
	head -c 3000000 /dev/urandom >random
	jobat a cat "$here/random" | cmp - random
	no_places
}

@test "nobody is let in, or the host is unknown: 123, and what ssh says" {
	real_sshd
	: >authorized
	run -123 jobat a true
	[[ "$output" == 'jobat: a: not begun: '*'Permission denied'* ]]
	sed -i 's/^HostName .*/HostName none.invalid/' ssh_config
	run -123 jobat a true
	[[ "$output" == 'jobat: a: not begun: '*'none.invalid'* ]]
	no_places
}

@test "TERM and KILL of ssh, KILL of the session of sshd: the job ends, and is lost" {
	real_sshd
	for what in TERM:ssh_of KILL:ssh_of KILL:session; do
		echo "$what" >&2
		long_job
		kill -"${what%:*}" "$(${what#*:})"
		lost
	done
}

@test "TERM and KILL of jobat end the job, at the other end of ssh, too" {
	real_sshd
	long_job
	kill -TERM "$jobat"
	ends_with 143 "$jobat"
	dead "$job"
	long_job
	kill -KILL "$jobat"
	ends_with 137 "$jobat"
	until_true dead "$job"
	no_places
}

@test "sshd hangs: the job ends by itself, before jobat says that it is lost" {
	real_sshd
	long_job
	stopped=$(session)
	kill -STOP "$stopped"
	until_true dead "$job"
	! dead "$jobat"
	kill -CONT "$stopped" || :
	lost
}

@test "jobctl -S: 40 slots of one host, by connections of ten sessions each, and none is left" {
	real_sshd
	seq 200 | jobctl -S 40/a --joblog log -c 'echo {}; : $JOBCTL_SLOT' >out 2>err
	[ "$(sort -n out)" = "$(seq 200)" ]
	[ ! -s err ]
	[ "$(cut -f 2 log | sort | uniq -c | tr -s ' ')" = $' 1 Host\n 200 a' ]
	grep -c 'Accepted publickey' sshd.log >logins || :
	[ "$(cat logins)" -le 5 ]
	no_places
	until_true no_process "$here/jobctl-.*ControlPersist"
}

# up PID N -- its ancestor, so many above
up()
{
	local pid=$1 i
	for ((i = 0; i < $2; i++)); do pid=$(ps -o ppid= -p "$pid" | tr -d ' '); done
	echo "$pid"
}

@test "jobctl -S: a connection of ssh is closed, killed, or hangs: its jobs are tried again" {
	real_sshd
	two_wait() { [ "$(pgrep -fc "^$here/sleeper")" -eq 2 ]; }
	for way in exit KILL STOP; do
		echo "$way" >&2
		rm -f log done
		fresh jobctl -S 2/a,2/b --beat 1 --retries 2,0 --joblog log -c "
			[ \$JOBCTL_TRY = 2 ] || [ \$JOBCTL_LABEL = b ] || exec $here/sleeper 1000
			echo {} >>$here/done" <<<"$(seq 6)" >out 2>err 3>&- &
		jobctl=$!
		until_true two_wait
		case $way in
		exit) ssh -F ssh_config -S "$(ls -d "$here"/jobctl-*/0.0)" -O exit a ;;
		KILL) pkill -KILL -f "^ssh .*-M -S $here/jobctl-[^ ]*/0.0 " ;;
		STOP) # sshd's end of it: the parent of the sh there
			stopped=$(up "$(pgrep -n -f "^$here/sleeper")" 3)
			kill -STOP "$stopped"
			;;
		esac
		ends_with 0 "$jobctl"
		[ "$(sort done | paste -sd ,)" = 1,2,3,4,5,6 ]
		[ "$(grep -c 'lost at a' err)" -eq 2 ]
		[ "$way" != STOP ] || kill -CONT "$stopped" || :
		no_places
		until_true no_process "$here/jobctl-.*ControlPersist"
	done
}

@test "jobctl is killed: no job, no session, no connection, no directory is left" {
	real_sshd
	fresh jobctl -S 3/a --beat 1 -c "exec $here/sleeper 1000" <<<$'1\n2\n3' >out 2>err 3>&- &
	jobctl=$!
	three_run() { [ "$(pgrep -fc "^$here/sleeper")" -eq 3 ]; }
	until_true three_run
	kill -KILL "$jobctl"
	ends_with 137 "$jobctl"
	no_places
	until_true no_process "$here/jobctl-.*ControlPersist"
}
