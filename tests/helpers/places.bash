# Places for jobat and jobctl -S. Load after helper.bash.

# Tests wait for losses with short beats, $BEAT; where no loss is expected, beats are long.
BEAT=${BEAT:-0.3}

# place_settings -- for commands at places
place_settings() { export JOBCTL_GRACE=0.2 TMPDIR=$here; }

# local_places -- a transport to any name, which is this machine. A file dead.NAME makes that place
# refuse; "ran" has a line for each session.
local_places()
{
	cat >rsh <<-'END'
		#!/bin/sh
		place=$1
		shift
		here=${0%/*}
		[ ! -e "$here/dead.$place" ] || { echo "rsh: no route to $place" >&2; exit 255; }
		echo "$place" >>"$here/ran"
		exec "$@"
	END
	chmod +x rsh
	place_settings
	export JOBCTL_RSH=$here/rsh
}

# real_sshd -- starts one on loopback, at a port of its own, and sets JOBCTL_RSH for it. (HOME: a
# .bashrc of the user may cost more than the test.)
real_sshd()
{
	local port
	command -v /usr/sbin/sshd >/dev/null || skip "no sshd here"
	[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f host_key
	ssh-keygen -q -t ed25519 -N '' -f key
	cp key.pub authorized
	for port in $(shuf -i 20000-32000 -n 20); do
		printf '%s\n' 'ListenAddress 127.0.0.1' "Port $port" "HostKey $here/host_key" \
			"AuthorizedKeysFile $here/authorized" "PidFile $here/sshd.pid" 'UsePAM no' \
			'StrictModes no' "SetEnv HOME=$here TMPDIR=$here PATH=$PATH" >sshd_config
		# by its whole path: sshd executes itself
		/usr/sbin/sshd -f "$here/sshd_config" -E "$here/sshd.log" 3>&- || continue
		until_true test -s sshd.pid
		break
	done
	[ -s sshd.pid ]
	printf '%s\n' 'Host *' 'HostName 127.0.0.1' "Port $port" "IdentityFile $here/key" \
		'IdentitiesOnly yes' "UserKnownHostsFile $here/known" \
		'StrictHostKeyChecking accept-new' 'LogLevel ERROR' >ssh_config
	place_settings
	export JOBCTL_RSH="ssh -F $here/ssh_config -T -o BatchMode=yes"
}

# long_job [SCRIPT] -- jobat runs one at a place, in the background; sets $jobat, and $job, its pid
long_job()
{
	rm -f pid
	fresh jobat --beat "$BEAT" -c a 'echo $$ >pid.new; mv pid.new pid
		'"${1-exec ./sleeper 1000}" >out 2>err 3>&- &
	jobat=$!
	until_true test -s pid
	job=$(cat pid)
}

# The processes that serve such a job: jobat's server here; there the watcher, and the shell beside
# the job. Files that load this define far: the sh there.
server() { pgrep -P "$jobat"; }
beside() { pgrep -P "$(far)" -f _jX; }
watcher() { pgrep -P "$(far)" | grep -vx "$(beside)"; }

# dead PID -- even if nobody has waited for it yet
dead()
{
	local stat
	! read -r stat 2>/dev/null <"/proc/$1/stat" || [[ "${stat##*) }" == [XZ]* ]]
}

alive()
{
	if dead "$1"; then
		echo "$1 has ended" >&2
		return 1
	fi
}

# up PID N -- its ancestor N levels above
up()
{
	local pid=$1 i
	for ((i = 0; i < $2; i++)); do pid=$(ps -o ppid= -p "$pid" | tr -d ' '); done
	echo "$pid"
}

# no_places -- no session, no job, no directory of theirs
no_places()
{
	until_true no_ours sleeper && until_true no_ours jobat && until_true no_dens
}
no_dens() { ! compgen -G "$here/jobat.*" && ! compgen -G "$here/jobctl-*"; } >/dev/null

# no_masters -- no connection of ssh that sessions share
no_masters() { no_ours ssh -M; }

# tally [FILE] -- how often each line occurs: " 1 a, 2 b"
tally() { sort "$@" | uniq -c | tr -s ' ' | paste -sd ,; }
# columns LIST FILE -- of a log, on one line
columns() { cut -f "$1" "$2" | tr '\t' ' ' | paste -sd ,; }
