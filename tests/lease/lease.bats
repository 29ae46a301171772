load ../helper

# The FIFO of a lease, and processes that open it late.

@test "a name of a lease has no leading zeros, no sign, and numbers of 31 bits" { units_test lease; }

@test "a lease that is opened too late, and so is a plain file, is in nobody's way" {
	pool -n 2
	for slot in 1 2; do exec 9>"$FIFO.d/$slot"; done
	exec 9>&-
	tokget -k 2 "$FIFO" true
	exec 9>"$FIFO.d/1"
	exec 9>&-
	stopped
}

@test "who opens a lease while its token comes home does not wait for ever" {
	need_strace
	strace -f -qq -o trace -e trace=unlinkat -e inject=unlinkat:delay_enter=300000 \
		tokend -b -n 2 "$FIFO" 3>&- &
	tracer=$!
	until_true is_inlet "$FIFO"
	pid=$(cat "$FIFO.d/lock")
	closed() { [ -z "$(find "/proc/$pid/fd" -lname "$FIFO.d/1*")" ]; }
	tokget -k 2 "$FIFO" true
	until_true closed
	timeout 60 sh -c 'exec 9>"$FIFO.d/1"'
	stopped
	wait "$tracer"
}
