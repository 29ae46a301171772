load ../helper

# tokstat, showing builds.

# takes N -- the command of a build that takes N tokens beside its first, and holds them until the
# gate is opened
takes()
{
	exec 5<>"${MAKEFLAGS##*fifo:}"
	dd bs=1 count="$1" <&5 >took 2>/dev/null
	: <gate
}
export -f takes

# builds -- those of holders that have a share: tokens, priority, share, ready, command
builds() { tokstat -o tsv "$FIFO" | awk -F '\t' '$1 == "holder" && $7 != "-"' | cut -f 5-8,10; }
shows() { [ "$(builds | paste -sd ,)" = "$1" ] || { builds >&2; return 1; }; }

@test "a build is a row: with its tokens, its share, how many lie ready, and its priority" {
	mkfifo gate
	pool -j -n 6
	tokget -j fifo -p 9 "$FIFO" bash -c 'takes 2' 3>&- & one=$!
	until_true shows "3	9	6	3	bash -c 'takes 2'"
	until_true pool_says '6 3 3 0'
	tokstat "$FIFO" | tr -s ' ' >table
	grep -qx 'COMMAND STATE TIME TOKENS SHARE READY PRIO PID' table
	grep -qx "bash -c 'takes 2' runs [0-9]* s 3 6 3 9 $one" table
	same 5 "$(wc -l <table)"
	[[ "$(tokstat -o json "$FIFO")" == *'"tokens":3,"priority":9,"share":6,"ready":3,'* ]]
	tokget -p 0 "$FIFO" bash -c 'eval ": <gate"' 3>&- & two=$!
	until_true pool_says '6 2 4 0'
	builds | cut -f 1-3,5 | sort -rn >said
	is "3	9	5	bash -c 'takes 2',1	0	1	bash -c 'eval \": <gate\"'" said
	gate_opens $one $two
	[ -z "$(builds)" ]
	stopped
}

@test "a build whose tokget or dispenser was killed is shown with the process that holds it now" {
	need_proc
	mkfifo gate
	pool -j -n 3
	tokget -j fifo -p 7 "$FIFO" bash -c 'echo $$ >pid; takes 1' 3>&- & one=$!
	until_true shows "2	7	3	1	bash -c 'echo \$\$ >pid; takes 1'"
	pid=$(cat pid)
	kill -KILL "$one"
	until_true shows "2	7	3	1	(left behind) bash -c 'echo \$\$ >pid; takes 1'"
	tokstat "$FIFO" | tr -s ' ' | grep -q "^bash .* left [0-9]* s 2 3 1 7 $pid$"
	restarted -j -n 3
	until_true shows "2	5	3	1	bash -c 'echo \$\$ >pid; takes 1'"
	tokstat "$FIFO" | tr -s ' ' | grep -q "^bash .* runs [0-9]* s 2 3 1 $pid$"
	open_gate gate
	until_true pool_says '3 3 0 0'
	close_gate
	stopped
}

lends() { tokget -j fifo "$FIFO" bash -c 'takes 1'; :; }
export -f lends

@test "a build within a build has its tokens in the row of that one" {
	mkfifo gate
	pool -j -n 3
	tokget "$FIFO" bash -c lends 3>&- & one=$!
	until_true shows '2	5	3	1	bash -c lends'
	pool_says '3 1 2 0'
	gate_opens $one
	stopped
}
