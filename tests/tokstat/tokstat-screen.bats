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

@test "the table fills the window, and the last line names the key, and says if there is no room for all" {
	pool -n 40
	held 30
	at_terminal --until 'q quit' --show --keys q -- tokstat -w "$FIFO"
	same 24 "$(shown 1 | wc -l)"
	same "$FIFO" "$(shown 1 | sed -n 1p)"
	same '40 tokens, 30 out, 10 free, 0 waiting' "$(shown 1 | sed -n 2p)"
	grep -qx -- '30 granted, waited .* on average, .* at most' <(shown 1 | sed -n 3p)
	grep -qx 'COMMAND  *STATE  *TIME  *TOKENS  *PID' <(shown 1 | sed -n 4p)
	same 19 "$(shown 1 | grep -c "^sh -c ': <gate' 'job [0-9]*'  *runs ")"
	same 'q quit  there are more' "$(shown 1 | tail -n 1)"
}

@test "a window that changes is drawn anew: 40x10, 200x50, few rows" {
	! portable || skip "the portable build does not ask a terminal for its size"
	pool -s 日本語日本語日本語日本語 -s b
	held 1
	at_terminal --size 40x10 --until STATE --show --resize 200x50 --until LABEL --show \
		--resize 43x3 --gone COMMAND --until 'q quit' --show --keys q -- tokstat -w "$FIFO"
	same 10 "$(shown 1 | wc -l)"
	[ "$(shown 1 | awk 'length > m {m = length} END {print m}')" -le 40 ]
	grep -q "^sh -c ': <gate' 'job 1'  runs .* 日本語日本語日本語日本語 " <(shown 2)
	same 'q quit' "$(shown 2 | tail -n 1)"
	same 3 "$(shown 3 | wc -l)"
	same 'q quit  there are more' "$(shown 3 | tail -n 1)"
}

@test "rows that do not fit are counted where that is known, and figures are cut between words" {
	! portable || skip "the portable build does not ask a terminal for its size"
	pool -n 1
	held 1
	for _ in $(seq 20); do tokget "$FIFO" true 3>&- & done
	until_true waiting 20
	at_terminal --size 40x10 --until 'q quit' --show --keys q -- tokstat -w "$FIFO"
	grep -qx '1 granted, .*[^a]' <(shown 1 | sed -n 3p)
	grep -qx '.*at most' <(shown 1 | sed -n 4p)
	same 'q quit  there are 17 more' "$(shown 1 | tail -n 1)"
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
	at_terminal --size 120x24 --raw raw --until COMMAND --show --keys q -- tokstat -w "$FIFO"
	grep -qF 'a [31mb\xc2\x9bc\xff' <(shown 1)
	grep -qF "': <gate' ' ]0;title  [2J'" <(shown 1)
	tokstat "$FIFO" >table
	grep -qF 'a [31mb\xc2\x9bc\xff' table
	run -1 grep -q $'[\001-\010\013-\037]' table
}

@test "colours are for a terminal that has them, and for whom minds none" {
	pool -n 1
	held 1
	tokget "$FIFO" true 3>&- &
	until_true waiting 1
	at_terminal --colours --until COMMAND --show --keys q -- tokstat -w "$FIFO"
	grep -q '{bold}COMMAND{}' <(shown 1)
	grep -q '{green}runs{}' <(shown 1)
	grep -q '{magenta}waits{}' <(shown 1)
	grep -q '{reverse}q quit{}' <(shown 1)
	NO_COLOR=1 at_terminal --colours --until COMMAND --show --keys q -- tokstat -w "$FIFO"
	run -1 grep -q '[{}]' <(shown 1)
	TERM=dumb at_terminal --colours --until COMMAND --kill TERM -- tokstat -w "$FIFO" || :
	grep -q '^1 token, ' screen
	run -1 grep -q '[{}]' screen
}

@test "the terminal is left as it was: q, Ctrl-C, TERM, HUP, the end of the dispenser" {
	pool -n 1
	at_terminal --until 'q quit' --keys q -- tokstat -w "$FIFO"
	is '' screen # nor "[terminal is raw]", "[cursor off]", "[alternate screen]"
	run -130 at_terminal --until 'q quit' --keys '\x03' -- tokstat -w "$FIFO"
	[ "$(cat screen)" = '^C' ] || [ "$(cat screen)" = '' ]
	run -143 at_terminal --until 'q quit' --kill TERM -- tokstat -w "$FIFO"
	is '' screen
	run -129 at_terminal --until 'q quit' --kill HUP -- tokstat -w "$FIFO"
	is '' screen
	run -123 at_terminal --until 'q quit' --run "tokstop '$FIFO'" -- tokstat -w "$FIFO"
	same "tokstat: $FIFO: no tokend runs there" "$(tr -d '\n' <screen)"
}

@test "other keys do nothing; a terminal whose input is closed or no terminal is drawn on, too" {
	pool -n 3
	at_terminal --size 80x10 --until 'q quit' --keys 'xQ' -- tokstat -w "$FIFO"
	at_terminal --size 80x10 --until 'q quit' --keys 'abc\x1b[15~\x1b[Z\x1b\r\x04j' \
		--run "tokput -n 4 '$FIFO'" --until '4 tokens' --keys q -- tokstat -w "$FIFO"
	run -143 at_terminal --until 'q quit' --kill TERM -- \
		sh -c 'exec tokstat -w "$1" <&-' sh "$FIFO"
	run -143 at_terminal --until 'q quit' --kill TERM -- \
		sh -c 'exec tokstat -w "$1" </dev/null' sh "$FIFO"
}

@test "Ctrl-Z stops it, and gives the terminal back; fg draws again" {
	pool -n 1
	at_terminal --until '#' --keys 'tokstat -w f\r' --until 'q quit' --keys '\x1a' \
		--until Stopped --keys 'stty -a | grep -o " echo "; fg\r' \
		--until 'q quit' --keys q --gone 'q quit' --keys 'exit\r' \
		-- env PS1='#' bash --norc --noprofile -i
	grep -qx ' echo' screen
	run -1 grep -q '^\[.*\(raw\|off\|screen\)\]$' screen
}

@test "in the background it is not stopped, and leaves the terminal alone until it comes to the front" {
	pool -n 1
	at_terminal --until '#' --keys 'tokstat -w $FIFO & echo $! >pid\r' --until '[1]' \
		--run "$top/tests/scripts/looked.sh pid" \
		--keys 'jobs; fg\r' --until 'q quit' --keys q --gone 'q quit' --keys 'exit\r' \
		-- env PS1='#' bash --norc --noprofile -i
	grep -q 'Running .*tokstat -w' screen
}

@test "a dispenser that is stopped makes tokstat -w say so, and q quits all the same" {
	pool -n 1
	at_terminal --until 'q quit' --run "kill -STOP $(cat "$FIFO.d/lock")" \
		--until 'does not answer' --keys q -- tokstat -w "$FIFO"
	kill -CONT "$(cat "$FIFO.d/lock")"
	stopped
}

@test "each frame is one write, from the top left corner, and clears nothing before" {
	need_strace
	pool -n 3
	at_terminal --raw raw --until 'q quit' --resize 81x24 --keys q -- \
		strace -qq -o trace -e trace=write tokstat -w "$FIFO"
	frames=$(grep -c 'write([0-9]*, "\\33\[H' trace)
	[ "$frames" -ge 1 ]
	run -1 grep -q $'\e\\[2J' raw
}
