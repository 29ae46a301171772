#!/bin/sh
# run.sh [FILE.bats...] -- runs these tests, or all but tests/trust, by bats. Prints each failure
# when it happens, a line when a file is done, then what was skipped, the ten slowest tests, and
# the count.
#   SHELLS            three (dash, bash, and another one for each test), all, or names
#   TESTS_JOBS        how many files at once that compute; as many processors as there are
#   TESTS_LIMIT       seconds after which the run counts as hung
#   BATS_TEST_TIMEOUT ... after which a test does
# A file with the line "# bats file_tags=waits" waits much, or has one long test: eight of them run
# beside.
case ${TMPDIR:=/tmp} in /*) ;; *) TMPDIR=$PWD/$TMPDIR ;; esac
unset BASH_ENV CDPATH POSIXLY_CORRECT
cd "$(dirname "$0")/.." || exit
unset MAKEFLAGS MFLAGS MAKELEVEL # a make of the tests is none of the caller's
for file; do
    [ -f "$file" ] || { echo "tests: $file: no such file; paths are from $PWD" >&2; exit 2; }
    case $file in
    tests/* | /*) ;;
    *) echo "tests: $file: write tests/..., or /..." >&2; exit 2 ;;
    esac
done
case ${SHELLS:-three} in
three | all) ;;
*)
    for shell in $SHELLS; do
        case $shell in
        dash | bash | ksh93 | mksh | yash | zsh | busybox | posh)
            command -v "$shell" >/dev/null && continue
            ;;
        esac
        echo "tests: SHELLS: $shell: not installed, or none of the eight (names, with blanks)" >&2
        exit 2
    done
    ;;
esac
for seconds in "${BATS_TEST_TIMEOUT:=300}" "${TESTS_LIMIT:=3600}"; do
    case $seconds in
    0* | *[!0-9]*)
        echo "tests: $seconds: BATS_TEST_TIMEOUT and TESTS_LIMIT are seconds" >&2
        exit 2
        ;;
    esac
done
BATS=$PWD/build/node_modules/bats/bin/bats
if command -v bats >/dev/null 2>&1; then
    BATS=bats
elif [ ! -x "$BATS" ] && ! { command -v npm >/dev/null 2>&1 &&
    npm install --silent --no-save --prefix build bats@1 >/dev/null 2>&1; }; then
    echo 'tests: bats is missing: install the package "bats", or npm' >&2
    exit 1
fi
for shell in dash bash ksh93 mksh yash zsh busybox posh; do
    command -v "$shell" >/dev/null 2>&1 ||
        echo "tests: $shell is not installed: not tested"
done
# The longest first: the file started last should not last longest.
# shellcheck disable=SC2010,SC2012,SC2046 # our own names
[ "$#" -gt 0 ] || set -- $(ls -S tests/*/*.bats | grep -v '^tests/trust/')
mkdir -p build && exec 8>build/tests.lock || exit
if command -v flock >/dev/null 2>&1 && ! flock -n 8; then
    echo 'tests: other tests run in this tree; wait for their end' >&2
    exit 1
fi
rm -rf build/tests && mkdir build/tests && touch build/tests/done || exit
for file in "$@"; do
    if grep -qx '# bats file_tags=waits' "$file"; then
        echo "$file" >>build/tests/waiting
    else
        echo "$file" >>build/tests/computing
    fi
done
TESTS_FILES=$# TESTS_BEGAN=$(date +%s)
# All that tests and bats leave is in one directory, removed at the end.
TMPDIR=$(mktemp -d "$TMPDIR/t.XXXX") && chmod 1777 "$TMPDIR" || exit
export BATS BATS_TEST_TIMEOUT TESTS_FILES TESTS_BEGAN TMPDIR
waiting='' computing=''
trap 'rm -rf "$TMPDIR"' EXIT
# shellcheck disable=SC2317 # by the trap
end_all ()
{
    trap '' HUP INT TERM PIPE
    for pid in $waiting $computing; do kill "$pid" 2>/dev/null; done # or they got the signal, too
    for pid in $waiting $computing; do wait "$pid"; done
    exit 1
}
trap end_all HUP INT TERM PIPE
# In a namespace of its own, the processes of a file of tests end with it, and see nobody else.
TESTS_SPACE='build/fresh -d unshare -pf --kill-child --mount-proc'
$TESTS_SPACE true 2>/dev/null || TESTS_SPACE=''
export TESTS_SPACE

# run_files N LIST -- runs those files, N at once
run_files ()
{
    [ ! -e "$2" ] || exec bin/jobctl --quiet -j "$1" --deadline "$TESTS_LIMIT" \
        build/fresh -p ./tests/file.sh <"$2"
    exit 0
}
run_files 8 build/tests/waiting &
waiting=$!
run_files "${TESTS_JOBS:-100%}" build/tests/computing &
computing=$!
status=0
wait "$waiting" || status=1
wait "$computing" || status=1
waiting='' computing=''

cat build/tests/*.tap >build/tap 2>/dev/null
passed=$(grep '^ok ' build/tap | grep -vc '# skip')
failed=$(grep -c '^not ok ' build/tap)
skipped=$(grep -c '^ok .*# skip' build/tap)
sed -n 's/^ok [0-9]* \(.*\) in [0-9]*ms \(# skip.*\)/\2: \1/p' build/tap | sort
echo 'The slowest tests, in ms:'
sed -n 's/^[a-z ]*ok [0-9]* \(.*\) in \([0-9]*\)ms.*/\2 \1/p' build/tap | sort -rn | head
awk '{cpu += $3} END {printf "%d s of CPU, ", cpu}' build/tests/done
cat build/tests/done >>build/costs
awk '{last[$1] = $0} END {for (file in last) print last[file]}' build/costs >build/tests/costs &&
    mv build/tests/costs build/costs
echo "$(($(date +%s) - TESTS_BEGAN)) s"
# The runner may be broken, too: every planned test must have a result.
planned=$(awk -F'[.][.]' '/^1[.][.][0-9]+$/ {files++; tests += $2}
    END {print files + 0, tests + 0}' build/tap)
if [ "$planned" != "$# $((passed + failed + skipped))" ] || [ "$passed" -eq 0 ]; then
    echo "tests: in $# files; files and tests that were begun: $planned"
    for file; do
        grep -qF "$file " build/tests/done || echo "tests: $file has not ended"
    done
    status=1
fi
echo "$passed passed, $failed failed, $skipped skipped" || status=1
exit "$status"
