#!/bin/sh
# slurm.sh up DIR, or down DIR -- a real Slurm on loopback, with its files in DIR: a controller, and
# three nodes of two processors each. Its clients want SLURM_CONF=DIR/slurm.conf.
cluster=$2
SLURM_CONF=$cluster/slurm.conf
PATH=$PATH:/usr/sbin
export SLURM_CONF

conf () # PORT
{
    host=$(uname -n)
    host=${host%%.*}
    cat <<END_OF_CONF
ClusterName=t
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$1
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/%n.log
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=node[1-3] Default=YES State=UP PriorityTier=1
PartitionName=urgent Nodes=node[1-3] State=UP PriorityTier=10
END_OF_CONF
    for k in 1 2 3; do
        echo "NodeName=node$k NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + k)) CPUs=2"
    done
}

# until_true COMMAND... -- waits for an event, at most a minute
until_true ()
{
    end=$(($(date +%s) + 60))
    until "$@"; do
        [ "$(date +%s)" -lt "$end" ] || return 1
        sleep 0.05
    done
}
all_idle () { [ "$(sinfo -h -N -p main -t idle -o %N 2>/dev/null | wc -l)" -eq 3 ]; }
is_empty () { [ -z "$(squeue -h 2>/dev/null)" ]; }
no_daemon () { ! pgrep -f "$SLURM_CONF" >/dev/null; }

# The daemons say so when a port is taken.
start ()
{
    slurmctld -c -f "$SLURM_CONF" || return
    for k in 1 2 3; do
        slurmd -f "$SLURM_CONF" -N "node$k" || return
    done
    until_true all_idle
}

stop ()
{
    pids=$(cat "$cluster"/*.pid 2>/dev/null)
    # shellcheck disable=SC2086 # words
    [ -z "$pids" ] || kill $pids
    # shellcheck disable=SC2086
    until_true no_daemon || kill -KILL $pids
}

case $1 in
up)
    mkdir -p "$cluster/state" "$cluster/spool.node1" "$cluster/spool.node2" \
        "$cluster/spool.node3" || exit
    for port in $(shuf -i 20000-32000 -n 20); do
        conf "$port" >"$SLURM_CONF"
        start >"$cluster/start.log" 2>&1 && exit
        stop
    done
    cat "$cluster/start.log" >&2
    exit 1
    ;;
down)
    # their jobs would outlive the daemons
    scancel -Q -u "$(id -un)"
    until_true is_empty
    stop
    ;;
esac
