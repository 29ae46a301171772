#!/bin/sh
# cron-before.sh DIR -- from cron: the checksums of DIR. Not while the last one
# still runs.
dir=$1
mkdir "$dir.lock" 2>/dev/null || exit
trap 'rmdir "$dir.lock"' EXIT
find "$dir" -type f -exec cksum {} + >"$dir.sums"
