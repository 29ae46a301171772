load ../helper

# make lint: that its own checks find what they are for. (Compilers and shellcheck do.)

# includes -- the output of lint for a copy of src/, changed by the test
includes() { awk -f "$top/tests/includes.awk" src/README.md src/*/*.[ch]; }

@test "an include that src/README.md does not allow is found, in any awk" {
	cp -r "$top/src" .
	run -0 includes
	same '' "$output"
	echo '#include "../lease/lease.h"' >>src/lib/lib.h
	echo '#include "../../tests/c/seat.h"' >>src/lease/lease.h
	echo '#include "../lib/lib.h"' >>src/lease/words.c
	local awk seen=0
	for awk in awk mawk gawk 'busybox awk'; do
		command -v "${awk%% *}" || continue
		echo "$awk" >&2
		run -1 $awk -f "$top/tests/includes.awk" src/README.md src/*/*.[ch]
		[ "${#lines[@]}" -eq 3 ]
		[[ "${lines[0]}" == *'src/lease/lease.h:'*'includes ../../tests/c/seat.h'*'only lib' ]]
		[[ "${lines[1]}" == *'src/lease/words.c:'*'includes ../lib/lib.h: let lease.h do that' ]]
		[[ "${lines[2]}" == *'src/lib/lib.h:'*'includes ../lease/lease.h'*'nothing of ours' ]]
		seen=$((seen + 1))
	done
	[ "$seen" -gt 0 ]
}

@test "a circle in that table is found, and a row too many or too few" {
	cp -r "$top/src" .
	sed '/`src\/lib\/`/s/nothing of ours/book/' "$top/src/README.md" >src/README.md
	run -1 includes
	[[ "$output" == *'a circle: '* && "$output" == *'lib -> book'* ]]

	sed '/`src\/lib\/`/d' "$top/src/README.md" >src/README.md
	run -1 includes
	[[ "$output" == *'no row for src/lib/'* ]]

	sed '/`src\/lib\/`/{p; s/lib/attic/;}' "$top/src/README.md" >src/README.md
	run -1 includes
	[[ "$output" == *'a row for src/attic/, where no source is'* ]]
}

@test "a line of more than 100 columns is named" {
	mkdir -p copy/src
	cp -r "$top"/src/{README.md,cc,lib,places} copy/src
	cp -r "$top/share" "$top/tests" "$top/.ci" "$top/Makefile" copy
	printf '\t%092d\n\t%093d\n' 0 0 >>copy/Makefile
	last=$(wc -l <copy/Makefile)
	for tool in shellcheck mandoc gcc clang tcc musl-gcc; do
		fake "$tool" <<<'exit 0'
	done
	run -1 copy/tests/lint.sh
	same 1 "$(grep -c "Makefile:$last: a line of 101 columns" <<<"$output")"
	[[ "$output" != *"Makefile:$((last - 1)):"* ]]
}
