# A real Slurm: a controller and three nodes of two processors each, on loopback, for all tests of a
# file. Load after helper.bash; call slurm_up and slurm_down from setup_file and teardown_file.

slurm_conf()
{
	local host
	host=$(uname -n)
	host=${host%%.*}
	cat <<-END
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
		$(for k in 1 2 3; do echo "NodeName=node$k NodeHostname=$host" \
			"NodeAddr=127.0.0.1 Port=$(($1 + k)) CPUs=2"; done)
	END
}

all_idle() { [ "$(sinfo -h -N -p main -t idle -o %N 2>/dev/null | wc -l)" -eq 3 ]; }
no_slurm_jobs() { [ -z "$(squeue -h 2>/dev/null)" ]; }

# slurm_up -- starts it, or skips what needs it; "cluster" is its directory
slurm_up()
{
	local port k
	command -v slurmctld >/dev/null && command -v slurmd >/dev/null || return 0
	cluster=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX")
	export cluster SLURM_CONF=$cluster/slurm.conf
	mkdir "$cluster/state" "$cluster"/spool.node{1,2,3}
	for port in $(shuf -i 20000-32000 -n 20); do
		slurm_conf "$port" >"$SLURM_CONF"
		slurmctld -c -f "$SLURM_CONF" 2>/dev/null 3>&- || continue
		for k in 1 2 3; do
			slurmd -f "$SLURM_CONF" -N "node$k" 3>&- || break
		done
		! until_true all_idle || return 0
		slurm_end
	done
	return 1
}

need_slurm() { [ -n "${cluster-}" ] || skip "no slurmctld and slurmd here"; }

# slurm_end -- of the daemons
slurm_end()
{
	local file
	for file in "$cluster"/*.pid; do
		[ ! -s "$file" ] || kill "$(cat "$file")" || :
	done
}

# slurm_clear -- no job is there any more
slurm_clear()
{
	[ -n "${cluster-}" ] || return 0
	scancel -Q -u "$(id -un)" || :
	until_true no_slurm_jobs
	until_true all_idle
}

slurm_down()
{
	[ -n "${cluster-}" ] || return 0
	slurm_clear || :
	slurm_end
	until_true no_process "$SLURM_CONF" || pkill -KILL -f "$SLURM_CONF" || :
	rm -rf "$cluster"
}

# in_state STATE JOB
in_state() { [ "$(squeue -h -j "$2" -o %T 2>/dev/null)" = "$1" ]; }
slurm_over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }

# runs_again JOB -- one that waits for its turn after a requeue, which is two minutes
runs_again()
{
	until_true in_state PENDING "$1"
	scontrol update JobId="$1" StartTime=now
}
