#!/bin/sh
# tasks.sh LIMIT DIR -- task n returns two more tasks, 2n and 2n+1, which are run if they are
# below LIMIT, and 12n bytes, which go to DIR/n. Fifteen run at once; one in twenty dies.
limit=$1 dir=$2
. jobctl.sh
task () { # N
    echo "$((2 * $1)) $((2 * $1 + 1))"
    case $(($(od -An -N2 -tu2 /dev/urandom) % 40)) in
    0) sh -c 'kill -9 "$PPID"' ;;
    1) exit 1 ;;
    esac
    printf "%0$((12 * $1))d" "$1"
}
result () { # N
    read -r left right
    cat >>"$dir/$1"
    [ "$left" -ge "$limit" ] || jobctl_task "$left"
    [ "$right" -ge "$limit" ] || jobctl_task "$right"
}
jobctl_open 15
jobctl_tasks --retries 20 task result
jobctl_task 1
jobctl_close
