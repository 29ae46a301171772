#!/bin/sh
# channels.sh CHANNELS TASKS -- calls a service that allows CHANNELS calls at a time, and on
# each channel one a second. Prints for each call its number, channel, start and duration.
. jobctl.sh
call () # NUMBER
{
    read -r start rest </proc/uptime # a clock that nobody sets
    echo + >&9                       # the second counts from here
    tenths=$((2 + $1 * 7 % 9))
    sleep "$((tenths / 10)).$((tenths % 10))" # the call itself
    read -r end rest </proc/uptime
    echo "$1 $JOBCTL_SLOT $start $end" | awk '{ printf "%d %d %s %.2f\n", $1, $2, $3, $4 - $3 }'
}
jobctl_open --slot-delay 1 "$1"
task=$2
while [ "$task" -gt 0 ]; do
    jobctl_run call "$task"
    task=$((task - 1))
done
jobctl_close
