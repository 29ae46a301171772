#!/bin/sh
# Part of make bench: jobs at another machine, which is this one by ssh on loopback.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh

if ! [ -x /usr/sbin/sshd ]; then
    echo 'places: no sshd here: not measured'
    exit 0
fi
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$tmp/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$tmp/key" ||
    exit
port=$(awk 'BEGIN {srand(); print 20000 + int(rand() * 12000)}')
cat >"$tmp/sshd_config" <<END
ListenAddress 127.0.0.1
Port $port
HostKey $tmp/host_key
AuthorizedKeysFile $tmp/key.pub
PidFile $tmp/sshd.pid
UsePAM no
StrictModes no
END
cat >"$tmp/ssh_config" <<END
Host *
HostName 127.0.0.1
Port $port
IdentityFile $tmp/key
IdentitiesOnly yes
UserKnownHostsFile $tmp/known
StrictHostKeyChecking accept-new
LogLevel ERROR
END
cleanup () { kill "$(cat "$tmp/sshd.pid")"; }
/usr/sbin/sshd -f "$tmp/sshd_config" -E "$tmp/sshd.log" || exit
JOBCTL_RSH="ssh -F $tmp/ssh_config -T -o BatchMode=yes"
export JOBCTL_RSH

[ "$pairs" -lt 3 ] || pairs=3
jobs=$(count 1000)
few=$(count 60)
far () { seq "$jobs" | jobctl -S 4/host "$@"; }
no_ops () { far true; }
short () { far -c 'sleep 0.01; : {}'; }
short_here () { seq "$jobs" | jobctl -j 4 -c 'sleep 0.01; : {}'; }
by_parallel () { seq "$few" | parallel -S 4/host -M --ssh "ssh -F $tmp/ssh_config" true; }
compare 'jobctl -S 4/host sleep 0.01 / jobctl -j 4 sleep 0.01' \
    short "$jobs" short_here "$jobs" '>=' 0.5
if parallel --version 2>/dev/null | grep -q GNU; then
    compare 'jobctl -S 4/host true / parallel -S 4/host -M true' \
        no_ops "$jobs" by_parallel "$few" '>=' 5
fi
