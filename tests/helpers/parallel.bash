# Behaviour that jobctl shares with GNU parallel.

is_gnu() { "$1" --version 2>/dev/null | grep -q GNU; }

# as_parallel [OPTION] -- reads lines "CASE =STATUS> OUTPUT", true of GNU parallel: P is jobctl, C
# its -c, Q is parallel's -q, NOW jobctl's word for no pause. Their input is the file "list". If
# EXHAUSTIVE is set, parallel is tried as well.
as_parallel()
{
	local line option=${1-}
	[ -e list ] || : >list
	while IFS= read -r line; do
		[[ $line =~ ^(.*)\ =([0-9]*)\>\ ?(.*)$ ]]
		printf %b "${BASH_REMATCH[3]:+${BASH_REMATCH[3]}\n}" >wanted
		C=-c Q='' NOW=,0 tried "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]:-0}" jobctl
		[ -z "${EXHAUSTIVE-}" ] || ! is_gnu parallel ||
			PARALLEL='' PARALLEL_HOME=$here/home C='' Q=-q NOW='' \
				tried "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]:-0}" parallel
	done
}

# tried CASE STATUS PROGRAM
tried()
{
	local status=0 program=$3
	P() { "$program" ${option:+"$option"} "$@"; }
	rm -f tried
	eval "$1" <list >seen 2>errors || status=$?
	{ diff wanted seen && same "$2" "$status" status; } ||
		{ echo "$program: $1"; cat errors; false; } >&2
}

# as_xargs -- reads lines, and runs each with xargs as P, and with jobctl: EACH has an argument for
# each job, ALL as many as there are. None has an empty argument, which a shell drops there.
as_xargs()
{
	local case status
	[ -e list ] || : >list
	while IFS= read -r case; do
		for program in xargs 'jobctl -k'; do
			P() { $program "$@"; }
			EACH='-n 1' ALL='' status=0
			[ "$program" = xargs ] || EACH='' ALL='-X -j1'
			eval "$case" <list >"by.${program%% *}" 2>errors || status=$?
			echo "status $status" >>"by.${program%% *}"
		done
		diff by.xargs by.jobctl || { echo "$case"; cat errors; false; } >&2
	done
}
