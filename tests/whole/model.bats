# bats file_tags=waits
load ../helper

# The model of the lease protocol, in its smaller cases. make model has them all, and breaks it.

@test "the model of the lease protocol holds" {
	hash spin 2>/dev/null || skip "no spin here"
	hash tcc 2>/dev/null || hash gcc 2>/dev/null || skip "no tcc or gcc here"
	run -0 "$top/tests/model/run.sh" -q
	echo "$output"
	same 10 "$(grep -c ' holds$' <<<"$output")"
}

@test "a model that is broken makes make model fail, and so does one that names no function of src/" {
	mkdir tests
	cp -r "$top/tests/model" tests
	cp -r "$top/src" .
	for tool in spin tcc; do
		fake "$tool" <<<'exit 1'
	done
	sed -i 's/^holders_grant(/other(/' src/clients/holders.c
	run -1 tests/model/run.sh
	[[ "$output" == *'no holders_grant in src/holders.c'* ]]
	same 20 "$(grep -c ' FAILS: ' <<<"$output")"
	same 20 "$(grep -c ' NOT FOUND: ' <<<"$output")"
}
