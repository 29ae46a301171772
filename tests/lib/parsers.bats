load ../helper

# Parsers of others' text: the inputs that "make fuzz" has found, for any compiler.

@test "each parser takes its whole corpus, and keeps its promises" {
	for target in "$top"/tests/fuzz/corpus/*; do
		TMPDIR=$here timeout 200 "$top/build/replay/${target##*/}" "$target"/* 2>log ||
			{ tail -n 5 log >&2; false; }
		same "$(ls "$target" | wc -l) inputs" "$(tail -n 1 log)"
	done
}
