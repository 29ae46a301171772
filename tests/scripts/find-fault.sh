#!/bin/sh
# find-fault.sh 'KIND FILE SED' -- breaks FILE of the library by SED, in a copy, and makes up
# batches of that KIND until one of them finds the fault: 0; 1 if 300 do not.
set -eu
kind=${1%% *} rest=${1#* }
mkdir "$JOBCTL_ID"
cp -r "$top/bin" "$top/share" "$JOBCTL_ID"
file=$JOBCTL_ID/share/jobctl/${rest%% *}.sh
sed -i.was "${rest#* }" "$file"
! cmp -s "$file" "$file.was" || exit 2
export TMPDIR="$here/$JOBCTL_ID" BATCH_BIN="$here/$JOBCTL_ID/bin"
export BATCH_KIND="$kind" BATCH_SHELL=dash
seed=0
while
	seed=$((seed + 1))
	BATCH_SEED=$seed "$top/tests/fuzz/batches.sh" >"$JOBCTL_ID/out"
do
	[ "$seed" -lt 300 ]
done
echo "$1: found by seed $seed"
