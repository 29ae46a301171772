load ../helper

# tokend: its options, and its needs from its caller.

@test "tokend refuses what is no count, in one line" {
	for n in 0 -x abc 1x '' 1000001 99999999999999999999 0%; do
		refused 1 -a -n "$n" "$FIFO"
	done
	for words in '-j 8' '-j 8 f' '8'; do # as of jobctl -j 8, or with no FIFO
		run -125 tokend -b $words
		[[ "$output" == *'the number of tokens is -n'* ]]
	done
	[ ! -e 8 ]
}

@test "-u of a pool that is not there, and labels from a pool, are refused" {
	run -125 tokend -b -u none "$FIFO"
	same 'tokend: -u none: no tokend runs there' "$output"
	pool -n 1
	run -125 tokend -b -f "$FIFO" other
	same "tokend: $FIFO: a pool, and no list of labels" "$output"
	stopped
}

@test "tokend needs exactly one FIFO and one form" {
	for wrong in '-a' "-a -r $FIFO" "-a $FIFO more"; do
		refused 4 $wrong
		[[ "$output" == *$'tells more\nusage: tokend '* ]]
	done
	refused 1 -a -z "$FIFO"
	run -0 tokend -h
	[[ "$output" == usage:* ]]
	run -0 tokend -V
}

@test "tokend refuses more tokens than it may have descriptors, and few are enough for few" {
	run -125 fresh bash -c 'ulimit -n 16; tokend -a -n 8 "$FIFO"'
	same 1 "${#lines[@]}"
	no_files
	run -0 fresh bash -c 'ulimit -n 20; . jobctl.sh; job() { :; }; jobctrl 4 | process 20'
	no_files
}

@test "standard descriptors that are closed do not end up in the dispenser's files" {
	run -125 bash -c 'tokend -a "$FIFO" >&-'
	no_files
	tokend -a -n 1 "$FIFO" <&- 2>&- 3>&- | {
		read -r line
		echo "$line" >first
		printf '!@end\n' >"$FIFO"
		cat >/dev/null
	}
	is 'ready 1' first
	nothing_left
}

@test "tokend -f reads labels, -m opens the pool to a group, -b says what failed" {
	printf 'one\n\ntwo\n' >list
	pool -f list -m 660
	same 620 "$(stat -c %a "$FIFO")"
	same '2710 3730 ' "$(stat -c %a "$FIFO.d" "$FIFO.d/w" | tr '\n' ' ')"
	run -0 tokget "$FIFO" sh -c 'echo $JOBCTL_LABEL'
	same one "$output"
	run -123 tokend -b -m 660 "$FIFO"
	[[ "$output" == *'is running there'* ]]
	stopped
	for bad in '-m 888' '-m 1000' '-m 066' '-m x' '-x 0' '-x x' '-f missing'; do
		refused 1 $bad "$FIFO"
	done
	for bad in '-a -b' '-a -x 3'; do refused 4 $bad "$FIFO"; done
}

@test "tokend -b keeps nothing of its caller's open" {
	mkfifo pipe
	cat pipe >out 3>&- & reader=$!
	tokend -b -n 1 "$FIFO" 7>pipe 9>pipe >pipe 2>pipe 3>&-
	ends_with 0 "$reader"
	stopped
}

@test "-x counts from the end of a job, however long it was" {
	# tokget may be slower than that
	until pool -x 1 -n 1; tokget "$FIFO" sh -c '"$here/sleeper" 1.1; now >end'; do
		until_true no_files
	done
	until_true no_files
	[ "$(now)" -ge "$(($(cat end) + 1000000))" ]
	nothing_left
}

@test "options that do not go with a pace, and what is no time" {
	for options in '-c -i 1' '-c -d 1' '-r -i 1' '-r -a -d 1' '-j -i 1' '-J 2 -d 1' \
		'-i x' '-d -1' '-i 1e3'; do
		run -125 tokend $options "$FIFO"
		[ ! -e "$FIFO" ]
	done
	run -125 jobctl --slot-delay x true
	run -125 dash -c '. jobctl.sh; jobctl_open --slot-delay x 1'
	run -125 dash -c '. jobctl.sh; jobctl_open --slot-delay'
}
