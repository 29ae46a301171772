#!/bin/sh
# build.sh fuzz|replay DIRECTORY -- makes DIRECTORY/TARGET for each target: with libFuzzer
# and the sanitizers ($TARGETS, or all); or with $CC and replay.c, from the objects that make
# has made. TARGET-MORE.c is a part of TARGET. A target takes the modules that it does not include
# itself from an archive of all; but complain.c and clock.c are in ground.c.
# shellcheck disable=SC2089,SC2090 # the quotes are for the compiler
set -eu
cd "$(dirname "$0")/../.."
kind=$1 out=$2
standard='-std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DVERSION="0"'
rm -rf "$out/modules" "$out/modules.a"
mkdir -p "$out/modules"
if [ "$kind" = fuzz ]; then
    cc="${FUZZ_CC:-clang} -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all $standard"
    each=-fsanitize=fuzzer-no-link,address,undefined link=-fsanitize=fuzzer,address,undefined
    modules="$(grep -L '^main(' src/*/*.c) tests/fuzz/ground.c" targets=${TARGETS-}
else # each file is compiled once, and runs for less time than its compiler would with -O2
    cc="${CC:-cc} ${CPPFLAGS-} ${CFLAGS-} -O0 $standard"
    each='' link=${LDFLAGS-} targets=''
    modules='tests/fuzz/ground.c tests/fuzz/replay.c'
    cp build/lib.a "$out/modules.a"
    ar -d "$out/modules.a" complain.o clock.o
fi
export cc each link out libraries="${LDLIBS-}"
# shellcheck disable=SC2016,SC2086 # for the shell of each job; a list
printf '%s\n' $modules | bin/jobctl -j 2 -c 'name=$(echo {.} | tr / -)
    $cc $each -c -o "$out/modules/${name#src-}.o" {}'
rm -f "$out"/modules/lib-complain.o "$out"/modules/lib-clock.o
ar -rc "$out/modules.a" "$out"/modules/*.o
# shellcheck disable=SC2016,SC2046,SC2086
printf '%s\n' ${targets:-$(ls tests/fuzz/corpus)} | grep -vx batches | bin/jobctl -j 2 -c '
    $cc $link -o "$out/"{} tests/fuzz/{}.c $(ls tests/fuzz/{}-*.c 2>/dev/null) "$out/modules.a" $libraries'
