# Places for jobat and jobctl -S. Load after helper.bash.

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
	export JOBCTL_RSH=$here/rsh JOBCTL_GRACE=1 TMPDIR=$here
}

# real_sshd -- one on loopback, at a port of its own, and JOBCTL_RSH for it
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
			'StrictModes no' "SetEnv TMPDIR=$here PATH=$PATH" >sshd_config
		# by its whole path: it executes itself
		/usr/sbin/sshd -f "$here/sshd_config" -E "$here/sshd.log" 3>&- || continue
		until_true test -s sshd.pid
		break
	done
	[ -s sshd.pid ]
	printf '%s\n' 'Host *' 'HostName 127.0.0.1' "Port $port" "IdentityFile $here/key" \
		'IdentitiesOnly yes' "UserKnownHostsFile $here/known" \
		'StrictHostKeyChecking accept-new' 'LogLevel ERROR' >ssh_config
	export JOBCTL_RSH="ssh -F $here/ssh_config -T -o BatchMode=yes" JOBCTL_GRACE=1 TMPDIR=$here
}

# long_job [WORD...] -- jobat runs one at a place, in the background: $jobat, and $job, its pid
long_job()
{
	rm -f pid
	fresh jobat --beat 1 "$@" a sh -c 'echo $$ >"$1/pid.new"; mv "$1/pid.new" "$1/pid"
		exec "$1/sleeper" 1000' sh "$here" >out 2>err 3>&- &
	jobat=$!
	until_true test -s pid
	job=$(cat pid)
}

# no_places -- no session, no job, no directory of theirs
no_places()
{
	until_true no_process "$here/sleeper" && until_true no_jobat && until_true no_dens
}
no_dens() { ! ls -d "$here"/jobat.* "$here"/jobctl-* 2>/dev/null; }

no_jobat() { [ -z "$(jobats)" ]; }
jobats()
{
	local pid
	for pid in $(pgrep -f '^jobat .'); do
		[ "$(readlink "/proc/$pid/cwd")" != "$here" ] || echo "$pid"
	done
}
