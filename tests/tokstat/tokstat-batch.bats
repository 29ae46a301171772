# bats file_tags=waits
load ../helper

# tokstat of batches, of leftovers of a process, and of all that this user has.

# batch_of N -- jobctl with that many jobs, which wait for the gate; sets $batch
batch_of()
{
	mkfifo gate
	jobctl -j 2 sh -c ': <gate; exit "$1"' $'a\tjob\\n' ::: $(seq 0 $(($1 - 1))) >out 2>&1 3>&- &
	batch=$!
	until_true runs 2 "$batch"
}
# runs N WHAT -- N jobs run
runs() { [ "$(tokstat -o tsv "$2" 2>/dev/null | grep -c '^run')" -eq "$1" ]; }

@test "tokstat PID shows a batch of jobctl: by its pid, and by that of the shell that has it" {
	batch_of 5
	tokstat "$batch" >table
	grep -q "^jobctl -j 2 sh -c " table
	grep -q '^\(0 of 5\|0\) done, 0 failed, 2 running in 2 slots$' table
	grep -q " elapsed, 0.0 jobs/s; list $batch$" table
	grep -qx 'COMMAND  *TIME  JOB  SLOT  *PID' table
	same 2 "$(grep -c '^sh -c .*gate.* [01]  *[0-9]* s  *[12]  *[12]  *[0-9]*$' table)"
	same $'batch\t'"$batch"$'\tlist' "$(tokstat -o tsv $$ | cut -f 1-3 | head -n 1)"
	same 2 "$(tokstat -o tsv "$batch" | grep -c '^run	[12]	[0-9]*	[0-9.]*	[12]	1		sh -c')"
	open_gate gate
	wait "$batch" || : # the count of those that failed
	run -123 tokstat "$batch"
	[[ "$output" == *"no batch of process $batch: "* ]]
}

@test "a batch of jobctl.sh is shown by script, dispenser, path and directory, with what its jobs run" {
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
jobctl_open -j 2
for i in 1 2 3; do jobctl_run sh -c ': <gate' "job $i"; done
jobctl_close
S
	dash ./script 3>&- & script=$!
	until_true runs 2 "$script"
	path=$(tokstat -o tsv "$script" | head -n 1 | cut -f 4)
	tokend=$(tokstat -o tsv "$script" | head -n 1 | cut -f 2)
	for what in "$tokend" "$path" "$path.d" "${path%/fifo}"; do
		[ "$(tokstat -o tsv "$what" | head -n 1 | cut -f 2-4)" = \
			"$tokend"$'\tbatch\t'"$path" ]
	done
	mkdir other
	cp "$path.d/lock" other # of another one, whose pid it may be now
	run -125 tokstat other
	[[ "$output" == 'tokstat: other: is a directory: '* ]]
	if ! portable; then
		tokstat "$script" >table
		grep -q "^sh -c ': <gate' 'job 1'  *[0-9]* s  *1  *1  *[0-9]*$" table
		grep -qx 'dash ./script' table
	fi
	gate_opens "$script"
}

@test "when the batch ends while it is watched, tokstat says how it stood, and status is 0" {
	batch_of 4
	tokstat -w "$batch" >shown 2>said 3>&- & watch=$!
	tokstat -w -o json "$batch" >objects 2>&1 3>&- & other=$!
	until_true test -s shown -a -s objects
	gate_opens "$watch" "$other"
	grep -q "^tokstat: the batch of process $batch has ended; when last seen: .* failed, .* running" said
	wait "$batch" || :
}

@test "a batch is drawn at a terminal" {
	need_python
	batch_of 6
	timeout 100 "$top/tests/helpers/screen.py" --until COMMAND --show --run 'exec 7>gate
		while tokstat -o tsv '"$batch"' >/dev/null 2>&1; do ./sleeper 0.05; done' -- \
		tokstat -w "$batch" >screen 3>&-
	sed '/^-$/q' screen >first
	grep -q "^jobctl" first
	grep -q '^COMMAND  *TIME' first
	grep -q "^tokstat: the batch of process $batch has ended" screen
}

@test "tokstat alone lists batches and dispensers, and is not held up by one that is stopped" {
	run -0 env -u FIFO tokstat
	same 'no batch and no pool of this user' "$output"
	same '{"entries":[]}' "$(env -u FIFO tokstat -o json)"
	pool -n 3
	tokend -b -n 1 "$here/other" 3>&-
	batch_of 5
	kill -STOP "$(cat "$here/other.d/lock")"
	listed() # in time: a dispenser has half a second to answer
	{
		env -u FIFO tokstat >table
		grep -q "^$FIFO  *pool  *0  *3  *[0-9]*$" table
	}
	until_true listed
	grep -q "^$here/other  *pool  *[0-9]*$" table # no figures
	grep -q "^jobctl -j 2 sh -c .*  list  *2  *2  *0 .* $batch$" table
	listed()
	{
		env -u FIFO tokstat -o tsv | cut -f 1,3,5 | sort >tsv
		is $'entry\tlist\t2,entry\tpool\t-,entry\tpool\t3' tsv
	}
	until_true listed
	kill -CONT "$(cat "$here/other.d/lock")"
	tokstop "$here/other"
	if command -v python3 >/dev/null; then
		timeout 100 env -u FIFO "$top/tests/helpers/screen.py" --until 'PID' \
			--show --keys q -- tokstat -w >screen 3>&-
		grep -q '^COMMAND  *KIND' screen
	fi
	open_gate gate
	wait "$batch" || :
}

@test "tokstat is refused what is nothing that it can show" {
	pool -n 1
	run -125 tokstat ''
	[[ "$output" == *'an empty name'* ]]
	run -125 tokstat "$FIFO" "$FIFO"
	run -125 tokstat "$here"
	[[ "$output" == *"$here: is a directory"* ]]
	run -125 tokstat /etc/passwd
	run -125 tokstat -o yaml "$FIFO"
	run -123 tokstat 2147483646
	[[ "$output" == *'no batch of process 2147483646: '* ]]
	run -123 tokstat nothing
	mkdir work && cd work
	tokend -b -n 7 "$PWD/2147483646" 3>&- # a FIFO of that name comes first
	tokstat 2147483646 | grep -q '^7 tokens'
	same $'pool\t1' "$(tokstat -o tsv "$FIFO.d" | cut -f 1-2 | head -n 1)"
	[ "$(tokstat -o tsv "$(cat "$FIFO.d/lock")" | cut -f 1-2 | head -n 1)" = $'pool\t1' ]
}

@test "-o json is JSON whatever bytes there are, an object on each line" {
	need_python
	batch_of 3
	pool -s $'\xff\t"\\' -s $'\xc2\x9b\x7f'
	tokget "$FIFO" sh -c ': <gate' $'\xe2\x82' 3>&- & job=$!
	until_true pool_says '2 1 1 0'
	{ tokstat -o json "$FIFO"; tokstat -o json "$batch"; env -u FIFO tokstat -o json; } >objects
	tokstat -w -o json "$FIFO" >watched 3>&- & watch=$!
	until_true lines_in 2 watched
	kill "$watch"
	head -n 2 watched >>objects
	python3 -c 'import json
lines = open("objects", "rb").read().decode("utf-8").splitlines()
assert len(lines) == 5, lines
pool, batch, all = [json.loads(line) for line in lines[:3]]
assert pool["slots"][0]["label"] == "\ufffd\t\"\\", pool
assert "gate" in pool["holders"][0]["command"], pool
assert batch["running"] == 2 and len(batch["runs"]) == 2, batch
assert "a\tjob\\n" in batch["runs"][0]["command"], batch
assert [e["kind"] for e in all["entries"]].count("pool") == 1, all'
	open_gate gate
	wait "$batch" "$job" || :
}
