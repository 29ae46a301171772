#!/bin/sh
# coverage.sh [TEST-FILE...] -- the parts of src/ that the tests run: each line that was not
# run, then lines and branches of each file. 1 if a test failed, or if less than 96 % of all
# lines or 88 % of all branches were run. Needs clang, llvm and bats. Counters are in a mapped
# file (clang's continuous mode), so a process that a kill -9, _exit or exec ends counts, too.
# build/coverage.lcov is left, for an editor, or to report on it again: coverage.sh -
set -eu
cd "$(dirname "$0")/.."
top=$PWD
report ()
{
    awk -f tests/coverage.awk build/coverage.lcov
}
if [ "${1-}" = - ]; then
    report
    exit
fi
for tool in clang llvm-profdata llvm-cov bats; do
    command -v "$tool" >/dev/null 2>&1 || { echo "coverage: no $tool" >&2; exit 1; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/coverage.XXXXXX")
sweep=''
trap '[ -z "$sweep" ] || kill "$sweep"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
mkdir "$work/copy" "$work/raw"
tar -cf - .ci Makefile README.md src share tests | tar -xf - -C "$work/copy"
cd "$work/copy"
make clean >/dev/null
flags="-O1 -g -fprofile-instr-generate=$work/raw/other.%m%c -fcoverage-mapping"
flags="$flags -mllvm -runtime-counter-relocation -Qunused-arguments"
make -s CC=clang CFLAGS="$flags"

# counting NAME COMMAND... -- with counters of its own, in files that other users may write,
# for some tests are another user. A process that a test stops while it maps its file holds
# up others: so each file of tests has its own, and several run at the same time.
programs=$(find bin -type f ! -name '*.sh')
cat >"$work/counting" <<S
#!/bin/sh
LLVM_PROFILE_FILE=$work/raw/\$1.%m%c
export LLVM_PROFILE_FILE
for program in $(echo "$programs" | paste -sd ' '); do "$work/copy/\$program" -V; done >/dev/null
chmod 666 "$work/raw/\$1".*
shift
exec "\$@"
S
mkdir "$work/path"
cat >"$work/path/bats" <<S
#!/bin/sh
for file; do :; done
exec "$work/counting" "\$(echo "\${file%.bats}" | tr / -)" "$(command -v bats)" "\$@"
S
chmod +x "$work/counting" "$work/path/bats"
chmod 777 "$work/raw"
"$work/counting" other true # a process without the environment

# The tests of tests/trust, too. The model runs none of our programs.
# shellcheck disable=SC2010,SC2012 # our own names
tests=${*:-$(ls -S tests/*/*.bats | grep -v /model.bats)}
status=0
PATH=$work/path:$PATH make -s CC=clang CFLAGS="$flags" \
    TESTS="$(echo "$tests" | paste -sd ' ')" test || status=1
# Of the sweep over all system calls, only the lines run count here.
if [ "$#" -eq 0 ]; then
    timeout "${TESTS_LIMIT:-3600}" "$work/counting" faults ./tests/faults/run.sh quick \
        >/dev/null 2>&1 &
    sweep=$!
    wait "$sweep" || :
    sweep=''
fi

llvm-profdata merge -o all.profdata "$work/raw"/*
objects=''
for program in $programs; do objects="$objects -object $program"; done
mkdir -p "$top/build"
# shellcheck disable=SC2086 # words
llvm-cov export -format=lcov ${objects# -object } -instr-profile all.profdata 2>/dev/null |
    sed "s|^SF:$work/copy/|SF:|" >"$top/build/coverage.lcov"
cd "$top"
report || status=1
exit "$status"
