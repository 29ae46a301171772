load ../helper

# The language of the inlet and of leases, and junk.

@test "a megabyte of junk on the inlet and on a lease costs nothing but one message" {
	dispenser -a -n 2
	until_true lines_in 3 lines
	head -c 1000000 /dev/urandom | tr -d '\n' >"$FIFO"
	exec 9>"$FIFO.d/1"
	head -c 1000000 /dev/urandom >&9
	job_ends 2
	until_true grep -qx '2 3' lines
	exec 9>&-
	until_true grep -qE '^1(_1)? [45]$' lines
	kill -0 "$tokend"
	same 1 "$(grep -c . errors)"
	printf 'junk@\n@en@stop now@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "requests are understood behind anything that stands unfinished before them" {
	dispenser -a -n 1
	until_true lines_in 2 lines
	printf '!!! @st' >"$FIFO"
	printf '%5000s' >"$FIFO"
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "hostile requests and names: tokend serves on, and touches nothing that is not its own" {
	pool -n 1
	echo precious >"$FIFO.d/../precious"
	ln -s ../precious "$FIFO.d/w/1"
	echo mine >"$FIFO.d/w/2"
	mkdir "$FIFO.d/w/3"
	mkfifo "$FIFO.d/w/4"
	for request in 'get' 'get 1' 'get 1 1 5 -' 'get 2 1 5 -' 'get 3 1 5 -' 'get 4 1 5 -' \
		'get ../precious 1 5 -' 'get . 1 5 -' 'get 1 0 5 -' 'get 1 -1 5 -' 'get 1 1 10 -' \
		'get 1 99999999999999 5 -' 'get 9_ 1 5 -' 'stat 1' 'stat 2' 'stat 3' \
		'stat ../precious' 'size 0' 'size x' 'drop nobody' 'end of it' 'nothing'; do
		printf '@%s\n' "$request" >"$FIFO"
	done
	printf '@get 5 1' >"$FIFO"
	head -c 100000 /dev/urandom | tr -d 'S@' >"$FIFO"
	awk 'BEGIN {for (; n < 20000; n++) print "@get 77 1 5 -"}' >"$FIFO"
	tokget "$FIFO" true
	until_true pool_says '1 1 0 0'
	is precious precious
	is mine "$FIFO.d/w/2"
	[ -L "$FIFO.d/w/1" ]
	[ -d "$FIFO.d/w/3" ]
	rm -r "$FIFO.d/w/1" "$FIFO.d/w/2" "$FIFO.d/w/3"
	stopped
}

@test "of a flood only a part is read at once, up to the end of a line" {
	awk 'BEGIN {for (; n < 30000; n++) print ":abcdefghijk"}' >flood
	run -0 words_test <flood
	[ "${#lines[@]}" -ge 3 ]
	same 30000 "$(printf '%s\n' "${lines[@]}" | awk '{n += $1} END {print n}')"
	[ "$(printf '%s\n' "${lines[@]}" | sort -n | tail -n 1)" -le 12000 ]
	[[ "$output" != *junk* ]]
}

@test "the cost of a line without an end is in proportion to its length" {
	printf '%01000000d' 0 | tr 0 : | words_test >out
	same junk "$(grep -v '^0$' out | sort -u)"
}
