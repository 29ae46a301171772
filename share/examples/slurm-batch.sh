#!/bin/sh
# sbatch slurm-batch.sh LIST -- runs each line of LIST, a command, with what Slurm gives.
#
# LIST.log tells which lines are done. So after a requeue or a preemption, and when you submit it
# again, the rest runs, and each job once. Five minutes before the time limit no more jobs begin,
# and those that run may end. scancel ends all.
#SBATCH --job-name=jobs
#SBATCH --ntasks=4 --cpus-per-task=1
#SBATCH --requeue --open-mode=append
#SBATCH --signal=B:INT@300
list=${1:?a file with commands}

# exec: the signals are for jobctl.
exec jobctl --slurm --joblog "$list.log" --resume-failed -a "$list"
