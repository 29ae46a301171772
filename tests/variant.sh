#!/bin/sh
# variant.sh MAKE-COMMAND -- tests a build of its own, in a copy of this directory, so
# that several can be tested at once. Prints the command and the count; all there
# is when a test fails, or a compiler has something to say.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d "${TMPDIR:-/tmp}/variant.XXXXXX")
trap 'rm -rf "$copy"' EXIT
chmod 755 "$copy" # for the tests that are another user
tar -cf - Makefile README.md src share tests | tar -xf - -C "$copy"
cd "$copy"
make clean >/dev/null
echo "$1"
if eval "TESTS_LIMIT=800 $1 test" >build.log 2>&1 && ! grep 'warning' build.log; then
    tail -n 1 build.log
else
    cat build.log
    exit 1
fi
