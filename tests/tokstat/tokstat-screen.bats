load ../helper
load ../helpers/display
# bats file_tags=waits

# The drawing of tokstat -w at a terminal, and the keys and signals there.

# shown N -- the Nth screen that was shown
shown() { awk -v n="$1" '/^-$/ {shown++; next} shown == n - 1' screen; }

# held N -- that many jobs that hold a token each, until teardown
held()
{
	mkfifo gate
	for i in $(seq "$1"); do tokget "$FIFO" sh -c ': <gate' "job $i" 3>&- & done
	until_true pool_out "$1"
}
pool_out() { [ "$(tokstat -o tsv "$FIFO" | cut -f 4 | head -n 1)" -eq "$1" ]; }

@test "header and titles stay at the top, busy slots come first, at 80x24 with 40 slots" {
	pool -n 40
	held 3
	at_terminal --until COMMAND --show --keys G --until 'rows 21 to 40 of 40' --show \
		--keys k --until 'rows 20 to' --keys '\x1b[A' --until 'rows 19 to' \
		--keys '\x1b[B' --until 'rows 20 to' --keys j --until 'rows 21 to' \
		--keys '\x1b[5~' --until 'rows 1 to' --keys ' ' --until 'rows 21 to' \
		--keys g --until 'rows 1 to' --keys q -- tokstat -w "$FIFO"
	same 24 "$(shown 1 | wc -l)"
	same "$FIFO" "$(shown 1 | sed -n 1p)"
	same '40 tokens, 3 out, 37 free, 0 waiting; rows 1 to 20 of 40' "$(shown 1 | sed -n 2p)"
	grep -qx -- '- grants/s, waited .* on average, .* at most; 3 granted' <(shown 1 | sed -n 3p)
	grep -qx ' SLOT STATE  *TIME  *PID COMMAND' <(shown 1 | sed -n 4p)
	same 3 "$(shown 1 | sed -n 5,7p | grep -c '^    [123] out .* sh -c : <gate job [123]$')"
	same '    4 free' "$(shown 1 | sed -n 8p)"
	[ "$(shown 2 | sed -n 1,4p | sed 's/^[-0-9.]* grants.*//; s/;.*//')" = \
		"$(shown 1 | sed -n 1,4p | sed 's/^[-0-9.]* grants.*//; s/;.*//')" ]
	same '   40 free' "$(shown 2 | tail -n 1)"
}

@test "a window that changes is drawn anew: 20 columns, 200 columns, few rows" {
	! portable || skip "the portable build does not ask a terminal for its size"
	pool -s 日本語日本語日本語日本語 -s b
	held 1
	at_terminal --size 20x6 --until STATE --show --resize 200x8 --until COMMAND --show \
		--resize 43x3 --gone COMMAND --until grants --show --keys q -- tokstat -w "$FIFO"
	same 6 "$(shown 1 | wc -l)"
	[ "$(shown 1 | awk 'length > m {m = length} END {print m}')" -le 20 ]
	grep -qx '    1 out .* [0-9]* 日本語日本語日本 sh -c : <gate job 1' <(shown 2)
	same 3 "$(shown 3 | wc -l)"
}

@test "a terminal that is stopped by Ctrl-S gets the rest later, and keeps nobody from ending" {
	! portable || skip "the portable build cannot open its terminal anew, not to wait for it"
	pool -n 4
	watch() { # STEP...
		at_terminal --until free --keys '\x13' --run "$top/tests/scripts/looked.sh pid" \
			"$@" -- sh -c 'echo $$ >pid; exec tokstat -w "$FIFO"'
	}
	watch --keys '\x11' --until '4 free' --keys q
	run -1 grep alternate screen
	run -143 watch --kill TERM
}

@test "no sequence of a label or a command reaches the terminal, nor does a table have one" {
	need_proc
	pool -s $'a\e[31mb\302\233c\377' -n 1
	mkfifo gate
	tokget "$FIFO" sh -c ': <gate' $'\e]0;title\a\e[2J' 3>&- &
	until_true pool_out 1
	# The terminal knows no other sequences.
	at_terminal --raw raw --until COMMAND --show --keys q -- tokstat -w "$FIFO"
	grep -qF 'a [31mb\xc2\x9b' <(shown 1)
	grep -qF ': <gate  ]0;title  [2J' <(shown 1)
	tokstat "$FIFO" >table
	grep -qF 'a [31mb\xc2\x9bc\xff' table
	run -1 grep -q $'[\001-\010\013-\037]' table
}

@test "colours are for a terminal that has them, and for whom minds none" {
	pool -n 2
	at_terminal --colours --until COMMAND --show --keys q -- tokstat -w "$FIFO"
	grep -q '{reverse} SLOT' <(shown 1)
	NO_COLOR=1 at_terminal --colours --until COMMAND --show --keys q -- tokstat -w "$FIFO"
	run -1 grep -q '[{}]' <(shown 1)
	TERM=dumb at_terminal --colours --until 'slot 2' --kill TERM -- tokstat -w "$FIFO" || :
	grep -q '^2 tokens' screen
	run -1 grep -q '[{}]' screen
}

@test "the terminal is left as it was: q, Ctrl-C, TERM, HUP, the end of the dispenser" {
	pool -n 1
	at_terminal --until COMMAND --keys q -- tokstat -w "$FIFO"
	is '' screen # nor "[terminal is raw]", "[cursor off]", "[alternate screen]"
	run -130 at_terminal --until COMMAND --keys '\x03' -- tokstat -w "$FIFO"
	[ "$(cat screen)" = '^C' ] || [ "$(cat screen)" = '' ]
	run -143 at_terminal --until COMMAND --kill TERM -- tokstat -w "$FIFO"
	is '' screen
	run -129 at_terminal --until COMMAND --kill HUP -- tokstat -w "$FIFO"
	is '' screen
	run -123 at_terminal --until COMMAND --run "tokstop '$FIFO'" -- tokstat -w "$FIFO"
	same "tokstat: $FIFO: its tokend went away" "$(tr -d '\n' <screen)"
}

@test "other keys do nothing; a terminal whose input is closed or no terminal is drawn on, too" {
	! portable || skip "the portable build does not ask a terminal for its size"
	pool -n 30
	at_terminal --size 80x10 --until COMMAND --keys 'xQ' -- tokstat -w "$FIFO"
	at_terminal --size 80x10 --until COMMAND --keys 'abc\x1b[15~\x1b[Z\x1b\r\x04j' \
		--until 'rows 2 to' --keys q -- tokstat -w "$FIFO"
	run -143 at_terminal --until COMMAND --kill TERM -- \
		sh -c 'exec tokstat -w "$1" <&-' sh "$FIFO"
	run -143 at_terminal --until COMMAND --kill TERM -- \
		sh -c 'exec tokstat -w "$1" </dev/null' sh "$FIFO"
}

@test "Ctrl-Z stops it, and gives the terminal back; fg draws again" {
	pool -n 1
	at_terminal --until '#' --keys 'tokstat -w f\r' --until COMMAND --keys '\x1a' \
		--until Stopped --keys 'stty -a | grep -o " echo "; fg\r' \
		--until COMMAND --keys q --gone COMMAND --keys 'exit\r' \
		-- env PS1='#' bash --norc --noprofile -i
	grep -qx ' echo' screen
	run -1 grep -q '^\[.*\(raw\|off\|screen\)\]$' screen
}

@test "in the background it is not stopped, and leaves the terminal alone until it comes to the front" {
	pool -n 1
	at_terminal --until '#' --keys 'tokstat -w $FIFO & echo $! >pid\r' --until '[1]' \
		--run "$top/tests/scripts/looked.sh pid" \
		--keys 'jobs; fg\r' --until COMMAND --keys q --gone COMMAND --keys 'exit\r' \
		-- env PS1='#' bash --norc --noprofile -i
	grep -q 'Running .*tokstat -w' screen
}

@test "a dispenser that is stopped makes tokstat -w say so, and q quits all the same" {
	pool -n 1
	at_terminal --until COMMAND --run "kill -STOP $(cat "$FIFO.d/lock")" \
		--until 'does not answer' --keys q -- tokstat -w "$FIFO"
	kill -CONT "$(cat "$FIFO.d/lock")"
	stopped
}

@test "each frame is one write, from the top left corner, and clears nothing before" {
	need_strace
	pool -n 3
	at_terminal --raw raw --until COMMAND --resize 81x24 --keys q -- \
		strace -qq -o trace -e trace=write tokstat -w "$FIFO"
	frames=$(grep -c 'write([0-9]*, "\\33\[H' trace)
	[ "$frames" -ge 1 ]
	run -1 grep -q $'\e\\[2J' raw
}
