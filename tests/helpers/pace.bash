# The time between starts: of one slot (-i), and of any two (-d). The clock is that of
# now(1) of these tests, in microseconds, which nobody sets. The checks hold on a slow
# machine, too: they compare a time read before a start with one read after another.

past() { [ "$(now)" -gt "$1" ]; }
is_line() { [ "$(sed -n "$1p" lines 2>/dev/null)" = "$2" ]; }
# shellcheck disable=SC2053 # a pattern
says() { [[ "$(sed -n "$1p" lines 2>/dev/null)" == $2 ]]; }

# states WORDS -- the states of the pool's slots, in their order
states()
{
	[ "$(tokstat -o tsv "$FIFO" | sed -n 's/^slot.//p' | cut -f 2 | tr '\n' ' ')" = "$1 " ]
}

# spaced FILE SECONDS -- its lines are SLOT MICROSECONDS: no two of a slot are closer than that
spaced()
{
	sort -k 1,1 -k 2,2n "$1" | awk -v least="$2" '
		$1 == slot && $2 - at < least * 1000000 {
			print "slot", slot, "after", $2 - at
			bad = 1
		}
		{slot = $1; at = $2}
		END {exit bad || NR == 0}'
}

# since BEFORE SECONDS -- the second time on standard input is at least SECONDS after
# BEFORE, the third at least twice as long ...
since()
{
	sort -n | awk -v before="$1" -v least="$2" '
		$1 < before + (NR - 1) * least * 1000000 {
			print "start", NR, "after", $1 - before
			bad = 1
		}
		END {exit bad || NR == 0}'
}
