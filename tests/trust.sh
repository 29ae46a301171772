#!/bin/sh
# trust.sh [PART...] -- make trust: tests that take long, or are random, or both, one part after
# the other: all parts, or those named. Prints a row for each: its result, its seconds, and its
# figure. The output of a part is in build/trust/PART.log; at the end come the last lines of each
# part that failed. 0 if all parts are ok.
#   TIME   60: in full, some hours. 6 is a tenth: fuzz, batches and soak run a tenth as long; a
#          tenth of the cases of faults and mutants is taken. The other parts are always in full.
set -u
cd "$(dirname "$0")/.." || exit
all='exhaustive sanitizers portable musl glibc clang tcc bmake portability model coverage fuzz'
all="$all batches soak faults mutants"
time=${TIME:-60}
case $time in
'' | *[!0-9]* | 0*) echo "trust: TIME=$time: must be a number from 1 on" >&2; exit 2 ;;
esac
step=$((time < 60 ? 60 / time : 1))
unset TIME MAKEFLAGS MFLAGS MAKELEVEL # time(1) and other makes read these
# The machine may have other work, too.
export TESTS_LIMIT=14400 BATS_TEST_TIMEOUT=1800
for part in "$@"; do
    case " $all " in
    *" $part "*) ;;
    *) echo "trust: $part: no such part; the parts are: $all" >&2; exit 2 ;;
    esac
done
# shellcheck disable=SC2086 # words
[ "$#" -gt 0 ] || set -- $all

sanitizers='-g -fsanitize=address,undefined -fno-sanitize-recover=all'

# Objects with other flags are made anew, here and when the next part wants the usual ones.
run ()
{
    case $1 in
    exhaustive) EXHAUSTIVE=1 make SHELLS=all TESTS="$(echo tests/*/*.bats)" test ;;
    sanitizers) make CC=clang CFLAGS="$sanitizers" test ;;
    portable) make CC=gcc CPPFLAGS=-DPORTABLE test ;;
    musl) make CC=musl-gcc LDFLAGS=-static test ;;
    glibc) make CC=gcc test ;;
    clang) make CC=clang test ;;
    tcc) make CC=tcc CFLAGS=-g test ;;
    bmake) bmake CC=gcc CFLAGS=-O1 test ;;
    portability) make portability ;;
    model) make model MODEL=-d ;;
    coverage) make coverage ;;
    fuzz) TARGETS=$(ls tests/fuzz/corpus) FUZZ=$time make fuzz ;;
    batches) make all && FUZZ=$((5 * time)) ./tests/fuzz/batches.sh ;;
    soak) SOAK=$((30 * time)) make soak ;;
    faults) STEP=$step make faults ;;
    mutants) BATS_TEST_TIMEOUT=300 make mutants MUTANTS=$((100 / step)) ;;
    esac
}

# figure PART -- from its output
figure ()
{
    case $1 in
    portability)
        awk '{n[$1]++}
            END {printf "%d builds ok, %d failed, %d not tested\n", n["ok"], n["failed"], n["-"]}'
        ;;
    model)
        awk '/ holds$/ {n++; states += $(NF - 1)} / found: / {found++}
            END {print n + 0 " cases hold, " states + 0 " states; " found + 0 " broken ones found"}'
        ;;
    coverage)
        awk '/^all / {print $3 " of " $2 " lines, " $5 " of " $4 " branches"}'
        ;;
    fuzz)
        awk '$2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ {n++; runs += $2}
            END {printf "%d targets, %.0f runs\n", n, runs}'
        ;;
    faults) grep ' missed, ' ;;
    mutants) grep ' survived$' ;;
    soak) sed -n 's/^soak: \(.* runs, \)/\1/p' ;;
    batches) sed -n 's/^batches  *\([0-9]*\) .* none (\(.*\))/\1 scripts, \2/p' ;;
    *) grep ' passed, .* skipped$' | tail -n 1 ;; # a make that has failed says so after it
    esac <"build/trust/$1.log"
}

mkdir -p build/trust
failed=''
printf '%-12s %-6s %7s  %s\n' part result seconds figure
for part in "$@"; do
    began=$(date +%s)
    result=ok
    run "$part" >"build/trust/$part.log" 2>&1 </dev/null || result=FAILED
    [ "$result" = ok ] || failed="$failed $part"
    seconds=$(($(date +%s) - began))
    printf '%-12s %-6s %7d  %s\n' "$part" "$result" "$seconds" "$(figure "$part")"
done
for part in $failed; do
    echo
    echo "$part failed; the end of build/trust/$part.log:"
    tail -n 20 "build/trust/$part.log"
done
[ -z "$failed" ]
