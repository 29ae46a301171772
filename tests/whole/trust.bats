load ../helper

# make trust, with imitations of its parts, as the real ones take hours.

@test "make trust goes on after a part that fails, names it, and shows the end of its log" {
	mkdir -p tests/fuzz/corpus/words
	cp "$top/tests/trust.sh" tests
	cat >Makefile <<'M'
soak:
	echo "$$SOAK s"; echo 'no token came home' >&2; exit 1
fuzz:
	echo "$$TARGETS $$FUZZ 17"
faults:
	@echo "every $$STEP: 1 ok, 2 message, 3 missed, 0 FAILED"
M
	TIME=6 run -1 tests/trust.sh soak fuzz faults
	[[ "${lines[0]}" == 'part '*'result '*'seconds '*'figure' ]]
	[[ "${lines[1]}" == 'soak '*' FAILED '* ]]
	[[ "${lines[2]}" == 'fuzz '*' ok '*'1 targets, 6 runs' ]]
	[[ "${lines[3]}" == 'faults '*' ok '*'every 10: 1 ok, 2 message, 3 missed, 0 FAILED' ]]
	[[ "${lines[4]}" == *'soak failed'* && "$output" == *$'\n180 s\n'*'no token came home'* ]]
	same 1 "$(grep -c 'failed; the end' <<<"$output")"

	TIME=60 run -0 tests/trust.sh faults
	[[ "$output" == *'every 1: '* ]]
	run -2 tests/trust.sh faults luck
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *'luck: no such part; the parts are: '* ]]
	TIME=long run -2 tests/trust.sh faults
}

@test "the faults of make mutants are the same in any awk; comments and strings have none" {
	mkdir src share
	printf '\t%s\n' '/* if (0) */' 'if (a < b && c)' 'f("1 < 2", 3);' 'close(fd);' >src/x.c
	printf '%s\n' '# 1 && 2' '	a | b) ;;' "	[ -z '1 = 2' ]" 'exec 8>&-' >share/x.sh
	sort >wanted <<'F'
src/x.c 2 if (a <= b && c)
src/x.c 2 if (a < b || c)
src/x.c 2 if (!(a < b && c))
src/x.c 2 if (0 && (a < b && c))
src/x.c 3 ;
src/x.c 3 f("1 < 2", 4);
src/x.c 4 ;
share/x.sh 2 /never/) ;;
share/x.sh 3 :
share/x.sh 3 false
share/x.sh 3 [ -n '1 = 2' ]
share/x.sh 4 :
share/x.sh 4 exec
F
	local awk
	for awk in awk mawk gawk 'busybox awk'; do
		command -v "${awk%% *}" || continue
		$awk -v seed=7 -f "$top/tests/mutants.awk" src/x.c share/x.sh | tr -s '\t' ' ' |
			tee "order.${awk% *}" | sort | diff - wanted
		cmp order.awk "order.${awk% *}"
	done
}
