#!/bin/sh
# builds-before.sh DIR... -- runs make in each DIR, side by side.
jobs=$(getconf _NPROCESSORS_ONLN)
for dir in "$@"; do
    make -C "$dir" -j "$jobs" &
done
wait
