#!/bin/sh
# Part of make bench: jobs in an allocation of Slurm, which has three nodes on this machine.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh

PATH=$PATH:/usr/sbin
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null; then
    echo 'slurm: no slurmctld and slurmd here: not measured'
    exit 0
fi
cleanup () { tests/scripts/slurm.sh down "$tmp/slurm"; }
tests/scripts/slurm.sh up "$tmp/slurm" || exit
SLURM_CONF=$tmp/slurm/slurm.conf
export SLURM_CONF
salloc -Q --no-shell -N3 --ntasks-per-node=2 || exit
SLURM_JOB_ID=$(squeue -h -o %A) SLURM_JOB_NODELIST=$(squeue -h -o %N)
SLURM_JOB_CPUS_PER_NODE='2(x3)'
export SLURM_JOB_ID SLURM_JOB_NODELIST SLURM_JOB_CPUS_PER_NODE

[ "$pairs" -lt 3 ] || pairs=3
jobs=$(count 1000)
few=$(count 60)
ours () { seq "$jobs" | jobctl --slurm true; }
by_srun () { seq "$few" | jobctl -j 6 srun -Q -N1 -n1 --exact true; }
compare 'jobctl --slurm true / srun for each of 6 at once' ours "$jobs" by_srun "$few" '>=' 5
