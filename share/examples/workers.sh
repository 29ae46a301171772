#!/bin/sh
# workers.sh [N] -- prints the squares of 1 to N, by default 20. The workers are a function of
# this script. Each of them asks to be replaced after five requests.
. jobctl.sh

square () # the worker: reads requests, one on each line, and writes an answer to each
{
    served=0
    while read -r number; do
        served=$((served + 1))
        [ "$served" -ne 5 ] || echo '#retire'
        echo "$((number * number))"
    done
}
answer () { echo "request $1: $2" && sum=$((sum + $2)); } # NUMBER ANSWER
finished () { echo "sum $sum, status $1"; }

sum=0 number=0
jobctl_workers -j 2 -k --error-prefix '#' --timeout 10 --on-end finished answer square
while [ "$number" -lt "${1:-20}" ]; do
    number=$((number + 1))
    jobctl_ask "$number"
done
jobctl_workers_end
