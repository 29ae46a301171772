#!/bin/sh
# loop-before.sh FILE... -- compresses the files, all at once.
for file in "$@"; do
    gzip -9 "$file" &
done
wait
