load ../helper

@test "tokput returns into the byte form's inlet, and finds it in \$FIFO" {
	dispenser -c -n 1
	tokput
	tokput "$FIFO"
	tokstop
	wait "$reader"
	[ "$(cat lines)" = CCC. ]
	nothing_left
}

@test "tokput returns a lease early" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	exec 9>"$FIFO.d/1"
	tokput "$FIFO.d/1"
	tokput "$FIFO.d/1"
	until_true grep -qx 'early 1 1_1' lines
	exec 9>&-
	until_true grep -q '^gone 1 ' lines
	tokstop
	nothing_left
}
