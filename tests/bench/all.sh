#!/bin/sh
# make bench: each of the benches, one after the other; 1 if one did not come to its end.
# all.sh quick is a run with small counts, whose figures mean nothing.
cd "$(dirname "$0")" || exit
export BENCH="${1-}"
status=0
for bench in shells run pool stat jobs places slurm connections builds tasks workers; do
    "./$bench.sh" || { echo "bench: $bench.sh: status $?" >&2; status=1; }
done
exit "$status"
