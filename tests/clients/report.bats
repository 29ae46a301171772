load ../helper

# What tokstat shows.

@test "tokstat shows holders and waiters as a table, tsv and json, and says no when it cannot" {
	pool -s 'a "b\c'
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- &
	one=$!
	until_true lines_in 1 log
	tokget -p 7 "$FIFO" true 3>&- &
	two=$!
	until_true waiting 1
	[[ "$(tokstat "$FIFO")" == *"out "*" pid $one "*"cat_gate in"* ]]
	run -0 tokstat -o json "$FIFO"
	[[ "$output" == *'"label":"a \"b\\c"'*'"priority":7'* ]]
	if command -v python3 >/dev/null; then python3 -m json.tool <<<"$output"; fi
	run -125 tokstat -o xml "$FIFO"
	run -125 bash -c 'tokstat >/dev/full'
	open_gate gate
	ends_with 0 "$one"
	ends_with 0 "$two"
	close_gate
	stopped
}

@test "tokstat is refused, not forgotten, while too many reports are under way" {
	for i in {1..80}; do printf '%0900d\n' "$i"; done >labels
	pool -f labels
	for i in {1..64}; do
		mkfifo "$FIFO.d/w/$i"
		exec {fd}<>"$FIFO.d/w/$i"
		fds="${fds-} $fd"
		echo "@stat $i" >"$FIFO"
	done
	run -125 tokstat "$FIFO"
	[[ "$output" == *'too many'* ]]
	for fd in $fds; do exec {fd}<&-; done
	rm "$FIFO.d"/w/*
	until_true pool_says '80 80 0 0'
	stopped
}

@test "a label with a tab in it is one field of tokstat" {
	pool -s $'a\tb\033c'
	[ "$(tokstat -o tsv "$FIFO" | tail -n 1)" = $'slot\t1\tfree\t0\t0\ta b c\t' ]
	[ "$(tokstat "$FIFO" | tail -n 1 | tr -s ' ')" = 'slot 1 free a b c' ]
	[[ "$(tokstat -o json "$FIFO")" == *'"label":"a\u0009b\u001bc"'* ]]
	stopped
}

@test "a report that its reader leaves unread waits, and is dropped at the end" {
	pool -n 5000
	for name in 1_1 2_2; do mkfifo "$FIFO.d/w/$name"; done
	exec 7<>"$FIFO.d/w/1_1" 8<>"$FIFO.d/w/2_2"
	printf '@stat 1_1\n@stat 2_2\n' >"$FIFO"
	tokget "$FIFO" true # it serves others
	read -r first <&7
	[[ "$first" == pool* ]]
	end=0
	while read -r word rest; do
		if [ "$word" = end ]; then break; fi
		end=$((end + 1))
	done <&7
	[ "$end" -ge 5000 ]
	tokstop -f "$FIFO"
	nothing_left
	exec 7>&- 8>&-
}
