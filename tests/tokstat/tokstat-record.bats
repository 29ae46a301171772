load ../helper

# tokstat --record: who held which slot when.

# recording FILE WHAT -- from now on; sets $recorder
recording()
{
	tokstat --record "$1" "$2" 2>said 3>&- & recorder=$!
	until_true lines_in "${3-1}" "$1"
}

@test "--record writes a line for each holding, in the columns of a log, and what is held at the end" {
	need_proc
	pool -s gpu0 -s $'gpu\t1'
	mkfifo gate gate2
	recording log "$FIFO"
	for i in 1 2; do
		tokget "$FIFO" sh -c ': <gate' $'job\n'"$i" 3>&- & jobs="${jobs-} $!"
	done
	until_true pool_says '2 0 2 0'
	looked_again "$recorder"
	open_gate gate
	wait $jobs
	until_true lines_in 3 log
	close_gate
	tokget "$FIFO" sh -c ': <gate2' held 3>&- & job=$!
	until_true pool_says '2 1 1 0'
	looked_again "$recorder"
	kill -TERM "$recorder"
	ends_with 0 "$recorder"
	[ "$(head -n 1 log | tr '\t' ' ')" = \
		'Seq Host Starttime JobRuntime Send Receive Exitval Signal Command' ]
	same 0 "$(awk -F '\t' 'NF != 9' log | wc -l)"
	[ "$(sed 1d log | cut -f 1,5-8 | paste -sd /)" = \
		$'1\t0\t0\t0\t0/2\t0\t0\t0\t0/3\t0\t0\t0\t0' ]
	sed 1d log | cut -f 2,9 | sort >holdings
	is $'gpu 1\tsh -c : <gate job 2,gpu0\tsh -c : <gate job 1,gpu0\tsh -c : <gate2 held' holdings ||
		is $'gpu 1\tsh -c : <gate job 1,gpu0\tsh -c : <gate job 2,gpu0\tsh -c : <gate2 held' holdings
	grep -q '^tokstat: 3 holdings written; 0 grants were too short to be seen$' said
	open_gate gate2
	wait "$job"
}

past_ms() { [ "${EPOCHREALTIME//[.,]/}" -gt "${1}000" ]; }

@test "the start of a holding is exact, also when it began before; its time grows until the end" {
	pool -n 1
	mkfifo gate
	before=$(date +%s%3N)
	tokget "$FIFO" sh -c ': <gate' 3>&- & job=$!
	until_true pool_says '1 0 1 0'
	after=$(date +%s%3N)
	until_true past_ms $((after + 1000))
	looking=$(date +%s%3N)
	recording log "$FIFO"
	looked_again "$recorder"
	late=$(($(date +%s%3N) - looking)) # at most, between what it saw and its look at the clock
	kill -INT "$recorder"
	kill -TERM "$recorder"
	ends_with 0 "$recorder"
	start=$(sed 1d log | cut -f 3 | tr -d .)
	[ "$start" -ge $((before - 20)) ] # the clocks are two
	[ "$start" -le $((after + late + 20)) ]
	open_gate gate
	wait "$job"
}

@test "--record ends with the dispenser, and counts what was too short to be seen" {
	pool -n 1
	recording log "$FIFO"
	looked_again "$recorder"
	kill -STOP "$recorder"
	until_true state T "$recorder"
	for i in 1 2 3; do tokget "$FIFO" true; done
	kill -CONT "$recorder"
	looked_again "$recorder"
	tokstop "$FIFO"
	ends_with 0 "$recorder"
	grep -q '^tokstat: 0 holdings written; 3 grants were too short to be seen$' said
	same 1 "$(wc -l <log)"
}

@test "--record FILE.json writes objects; a batch is recorded as well" {
	mkfifo gate
	jobctl -j 2 sh -c ': <gate' job ::: 1 2 3>&- & batch=$!
	running() { [ "$(tokstat -o tsv "$batch" 2>/dev/null | grep -c ^run)" -eq 2 ]; }
	until_true running
	recording log.json "$batch" 0
	looked_again "$recorder"
	open_gate gate
	ends_with 0 "$recorder"
	wait "$batch"
	same 2 "$(grep -c '^{"seq":[12],"host":"[12]","start":[0-9.]*,"seconds":[0-9.]*,"send":0,"receive":0,"exit":0,"signal":0,"command":"sh -c .*gate.* [12]"}$' log.json)"
}

@test "--record refuses another machine, other options, a log that is in use, and nothing to record" {
	pool -n 1
	run -125 tokstat --record log "far:$FIFO"
	run -125 tokstat --record log -w "$FIFO"
	run -125 tokstat --record log -o tsv "$FIFO"
	run -125 env -u FIFO tokstat --record log
	run -125 tokstat --record '' "$FIFO"
	run -125 tokstat --record "$here" "$FIFO"
	[ ! -e log ]
	recording log "$FIFO"
	run -125 tokstat --record log "$FIFO"
	[[ "$output" == *"process $recorder writes this log now"* ]]
	kill "$recorder"
	ends_with 0 "$recorder"
}
