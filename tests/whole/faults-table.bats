load ../helper

# make faults, for one program; all programs take long.

@test "make faults: a fifth of what can fail in tokput fails, and it is said" {
	need_strace
	STEP=5 run -0 "$top/tests/faults/run.sh" quick tokput
	[ "${lines[0]%% *}" = ok/message ]
	[[ "${lines[*]}" == *' 0 FAILED'* ]]
	same 1 "$(grep -c '^write ' <<<"$output")"
}

@test "make faults finds a program that says nothing" {
	need_strace
	mkdir tests
	cp -r "$top"/tests/{faults,helpers,c} tests
	cp -r "$top/bin" .
	mv bin/tokput bin/silent
	printf '#!/bin/sh\nexec %s "$@" 2>/dev/null\n' "$here/bin/silent" >bin/tokput
	chmod +x bin/tokput
	TMPDIR=$here run -1 tests/faults/run.sh tokput.size write 1 ENOSPC
	[[ "$output" == *'FAILED status 125 without a message'* ]]
}
