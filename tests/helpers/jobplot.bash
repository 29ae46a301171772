# Logs for jobplot, and its output. Load after helper.

columns=$'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand'

# log_of LINE... -- the file "log": "SEQ HOST START SECONDS EXIT SIGNAL COMMAND", START from 0 on
log_of()
{
	local line seq host start seconds exit signal command
	echo "$columns"
	for line; do
		read -r seq host start seconds exit signal command <<<"$line"
		printf '%s\t%s\t17000%09.3f\t%s\t0\t0\t%s\t%s\t%s\n' "$seq" "$host" "$start" \
			"$seconds" "$exit" "$signal" "$command"
	done
} >log

# many JOBS SLOTS BAD -- the file "log"
many() { awk -v jobs="$1" -v slots="$2" -v bad="$3" -f "$top/tests/scripts/joblog.awk" >log; }

# drawn [LOG] -- the picture is log.svg, and its content is in the file "drawn"
drawn()
{
	jobplot -o log.svg "${1-log}"
	python3 "$top/tests/scripts/svg.py" log.svg >drawn
}

# five -- a log of five jobs; one fails and one is killed
five()
{
	log_of '1 1 0 4 0 0 first' '2 2 0 10 3 0 second one' '3 1 4 2 0 9 third' \
		'4 1 8 12 0 0 fourth' '5 2 10 1 0 0 fifth'
}
