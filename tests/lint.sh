#!/bin/sh
# Checks all that needs no run: shell code, manuals, which folder includes which, the width of
# lines, and that gcc, tcc and musl-gcc have no warnings for the source. (clang takes longer
# than these together: .ci/run compiles all with it for the sanitizers, and refuses warnings.)
# Prints each fault, and each check that was left out.
cd "$(dirname "$0")/.." || exit
status=0

# there TOOL -- says so if it is not
there ()
{
    command -v "$1" >/dev/null 2>&1 || { echo "lint: not checked by $1: not installed" >&2; false; }
}

# Beside the compilers: both take some seconds.
scripts ()
{
    there shellcheck || return 0
    said=0
    # jobat writes the lines that set its variables before it.
    shellcheck -s sh -e SC2154,SC2015 src/places/far.sh || said=1
    shellcheck -x -s sh share/*.sh share/jobctl/*.sh share/jobctl/shim src/cc tests/*.sh \
        tests/faults/*.sh tests/fuzz/*.sh tests/model/*.sh .ci/run || said=1
    # Not the library once more for each script that reads it. In the benches, scripts
    # in single quotes are other shells' to expand.
    shellcheck -s sh -e SC1091 share/examples/*.sh || said=1
    shellcheck -s sh -e SC1091,SC2016 tests/bench/*.sh || said=1
    # These share their variables and functions with the tests that read or run them.
    shellcheck -s sh -e SC2154 tests/scripts/*.sh || said=1
    shellcheck -s bash -e SC2002,SC2016,SC2034,SC2094,SC2154,SC2317 tests/*.bash \
        tests/helpers/*.bash || said=1
    shellcheck share/completions/*.bash || said=1
    return "$said"
}
scripts &
pids=$!

awk -f tests/includes.awk src/README.md src/*/*.[ch] >&2 || status=1

awk '{
    line = $0
    while ((tab = index(line, "\t")) > 0)
        line = substr(line, 1, tab - 1) substr("        ", 1 + (tab - 1) % 8) substr(line, tab + 1)
    if (length(line) > 100) {
        print "lint: " FILENAME ":" FNR ": a line of " length(line) " columns, more than 100"
        status = 1
    }
}
END {exit status}' .ci/run Makefile src/cc src/*/*.[ch] share/*.sh share/jobctl/*.sh \
    share/jobctl/shim share/examples/* share/completions/* tests/*.*sh tests/*.awk \
    tests/bench/* tests/faults/*.sh tests/helpers/* tests/scripts/* >&2 || status=1

# The same shell reads all, one after the other.
twice=$(sed -n 's/^\([a-z_0-9]*\) () {$/\1/p' share/*.sh share/jobctl/*.sh | sort | uniq -d)
if [ -n "$twice" ]; then
    echo "lint: functions of two parts of share/: $twice" >&2
    status=1
fi
awk -f tests/aliases.awk share/jobctl.sh share/jobctl/*.sh >&2 || status=1
# In a trap, bash, mksh and yash return the status from before the trap.
if grep -nE '(^|[[:blank:]])return *(;|$)' share/*.sh share/jobctl/*.sh >&2; then
    echo 'lint: a return without a number is another one in a trap' >&2
    status=1
fi
# A page named that is not installed here is no fault of ours.
if there mandoc &&
    mandoc -T lint share/man/* 2>/dev/null | grep -v -e 'referenced manual not found' \
        -e 'conventional order: Sh DESCRIPTION'; then
    status=1
fi
make -s src/places/far-text.h || status=1
# Not to /dev/null: tcc, run by root, replaces the device by a file.
objects=$(mktemp -d) || exit
trap 'rm -rf "$objects"' EXIT
trap 'exit 1' HUP INT TERM
strict='-Werror -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -Wall -Wextra'
more='-Wshadow -Wmissing-prototypes'

# compile COMMAND... -- each source, alone: 0 if there are no warnings
compile ()
{
    there "$1" || return 0
    said=0
    for file in src/*/*.c tests/c/*.c; do
        # shellcheck disable=SC2086 # words
        "$@" $strict -DVERSION='"0"' -c -o "$objects/$1" "$file" || said=1
    done
    return "$said"
}

# Most of these read sources that are compiled below.
# shellcheck disable=SC2086 # words
fuzz ()
{
    ! command -v gcc >/dev/null 2>&1 ||
        gcc -fsyntax-only $strict $more -DVERSION='"0"' tests/fuzz/*.c
}
fuzz &
pids="$pids $!"
# Each build shows the warnings that gcc has only when it optimizes; make portability refuses them.
# shellcheck disable=SC2086 # words
compile gcc -fsyntax-only $more &
pids="$pids $!"
compile tcc || status=1
compile musl-gcc -fsyntax-only || status=1
for pid in $pids; do wait "$pid" || status=1; done
exit "$status"
