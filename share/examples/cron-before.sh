#!/bin/sh
# cron-before.sh DIR -- from cron: writes the checksums of DIR, unless the last run
# still does.
dir=$1
mkdir "$dir.lock" 2>/dev/null || exit
trap 'rmdir "$dir.lock"' EXIT
find "$dir" -type f -exec cksum {} + >"$dir.sums"
