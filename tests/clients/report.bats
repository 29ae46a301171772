load ../helper

# The report for tokstat.

@test "tokstat shows holders and waiters as a table, tsv and json, and says no when it cannot" {
	pool -s 'a "b\c'
	holder
	tokget -p 7 "$FIFO" true 3>&- & two=$!
	until_true waiting 1
	tokstat "$FIFO" >table
	grep -q "^COMMAND  *STATE  *TIME  *TOKENS  *LABEL  *PRIO  *PID$" table
	grep -q "cat_gate in.*  runs  *[0-9]* s  *1  a \"b.c  *$one$" table
	grep -q "^true  *waits  *[0-9]* s  *1  *7  *$two$" table
	run -0 tokstat -o json "$FIFO"
	[[ "$output" == *'"label":"a \"b\\c"'*'"priority":7'* ]]
	if command -v python3 >/dev/null; then python3 -m json.tool <<<"$output"; fi
	run -125 tokstat -o xml "$FIFO"
	run -125 bash -c 'tokstat >/dev/full'
	gate_opens $one $two
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
	all_home 80
}

@test "a label with a tab in it is one field of tokstat" {
	pool -s $'a\tb\033c'
	same $'slot\t1\tfree\t0\t0.000\t0\ta b c' "$(tokstat -o tsv "$FIFO" | tail -n 1)"
	[[ "$(tokstat "$FIFO")" == *'; free: a b c' ]]
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
	same 5000 "$(sed -n '/^end$/q; /^slot/p' <&7 | wc -l)"
	tokstop -f "$FIFO"
	nothing_left
	exec 7>&- 8>&-
}

# ask LINE... -- writes these lines into the inlet at once; the report goes to the file "report"
ask()
{
	mkfifo "$FIFO.d/w/7_7"
	exec 6<>"$FIFO.d/w/7_7"
	printf '%s\n' "$@" >"$FIFO"
	while read -r line <&6 && [ "$line" != end ]; do echo "$line"; done | cut -f 1-3 >report
	exec 6<&-
	rm "$FIFO.d/w/7_7"
}

@test "a report of so many commands has those that hold tokens, then those that wait, and no slots" {
	pool -n 4
	holder
	for i in 1 2 3; do tokget -k 4 "$FIFO" true 3>&- & waiters="${waiters-} $!"; done
	until_true waiting 3
	ask '@stat 7_7 3'
	is "pool	4	3,holder	1	$one,wait	1	,wait	2	" <(sed 's/^\(wait	[0-9]*	\).*/\1/' report)
	ask '@stat 7_7 0'
	is 'pool	4	3' report
	ask '@stat 7_7 x' '@stat 7_7 1 x' '@stat 7_7 -1' '@stat 7_7'
	same 9 "$(wc -l <report)" # all junk but the last
	open_gate gate
	ends_with 0 "$one"
	wait $waiters
	close_gate
	stopped
}

# rows STATE N -- that many slots are in that state
rows() { [ "$(tokstat -o tsv "$FIFO" | cut -f 1,3 | grep -c "^slot	$1")" -eq "$2" ]; }

@test "free and out are all tokens while a request for several waits; what is a build's own is out" {
	pool -j -n 5
	tokget -k 3 "$FIFO" "$here/sleeper" 100 3>&- & build=$!
	until_true rows offered 2
	pool_says '5 2 3 0'
	tokget -k 3 "$FIFO" true 3>&- & waiter=$!
	until_true waiting 1
	pool_says '5 2 3 1'
	rows free 2
	rows out 3
	kill "$build"
	ends_with 0 "$waiter"
	all_home 5
}

@test "a report costs no look at most of those who wait, and shows none of the killed" {
	pool -n 1
	take_tokens 1
	tokget "$FIFO" true 3>&- & one=$!
	tokget "$FIFO" true 3>&- & two=$!
	until_true waiting 2
	tokget "$FIFO" true 3>&- & last=$!
	until_true waiting 3
	kill -KILL "$last"
	until_true ended "$last"
	ask '@stat 7_7 9'
	same 2 "$(grep -c '^wait' report)"
	give_tokens 1
	ends_with 0 "$one"
	ends_with 0 "$two"
	stopped
}
