#!/bin/sh
# compress.sh DIR OUT [N] -- compresses and checksums every file under DIR into
# OUT, N at a time (default: one for each processor). The list is in OUT/sums.
set -eu
dir=$1 out=$2
mkdir -p "$out"
. jobctl.sh

job () # FILE
{
	name=$(printf '%s' "${1#"$dir"/}" | tr / _)
	gzip -9 -n <"$1" >"$out/$name.gz"
	cksum <"$out/$name.gz" >"$out/$name.sum"
}

job_done () # ID STATUS SECONDS SLOT
{
	[ "$2" -eq 0 ] || echo "file number $1 failed with $2" >&2
	echo "$4 $3" >>"$out/slots"
}

find "$dir" -type f >"$out/list"
if [ "$#" -gt 2 ]; then jobctrl "$3"; else jobctrl; fi | process - "$out/list"
(cd "$out" && for sum in *.sum; do echo "$sum $(cat "$sum")"; done) >"$out/sums"
