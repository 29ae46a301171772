load ../helper

# The report for tokstat.

@test "tokstat shows holders and waiters as a table, tsv and json, and says no when it cannot" {
	pool -s 'a "b\c'
	holder
	tokget -p 7 "$FIFO" true 3>&- & two=$!
	until_true waiting 1
	[[ "$(tokstat "$FIFO")" == *"out "*" pid $one "*"cat_gate in"* ]]
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
	same $'slot\t1\tfree\t0\t0\ta b c\t' "$(tokstat -o tsv "$FIFO" | tail -n 1)"
	same 'slot 1 free a b c' "$(tokstat "$FIFO" | tail -n 1 | tr -s ' ')"
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
	same 5001 "$(sed -n '/^end$/{=;q;}' <&7)"
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

@test "a window of a report has its rows: those out, the others, those who wait; and where it is" {
	pool -n 4
	holder
	for i in 1 2 3; do tokget -k 4 "$FIFO" true 3>&- & waiters="${waiters-} $!"; done
	until_true waiting 3
	tokput -n 4 "$FIFO"
	pool=$(printf 'pool\t4\t3')
	ask '@stat 7_7 0 2'
	is "$pool,window	0	7,slot	1	out,slot	2	free" report
	ask '@stat 7_7 3 2' '@stat 7_7' # asked so if the dispenser is not known
	same "pool	4,window	3,slot	4,wait	1" "$(cut -f 1-2 report | paste -sd ,)"
	ask '@stat 7_7 100 2'
	same "pool	4,window	5,wait	2,wait	3" "$(cut -f 1-2 report | paste -sd ,)"
	ask '@stat 7_7 0 0'
	is "$pool,window	0	7" report
	ask '@stat 7_7 1' '@stat 7_7 1 x' '@stat 7_7 -1 2' '@stat 7_7'
	same 8 "$(wc -l <report)" # all junk but the last
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

@test "rows of builds come first, and only for who asks for them" {
	pool -j -n 3
	mkfifo gate
	tokget -p 8 "$FIFO" bash -c 'cat_gate in' 3>&- & one=$!
	until_true lines_in 1 log
	until_true pool_says '3 2 1 0'
	slots="slot	1	out,slot	2	offered,slot	3	offered"
	ask '@stat 7_7'
	is "pool	3	2,$slots" report
	ask '@builds 7_7'
	is "pool	3	2,build	1	$one,$slots" report
	ask '@builds 7_7 0 2'
	is "pool	3	2,window	0	4,build	1	$one,slot	1	out" report
	ask '@builds 7_7 1 1' '@stat 7_7 1 1' '@stat 7_7' # the dispenser is not known
	is "pool	3	2,window	1	4,slot	1	out" report
	gate_opens $one
	stopped
}

@test "a window costs no look at most of those who wait, and shows none of the killed" {
	pool -n 1
	tokget --unwatched "$FIFO"
	tokget "$FIFO" true 3>&- & one=$!
	tokget "$FIFO" true 3>&- & two=$!
	until_true waiting 2
	tokget "$FIFO" true 3>&- & last=$!
	until_true waiting 3
	kill -KILL "$last"
	until_true ended "$last"
	ask '@stat 7_7 0 9'
	same 2 "$(grep -c '^wait' report)"
	tokput "$FIFO"
	ends_with 0 "$one"
	ends_with 0 "$two"
	stopped
}

@test "a dispenser of before, which knows no windows, is watched all the same" {
	need_python
	! portable || skip "the portable build does not ask a terminal for its size"
	mkfifo "$FIFO"
	mkdir -p "$FIFO.d/w"
	older()
	{
		exec 7<>"$FIFO"
		while read -r verb name more <&7; do
			[ "$verb" = @stat ] && [ -z "$more" ] || continue
			{
				printf 'pool\t2\t1\t1\t1\t5\t4\t0\t0.100\t0.050\n'
				printf 'slot\t1\tfree\t0\t0\tone\nslot\t2\tout\t%s\t3.000\ttwo\n' $$
				printf 'wait\t1\t%s\t1\t5\t0.300\nend\n' $$
			} >"$FIFO.d/w/$name"
		done
	}
	older 3>&- & older=$!
	until_true is_inlet "$FIFO"
	timeout 100 "$top/tests/helpers/screen.py" --size 80x6 --until 'out' --show --keys G \
		--until waits --keys q -- tokstat -w "$FIFO" >screen 3>&-
	grep -q '^2 tokens, 1 out, 1 free, 1 waiting; rows 1 to 2 of 3$' screen
	sed -n 5p screen | grep -q '^    2 out  *3 s .* two '
	kill "$older"
}
