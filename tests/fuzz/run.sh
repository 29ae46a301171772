#!/bin/sh
# run.sh -- fuzzes each target, and batches (batches.sh), two at a time, and prints a table.
# Inputs that made one crash, leak or hang are left in build/fuzz/crashes, and the status is 1.
#   FUZZ      seconds for each, default 60
#   TARGETS   which, default all
#   KEEP=1    puts new inputs into tests/fuzz/corpus, and leaves there as few as cover the same, and
#             those with a name in letters, which show an old fault
# run.sh TARGET runs one target, which is built.
set -u
cd "$(dirname "$0")/../.." || exit
work=$PWD/build/fuzz seconds=${FUZZ:-60}
corpus=$PWD/tests/fuzz/corpus

# fuzz TARGET -- its line of the table
fuzz()
{
    mkdir -p "$work/found/$1" "$work/tmp.$1"
    TMPDIR=$work/tmp.$1 "$work/$1" -max_total_time="$seconds" -timeout=10 -max_len=4096 \
        -len_control=20 -print_final_stats=1 -artifact_prefix="$work/crashes/$1-" \
        "$work/found/$1" "$corpus/$1" >"$work/$1.log" 2>&1
    status=$?
    rm -rf "$work/tmp.$1"
    awk -v target="$1" '/ cov: / {cov = $4} /number_of_executed_units/ {runs = $2}
        {for (i = 3; i < NF; i++) if ($i == "cov:") cov = $(i + 1)}
        END {printf "%-12s %10d %6d ", target, runs, cov}' "$work/$1.log"
    if [ "$status" -eq 0 ]; then echo none; return 0; fi
    crash=$(sed -n 's/.*Test unit written to //p' "$work/$1.log")
    echo "yes: ${crash:-no input was written}, see $work/$1.log"
    grep -a -m 3 -E '^wrong:|^SUMMARY|runtime error' "$work/$1.log" >&2
    return 1
}

# keep TARGET -- keeps few small inputs that cover most
keep()
{
    rm -rf "$work/merged"
    mkdir -p "$work/merged"
    TMPDIR=$work "$work/$1" -merge=1 -use_counters=0 -max_len=1024 "$work/merged" "$corpus/$1" \
        "$work/found/$1" >"$work/merge.log" 2>&1 || return
    rm -f "$corpus/$1"/[0-9]*
    for file in "$work/merged"/*; do
        cp "$file" "$corpus/$1/$(cksum <"$file" | tr -d ' ')" || return
    done
}

batches() # likewise
{
    ./tests/fuzz/batches.sh >"$work/batches.log" 2>&1 && tail -n 1 "$work/batches.log" && return
    printf '%-12s %10s %6s yes: %s\n' batches - - "$(tail -n 1 "$work/batches.log"), see $work/batches.log"
    return 1
}

case ${1-} in
'') ;;
batches) batches; exit ;;
*) fuzz "$1"; exit ;;
esac
mkdir -p "$work/crashes"
echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return n > 0 && *d == 2 ? 0 : 0; }' >"$work/probe.c"
if ! "${FUZZ_CC:-clang}" -fsanitize=fuzzer,address,undefined -o "$work/probe" "$work/probe.c" 2>"$work/probe.log"; then
    echo 'fuzz: no clang with libFuzzer here: Debian has it in "clang" and "libclang-rt-14-dev"' \
        "(or the number of that clang); FUZZ_CC names another; see $work/probe.log" >&2
    batches
    exit 1
fi
./tests/fuzz/build.sh fuzz build/fuzz || exit
: "${TARGETS:=batches $(ls "$corpus")}"
printf '%-12s %10s %6s %s\n' target runs cov crashes
status=0
# shellcheck disable=SC2086 # a list
printf '%s\n' $TARGETS | awk '!seen[$0]++' | bin/jobctl --quiet --group -j 2 ./tests/fuzz/run.sh || status=1
if [ "${KEEP-}" = 1 ] && [ "$status" -eq 0 ]; then
    for target in $TARGETS; do
        [ "$target" = batches ] || keep "$target" || status=1
    done
    du -sk "$corpus"
fi
exit "$status"
