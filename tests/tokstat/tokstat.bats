load ../helper

# tokstat of a pool: a row for each command that has tokens or waits.

# row PATTERN -- a row of the table, without the blanks between
row() { tokstat "$FIFO" | tr -s ' ' | grep -x -- "$1" || { tokstat "$FIFO" >&2; return 1; }; }

@test "a row for each command, however many tokens it has, with what it was told to run" {
	pool -n 4
	mkfifo gate
	tokget -k 3 "$FIFO" sh -c ': <gate' 'a b' 3>&- & one=$!
	tokget -x "$FIFO" sh -c ': <gate' two 3>&- & two=$!
	until_true pool_says '4 0 4 0'
	tokget -k 2 -p 7 "$FIFO" echo three >/dev/null 3>&- & three=$!
	until_true waiting 1
	tokstat "$FIFO" >table
	same "$FIFO" "$(sed -n 1p table)"
	same '4 tokens, 4 out, 0 free, 1 waiting' "$(sed -n 2p table)"
	grep -q '^2 granted, waited .* on average, .* at most$' table
	grep -qx 'COMMAND  *STATE  TIME  TOKENS  PRIO  *PID' table
	same 7 "$(wc -l <table)"
	row "sh -c ': <gate' 'a b' runs [0-9]* s 3 $one"
	row "sh -c ': <gate' two runs [0-9]* s 1 $two"
	row "echo three waits [0-9]* s 2 7 $three"
	gate_opens $one $two $three
	tokstat "$FIFO" >table
	same 3 "$(wc -l <table)" # no row, no titles
	stopped
}

@test "labels stand in the row of who has them, and those that are free above the table" {
	pool -s gpu0 -s gpu1 -s gpu2 -s 'd e'
	mkfifo gate
	tokget -k 2 "$FIFO" sh -c ': <gate' 3>&- & one=$!
	until_true pool_says '4 2 2 0'
	row "sh -c ': <gate' runs [0-9]* s 2 gpu.,gpu. $one"
	tokstat "$FIFO" | grep -q 'at most; free: gpu2, d e$'
	tokput -n 0 "$FIFO"
	tokstat "$FIFO" | grep -qx 'paused, 2 out, 0 free, 0 waiting'
	tokput -n 4 "$FIFO"
	gate_opens $one
	stopped
}

@test "at a terminal the table is cut to the window, and to a pipe it is not" {
	need_python
	load ../helpers/display
	! portable || skip "the portable build does not ask a terminal for its size"
	pool -n 1
	mkfifo gate
	tokget "$FIFO" sh -c ': <gate' "$(printf '%0300d' 0)" "the end" 3>&- & one=$!
	until_true pool_says '1 0 1 0'
	row "sh -c ': <gate' 0* 'the end' runs .*"
	for size in 80 40 20; do
		at_terminal --size "${size}x24" --until COMMAND \
			--show --keys '\r' -- sh -c 'tokstat "$FIFO"; read -r key'
		[ "$(awk 'length > m {m = length} END {print m}' screen)" -le "$size" ]
		same 0 "$(sed '/^-$/q' screen | tail -n 2 | grep -c '^000')" # nothing is wrapped
	done
	# What a column leaves that has no room is for the command.
	at_terminal --size 40x24 --until COMMAND --show --keys '\r' -- \
		sh -c 'tokstat "$FIFO"; read -r key'
	grep -qx 'COMMAND  *STATE  *TIME' screen
	grep -qx "sh -c ': <gate' 0000.*  runs  .* s" screen
	same 40 "$(awk '/^sh/ {print length; exit}' screen)"
	gate_opens $one
}

@test "tokstat -w to a file shows what changes until it is ended, or the dispenser is" {
	pool -n 1
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 3 shown
	tokput -n 3 "$FIFO"
	until_true grep -q '^3 tokens' shown
	kill "$one"
	ends_with 143 "$one"
	rm shown # of this one
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 3 shown
	stopped
	ends_with 123 "$one"
	grep -q '^tokstat: .*: ' shown
}

@test "-o json is UTF-8 whatever labels and commands are, and tsv has a line for each" {
	need_python
	export LC_ALL=C.UTF-8
	long=$(printf '%0400d' 0 | sed 's/0/\xe2\x82\xac/g')
	pool -s $'bad \xff\xe2\x82 end' -s "${long:0:100}"
	mkfifo gate
	pids=
	for pad in '' x xx; do # a character of three bytes would be cut at each of them
		tokget -x "$FIFO" sh -c ': <gate' "$pad$long" $'\xe2\x82' 3>&- & pids="$pids $!"
	done
	until_true waiting 1
	tokstat -o json "$FIFO" >shown
	python3 -c 'import json
d = json.load(open("shown", encoding="utf-8"))
labels = [s["label"] for s in d["slots"]]
assert labels == ["bad \ufffd\ufffd\ufffd end", "\u20ac" * 100], labels
commands = [s["command"] for s in d["holders"] + d["waits"]]
assert len(commands) == 3 and all("gate" in c and "\u20ac" * 400 in c for c in commands), commands
assert [h["pid"] in map(int, "'"$pids"'".split()) for h in d["holders"]] == [True, True], d'
	tokstat -o tsv "$FIFO" | cut -f 1 | uniq -c | sed 's/^ *//' >shown
	is '1 pool,2 holder,2 slot,1 wait' shown
	tokstop "$FIFO" 3>&- & stop=$!
	open_gate gate
	for pid in $pids; do wait "$pid" || :; done
	ends_with 0 "$stop"
	close_gate
	nothing_left
}

@test "a command that is long is cut, between two characters, and asked for all the same" {
	need_python
	pool -n 1
	tokget "$FIFO" sh -c 'tokstat -o json "$FIFO" >shown' "$(printf '%09000d' 0 | sed 's/0/\xe2\x82\xac/g')"
	python3 -c 'import json
command = json.load(open("shown", "rb"))["holders"][0]["command"]
assert 100 < len(command) < 4000 and "\ufffd" not in command, len(command)'
	stopped
}

@test "a token that a process left behind holds is shown with that process, and as left" {
	need_proc
	pool -n 2
	tokget "$FIFO" sh -c '"$1" 1000 3>&- & echo $! >pid' sh "./sleeper" 3>&- # as sccache does
	daemon=$(cat pid)
	until_true row "./sleeper 1000 left [0-9]* s 1 $daemon"
	[[ "$(tokstat -o json "$FIFO")" == *"\"pid\":$daemon,"*'"command":"./sleeper 1000","left_behind":true'* ]]
	tokstat -o tsv "$FIFO" | grep -q "^holder	1	$daemon	.*	(left behind) ./sleeper 1000$"
	kill "$daemon"
	until_true pool_says '2 2 0 0'
}

@test "who has a lease of a shell, or of a dispenser that was killed, is found" {
	need_proc
	pool -n 2
	lease=$(tokget -l "$FIFO")
	"$here/sleeper" 1000 9>"$lease" 3>&- & shell=$!
	until_true row "$here/sleeper 1000 runs [0-9]* s 1 $shell"
	tokget "$FIFO" ./sleeper 2000 3>&- & one=$!
	until_true pool_says '2 0 2 0'
	restarted -n 2
	until_true row "tokget $FIFO ./sleeper 2000 runs [0-9]* s 1 $one"
	kill "$shell" "$one"
	until_true pool_says '2 2 0 0'
}

@test "-m and --record are refused with what to write instead" {
	run -125 tokstat -m f
	[[ "$output" == *'tokget FIFO make'* ]]
	run -125 tokstat --record log f
	[[ "$output" == *'tokend --joblog FILE'* ]]
}
