load ../helper

# jobend: the last word of a job that is a program.

@test "what the command ended with is said in the lease, and is the status; a failure has its command" {
	run -125 jobend -n 0 echo ran 9>word
	[[ "$output" != ran ]]
	run -0 jobend true 9>word
	is '=0' word
	run -3 jobend sh -c 'exit "$1"' 'a b' 3 9>word
	is "=3 sh -c 'exit \"\$1\"' 'a b' 3" word
	run -137 jobend sh -c 'kill -9 $$' 9>word
	is "=137 sh -c 'kill -9 \$\$'" word
}

@test "its program dies of SIGPIPE as any other" {
	run -0 jobend sh -c 'yes | head -n 1' 9>word
	same y "$output"
}

@test "-u: whether a pipe holds something that nobody has read, once that is known" {
	echo x | jobend -u
	mkfifo gate
	{ : <gate; echo x; } | jobend -u 3>&- & late=$!
	until_true state S "$late"
	: >gate
	ends_with 0 "$late"
	run -1 jobend -u < <(:)
	{ read -r _ && run -1 jobend -u; } < <(echo x)
	python3 - <<'P'
import socket, subprocess
one, other = socket.socketpair()
one.send(b"x")
one.close()
assert subprocess.call(["jobend", "-u"], stdin=other) == 0
other.recv(1)
assert subprocess.call(["jobend", "-u"], stdin=other) == 1
P
	run -125 jobend -u true
	[[ "$output" == 'jobend: these options take no command'* ]]
}

@test "a command that is not there, or cannot be run: 127, 126, a message, and a word" {
	need_native
	run -127 jobend ./nothing 9>word
	same 'jobend: ./nothing: No such file or directory' "$output"
	is '=127 ./nothing' word
	mkdir directory
	run -126 jobend ./directory 9>word
	is '=126 ./directory' word
	run -125 jobend
}

@test "a long command is shown in part; a closed lease, or one without a reader, harms nobody" {
	run -1 jobend sh -c 'exit 1' "$(printf '%09999d' 1)" 9>word
	is "=1 sh -c 'exit 1' ..." word
	run -4 jobend sh -c 'exit 4' 9>&-
	same '' "$output"
	run -4 jobend sh -c 'exit 4' 9> >(:)
	same '' "$output"
}

@test "the lease is open as long as jobend is, though its program has closed it" {
	dispenser -a -B who=tokend -n 1
	until_true lines_in 2 lines
	jobend sh -c 'exec 9>&-; exec "$1" 100' sh "$here/sleeper" 9>"$FIFO.d/1" 3>&- & job=$!
	until_true signal_ours 0 sleeper
	calls w 'y 1'
	until_true grep -qx 'sync 1' lines
	run -1 grep ^all lines
	signal_ours TERM sleeper
	ends_with 143 "$job"
	until_true grep -qx 'all 1 1 1 1 1' lines
	grep -q "job 1: killed by signal 15: sh -c " errors
	calls q
	ends_with 0 "$tokend"
}

@test "-n: who may not be nicer is told, and so is who writes no number" {
	run -125 jobend -n x
	same 'jobend: -n x: not a number from -40 to 40' "$output"
	need_strace
	run -125 strace -qq -o /dev/null -e inject=setpriority:error=EACCES jobend -n -5
	same 'jobend: -n -5: Permission denied' "$output"
}

@test "-s: standard output and error are these files, or others" {
	: >out >err
	one=$(stat -L -c '%d %i' out) two=$(stat -L -c '%d %i' err)
	names=$(printf '%x.%x,%x.%x' $one $two)
	run -0 sh -c 'jobend -s "$1" >>out 2>>err' sh "$names"
	run -1 sh -c 'jobend -s "$1" 2>>err' sh "$names"
	run -3 sh -c 'jobend -s "$1" >>out 2>/dev/null' sh "$names"
	run -6 sh -c 'jobend -s "$1" >>out 2>&1' sh "$names"
	run -8 sh -c 'jobend -s "$1" >>err 2>>out' sh "$names"
	run -4 jobend -s "$names"
	run -4 jobend -s ''
	run -125 jobend -s "$names" true
}

@test "-w: a line comes, or none does: tokend has gone, the name has, or who has started jobend" {
	local again=$FIFO.d/7.again
	run -123 jobend -w "$again"
	run -123 jobend -w "$PWD/7.again"
	pool -n 1
	mkfifo "$again"
	jobend -w "$again" >out 3>&- & job=$!
	echo '3 2' >"$again"
	ends_with 0 "$job"
	is '3 2' out
	jobend -w "$again" 3>&- & job=$!
	: >"$again" # it has opened it
	rm "$again"
	ends_with 123 "$job"
	mkfifo "$again"
	sh -c 'jobend -w "$1" & echo "$!" >job; : >"$1"' sh "$again" 3>&-
	until_true ended "$(<job)"
	jobend -w "$again" 3>&- & job=$!
	: >"$again"
	signal_ours KILL tokend
	ends_with 123 "$job"
}
