load ../helper

@test "an answer has a pool first, and once" { units_test survey; }

@test "tokstat -w shows what changes until it is ended, or the dispenser is" {
	pool -n 1
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 2 shown
	tokput -n 3 "$FIFO"
	until_true grep -q '^3 tokens' shown
	kill "$one"
	ends_with 143 "$one"
	rm shown # of this one
	tokstat -w "$FIFO" >shown 2>&1 3>&- & one=$!
	until_true lines_in 2 shown
	stopped
	ends_with 123 "$one"
	grep -q '^tokstat: .*: ' shown
}

@test "tokstat -o json is UTF-8 whatever labels and commands are, and JSON cuts none" {
	need_python
	need_native # ps shows the emulator
	export LC_ALL=C.UTF-8
	FIFO=f # short: it is a part of the commands that wait
	long=$(printf '%040d' 0 | sed 's/0/\xe2\x82\xac/g')
	pool -s $'bad \xff\xe2\x82 end' -s "$long"
	mkfifo gate
	pids=
	for pad in '' x xx; do # a character of three bytes would be cut at each of them
		tokget -x "$FIFO" sh -c ': <gate' "$pad$long" \
			"$(printf '%03000d' 7)" 3>&- & pids="$pids $!"
	done
	until_true waiting 1
	tokstat -o json "$FIFO" >shown
	python3 -c 'import json, sys
d = json.load(open("shown", encoding="utf-8"))
labels = [s["label"] for s in d["slots"]]
assert labels == ["bad \ufffd\ufffd\ufffd end", "\u20ac" * 40], labels
commands = [s["command"] for s in d["slots"] + d["waits"]]
assert len(commands) == 3 and all(c.endswith("0007") for c in commands), commands
assert all("\u20ac" in c and "\ufffd" not in c for c in commands), commands'
	tokstat -o tsv "$FIFO" >shown
	python3 -c 'lines = open("shown", encoding="utf-8", errors="surrogateescape").read().splitlines()
commands = [line.split("\t")[-1] for line in lines if "gate" in line]
assert len(commands) == 3 and all(77 <= len(c.encode()) <= 79 for c in commands), commands'
	tokstop "$FIFO" 3>&- & stop=$!
	open_gate gate
	for pid in $pids; do wait "$pid" || :; done
	ends_with 0 "$stop"
	close_gate
	nothing_left
}

@test "-m keeps what MAKEFLAGS has, but for another jobserver; twice gives the same" {
	pool -j -n 3
	auth=--jobserver-auth=fifo:$FIFO.d/jobserver
	for old in k ' -j9 -k' ' --jobserver-fds=3,4 --jobserver-auth=3,4 -k'; do
		run -0 --separate-stderr env MAKEFLAGS="$old" tokstat -m "$FIFO"
		[[ "$output" == *"$auth"* && "$output" == *k* && "$output" != *[34],* ]]
	done
	export MAKEFLAGS=" -- A=it's B=c\\ d"
	once=$(tokstat -m "$FIFO")
	eval "$once"
	same " -j3 $auth -- A=it's B=c\\ d" "$MAKEFLAGS"
	same "$once" "$(tokstat -m "$FIFO")"
	unset MAKEFLAGS
	stopped
}

@test "-m warns where the make on PATH would die of a path, and of no other" {
	pool -j -n 3
	mkdir tools
	a_make() { printf '#!/bin/sh\n%s\n' "$1" >tools/make && chmod +x tools/make; }
	for version in 'GNU Make 4.3' 'GNU Make 3.82'; do
		a_make "[ -z \"\$MAKEFLAGS\" ] && echo '$version'"
		run -0 --separate-stderr env PATH="$here/tools:$PATH" MAKEFLAGS=k tokstat -m "$FIFO"
		[[ "$output" == MAKEFLAGS=*jobserver* ]]
		same 1 "${#stderr_lines[@]}"
		[[ "$stderr" == *"warning: the make on PATH, $version, "*"tokget $FIFO make"* ]]
	done
	for answer in 'echo GNU Make 4.4' 'echo GNU Make 5.0' 'echo bmake' 'exit 1'; do
		a_make "$answer"
		run -0 --separate-stderr env PATH="$here/tools:$PATH" tokstat -m "$FIFO"
		[ -z "$stderr" ]
	done
	stopped
}
