#!/bin/sh
# looked.sh FILE -- waits until the process whose pid is in the file has looked at things twice
# more, at least: it has slept and woken three times
until [ -s "$1" ]; do sleep 0.02; done
read -r pid <"$1"
wakes () { awk '/^voluntary/ {print $2}' "/proc/$pid/status"; }
before=$(wakes)
until [ "$(wakes)" -ge "$((before + 3))" ]; do sleep 0.02; done
