load ../helper
load ../helpers/jobctl
load ../helpers/log

# jobctl --joblog FILE.json.

names='seq host start seconds send receive exit signal command'

@test "an object on each line, whatever bytes commands and labels have" {
	need_python
	printf 'true # \t"\\ \033[1m\0exit 3 # \377\0kill $$ # it'\''s\0true \177\303\274\n\0' >list
	for end in json jsonl ndjson; do
		run -2 jobctl -0 --quiet -j 1 --label $'a"\\\e\xff\u00fc' --joblog "log.$end" <list
		members "log.$end" >seen
		label=$(printf 'a"\\\033\357\277\275\303\274')
		cat >wanted <<S
1 $label 0 0 0 0 b'true # \\t"\\\\ \\x1b[1m' $names
2 $label 0 0 3 0 b'exit 3 # \\xff' $names command_hex
3 $label 0 0 0 15 b"kill \$\$ # it's" $names
4 $label 0 0 0 0 b'true \\x7f\\xc3\\xbc\\\\n' $names
S
		cmp wanted seen
	done
	printf 12345 >five
	jobctl -k -j 1 --joblog log.json cat {} -- ::: five
	run -0 cat log.json
	[[ "$output" =~ ^'{"seq":1,"host":"1","start":'[0-9]{10,}\.[0-9]{3},'"seconds":'[0-9]+\.[0-9]{3},\
'"send":0,"receive":5,"exit":0,"signal":0,"command":"cat five --"}'$ ]]
}

@test "only a name that ends so, as written, has objects; --dry-run writes neither" {
	mkdir dir.json
	for log in log.json x.tab.json .json a.jsonl a.ndjson; do
		jobctl --dry-run --joblog "$log" true {} ::: 1
		[ ! -e "$log" ]
		jobctl --joblog "$log" true {} ::: 1
		[[ "$(cat "$log")" == '{"seq":1,'* ]]
	done
	for log in log.JSON json log.json.txt dir.json/log log.json~; do
		jobctl --joblog "$log" true {} ::: 1
		[[ "$(cat "$log")" == $'Seq\tHost\t'* ]]
	done
	for log in dir.json dir.json/ none/log.json; do
		run -125 jobctl --joblog "$log" touch ran ::: 1
		[[ "$output" == "jobctl: --joblog $log: "*' directory' ]]
	done
	[ ! -e ran ]
}

@test "a log of objects is written anew, but no other file; nothing resumes from one" {
	for begins in '' '{' '{"seq"' '{"seq":1,"ho' '{"seq":1,"host":"-"}\n{}\n'; do
		printf "$begins" >log.json
		run -0 jobctl --joblog log.json echo ::: 1
		same 1 "$(wc -l <log.json)"
	done
	jobctl --joblog tabs true ::: 1
	cp tabs columns.json
	cp log.json objects
	echo '' >empty-line.json
	printf '{"precious":1}' >package.json
	for log in columns.json objects empty-line.json package.json; do
		cp "$log" before
		run -125 jobctl --joblog "$log" touch ran ::: 1
		same "jobctl: --joblog $log: not a log of jobs, and left as it is; name another file" \
			"$output"
		cmp before "$log"
	done
	cp log.json before
	for how in '--resume touch ran' '--resume-failed --dry-run true'; do
		run -125 jobctl --joblog log.json $how </dev/null
		same "jobctl: --joblog log.json: objects of JSON are not read again: name a log with \
columns, such as jobs.log" "$output"
		cmp before log.json
	done
	[ ! -e ran ]
}

@test "a file that begins as a log of objects does, but is none, is left as it is" {
	for text in '{"seq":1,"notes":"mine"}' '{"seq":' '{'; do
		echo "$text" >log.json
		run -125 jobctl --joblog log.json echo ::: 1
		same "$text" "$(cat log.json)"
	done
}

@test "a log of objects is locked, synced and watched as any other" {
	mkfifo gate
	echo ': >began; : <gate' >list
	begun --joblog log.json
	until_true test -e began
	run -125 jobctl --joblog log.json true ::: 1
	[[ "$output" == *'writes this log now'* ]]
	[ ! -s log.json ]
	gate_opens "$batch"
	same 1 "$(wc -l <log.json)"
	run -125 jobctl -c -j 1 --joblog log.json 'rm log.json; : {}' <<<1
	[[ "$output" == 'jobctl: --joblog log.json: it was removed, renamed or cut while jobs ran'* ]]
	run -125 bash -c 'jobctl --joblog log.json true ::: 1 >>log.json'
	same 'jobctl: --joblog log.json: is standard output or error, too: name another log' "$output"
	need_strace
	echo 'echo one' >list
	strace -y -qq -o trace -e trace=write,fsync jobctl --group --sync -j 1 --joblog log.json \
		-a list >out 2>err
	sed -n 's/(.*<[^>]*\//(/; s/>.*//p' trace >steps
	is 'write(out,fsync(out,fsync(err,write(log.json,fsync(log.json' steps
}
