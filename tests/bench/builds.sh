#!/bin/sh
# Part of make bench: builds of a generated C project. make with -jN of its own against the
# same make in a pool of N, and two builds side by side. On both sides every compiler is run
# by "seat", which counts them.
#   BENCH_CC     the compiler, default tcc, or else gcc -O0
#   BENCH_FILES  files of the project, default 500
#   BENCH_JOBS   N, default twice the processors
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
make="make"
command -v gmake >/dev/null && make=gmake
"$make" --version 2>/dev/null | grep -q '^GNU Make' || { echo 'builds: no GNU make here'; exit 0; }
files=${BENCH_FILES:-$(count 500)}
n=${BENCH_JOBS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}
cc=${BENCH_CC:-$(command -v tcc || echo gcc -O0)}
pool=$tmp/pool both=$((2 * files))
cleanup () { tokstop -f "$pool" 2>/dev/null; }

# The same objects are made by flat.mk, by nested.mk with a make for each of five
# directories, and by both.mk twice, as by two flat.mk.
project ()
{
    i=0 dirs='d0 d1 d2 d3 d4'
    mkdir d0 d1 d2 d3 d4 one two
    while [ "$i" -lt "$files" ]; do
        d=d$((i % 5))
        {
            echo '#include <stdio.h>'
            echo '#include <stdlib.h>'
            echo "int f$i(int n) { return n < 2 ? $i : printf(\"%d\", f$i(n - 1)); }"
        } >"$d/$i.c"
        echo "all: \$(OUT)/$i.o" | tee -a flat.mk >>"$d/Makefile"
        echo "\$(OUT)/$i.o:; @seat cc $cc -c -o \$@ $d/$i.c" >>flat.mk
        echo "\$(OUT)/$i.o:; @seat cc $cc -c -o \$@ $i.c" >>"$d/Makefile"
        i=$((i + 1))
    done
    printf '.PHONY: %s\nall: %s\n%s:; @$(MAKE) -s -C $@\n' "$dirs" "$dirs" "$dirs" >nested.mk
    for out in one two; do
        sed "s,\$(OUT),$out," flat.mk
    done >both.mk
}

own () { SEATS="$tmp/own" "$make" -s -j"$n" -f "$@"; }
ours () { SEATS="$tmp/ours" tokget "$pool" "$make" -s -f "$@"; }
two () # own|ours
{
    "$1" flat.mk OUT="$tmp/one" &
    "$1" flat.mk OUT="$tmp/two" && wait "$!"
}

# makes OBJECTS COMMAND... -- all of them
makes ()
{
    objects=$1
    shift
    rm -f one/*.o two/*.o
    "$@" && [ "$objects" -eq "$(find one two -name '*.o' | wc -l)" ]
}
flat_ours () { makes "$files" ours flat.mk OUT="$tmp/one"; }
flat_own () { makes "$files" own flat.mk OUT="$tmp/one"; }
nested_ours () { makes "$files" ours nested.mk OUT="$tmp/one"; }
nested_own () { makes "$files" own nested.mk OUT="$tmp/one"; }
two_ours () { makes "$both" two ours; }
two_own () { makes "$both" two own; }
both_own () { makes "$both" own both.mk; }
most () { awk '$2 > m {m = $2} END {print m + 0}' "$1"; }

cd "$tmp" && project || exit
tokend -b -j -n "$n" "$pool" || exit
echo "$files files, $cc, N = $n:"
compare 'in the pool / make -jN' flat_ours "$files" flat_own "$files" '<=' 1.03
compare 'in the pool / make -jN, five sub-makes' nested_ours "$files" nested_own "$files" '<=' 1.03
compare 'two in the pool / one make -jN of both' two_ours "$both" both_own "$both" '<=' 1.05
rm own
compare 'two in the pool / two make -jN' two_ours "$both" two_own "$both"
echo "compilers at once: at most $(most ours) in the pool, $(most own) of two make -jN"
[ "$(most ours)" -le "$n" ] || echo "builds: more than $n in the pool" | tee "$tmp/failed" >&2
