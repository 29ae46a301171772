#!/bin/sh
# loop.sh FILE... -- compresses the files, two at a time.
. jobctl.sh
jobctl_open 2
for file in "$@"; do
    jobctl_run gzip -9 "$file"
done
jobctl_close
