#!/bin/sh
# Runs the tests named, or all, with bats; says how to get it where there is
# none. The last line is the count.
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
[ "$#" -gt 0 ] || set -- tests/*.bats
# A test that hangs has failed, and so has a run that does.
BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-120}
export BATS_TEST_TIMEOUT
if command -v timeout >/dev/null 2>&1; then
    set -- timeout -k 10 "${TESTS_LIMIT:-600}" "$bats" --tap "$@"
else
    set -- "$bats" --tap "$@"
fi
"$@" >build/tap </dev/null
status=$?
grep -v '^ok ' build/tap
passed=$(grep '^ok ' build/tap | grep -vc '# skip')
failed=$(grep -c '^not ok ' build/tap)
skipped=$(grep -c '^ok .*# skip' build/tap)
grep '^ok .*# skip' build/tap
[ "$passed" -gt 0 ] || status=1
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
