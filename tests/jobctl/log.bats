load ../helper
load ../helpers/jobctl

# jobctl --joblog and --resume-failed.

columns=$'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand'

@test "--joblog: the columns of GNU parallel's --joblog" {
	printf '%s\n' 'printf 12345' 'exit 3' 'kill -KILL $$' 'echo "a	tab"' >list
	run -2 jobctl --quiet --group -j 1 --label h --joblog log <list
	same "$columns" "$(head -n 1 log)"
	[ "$(tail -n +2 log | cut -f 1,2,5-)" = $'1\th\t0\t5\t0\t0\tprintf 12345
2\th\t0\t0\t3\t0\texit 3
3\th\t0\t0\t0\t9\tkill -KILL $$
4\th\t0\t6\t0\t0\techo "a\ttab"' ]
	run -1 grep -vE $'^(Seq|[1-4]\th\t[0-9]{10,}\.[0-9]{3}\t[0-9]+\.[0-9]{3}\t)' log
	printf 'it'\''s\nnew\0a b\0' >list
	jobctl -0 -j 1 --joblog log true {} -- <list # emptied first
	cat >commands <<'S'
true 'it'\''s'$'\n''new' --
true 'a b' --
S
	tail -n +2 log | cut -f 9 | cmp - commands
	same '1 1 ' "$(tail -n +2 log | cut -f 2 | tr '\n' ' ')"
}

@test "--resume-failed: runs what failed or is new, not what succeeded; a torn last line is none" {
	cat >job <<'S'
echo "$1"
[ -e good ] || case $1 in 2) exit 1 ;; 3) kill -KILL $$ ;; esac
S
	seq 4 >list
	run -2 jobctl --quiet -j 1 --joblog log sh job <list
	same 4 "${#lines[@]}"
	: >good; echo 5 >>list
	run -0 jobctl -j 1 --resume-failed --joblog log sh job <list
	same '2 3 5' "${lines[*]}"
	same 'Seq:Exitval 1:0 2:1 3:0 4:0 2:0 3:0 5:0 ' "$(cut -f 1,7 log | tr '\t\n' ': ')"
	truncate -s -3 log # whoever wrote it was killed
	run -0 jobctl --resume-failed --joblog log sh job <list
	same 5 "$output"
	same '3 5 ' "$(tail -n 2 log | cut -f 1 | tr '\n' ' ')"
}

@test "--resume-failed with {%}: the slot may be another one" {
	printf 'a\nb\n' >list
	run -1 jobctl --quiet -j 2 --joblog log sh -c 'test "$2" = a' sh {%} {} <list
	run -1 jobctl --resume-failed --joblog log -j 1 sh -c 'test "$2" = a' sh {%} {} <list
	[[ "$output" == *'1 done before'* ]]
}

@test "a job that waits for its next try when the batch stops has its line, whatever the output" {
	for mode in --line-buffer -k -u; do
		rm -f one
		run -1 jobctl "$mode" -j2 --retries 5,1 --halt soon,success=1 --joblog log -c '
			[ {} = 2 ] || { echo $$ >one; exit 1; }
			until [ -s one ] && ! kill -0 $(cat one) 2>/dev/null; do :; done' ::: 1 2
		same '1 2' "$(cut -f 1 log | tail -n +2 | sort | xargs)"
	done
}

@test "a log that is to be standard output is refused: - is no file's name by habit" {
	for log in --joblog --resume; do
		run -125 jobctl --joblog - "$log" $([ "$log" = --resume ] || echo -) true ::: 1
		same 'jobctl: --joblog -: a log cannot be standard output: name a file' "$output"
	done
	[ ! -e - ]
}

@test "a file that is no log is refused and left alone" {
	seq 2 >list
	printf 'precious\n' >file; cp file before
	mkdir d
	for log in file d /dev/full missing/log; do
		for resume in '' --resume-failed; do
			run -125 jobctl $resume --joblog "$log" sh -c 'echo never >>ran' <list
			same 1 "${#lines[@]}"
			[[ "$output" == "jobctl: --joblog $log: "* ]]
		done
	done
	cmp file before
	[ ! -e ran ]
	run -125 jobctl --resume-failed echo <list
}

@test "a log is a table: a name of JSON is refused, with what prints a log as JSON" {
	for log in log.json a.jsonl d/a.ndjson; do
		run -125 jobctl --joblog "$log" touch ran ::: 1
		same "jobctl: --joblog $log: the log is a table; jobplot --json LOG prints it as JSON" \
			"$output"
	done
	[ ! -e ran ]
	for log in log.JSON json log.json.txt; do
		jobctl --joblog "$log" true {} ::: 1
		same "$columns" "$(head -n 1 "$log")"
	done
}

@test "a log that another jobctl writes is refused, with its process, and nothing is run" {
	mkfifo gate
	echo ': <gate' >list
	begun --joblog log
	until_true test -s log
	for resume in '' --resume-failed; do
		run -125 jobctl $resume --joblog log touch ran {} <list
		[ "$output" = "jobctl: --joblog log: process $batch writes this log now: wait until it has \
ended, or name another log" ]
	done
	same "$columns" "$(cat log)"
	[ ! -e ran ]
	same "echo ': <gate'" "$(jobctl --dry-run --joblog log echo <list)"
	gate_opens "$batch"
	jobctl --resume-failed --joblog log <list # would wait, were the job run again
	is 'Seq,1' <(cut -f 1 log)
}

@test "where a file cannot be locked, that is said, and its log is written all the same" {
	need_strace
	seq 2 >list
	strace -qq -o trace -e trace='?fcntl,?fcntl64' jobctl -a list --joblog log true </dev/null 3>&-
	for error in ENOLCK EOPNOTSUPP EINVAL; do
		failing "?fcntl,?fcntl64:error=$error:when=$(grep -n -m 1 'F_SETLK[^W]' trace | cut -d : -f 1)" \
			jobctl -a list --joblog log true 2>errors
		[[ "$(cat errors)" == 'jobctl: warning: log cannot be locked, '*': '* ]]
		lines_in 3 log
	done
}

@test "a log that cannot be written ends the batch" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	mkdir tmp; seq 1000 >list
	run -125 unshare -m sh -c 'mount -t tmpfs -o size=4k none tmp &&
		exec jobctl --joblog tmp/log true' <list
	[[ "${lines[0]}" == 'jobctl: --joblog tmp/log: '* ]]
	[[ "$output" == *'nothing after job'* ]]
}

@test "jobctl takes memory for the lines of a log, not for the numbers in it" {
	most='awk "/VmHWM/ {print \$2}" /proc/$PPID/status'
	for id in 1 99999999; do
		echo "$columns" >log
		printf '%d\t1\t0.0\t0.0\t0\t0\t1\t0\tx\n' "$id" >>log
		echo "$most" >list
		[ "$id" -ne 1 ] || sed -i '2d' log
		jobctl --quiet --resume-failed --joblog log -a list >"most.$id"
	done
	[ "$(cat most.99999999)" -lt $(($(cat most.1) * 2)) ]
}

@test "--sync: first the output is on disk, then the line is written, then that is on disk" {
	need_strace
	echo 'echo one' >list
	for mode in --group -k --tag '' '--results d'; do
		strace -y -qq -o trace -e trace=write,fsync jobctl $mode --sync -j 1 --joblog log \
			-a list >out 2>err
		sed -n 's/(.*<[^>]*\//(/; s/>.*//p' trace >steps
		case $mode in
		--results*) wanted='fsync(1.out,fsync(1.err,fsync(d' ;;
		*) wanted='fsync(out,fsync(err' ;;
		esac
		case $mode in --group | -k | --tag) wanted="write(out,$wanted" ;; esac
		is "write(log,fsync(log,$wanted,write(log,fsync(log" steps
	done
	jobctl --group --sync -j 1 --joblog log -a list | grep -qx one # a pipe
	is Seq,1 <(cut -f 1 log)
	run -125 jobctl --sync -a list
	same 'jobctl: --sync: needs --joblog FILE' "$output"
}

@test "--sync: output that does not come to disk is not logged, and ends the batch" {
	need_strace
	seq 2 >list
	for mode in --group '' '--results d'; do
		for n in 2 3 4; do # the first is for the head of the log
			status=0
			failing fsync:error=EIO:when=$n jobctl $mode --sync --quiet -j 1 --joblog log -a list \
				true >out 2>err || status=$?
			same 125 "$status"
			[[ "$(cat err)" == 'jobctl: '@(output|--joblog log)': I'*'error' ]]
			[ "$mode$n" = --group4 ] || [ "$mode$n" = 4 ] || [ "$(grep -c . log)" -eq 1 ]
		done
		failing fsync:error=EINTR:when=2 jobctl $mode --sync -j 1 --joblog log -a list true
		same 3 "$(grep -c . log)"
	done
}

@test "a log that is removed, renamed or cut while jobs run: that is said, and the status is 125" {
	for harm in 'rm log' 'mv log elsewhere' ': >log' 'rm log; cp /dev/null log'; do
		rm -f log
		run -125 jobctl -c -j 1 --joblog log "$harm; : {}" <<<1
		[[ "$output" == 'jobctl: --joblog log: it was removed, renamed or cut while jobs ran'* ]]
	done
}

@test "a log that is standard output or error, too, is refused, and left as it was" {
	seq 2 >list
	jobctl --joblog log -a list true
	cp log before
	for to in '>>log' '2>>log' '>>log 2>&1'; do
		eval "run -125 bash -c 'jobctl --resume-failed --joblog log -a list true $to'"
		grep -v '^jobctl: --joblog log: is standard output or error, too' log | cmp - before
		cp before log
	done
}

@test "a job that cannot be begun has a line, too: 126 or 127, without a slot" {
	run -1 jobctl -q -k --label a --joblog log {} ::: true "$here/nowhere"
	same $'1\ta\t0\t0\ttrue\n2\t-\t127\t0\t'"$here/nowhere" "$(tail -n +2 log | sort | cut -f 1,2,7-)"
	{ head -c 200000 /dev/zero | tr '\0' x; echo; } >list
	run -1 jobctl --quiet --joblog log -a list true
	same $'1\t-\t0.000\t0\t0\t126\t0' "$(tail -n +2 log | cut -f 1,2,4-8)"
	run -1 jobctl --quiet --joblog log --resume-failed -a list true
	same 3 "$(wc -l <log)"
	run -0 jobctl --quiet --joblog log --resume -a list true
	same 3 "$(wc -l <log)"
}
