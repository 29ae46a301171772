load ../helper

# tokstat: the commands that run, and those that wait.

@test "as JSON, who waits is told with its pid and its command" {
	pool -n 1
	tokget --unwatched "$FIFO"
	tokget "$FIFO" true 3>&- &
	until_true waiting 1
	tokstat -o json "$FIFO" >json
	grep -q "\"runner\":$!\b" json
	tokput "$FIFO"
	ends_with 0 "$!"
	stopped
}
