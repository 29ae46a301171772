load ../helper

# Requests that one member repeats again and again make the dispenser only so large, and the others
# are still served.

# most KB -- the dispenser has never been larger; a sanitizer has memory of its own
most()
{
	grep -q __asan_init "$top/bin/tokend" ||
		[ "$(awk '/^VmHWM/ {print $2}' "/proc/$(cat "$FIFO.d/lock")/status")" -le "$1" ]
}

# flood COUNT FORMAT -- writes that many lines, whole ones in each write; %d becomes their number
flood()
{
	LC_ALL=C awk -v n="$1" -v line="$2\n" 'BEGIN {
		most = int(4000 / (length(line) + 6))
		for (i = 1; i <= n; i++) {
			printf line, 100000 + i
			if (i % most == 0) fflush()
		}
	}' >"$FIFO"
}

tokens() { tokstat -o tsv "$FIFO" | awk '/^pool/ {print $2}'; }

@test "labels that are added without end: 4 MB of them, a further one is refused, others are served" {
	tokend -n 2 "$FIFO" 2>said 3>&- &
	until_true is_inlet "$FIFO"
	label=$(printf '%990s' '' | tr ' ' x)
	flood 20000 "@add 1_1 $label%d"
	tokget "$FIFO" true
	full=$(tokens)
	[ "$full" -gt 4000 ]
	[ "$full" -lt 4300 ]
	run -125 tokput -a "$label" "$FIFO"
	same "tokput: $FIFO: no room for more: the labels take 4 MB" "$output"
	tokput -d "${label}100001" "$FIFO"
	pool_says "$((full - 1)) $((full - 1)) 0 0"
	tokput -a "${label}100001" "$FIFO" # there is room for that again
	run -125 tokput -a "${label}100002" "$FIFO"
	pool_says "$full $full 0 0"
	flood 4000 '@drop 1_1 no%d'
	tokget "$FIFO" true # by now these have all been looked for
	pool_says "$full $full 0 0"
	[ ! -s said ]
	most 16000
	stopped
}

@test "labels of the start count, and are never refused" {
	seq -f "%0990.0f" 5000 >list
	pool -f list
	pool_says '5000 5000 0 0'
	run -125 tokput -a more "$FIFO"
	pool_says '5000 5000 0 0'
	tokput -n 2 "$FIFO"
	tokput -a more "$FIFO"
	pool_says '3 3 0 0'
	stopped
}

@test "reports that nobody reads: some MB of them, others are refused, and served when those are gone" {
	pool -n 2
	tokput -n 60000 "$FIFO"
	for i in $(seq 20); do
		mkfifo "$FIFO.d/w/$i"
		exec {ends[i]}<>"$FIFO.d/w/$i"
	done
	for i in $(seq 20); do echo "@stat $i" >"$FIFO"; done
	for i in 1 2; do tokget "$FIFO" true; done # by now all are written
	run -125 tokstat "$FIFO"
	[[ "$output" == *'too many ask there'* ]]
	run -0 tokget "$FIFO" true
	most 24000
	for i in "${ends[@]}"; do exec {i}>&-; done
	until_true tokstat "$FIFO" >/dev/null
	stopped
}

@test "requests of nobody: 100000 of them are kept, and others are still served" {
	pool -n 1
	take_tokens 1
	flood 120000 '@get %d_1 1 5 -'
	tokget "$FIFO" true 3>&- &
	until_true names 1
	give_tokens 1
	ends_with 0 "$!"
	most 32000
	stopped
}
