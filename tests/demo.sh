#!/bin/sh
# make demo: the main job on real files. Compresses and checksums a tree of them
# with the plain loop and with share/examples/compress.sh, which uses
# jobctrl/process; shows both times, that the results are equal, and what ran in
# which slot.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=$top/bin:$top/build:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/files"

n=0
find /usr/share /usr/lib -type f -size +20 -size -400 2>/dev/null | sort | head -n 400 >"$tmp/list"
while IFS= read -r file; do
    cp "$file" "$tmp/files/$n-${file##*/}" 2>/dev/null || continue
    n=$((n + 1))
done <"$tmp/list"
echo "$n real files, $(du -sk "$tmp/files" | cut -f1) kB"

cat >"$tmp/plain.sh" <<'S'
mkdir "$2"
for file in "$1"/*; do
    name=${file##*/}
    gzip -9 -n <"$file" >"$2/$name.gz"
    cksum <"$2/$name.gz" >"$2/$name.sum"
done
cd "$2" && for sum in *.sum; do echo "$sum $(cat "$sum")"; done >sums
S

timed () # NAME COMMAND...
{
    name=$1
    shift
    from=$(now)
    "$@"
    printf '%-28s %s ms\n' "$name" "$((($(now) - from) / 1000))"
}
timed 'the plain loop:' sh "$tmp/plain.sh" "$tmp/files" "$tmp/plain"
timed 'jobctrl | process:' sh "$top/share/examples/compress.sh" "$tmp/files" "$tmp/ours"

cmp "$tmp/plain/sums" "$tmp/ours/sums"
echo "results: equal, $(wc -l <"$tmp/ours/sums") checksums"
awk '{jobs[$1]++; seconds[$1] += $2}
    END {for (slot in jobs) printf "slot %d ran %d files in %.2f s\n", slot, jobs[slot], seconds[slot]}' \
    "$tmp/ours/slots" | sort
