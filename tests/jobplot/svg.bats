load ../helper
load ../helpers/jobplot

# jobplot: the picture, read by a parser of XML; in tests/trust a browser draws it.

@test "five jobs: each has a bar in the row of its slot, by its start, time and result" {
	need_python
	five
	drawn
	grep -E '^(ok|failed|killed) .*took' drawn | sort >bars
	# 20 s are 1116 pixels, from 64 on; a bar ends a pixel early
	diff - bars <<-'END'
	failed 64 118 556.9 25 '2: second one\nat 0 ms, took 10 s: exit 3'
	killed 287.2 90 110.5 25 '3: third\nat 4 s, took 2 s: signal 9'
	ok 510.4 90 668.5 25 '4: fourth\nat 8 s, took 12 s: ok'
	ok 622 118 54.7 25 '5: fifth\nat 10 s, took 1 s: ok'
	ok 64 90 222.1 25 '1: first\nat 0 ms, took 4 s: ok'
	END
	grep -q "^text start 20 '5 jobs: 3 ok, 1 failed, 1 killed'" drawn
	grep -q "in 20 s .* job times add up to 29 s .* 1.4 jobs at once on 2 slots: 72 % busy" drawn
	grep -q "^text end 1180 'tail 10 s'" drawn
	grep -q "^text middle 64 '0'" drawn
	grep -q "^text middle 1180 '20 s'" drawn
	grep -q "^text None 69 'first'" drawn
}

@test "one job, jobs that take no time, and jobs of one instant are drawn" {
	need_python
	log_of '1 1 0 0 0 0 true'
	drawn
	grep -q "^ok 64 90 1 25 '1: true" drawn
	log_of '1 1 0 0 0 0 a' '2 1 0 0 0 0 b' '3 1 0 0 1 0 c'
	drawn
	grep -q "^ok 64 90 1 25 '1: a.nat 0 ms, took 0 ms: ok.nand 1 more, ok'" drawn
	grep -q "^failed 64 90 3 25 '3: c" drawn
	log_of '1 1 0 2 0 0 a' '2 1 2 0 1 0 b'
	drawn
	grep -q "^failed 1177 90 3 25 '2: b" drawn
	log_of '1 1 0 3000000000 0 0 a' '2 1 0 0 0 0 b'
	drawn
	grep -q "in 34722 d" drawn
}

@test "50,000 jobs are less than 2 MB, and each job that failed is seen" {
	need_python
	for slots in 1 1000; do
		many 50000 "$slots" 2500
		drawn
		echo "$slots: $(wc -c <log.svg)" >&2
		[ "$(wc -c <log.svg)" -lt 2000000 ]
		grep -q '50000 jobs: 49980 ok, 10 failed, 10 killed' drawn
		for result in failed killed; do # 3 pixels wide and high at least, above the others
			awk -v result="$result" '$1 == result {if ($4 >= 3 && $5 >= 3) bars++}
				END {print result, bars; exit bars < 9}' drawn
		done
	done
	awk '$1 == "size" && $3 > 1100 && $3 < 1300 {n++}
		$1 == "ok" && $5 != 1 {print; exit 1} # a row is a pixel
		END {exit n != 1}' drawn
	[ "$(grep -c "^text end 5[0-9] '[0-9]*'" drawn)" -le 101 ]
}

@test "a job that failed among many is as wide as it is, or seen: its neighbours stay blue" {
	need_python
	many 20000 300 900
	drawn
	# a job takes at most a second, of 42 on 1116 pixels
	awk '$1 == "failed" || $1 == "killed" {n++; if ($4 > 28) {print; exit 1}} END {exit n < 20}' drawn
	# those without a pause between them have no gap: a gap would look idle
	many 20000 16 0
	drawn
	awk '$1 == "ok" {if ($3 == row && $2 > end + 0.2) {print; gaps++} row = $3; end = $2 + $4}
		END {exit gaps > 16}' drawn
}

@test "bars show where commands differ: without what all begin and end with, and the end" {
	need_python
	log_of '1 1 0 4 0 0 convert -resize 50% /srv/IMG_4001.jpg small/IMG_4001.jpg' \
		'2 1 4 0.5 0 0 convert -resize 50% /srv/IMG_4002.jpg small/IMG_4002.jpg' \
		'3 1 5 1 0 0 convert -resize 50% /srv/IMG_5003.jpg small/IMG_5003.jpg'
	drawn
	grep -q "^text None 64 'convert -resize 50% /srv/$(printf '\u2026')'" drawn
	printf '%s\n' 'IMG_4001.jpg small/IMG_4001' $'\u2026/IMG_4002' 'IMG_5003.jpg small/IMG_5003' |
		diff - <(sed -n "s/^text None [0-9.]* '\(.*IMG.*\)'/\1/p" drawn)
	# the same for all, or with nothing in common
	log_of '1 1 0 4 0 0 gzip -9 file' '2 1 4 4 0 0 gzip -9 file'
	drawn
	same 2 "$(grep -c "^text None [0-9.]* 'gzip -9 file'" drawn)"
	log_of '1 1 0 1 0 0 gzip -9 the/file/of/many' '2 1 1 29 0 0 tar cf - x'
	drawn
	grep -q "^text None [0-9.]* 'gz[^']*$(printf '\u2026')'" drawn
}

@test "jobs of one host that overlap have rows of their own, the first that is free" {
	need_python
	{ echo "$columns"
		printf '%s\t:\t%s.000\t     %s.000\t0\t0\t0\t0\tx\n' 1 1 5 2 2 1 3 2 9 4 3 1 5 6 1
	} >log
	drawn
	[ "$(sed -n "s/^text end [0-9]* \('local .*\)/\1/p" drawn)" = "'local 1'
'local 2'
'local 3'" ]
	[ "$(sed -n "s/^ok [0-9.]* \([0-9]*\) .* '\(.\): .*/\2 \1/p" drawn | sort)" = '1 90
2 118
3 146
4 118
5 90' ]
	# a slot of ours, where starts and times are rounded to milliseconds
	log_of '1 a 0 1.001 0 0 x' '2 a 1 1 0 0 x' '3 b 0 1 0 0 x' '4 b 0.5 1 0 0 x'
	drawn
	same 'a,b 1,b 2' "$(sed -n "s/^text end [0-9]* '\([ab]\|b [12]\)'/\1/p" drawn | paste -s -d ,)"
}

@test "the name of a host that is cut ends with dots" {
	need_python
	log_of '1 a-name-of-twenty-four-be 0 1 0 0 x' '2 a-name-of-more-than-twenty-four 0 1 0 0 x'
	drawn
	same "a-name-of-more-than-twen$(printf '\u2026'),a-name-of-twenty-four-be" \
		"$(sed -n "s/^text end [0-9]* '\(a-.*\)'/\1/p" drawn | sort | paste -s -d ,)"
}

@test "rows are in the order of numbers, and jobs that could not be begun come last" {
	need_python
	log_of '1 - 0 0 127 0 x' '2 gpu10 0 1 0 0 x' '3 gpu9 0 1 0 0 x' '4 10 0 1 0 0 x' \
		'5 9 0 1 0 0 x'
	drawn
	[ "$(sed -n "s/^text end [0-9]* '\(.*\)'/\1/p" drawn | grep -v tail | head -n 5 | paste -s -d ' ')" = \
		'9 10 gpu9 gpu10 not begun' ]
	grep -q 'on 4 slots: 100 % busy' drawn
}

@test "a log of GNU parallel is drawn" {
	need_python
	command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q GNU ||
		skip "no GNU parallel"
	export HOME=$here
	seq 6 | parallel -j 2 --joblog log ': >begun.{}; case {} in 1) until [ -e begun.3 ]; do :; done;; 2) exit 3;; 3) kill -9 $$;; esac
		: "<&>"' 2>errors || :
	drawn
	grep -q "^text start 20 '6 jobs: 4 ok, 1 failed, 1 killed'" drawn
	grep -q 'jobs at once on 2 slots' drawn
	grep -qF ': "<&>"' drawn
}

@test "a log of jobctl is drawn" {
	need_python
	seq 4 | jobctl -q -j 2 --joblog log sh -c '[ "$1" -ne 3 ]' sh || [ "$?" -eq 1 ]
	drawn
	grep -q '4 jobs: 3 ok, 1 failed' drawn
}

@test "no command can break the picture: XML, controls, what is no UTF-8, what is long" {
	need_python
	{ echo "$columns"
		printf '1\t1\t1\t1\t0\t0\t0\t0\t</title><script>"&amp;'"'"'<![CDATA[\n'
		printf '2\t<&">\t1\t1\t0\t0\t0\t0\t\033[31m\001\177 \xff\xfe\xed\xa0\x80\xef\xbf\xbf \xc3\xa9\t\n'
		printf '3\t3\t1\t1\t0\t0\t1\t0\ta\0b\n'
		printf '4\t4\t1\t1\t0\t0\t0\t0\t'
		head -c 100000 /dev/zero | tr '\0' '&'
		echo
		printf '5\t5\t1\t1\t0\t0\t0\t0\t\xf0\x9f\x98\x80%0300d\n' 0
		printf '6\t6\t1\t1\t0\t0\t0\t0\t\n'
	} >log
	drawn
	grep -qF "</title><script>\"&amp;\\'<![CDATA[" drawn
	grep -qF "2: "$'\ufffd'"[31m"$'\ufffd'"\\x7f "$'\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd \u00e9'"\\t\\nat" drawn
	grep -qF '3: a\nb\nat' drawn
	grep -qF "text end 56 '<&\">'" drawn
	[ "$(wc -c <log.svg)" -lt 20000 ]
	run -1 grep -q '<script' log.svg
}
