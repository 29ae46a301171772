load ../helper

# A dispenser for programs in which a system call fails.

@test "an answer that cannot be written: the request is refused, and nothing was given" {
	need_strace
	# Its writes: the word that it is ready; the answer, tried three times.
	strace -f -qq -o /dev/null -e inject=write:error=EAGAIN:when=2..4 \
		sh -c 'tokend -b -n 2 "$FIFO"; mkdir ready' 3>&- &
	until_true [ -d ready ]
	tokget "$FIFO" true 3>&- &
	ends_with 125 "$!"
	until_true pool_says '2 2 0 0'
	tokget -k 2 "$FIFO" true
	stopped
}

@test "a client whose FIFO cannot be opened for a moment is tried again" {
	need_strace
	pool -n 1
	for times in ENFILE:9 ENOMEM:9 EACCES:2 EINTR:2; do
		rm -f attached
		tokend=$(cat "$FIFO.d/lock")
		strace -qq -o attached -p "$tokend" -e trace='?open,?openat' \
			-e inject="?open,?openat:error=${times%:*}:when=1..${times#*:}" 3>&- & tracer=$!
		until_true traced "$tokend"
		tokget -t 60 "$FIFO" true
		same "${times#*:}" "$(grep -c INJECTED attached)"
		kill "$tracer"
		wait "$tracer" || :
	done
	all_home 1
}
