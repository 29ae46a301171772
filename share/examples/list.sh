#!/bin/sh
# list.sh LIST DIR -- fetches into DIR what is on the list, two at a time. Each line
# has a name and an address. The names that failed are in DIR/failed.
list=$1 dir=$2
. jobctl.sh
fetch () { curl -fsS -o "$dir/$1" "$2" || echo "$1" >>"$dir/failed"; }
jobctl_open 2
while read -r name url; do
    jobctl_run fetch "$name" "$url"
done <"$list"
jobctl_close
