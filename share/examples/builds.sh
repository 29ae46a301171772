#!/bin/sh
# builds.sh DIR... -- runs make in each DIR, side by side, with as many jobs in all as
# the pool $CPU has tokens. Starts the pool if needed.
pool=${CPU:-$HOME/cpu.fifo}
tokstat "$pool" >/dev/null 2>&1 || tokend -b -j -x 10 "$pool"
. jobctl.sh
jobctl_open "$#"
for dir in "$@"; do
    jobctl_run tokget "$pool" make -C "$dir"
done
jobctl_close
