# bats file_tags=waits
load ../helper
load ../helpers/places

# jobat and jobctl -S by the real ssh and sshd, on loopback.

ssh_of() { pgrep -P "$(server)"; }
# The sshd of the session: the parent of the sh there, whose child is beside the job.
session() { up "$job" 3; }

lost()
{
	ends_with 122 "$jobat"
	dead "$job"
	same 1 "$(grep -c '^jobat: a: lost: ' err)"
	no_places
}

@test "a job by ssh: output, status, arguments, directory" {
	real_sshd
	run -7 --separate-stderr jobat -c a 'echo "out $1"; pwd; echo err >&2; exit 7'
	[ "$output,$stderr" = "out 
$here,err" ]
	same $'it\'s||$x|a\nb|' "$(jobat a printf '%s|' "it's" '' '$x' $'a\nb')"
	run -255 jobat a sh -c 'exit 255'
	same '' "$output"
	head -c 3000000 /dev/urandom >random
	jobat a cat "$here/random" | cmp - random
	no_places
}

@test "nobody is let in, or nobody listens: 123, and what ssh says" {
	real_sshd
	: >authorized
	run -123 jobat a true
	[[ "$output" == 'jobat: a: not begun: '*'Permission denied'* ]]
	sed -i 's/^Port .*/Port 1/' ssh_config
	run -123 jobat a true
	[[ "$output" == 'jobat: a: not begun: '*'Connection refused'* ]]
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
	BEAT=30
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
	alive "$jobat"
	kill -CONT "$stopped" || :
	lost
}

@test "jobctl -S: 21 slots of one host, by connections of ten sessions each, and none is left" {
	real_sshd
	seq 60 | jobctl -S 21/a --joblog log -c 'echo {}; : $JOBCTL_SLOT' >out 2>err
	same "$(seq 60)" "$(sort -n out)"
	[ ! -s err ]
	same ' 1 Host, 60 a' "$(cut -f 2 log | tally)"
	[ "$(grep -c 'Accepted publickey' sshd.log)" -le 3 ]
	no_places
	until_true no_masters
}

@test "jobctl -S: a connection of ssh is closed, killed, or hangs: its jobs are tried again" {
	BEAT=1 # other jobs are not to be lost
	real_sshd
	JOBCTL_RSH="$JOBCTL_RSH -o ServerAliveInterval=1" # before the 5 that jobat adds
	for way in exit KILL STOP; do
		echo "$way" >&2
		rm -f log done
		fresh jobctl -S 2/a,2/b --beat "$BEAT" --retries 2,0 --joblog log -c "
			[ \$JOBCTL_TRY = 2 ] || [ \$JOBCTL_LABEL = b ] || exec ./sleeper 1000
			echo {} >>$here/done" <<<"$(seq 6)" >out 2>err 3>&- &
		jobctl=$!
		until_true has_sleepers 2
		case $way in
		exit) ssh -F ssh_config -S "$(ls -d "$here"/jobctl-*/0.0)" -O exit a ;;
		KILL) signal_ours KILL ssh -M "$(ls -d "$here"/jobctl-*/0.0)" ;;
		STOP) # sshd's end of it: the parent of the sh there
			stopped=$(up "$(ours sleeper | tail -n 1)" 3)
			kill -STOP "$stopped"
			;;
		esac
		ends_with 0 "$jobctl"
		same 1,2,3,4,5,6 "$(sort done | paste -sd ,)"
		same 2 "$(grep -c 'lost at a' err)"
		[ "$way" != STOP ] || kill -CONT "$stopped" || :
		no_places
		until_true no_masters
	done
}

@test "jobctl is killed: no job, no session, no connection, no directory is left" {
	real_sshd
	fresh jobctl -S 3/a --beat "$BEAT" -c "exec ./sleeper 1000" <<<$'1\n2\n3' >out 2>err 3>&- &
	jobctl=$!
	until_true has_sleepers 3
	kill -KILL "$jobctl"
	ends_with 137 "$jobctl"
	no_places
	until_true no_masters
}
