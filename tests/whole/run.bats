load ../helper

# tests/run.sh, on imitations of files of tests.

# tests_of NAME -- makes that file of the text read: bats would take @test for one of this file
tests_of() { sed 's/^TEST/@test/' >"top/tests/room/$1.bats"; }

# a_run COMMAND... -- runs it in place of this shell; not as a part of the bats that runs us
a_run() { exec env -i PATH="$(tr : '\n' <<<"$PATH" | grep -v libexec/bats | paste -sd :)" "$@"; }

# two_files -- one that computes, one that waits; a test of each fails
two_files()
{
	mkdir -p top/tests/room top/build
	cp "$top/tests/run.sh" "$top/tests/file.sh" top/tests
	ln -s "$top/bin" top/bin
	ln -s "$top/build/fresh" top/build/fresh
	tests_of one <<'B'
TEST "one holds" { true; }
TEST "one is left out" { skip "no such tool"; }
TEST "one fails" { echo "seen by one"; false; }
B
	tests_of two <<'B'
# bats file_tags=waits
TEST "two fails" { echo "seen by two"; false; }
TEST "no signal is ignored, nor is TSTP" {
	status=0; sh -c 'kill -s HUP "$$"; exit 0' || status=$?
	[ "$status" -eq 129 ]
	[ "$(ps -o pgid= -p "$$")" -ne "$(ps -o sid= -p "$$")" ] # a group that is not orphaned
	[ "$(ps -o ni= -p "$$")" -eq 0 ] || [ "$(id -u)" -ne 0 ]
}
B
}

@test "a run prints each failure with what it saw, a line for each file, and the count last" {
	two_files
	run -1 a_run nice sh -c "trap '' HUP INT TERM; exec top/tests/run.sh"
	echo "$output"
	[[ "$output" == *'tests/room/one.bats: not ok 3 one fails in '*'tests/room/one.bats: # seen by one'* ]]
	[[ "$output" == *'tests/room/two.bats: # seen by two'* ]]
	[[ "$output" == *'[2 of 2 files, 2 failed, 0:'* ]]
	[[ "$output" == *'# skip no such tool: one is left out'* ]]
	same '2 passed, 2 failed, 1 skipped' "${lines[-1]}"
}

@test "a file that is no test fails the run, as does one that dies before it has run all" {
	two_files
	rm top/tests/room/one.bats
	echo 'TEST "dies" { kill -KILL "-$(ps -o pgid= -p "$$" | tr -d " ")"; }' | tests_of two
	run -1 a_run top/tests/run.sh
	echo "$output"
	[[ "$output" == *'files and tests that were begun: '* ]]
}

@test "a file ends when its tests have, also if one has left a process with the output of bats" {
	two_files
	rm top/tests/room/two.bats
	echo "TEST 'leaves' { '$here/sleeper' 1000 & }" | tests_of one
	run -0 a_run top/tests/run.sh
	echo "$output"
	[[ "$output" == *'one.bats: something had bats'* ]]
	no_process "^$here/sleeper 1000"
}

@test "a signal ends a run with all that its tests have left, also where unshare(1) may not" {
	two_files
	mkdir tmp
	echo "TEST 'hangs' { echo >$here/began; '$here/sleeper' 1000; }" | tests_of one
	mkdir no
	printf '#!/bin/sh\nexit 1\n' >no/unshare
	chmod +x no/unshare
	for whom in 'TERM sh top/tests/run.sh' 'KILL jobctl' 'HUP sh ./tests/file.sh' \
		'KILL sh ./tests/file.sh'
	do
		for path in "$PATH" "$here/no:$PATH"; do
			rm -f began
			PATH=$path a_run TMPDIR="$here/tmp" fresh -s top/tests/run.sh >out 2>&1 3>&- &
			run=$!
			until_true test -s began
			signal_ours $whom
			ends_with 1 "$run"
			until_true no_process "^$here/sleeper 1000"
			same '' "$(ls tmp)"
		done
	done
}

@test "a run that nobody reads any more ends, and leaves nothing" {
	two_files
	mkdir tmp
	{ (a_run TMPDIR=tmp top/tests/run.sh 2>/dev/null) || :; } | head -n 1 >first
	[ -s first ]
	same '' "$(ls tmp)"
}

@test "what cannot be meant is refused: no such file, another shell, a second run in the same tree" {
	two_files
	run -2 a_run top/tests/run.sh tests/room/three.bats
	[[ "$output" == "tests: tests/room/three.bats: no such file; paths are from "* ]]
	run -2 a_run SHELLS=zsh,dash top/tests/run.sh
	[[ "$output" == "tests: SHELLS: zsh,dash: not installed, or none of the eight"* ]]
	run -2 a_run BATS_TEST_TIMEOUT=0 top/tests/run.sh
	same 'tests: 0: BATS_TEST_TIMEOUT and TESTS_LIMIT are seconds' "$output"
	exec 9>top/build/tests.lock
	flock -n 9
	run -1 a_run top/tests/run.sh
	same 'tests: other tests run in this tree; wait for their end' "$output"
}
