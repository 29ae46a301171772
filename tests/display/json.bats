load ../helper

# JSON objects of one line, as a program may have written them.

# members TEXT WANTED
members()
{
	run -0 json_test "$1"
	[ "$output" = "$2" ] || { echo "$1: $output, not $2" >&2; false; }
}

@test "an object of one line has its members told in their order" {
	members '{}' ''
	members ' { } ' ''
	members '{"a":1}' 'a p 1'
	members $' {"a" :\t"x" , "b": -1.5e+3,"c":null, "d":true ,"":"" }\r' \
		$'a s x\nb p -1.5e+3\nc p null\nd p true\n s '
	members '{"a":"}","a":0.25}' $'a s }\na p 0.25'
}

@test "escapes are decoded to UTF-8, and half a pair or NUL to U+FFFD" {
	members '{"a":"\"\\\/\b\f\n\r\t"}' $'a s "\\/\b\f\n\r\t'
	members '{"\u0061\u00e9":"\u20ac\uD83D\uDE00\u007f"}' $'a\u00e9 s \u20ac\U1F600\x7f'
	members '{"a":"<\u0000>"}' $'a s <\ufffd>'
	members '{"a":"<\ud800>\ude00\ud83dx\ud800\u0041\ud83d\ud83d\ude00"}' \
		$'a s <\ufffd>\ufffd\ufffdx\ufffdA\ufffd\U1F600'
	members $'{"a":"\xff"}' $'a s \xff'
}

@test "what is no such object is refused" {
	for text in '' ' ' '{' '}' '[]' '"a"' '{a:1}' '{"a"}' '{"a":}' '{"a":1' '{"a":1,}' \
		'{"a":1 2}' '{,}' '{"a":1}}' '{"a":1}x' '{"a":[1]}' '{"a":{}}' '{"a":"x}' '{"a":"\"' \
		'{"a":"x\' '{"a":"\x"}' '{"a":"\u12' '{"a":"\u12"}' '{"a":"\u12g4"}' '{"a":"\ud800\u12"}' '{"a' \
		'{"a":01}' '{"a":.5}' '{"a":1.}' '{"a":1e}' '{"a":+1}' '{"a":-}' '{"a":True}' \
		'{"a":nul}' '{"a":"x" "b":1}' '{"a":1,"b"}' $'{"a":"\n"}' $'{"a":\v1}'; do
		echo "$text" >&2
		run -1 json_test "$text"
	done
}

@test "the callback may stop the reading" {
	run -2 json_test '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11}'
	same 'j p 10' "${lines[9]}"
	same 10 "${#lines[@]}"
}
