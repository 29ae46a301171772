#!/bin/sh
# list-before.sh LIST DIR -- fetches into DIR what is on the list, one by one. Each
# line has a name and an address. The names that failed are in DIR/failed.
list=$1 dir=$2
while read -r name url; do
    curl -fsS -o "$dir/$name" "$url" || echo "$name" >>"$dir/failed"
done <"$list"
