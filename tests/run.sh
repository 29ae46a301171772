#!/bin/sh
# Runs the tests named, or all, with bats, some files at once; says how to get it where
# there is none. The last line is the count. Options before the names are for bats.
cd "$(dirname "$0")/.." || exit
if command -v bats >/dev/null 2>&1; then
    bats=bats
elif [ -x build/node_modules/.bin/bats ]; then
    bats=build/node_modules/.bin/bats
elif command -v npm >/dev/null 2>&1 &&
    npm install --silent --no-save --prefix build bats@1 >/dev/null 2>&1; then
    bats=build/node_modules/.bin/bats
else
    echo 'tests: bats is missing: install the package "bats", or npm' >&2
    exit 1
fi
for shell in dash bash ksh93 mksh yash zsh busybox posh; do
    command -v "$shell" >/dev/null 2>&1 ||
        echo "tests: $shell is not installed: not tested"
done
# The longest first: what is started last should not last longest.
# shellcheck disable=SC2010,SC2012,SC2046 # our own names
[ "$#" -gt 0 ] || set -- tests/whole/model.bats tests/whole/postgres.bats \
    $(ls -S tests/*/*.bats | grep -v 'model\|postgres')
# A test that hangs has failed, and so has a run that does. For a slow machine that has other
# work, too: they only end what hangs.
BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-1200}
export BATS_TEST_TIMEOUT
mkdir -p build
for argument in "$@"; do
    case $argument in
    *.bats) echo "$argument" ;;
    *) echo "$argument" >&3 ;;
    esac
done >build/files 3>build/options
files=$(grep -c . build/files)
set --
while IFS= read -r option; do set -- "$@" "$option"; done <build/options
set -- bin/jobctl --quiet --group -j "${TESTS_JOBS:-200%}" "$bats" --tap "$@" '{}'
if command -v timeout >/dev/null 2>&1; then
    set -- timeout -k 10 "${TESTS_LIMIT:-7200}" "$@"
fi
"$@" <build/files >build/tap
status=$?
grep -v '^ok \|^1\.\.' build/tap
passed=$(grep '^ok ' build/tap | grep -vc '# skip')
failed=$(grep -c '^not ok ' build/tap)
skipped=$(grep -c '^ok .*# skip' build/tap)
grep '^ok .*# skip' build/tap
# Whoever ran them may be broken too: all that was planned has a result.
planned=$(awk -F'[.][.]' '/^1[.][.][0-9]+$/ {files++; tests += $2}
    END {print files + 0, tests + 0}' build/tap)
if [ "$planned" != "$files $((passed + failed + skipped))" ] || [ "$passed" -eq 0 ]; then
    echo "tests: in $files files; files and tests that were begun: $planned"
    status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
