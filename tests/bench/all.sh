#!/bin/sh
# make bench: each of the benches, one after the other.
cd "$(dirname "$0")" || exit
status=0
for bench in run pool jobs connections builds tasks workers; do
    "./$bench.sh" || status=1
done
exit "$status"
