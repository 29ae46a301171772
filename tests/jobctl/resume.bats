load ../helper
load ../helpers/jobctl

# jobctl --resume-failed and --resume: what was run counts, not its place in the list.

# ran LINES -- the jobs of $list that run now, in their order, beside those the log has
ran()
{
	: >now
	run -0 jobctl -j 1 --joblog log "${resume---resume-failed}" sh job <list
	[ "$(tr '\n' ' ' <now)" = "$1" ] || { cat now log >&2; false; }
}

# Fails in the presence of a file that is called as its argument.
setup_job()
{
	echo 'echo "$1" >>now; [ ! -e "bad.$1" ]' >job
}

@test "a list that has shrunk, grown or changed its order: what is not done is run, nothing else" {
	setup_job
	seq 1 5 >list; ran '1 2 3 4 5 '
	seq 3 7 >list; ran '6 7 '
	printf '%s\n' 8 7 1 9 3 >list; ran '8 9 '
	seq 9 >list; ran '' # numbers are of several commands by now
	seq 10 | sort -r >list; ran '10 '
}

@test "what failed is run again, wherever it stands then; --resume leaves it out, too" {
	setup_job
	seq 4 >list
	touch bad.2 bad.3
	run -2 jobctl --quiet -j 1 --joblog log sh job <list
	rm bad.2
	printf '%s\n' 5 4 3 2 >list
	resume=--resume ran '5 '
	: >now
	run -1 jobctl --quiet -j 1 --joblog log --resume-failed sh job <list
	is 3,2 now
	rm bad.3
	seq 6 >list; ran '3 6 '
	ran ''
}

@test "a command that is in the list twice is done when it was done twice" {
	setup_job
	printf '%s\n' a b >list; ran 'a b '
	printf '%s\n' b a b >list; ran 'b '
	printf '%s\n' a a b b >list; ran 'a '
	touch bad.a; echo a >>list
	run -1 jobctl --quiet -j 1 --joblog log --resume-failed sh job <list
	rm bad.a
	resume=--resume ran ''
	ran 'a '
	ran ''
	echo a >>list
	resume=--resume ran 'a '
}

@test "a job that was tried again counts once for --resume" {
	setup_job
	touch bad.a
	echo a >list
	for i in 1 2 3; do
		run -1 jobctl --quiet --joblog log --resume-failed sh job <list
	done
	rm bad.a
	echo a >>list
	resume=--resume ran 'a '
}

@test "names of all kinds, each of which stands for itself alone" {
	names=('a b' 'a  b' $'a\nb' 'a\nb' "it's" "'" '' ' ' '$x' '*' ü '\' $'a\tb' -n '"a  b"' \
		'"a b"' '"' 'a"b')
	for how in 'true --' '-c true' '-c true\ --\ \"{}\"' 'sh -c : sh {} {/}'; do
		eval "each_alone $how"
	done
}

@test "a log that GNU parallel has written: what has the same quotes is done" {
	parallel --version 2>/dev/null | grep -q GNU || skip "no GNU parallel"
	printf '%s\0' 'a b' '$x' '*' 'ü' '\' -n '"q"' '~' ' ' x "it's" a=b >list
	HOME=$here parallel -0 --will-cite --joblog log test -n {} <list
	echo new | tr '\n' '\0' >>list
	jobctl -0 -j 1 --joblog log --resume-failed test -n {} <list
	is "test -n 'it'\\''s',test -n a=b,test -n new" <(tail -n +14 log | cut -f 9)
	HOME=$here parallel --will-cite --joblog log 'gzip -c <{} | cat >{.}.z' ::: a.x 'a b.x' \
		2>/dev/null
	printf '%s\n' 'a b.x' a.x c.x >list
	touch c.x
	jobctl --joblog log --resume-failed --script 'gzip -c <{} | cat >{.}.z' <list
	is 'gzip -c <c.x | cat >c.z' <(tail -n +4 log | cut -f 9)
	ls a.z 'a b.z' c.z # parallel's shell has made the first two
}

@test "{#} in a command ties it to its place" {
	printf '%s\n' a b >list
	jobctl --joblog log true {} {#} <list
	printf '%s\n' c b a >list
	jobctl -j 1 --joblog log --resume-failed true {} {#} <list
	is 'true c 1,true a 3' <(tail -n +4 log | cut -f 9)
}

@test "a log that has none of the jobs: that is said at the end, where the list has come to it" {
	printf '%s\n' a b a >list
	jobctl --joblog log true <list
	run -0 jobctl --joblog log --resume-failed echo <<<c
	is "c,jobctl: warning: log: none of its 2 commands was in this list: is it the log of another \
batch?" <(echo "$output")
	run -0 jobctl --joblog log --resume-failed echo <<<c
	[ -z "$output" ]
	run -0 jobctl --joblog log --resume-failed echo </dev/null
	[ -z "$output" ]
	run -0 jobctl --quiet --joblog log --resume-failed echo <<<d
	same d "$output"
	run -1 jobctl --quiet --halt now --joblog log --resume-failed false <<<e
	[ -z "$output" ]
}

@test "--dry-run shows what would be run, and does not touch the log" {
	seq 3 | jobctl --joblog log echo
	cp log before
	run -0 jobctl --dry-run --joblog log --resume-failed echo <<<$'2\n4'
	same 'echo 4' "$output"
	cmp log before
	run -0 jobctl --dry-run --joblog none --resume-failed echo <<<1
	same 'echo 1' "$output"
	[ ! -e none ]
	echo junk >other
	run -125 jobctl --dry-run --joblog other --resume-failed echo <<<1
	[[ "$output" == 'jobctl: --joblog other: not a log of jobs'* ]]
}

@test "a log edited on Windows, or two logs as one, are resumed from" {
	seq 3 | jobctl --joblog log true
	sed 's/$/\r/; 1s/^/\xef\xbb\xbf/' log >dos
	cat log dos >both
	for log in dos both; do
		run -0 jobctl --dry-run --joblog "$log" --resume-failed true <<<$'2\n4'
		same 'true 4' "$output"
	done
	# where only the commands have it, it is theirs
	printf 'true a\r\n' | jobctl --joblog own
	printf 'true a\r\n' >list
	same '' "$(jobctl --dry-run --joblog own --resume-failed -a list 2>/dev/null)"
}

@test "a log with a line that is none is left as it is: the line, and what is wrong with it" {
	seq 3 | jobctl --joblog good true
	no_log() # EDIT LINE WHY
	{
		sed "$1" good >log
		cp log before
		run -125 jobctl --joblog log --resume-failed touch ran <<<1
		same "jobctl: --joblog log: not a log of jobs, and left as it is; name another file, \
or mend line $2: $3" "$output"
		cmp before log
	}
	time='number from 0 to 10000000000'
	no_log 1d 1 'no names of columns: Seq, Host and so on'
	no_log '3s/\t/ /g' 3 '1 of the 9 columns of a job, which have tabs between them'
	no_log '1s/\t/ /g' 1 'no names of columns: Seq, Host and so on'
	no_log '2s/\t[^\t]*/\tnan/3' 2 "JobRuntime 'nan' is no $time"
	no_log '2s/\t[^\t]*/\t-3.0/3' 2 "JobRuntime '-3.0' is no $time"
	no_log '4s/\t[^\t]*/\t100000000000000000000/3' 4 "JobRuntime '100000000000000000000' is no $time"
	no_log '4s/\t[^\t]*/\t1e3/2' 4 "Starttime '1e3' is no number from 0 to 253402300799"
	no_log '4s/^/0/; 4s/^[^\t]*/0/' 4 "Seq '0' is no number from 1 to 100000000"
	no_log '2s/\t[^\t]*/\tx/6' 2 "Exitval 'x' is no number from 0 to 2147483647"
	no_log '2s/\t[^\t]*/\t9999999999999999999/5' 2 \
		"Receive '9999999999999999999' is no number from 0 to 1000000000000000"
	[ ! -e ran ]
	sed 's/\([0-9]\)[.]/\1,/g' good >log # decimal commas
	run -0 jobctl --dry-run --joblog log --resume-failed true <<<$'2\n4'
	same 'true 4' "$output"
}

@test "a long log is read once, and each job is looked up in no time" {
	for command in '"true " NR' '"true 1"'; do
		seq 200000 | awk -v OFS='\t' 'BEGIN {print "Seq", "Host", "Starttime", "JobRuntime",
			"Send", "Receive", "Exitval", "Signal", "Command"}
			{print NR, 1, "1.000", "0.000", 0, 0, NR % 2, 0, '"$command}" >log
		seq 2 2 200000 | if [[ $command == *NR ]]; then cat; else sed 's/.*/1/'; fi >list
		jobctl --joblog log --resume-failed true <list
		lines_in 200001 log
		same 200001 "$(wc -l <log)"
	done
}

@test "--resume and --resume-failed need a log, and are named as they were typed" {
	for option in --resume --resume-failed; do
		run -125 jobctl "$option" -a list true
		same "jobctl: $option: needs --joblog FILE" "$output"
	done
}

@test "--results: a later run overwrites no file of an earlier one, however the list has changed" {
	echo 'echo "$1"; [ -e "good.$1" ]' >job
	touch good.a good.c good.d
	run -1 jobctl --quiet --results dir --joblog log -j 1 sh job ::: a b c
	touch good.b
	run -0 jobctl --results dir --joblog log --resume-failed -k -j 1 sh job ::: d b c a
	same $'d\nb' "$output"
	cat dir/[123].out >old
	is a,b,c old
	same '4 sh job d,5 sh job b,' "$(cut -f 1,9 log | tail -n 2 | tr '\t\n' ' ,')"
	is d dir/4.out
	rm log # as if jobctl had been killed before it wrote a line
	run -0 jobctl --results dir --joblog log --resume-failed -j 1 sh job ::: c
	is c dir/6.out
	cat dir/[123].out | cmp - old
}
