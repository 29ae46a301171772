# A real Slurm for all tests of a file. Load after places.bash; call slurm_up and slurm_down from
# setup_file and teardown_file.

# slurm_up -- starts it if it is installed; "cluster" is its directory
slurm_up()
{
	PATH=$PATH:/usr/sbin
	command -v slurmctld >/dev/null && command -v slurmd >/dev/null || return 0
	cluster=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX")
	export cluster SLURM_CONF=$cluster/slurm.conf
	"$top/tests/scripts/slurm.sh" up "$cluster" 3>&-
}

slurm_down()
{
	[ -n "${cluster-}" ] || return 0
	"$top/tests/scripts/slurm.sh" down "$cluster" || :
	rm -rf "$cluster"
}

# in_slurm -- begins a test; no job of an earlier one is there any more
in_slurm()
{
	[ -n "${cluster-}" ] || skip "no slurmctld and slurmd here"
	scancel -Q -u "$(id -un)" || :
	until_true no_slurm_jobs
	until_true all_idle
	place_settings
	unset JOBCTL_RSH
	mkfifo gate
}

all_idle() { [ "$(sinfo -h -N -p main -t idle -o %N 2>/dev/null | wc -l)" -eq 3 ]; }
no_slurm_jobs() { [ -z "$(squeue -h 2>/dev/null)" ]; }

# in_state STATE JOB
in_state() { [ "$(squeue -h -j "$2" -o %T 2>/dev/null)" = "$1" ]; }
slurm_over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }

# runs_again JOB -- a job that waits for its turn after a requeue: two minutes
runs_again()
{
	until_true in_state PENDING "$1"
	scontrol update JobId="$1" StartTime=now
}
