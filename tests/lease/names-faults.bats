load ../helper

# Names in the directory of a dispenser, while system calls fail.

@test "a client's FIFO that cannot be opened for a moment is tried again" {
	need_strace
	pool -n 1
	for error in EACCES EINTR; do
		rm -f attached
		tokend=$(cat "$FIFO.d/lock")
		strace -qq -o attached -p "$tokend" -e trace='?open,?openat' \
			-e inject="?open,?openat:error=$error:when=1..2" 3>&- &
		tracer=$!
		until_true grep -q 'TracerPid:.*[1-9]' "/proc/$tokend/status"
		tokget -t 60 "$FIFO" true
		same 2 "$(grep -c INJECTED attached)"
		kill "$tracer"
		wait "$tracer" || :
	done
	until_true pool_says '1 1 0 0'
	stopped
}
