load ../helper

# The model of the lease protocol: a minute of a processor.

@test "the model of the lease protocol holds, and each broken variant of it is found" {
	command -v spin >/dev/null || skip "no spin here"
	command -v gcc >/dev/null || skip "no gcc here"
	run -0 "$top/tests/model/run.sh"
	echo "$output"
	[ "$(grep -c ' holds$' <<<"$output")" -eq 13 ]
	[ "$(grep -c ' found: ' <<<"$output")" -eq 15 ]
}

@test "a model that is broken makes that run fail, and so does one that names no function of src/" {
	command -v spin >/dev/null || skip "no spin here"
	mkdir tests
	cp -r "$top/tests/model" tests
	cp -r "$top/src" .
	cat >gcc <<'S'
#!/bin/sh
exit 1
S
	chmod +x gcc
	sed -i 's/^holders_grant(/other(/' src/clients/holders.c
	PATH=$here:$PATH run -1 tests/model/run.sh
	[[ "$output" == *'no holders_grant in src/holders.c'* ]]
	[[ "$output" == *'FAILS'* && "$output" == *'NOT FOUND'* ]]
}
