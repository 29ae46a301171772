load ../helper
load ../helpers/jobplot

# jobplot: the report in words, and the trace events.

@test "the report has the totals, what failed, what was slow, and other numbers of slots" {
	five
	TZ=UTC0 jobplot -t log >report
	diff - report <<'END'
5 jobs: 3 ok, 1 failed, 1 killed
from 2023-11-14 22:13:20 +0000 on, in 20 s; job times add up to 29 s
1.4 jobs at once on 2 slots: 72 % busy
tail: 10 s from the last start to the end

Failed, in the order of the log:
      2       10 s  exit 3    second one
      3        2 s  signal 9  third

The slowest:
      4       12 s  ok        fourth
      2       10 s  exit 3    second one
      1        4 s  ok        first
      3        2 s  signal 9  third
      5        1 s  ok        fifth
Half of all jobs took at most 4 s, nine of ten 12 s.

On other numbers of slots, in this order and without a pause
(the longest job takes 12 s):
    slots      elapsed    busy
        1         29 s   100 %
        2         18 s    81 %  as many as there were
        4         12 s    60 %  enough
END
}

@test "fewer slots that do as well are told" {
	log_of '1 1 0 10 0 0 long' '2 2 0 1 0 0 x' '3 3 0 1 0 0 x' '4 4 0 1 0 0 x'
	jobplot -t log | tail -n 4 >end
	diff - end <<'END'
    slots      elapsed    busy
        1         13 s   100 %
        2         10 s    65 %  enough
        4         10 s    32 %  as many as there were  enough
END
}

@test "more slots never take longer, and as many as jobs take as long as the longest" {
	many 500 7 0
	jobplot -t log | sed -n '/slots.*elapsed/,$p' | awk 'NR > 1 {print $1, $2, $3, $4}' >table
	is 1,3,7,14,28 <(cut -d ' ' -f 1 table)
	awk '{
		time = $3 == "ms" ? $2 / 1000 : $3 == "min" ? $2 * 60 + $4 : $2
		if (NR > 1 && time > before)
			exit 1
		before = time
	}' table
	log_of '1 1 0 1 0 0 x' '2 1 1 1 0 0 x' '3 1 2 1 0 0 x'
	jobplot -t log | grep -q '^        4          1 s    75 %  enough$'
}

@test "commands are whole in a pipe or file, and only a terminal cuts them, by their end" {
	log_of '1 1 0 1 1 0 convert -resize 50% /srv/photos/2024/IMG_4001.jpg /srv/small/IMG_4001.jpg' \
		'2 1 1 1 1 0 convert -resize 50% /srv/photos/2024/IMG_4002.jpg /srv/small/IMG_4002.jpg'
	jobplot -t log | grep -q '  convert .* /srv/small/IMG_4001.jpg$'
	jobplot -t -o report log
	same 4 "$(grep -c '  convert .* /srv/small/IMG_400[12].jpg$' report)"
	script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1) that makes a terminal"
	for columns in 40 80 200; do # each job is in both lists
		script -qec "stty cols $columns; jobplot -t log" /dev/null </dev/null | tr -d '\r' >seen
		case $columns in
		40) wanted='[.][.][.]MG_4001' ;;
		80) wanted='[.][.][.]IMG_4001[.]jpg /srv/small/IMG_4001' ;;
		*) wanted='convert .* /srv/small/IMG_4001.jpg' ;;
		esac
		same 2 "$(grep -c "  $wanted\$" seen)"
		same '' "$(awk -v columns="$columns" '/IMG/ && length($0) > columns' seen)"
	done
}

@test "many failures are cut short" {
	many 50000 1000 100
	jobplot -t log >report
	grep -q '^        and 490 more$' report
	[ "$(wc -l <report)" -lt 50 ]
}

@test "no command moves the terminal" {
	{ echo "$columns"
		printf '1\t\033[31m\t1\t1\t0\t0\t1\t0\t\033[2J\r\xff\n'
		printf '2\t2\t1\t1\t0\t0\t0\t0\ta\0b %0200d\n' 0
	} >log
	jobplot -t log >report
	same '' "$(LC_ALL=C tr -d '\n -~' <report)"
	grep -qF '\x1b[2J\x0d\xff' report
	grep -qF 'a\x0ab 000' report
}

@test "trace events: a complete event for each job, a name for each row, by a real parser" {
	need_python
	{ log_of '1 1 0 4 0 0 first' '2 2 0 10 3 0 x' '3 1 3.999 2 0 9 third'
		printf '4\tg"\t1700000001.5\t1\t0\t0\t0\t0\t"\\\t\001\xff\xc3\xa9\n' >>log
		printf '5\tg"\t1700000001.6\t1\t0\t0\t0\t0\t%0100d\n' 0 >>log
		printf '6\tg"\t1700000003\t1\t0\t0\t0\t0\tx%s\n' "$(printf '\u00e9%.0s' {1..40})" >>log
	}
	jobplot -T log >trace.json
	python3 - <<'END' >events
import json
events = json.load(open("trace.json"))["traceEvents"]
for e in events:
    if e["ph"] == "X":
        print(e["pid"], e["tid"], e["ts"], e["dur"], e["cat"], e["args"]["seq"], e["args"]["exit"],
              e["args"]["signal"], ascii(e["name"])[:40])
    elif e["name"] == "thread_name":
        print(e["tid"], e["args"]["name"])
END
	diff - events <<'END'
1 1
2 2
3 g" 1
4 g" 2
1 1 0 3999000 ok 1 0 0 'first'
1 1 3999000 2000000 killed 3 0 9 'third'
1 2 0 10000000 failed 2 3 0 'x'
1 3 1500000 1000000 ok 4 0 0 '"\\\t\x01\ufffd\xe9'
1 3 3000000 1000000 ok 6 0 0 'x\xe9\xe9\xe9\xe9\xe9\xe9\xe9\xe9\xe9\x
1 4 1600000 1000000 ok 5 0 0 '000000000000000000000000000000000000000
END
}

@test "50,000 jobs are as many events" {
	need_python
	many 50000 16 0
	jobplot -T log | python3 -c 'import json, sys
print(sum(e["ph"] == "X" for e in json.load(sys.stdin)["traceEvents"]))' | is 50000 -
}
