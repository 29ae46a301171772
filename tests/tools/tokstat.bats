load ../helper

@test "tokstat -w shows what changes until it is ended, or the dispenser is" {
	pool -n 1
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 2 shown
	tokput -n 3 "$FIFO"
	until_true grep -q '^3 tokens' shown
	kill "$one"
	ends_with 143 "$one"
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 2 shown
	stopped
	ends_with 123 "$one"
	grep -q '^tokstat: .*: ' shown
}
