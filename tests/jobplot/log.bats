load ../helper
load ../helpers/jobplot

# jobplot: files that are no log, or not a whole one; and output that it cannot write.

# refused MESSAGE ARG... -- jobplot writes that message and no picture
refused()
{
	run -125 --separate-stderr jobplot "${@:2}"
	same '' "$output"
	[[ "$stderr" == "jobplot: "$1 ]] || { echo "$stderr" >&2; false; }
}

@test "what is no log is refused, and so is one without a job" {
	: >empty
	refused 'empty: empty: jobctl --joblog FILE writes a log of jobs' empty
	echo "$columns" >header
	refused 'header: no job in it: *' header
	echo 'hello world' >text
	refused 'text: not a log of jobs, such as jobctl --joblog FILE writes; line 1: 1 of the 9 columns *' text
	head -c 20000 /bin/sh >binary
	refused 'binary: not a log of jobs, *' binary
	mkdir directory
	refused 'directory: Is a directory' directory
	refused 'missing: No such file or directory' missing
	refused 'standard input: empty: *' - </dev/null
	printf '%s\n1\t1\t1\t1\t0\t0\t0\t0\tx' "$columns" >half
	refused 'warning: half: line 2 has no end: *'$'\n''jobplot: half: no job in it: *' half
	head -c 17000000 /dev/zero >long
	refused 'long: not a log of jobs: a line is over 16 MB' long
}

@test "a half-written last line is left out, with a warning" {
	log_of '1 1 0 4 0 0 first' '2 1 4 1 0 0 second'
	printf '3\t1\t17000' >>log
	run -0 --separate-stderr jobplot -t log
	same 'jobplot: warning: log: line 4 has no end: it was being written, and is left out' "$stderr"
	same '2 jobs: 2 ok' "${lines[0]}"
}

@test "other lines that are no jobs are left out, with a warning and status 1" {
	log_of '1 1 0 4 0 0 first' '2 1 4 -1 0 0 x' '3 1 4 nan 0 0 x' '-4 1 4 1 0 0 x' \
		'5 1 4 1e99 0 0 x' '6 1 4 1 zero 0 x' '7 1 4 1 0 -1 x' '8 1 4 0x10 0 0 x'
	printf '9\t1\t-5\t1\t0\t0\t0\t0\tx\n10\t1\t1e30\t1\t0\t0\t0\t0\tx\n\n{"seq":1}\n' >>log
	head -c 100 /dev/zero >>log
	printf '\n%s\n11\t1\t1700000002,5\t1,250\t0\t0\t0\t0\tx\n' "$columns" >>log
	run -1 --separate-stderr jobplot -t log
	same "jobplot: warning: log: 12 of 16 lines are no jobs, and are left out; line 3: JobRuntime '-1' is no number from 0 to 10000000000" "$stderr"
	same '2 jobs: 2 ok' "${lines[0]}"
	[[ "${lines[1]}" == *'in 4 s; job times add up to 5.2 s' ]]
}

@test "lines in any order, numbers that come again, huge times: all are counted" {
	log_of '2 1 4 1 0 0 b' '1 1 0 4 1 0 a' '1 1 5 9999999999 0 0 a' '99999999 2 5 1 0 0 c'
	run -0 jobplot -t log
	same '4 jobs: 3 ok, 1 failed' "${lines[0]}"
	[[ "${lines[1]}" == 'from 2023-11-14 '*' on, in 115740 d 17; job times add up to '* ]]
	run -0 jobplot -T log
	jobplot log >log.svg
	for n in 1 2 3 4 5 6 7 8 9; do cat log; done | run -0 jobplot
}

@test "columns may be padded, lines may end as on Windows, and no job may have had a slot" {
	printf '%s\r\n 1 \t 1\t 1700000000 \t 2 \t0\t0\t 3 \t 0 \tx\r\n' "$columns" >log
	run -0 jobplot -t log
	same '      1        2 s  exit 3    x' "${lines[5]}"
	log_of '1 - 0 0 127 0 x' '2 - 1 0 127 0 y' '3 - 2 0 126 0 z'
	run -0 jobplot -t log
	same '3 jobs: 3 failed' "${lines[0]}"
	[[ "${lines[2]}" == 'tail: 0 ms '* ]]
	run -0 jobplot log
	[[ "$output" == *'>not begun<'* ]]
}

@test "a byte order mark, two headers, none, and decimal commas are taken; blanks for tabs are not" {
	log_of '1 1 0 4 0 0 first' '2 1 4 1.5 0 0 second'
	jobplot -t log >wanted
	sed 's/$/\r/; 1s/^/\xef\xbb\xbf/' log | jobplot -t | cmp - wanted
	sed 1d log | jobplot -t | cmp - wanted
	sed '2,$s/[.]/,/g' log | jobplot -t | cmp - wanted
	{ sed '$d' log; sed 2d log; } | jobplot -t | cmp - wanted
	sed 's/\t/ /g' log >blanks
	refused 'blanks: not a log of jobs, *; line 1: 1 of the 9 columns of a job, which have tabs between them' blanks
	sed 's/$/\r/; 1s/^/\xef\xbb\xbf/' log | jobplot --json >json
	grep -q '"command":"first"}$' json
}

@test "--json prints the log as JSON, an object for each line" {
	need_python
	printf 'true # \t"\\ \033[1m\0exit 3 # \377\0kill $$ # it'\''s\0printf 12345\n\0' >list
	run -2 jobctl -0 --quiet -k -j 1 --label $'a"\\\e\xff\u00fc' --joblog log <list
	jobplot --json log >json
	python3 - <<-'END' >seen
	import json
	for line in open("json", encoding="utf-8", newline="\n"):
	    o = json.loads(line)
	    assert list(o) == ["seq", "host", "start", "seconds", "send", "receive", "exit", "signal", "command"]
	    assert type(o["start"]) is float and o["start"] > 1e9 and type(o["seconds"]) is float
	    print(o["seq"], ascii(o["host"]), o["send"], o["receive"], o["exit"], o["signal"], ascii(o["command"]))
	END
	host="'a\"\\\\\\x1b\\ufffd\\xfc'"
	diff - seen <<-END
	1 $host 0 0 0 0 'true # \\t"\\\\ \\x1b[1m'
	2 $host 0 0 3 0 'exit 3 # \\ufffd'
	3 $host 0 0 0 15 "kill \$\$ # it's"
	4 $host 0 5 0 0 'printf 12345\\\\n'
	END
	is "$(sed 1d log | cut -f 3 | paste -s -d ,)" <(grep -o '"start":[0-9.]*' json | cut -d : -f 2)
	printf '3\t1\tx\t1\t0\t0\t0\t0\tx\n' >>log
	run -1 --separate-stderr jobplot -J log
	same 4 "${#lines[@]}"
}

@test "a reader that is slow gets all, though the pipe does not block" {
	need_python
	many 5000 50 0
	jobplot log >wanted
	python3 - <<-'END' | cmp - wanted
	import fcntl, os, select, subprocess, sys
	read, write = os.pipe()
	fcntl.fcntl(write, fcntl.F_SETFL, os.O_NONBLOCK)
	job = subprocess.Popen(["jobplot", "log"], stdout=write)
	while select.select([], [write], [], 0)[1]: # until it is full
	    pass
	os.close(write)
	while block := os.read(read, 65536):
	    sys.stdout.buffer.write(block)
	sys.exit(job.wait())
	END
}

@test "a log is read from standard input, a pipe or a FIFO, and two logs as one" {
	log_of '1 1 0 4 0 0 first'
	jobplot log >wanted
	jobplot <log | cmp - wanted
	jobplot -o - log | cmp - wanted
	cat log | jobplot - | cmp - wanted
	mkfifo pipe
	cat log >pipe 3>&- &
	jobplot pipe | cmp - wanted
	cat log log | jobplot -t | grep -q '^2 jobs'
}

@test "wrong use: what to write instead" {
	log_of '1 1 0 4 0 0 first'
	refused 'more than one LOG; *cat LOG... | jobplot*' log log
	refused 'options stand before LOG*' log -t
	refused '--json, --text or --trace: only one of them*' -t -T log
	refused 'the name of LOG is empty*' ''
	refused "-o '': not a path*" -o '' log
	refused '-x: no such option*' -x
	pool -n 1
	refused "$FIFO: a pool, and no list or log: tokstat shows it" "$FIFO"
	refused "$FIFO: a pool: name another file" -o "$FIFO" log
	stopped
	script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1) that makes a terminal"
	run script -qec 'jobplot -t' /dev/null </dev/null
	[[ "$output" == 'jobplot: which LOG? Name one that jobctl --joblog FILE has written'* ]]
	run script -qec 'jobplot log' /dev/null </dev/null
	[[ "$output" == 'jobplot: this is not for a terminal: add -o FILE, or --text'* ]]
	run script -qec 'jobplot -T log' /dev/null </dev/null
	[[ "$output" == 'jobplot: this is not for a terminal: '* ]]
	run script -qec 'jobplot -t log' /dev/null </dev/null
	[[ "$output" == '1 job: 1 ok'* ]]
}

@test "output that fails is told, and the log itself is never written over" {
	many 300 2 0
	cp log before
	refused 'standard output: No space left on device' log >/dev/full || :
	run -125 bash -c 'jobplot log 2>&1 >/dev/full'
	same 'jobplot: standard output: No space left on device' "$output"
	run -125 bash -c 'jobplot -T -o /dev/full log 2>&1'
	same 'jobplot: /dev/full: No space left on device' "$output"
	run -125 bash -c 'jobplot log 2>&1 >&-'
	[[ "$output" == 'jobplot: standard output: '* ]]
	refused 'missing/x: No such file or directory' -o missing/x log
	ln log other
	refused 'other: this is the log itself: name another file' -o other log
	run -125 bash -c 'jobplot log 2>&1 >>log'
	cmp log before
	echo old >old
	refused 'empty: empty: *' -o old empty || refused '*' -o old missing
	same old "$(cat old)"
	seq 100000 >old
	jobplot -o old log
	jobplot log | cmp - old
}
