#!/bin/sh
# variant.sh COMMAND -- runs the command in a copy of this directory, so that several
# builds can be tested at once. Prints the command and, of tests, the count, of others
# what they print; all there is when it fails, or a compiler has something to say.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d "${TMPDIR:-/tmp}/variant.XXXXXX")
trap 'rm -rf "$copy"' EXIT
chmod 755 "$copy" # for the tests that are another user
tar -cf - Makefile README.md src share tests | tar -xf - -C "$copy"
cd "$copy"
make clean >/dev/null
echo "$1"
if ! eval "$1" >build.log 2>&1 || grep 'warning' build.log; then
    cat build.log
    exit 1
fi
case $1 in
*' test '*) tail -n 1 build.log ;;
*) sed '/^\.*[a-z/]*cc -\|^clang -\|^cp share\|^ *make[^f]/d' build.log ;;
esac
