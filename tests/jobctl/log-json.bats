load ../helper
load ../helpers/jobctl
load ../helpers/log

# jobctl --joblog FILE.json, and resuming from it.

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

@test "names of all kinds, each of which stands for itself alone, in a log of objects, too" {
	names=('a b' $'a\nb' 'a\nb' "it's" '' '$x' ü '\' $'a\tb' '"' $'\e' $'\x7f' '\xff' '\u00ff' \
		$'\xff' $'\xfe' $'\xff\xff' $'\uFFFD' $'\xc3' $'\xed\xa0\x80' $'\U1F600')
	for how in 'true --' '-c true' 'sh -c : sh {} {/}'; do
		eval "each_alone log.json $how"
	done
}

@test "a log of objects: what failed or is new is run; a torn last line is none, and may be the first" {
	cat >job <<'S'
echo "$1"
[ -e good ] || case $1 in 2) exit 1 ;; 3) kill -KILL $$ ;; esac
S
	seq 4 >list
	run -2 jobctl --quiet -j 1 --joblog log.json sh job <list
	run -2 jobctl --quiet -j 1 --joblog log.json --resume sh job <<<$'5\n4\n3\n2\n1\n2\n3'
	same '5 2 3' "${lines[*]}"
	: >good
	run -0 jobctl -j 1 --resume-failed --joblog log.json sh job <list
	same '2 3' "${lines[*]}"
	for cut in 1 3 60; do
		truncate -s -"$cut" log.json # whoever wrote it was killed
		run -0 jobctl -j 1 --resume-failed --joblog log.json sh job <list
		same 3 "$output"
	done
	for begins in '' '{' '{"seq"' '{"seq":1,"ho'; do
		for resume in '' --resume; do
			printf %s "$begins" >log.json
			run -0 jobctl $resume --joblog log.json sh job <<<1
			same 1 "$output"
			same 1 "$(wc -l <log.json)"
		done
	done
}

@test "what is no log of objects is refused and left alone: columns, other objects, half of one" {
	jobctl --joblog tabs true ::: 1
	jobctl --joblog objects.json true ::: 1
	cp tabs columns.json
	head -n 1 tabs >header.json
	cp objects.json objects
	whole='"seq":1,"exit":0,"signal":0,"command":"true 1"'
	i=0
	while read -r line; do
		i=$((i + 1))
		echo "$line" >"bad.$i.json"
		{ cat objects.json; echo "$line"; cat objects.json; } >"worse.$i.json"
	done <<S
{"seq":1,"exit":0,"signal":0}
{"exit":0,"signal":0,"command":"true 1"}
{"seq":1,"signal":0,"command":"true 1"}
{"seq":1,"exit":0,"command":"true 1"}
{"seq":"1","exit":0,"signal":0,"command":"true 1"}
{"seq":0,"exit":0,"signal":0,"command":"true 1"}
{"seq":1,"exit":"0","signal":0,"command":"true 1"}
{"seq":1,"exit":0,"signal":null,"command":"true 1"}
{$whole,"command_hex":"7"}
{$whole,"command_hex":"7g"}
{$whole,"command_hex":7}
{$whole,"more":[1]}
{$whole
[{$whole}]
{$whole}{$whole}
{}
junk
S
	echo '' >empty-line.json
	printf '{"precious":1}' >package.json
	printf '{"seq":1}\n{' >short.json
	same 17 "$i"
	for log in *.json objects; do
		[ "$log" != objects.json ] || continue
		cp "$log" before
		for how in '' --resume-failed '--resume --dry-run'; do
			run -125 jobctl $how --joblog "$log" touch ran ::: 1
			same "jobctl: --joblog $log: not a log of jobs, and left as it is; name another \
file" "$output"
			cmp before "$log"
		done
	done
	[ ! -e ran ]
}

@test "members in another order, further ones and other spellings are read; null is no command" {
	cat >log.json <<'S'
 { "command" : "true '\u00fc\ud83d\ude00'" , "signal" : 0 , "new" : null, "exit" : 0 , "seq" : 07 }
S
	run -125 jobctl --resume --joblog log.json true ::: 1
	cat >log.json <<'S'
 { "command" : "true '\u00fc\ud83d\ude00'" , "signal" : 0 , "new" : null, "exit" : 0 , "seq" : 7 } 
{"seq":8,"exit":0,"signal":0,"command_hex":"7472756520FF","command":"true \ufffd","more":true}
{"seq":9,"exit":0,"signal":0,"command":null}
{"seq":9,"exit":0,"signal":0,"command":"true null","exit":1}
S
	jobctl -j 1 --results d --resume-failed --joblog log.json true \
		::: null $'\u00fc\U1F600' $'\xff' $'\ufffd'
	run -0 tail -n +5 log.json
	[[ "${lines[0]}" == '{"seq":10,'*'"true null"}' ]]
	[[ "${lines[1]}" == '{"seq":13,'*$'"true \'\ufffd\'"}' ]]
	same 2 "${#lines[@]}"
}

@test "a command of 100 kB, and one too long for a line that can be read again" {
	need_python
	head -c 100000 /dev/zero | tr '\0' '\377' >long
	head -c 100000 /dev/zero | tr '\0' '\1' >control
	for file in long control; do
		jobctl -0 --joblog log.json true <"$file"
		same 1 "$(members log.json | wc -l)"
		cp log.json before
		jobctl -0 --resume --joblog log.json true <"$file"
		cmp before log.json
	done
	head -c 2900000 /dev/zero | tr '\0' '\1' >far
	run -1 jobctl --quiet -0 --joblog log.json true <far
	[[ "$(cat log.json)" == *'"exit":126,"signal":0,"command":null}' ]]
	run -1 jobctl --quiet -0 --joblog log.json --resume true <far
	same 2 "$(wc -l <log.json)"
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
	jobctl --resume-failed --joblog log.json <list # would wait, were the job run again
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
