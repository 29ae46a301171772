#!/bin/sh
# What can be checked without running: shell code, manuals, and that every
# compiler found has nothing to say about the source.
cd "$(dirname "$0")/.." || exit
status=0
# Beside the compilers: both take some seconds.
scripts ()
{
    said=0
    if ! command -v shellcheck >/dev/null 2>&1; then
        echo 'lint: no shellcheck' >&2
        return 0
    fi
    shellcheck -x -s sh share/*.sh share/jobctl/*.sh src/cc tests/*.sh tests/fuzz/*.sh tests/faults/*.sh .ci/run || said=1
    # Not the library once more for each script that reads it. In the benches, scripts
    # in single quotes are other shells' to expand.
    shellcheck -s sh -e SC1091 share/examples/*.sh || said=1
    shellcheck -s sh -e SC1091,SC2016 tests/bench/*.sh || said=1
    return "$said"
}
scripts &
pids=$!
# All are read by the same shell, one after the other.
twice=$(sed -n 's/^\([a-z_0-9]*\) ()$/\1/p' share/*.sh share/jobctl/*.sh | sort | uniq -d)
if [ -n "$twice" ]; then
    echo "lint: functions of two parts of share/: $twice" >&2
    status=1
fi
if command -v mandoc >/dev/null 2>&1; then
    # Whether the pages named are installed here is no fault of ours.
    if mandoc -T lint share/man/* 2>/dev/null | grep -v 'referenced manual not found'; then
        status=1
    fi
else
    echo 'lint: no mandoc' >&2
fi
# Not to /dev/null: tcc, run by root, replaces the device by a file.
objects=$(mktemp -d) || exit
trap 'rm -rf "$objects"' EXIT
compile () # NAME COMMAND... -- each source, alone: 0 when there is nothing to say
{
    name=$1 said=0
    shift
    command -v "$1" >/dev/null 2>&1 || return 0
    for file in src/*/*.c tests/c/*.c; do
        "$@" -Werror -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -DVERSION='"0"' -Wall -Wextra \
            -c -o "$objects/$name" "$file" || said=1
    done
    return "$said"
}
# Most of these read sources that are compiled below.
fuzz ()
{
    command -v clang >/dev/null 2>&1 || return 0
    clang -fsyntax-only -Werror -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -DVERSION='"0"' -Wall \
        -Wextra -Wshadow -Wmissing-prototypes tests/fuzz/*.c
}
fuzz &
pids="$pids $!"
compile gcc gcc -O2 -Wshadow -Wmissing-prototypes &
pids="$pids $!"
compile clang clang -fsyntax-only -Wshadow -Wmissing-prototypes &
pids="$pids $!"
compile tcc tcc || status=1
compile musl musl-gcc -fsyntax-only || status=1
for pid in $pids; do wait "$pid" || status=1; done
exit "$status"
