#!/bin/sh
# sh slurm-pilots.sh LIST [PILOTS] -- runs each line of LIST, a command, in allocations that come
# and go: small ones begin early, where the cluster has room. Run this where you submit jobs.
#
# Each allocation is a place while it is there: a pilot adds its line to LIST.places, and removes
# it. Further pilots may be submitted at any time: sbatch slurm-pilots.sh --pilot LIST.places
#SBATCH --job-name=pilot --output=/dev/null
#SBATCH --nodes=1 --ntasks=1 --cpus-per-task=2
#SBATCH --signal=B:USR1@300

# locked FILE COMMAND... -- several pilots may come at once
locked ()
{
    (flock 9 && shift && "$@") 9>>"$1.lock"
}

# shellcheck disable=SC2317 # by locked
come () { echo "$place" >>"$file"; }
# shellcheck disable=SC2317 # likewise
go ()
{
    grep -vx "$place" "$file" >"$file.new"
    mv "$file.new" "$file"
}

# leave -- at our end, which comes as a signal for all processes here, in any order
# shellcheck disable=SC2317 # by a trap
leave ()
{
    trap '' HUP INT TERM USR1
    locked "$file" go
    kill "$sleep" 2>/dev/null
}

# pilot FILE -- is a place until it is cancelled. Near the time limit no more jobs begin here.
pilot ()
{
    file=$1 place=${SLURM_CPUS_ON_NODE:-1}/$SLURM_JOB_ID
    sleep 2147483647 &
    sleep=$!
    trap leave EXIT
    trap exit HUP INT TERM
    trap 'locked "$file" go' USR1
    locked "$file" come
    while kill -0 "$sleep" 2>/dev/null; do wait "$sleep"; done
}

if [ "${1-}" = --pilot ]; then
    pilot "$2"
    exit
fi
list=${1:?a file with commands}
: >"$list.places"
pilots=$(sbatch --parsable --array="1-${2-10}" "$0" --pilot "$list.places") || exit
trap 'scancel "${pilots%%;*}"' EXIT

JOBCTL_RSH='srun -Q -N1 -n1 --overlap --cpu-bind=none --export=ALL --jobid' \
    jobctl --sshloginfile "$list.places" --retries 3 --joblog "$list.log" --resume-failed \
    -a "$list" &
trap 'kill "$!"' HUP INT TERM
status=0
wait "$!" || status=$?
# A signal has ended the first wait, and the jobs end now.
while kill -0 "$!" 2>/dev/null; do wait "$!" || status=$?; done
exit "$status"
