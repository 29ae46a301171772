#!/bin/sh
# list-before.sh LIST DIR -- fetches into DIR what is on the list, a name and an
# address in each line, one by one. What failed is in DIR/failed.
list=$1 dir=$2
while read -r name url; do
    curl -fsS -o "$dir/$name" "$url" || echo "$name" >>"$dir/failed"
done <"$list"
