#!/bin/sh
# Of make bench: builds of a generated C project. make with -jN of its own against the same
# make in a pool of N, and two builds side by side. What is printed are medians of the ratios
# of pairs, with their quartiles. Every compiler is run by "seat", which counts them, on both
# sides.
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
pool=$tmp/pool
export SEATS="$tmp/seats"
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

own () { "$make" -s -j"$n" -f "$@"; }
ours () { tokget "$pool" "$make" -s -f "$@"; }
two () # own|ours
{
    "$1" flat.mk OUT="$tmp/one" &
    "$1" flat.mk OUT="$tmp/two" && wait "$!"
}

# timed OBJECTS COMMAND... -- microseconds, and the most compilers at once
timed ()
{
    objects=$1
    shift
    rm -f one/*.o two/*.o "$SEATS"
    from=$(now)
    "$@" || exit
    to=$(now)
    if [ "$objects" -ne "$(find one two -name '*.o' | wc -l)" ]; then
        echo 'builds: objects are missing' >&2
        exit 1
    fi
    echo "$((to - from)) $(awk '$2 > m {m = $2} END {print m}' "$SEATS")"
}

# compare NAME GOAL OBJECTS A... -- B...
compare ()
{
    name=$1 goal=$2 objects=$3 a=''
    shift 3
    while [ "$1" != -- ]; do
        a="$a $1"
        shift
    done
    shift
    i=0
    while [ "$i" -lt "$pairs" ]; do
        # shellcheck disable=SC2086 # a list of words
        if [ "$((i % 2))" -eq 0 ]; then
            x=$(timed "$objects" $a) && y=$(timed "$objects" "$@")
        else
            y=$(timed "$objects" "$@") && x=$(timed "$objects" $a)
        fi || exit
        echo "$x $y"
        i=$((i + 1))
    done >results
    awk '{printf "%.3f %d %d %d %d\n", $1 / $3, $1, $2, $3, $4}' results | sort -n |
        awk -v name="$name" -v goal="$goal" '
        {r[NR] = $1; a += $2; b += $4; if ($3 > pa) pa = $3; if ($5 > pb) pb = $5}
        END {
            m = r[int((NR + 1) / 2)]
            printf "%-42s %.3f (quartiles %.3f %.3f)", name, m, r[int((NR + 3) / 4)], \
                r[int((3 * NR + 1) / 4)]
            printf "  %.2f/%.2f s, at once %d/%d", a / NR / 1e6, b / NR / 1e6, pa, pb
            if (goal != "" && ENVIRON["BENCH"] != "quick")
                printf " (goal <= %s: %s)", goal, m <= goal ? "met" : "missed"
            print ""
        }'
}

cd "$tmp" && project || exit
tokend -b -j -n "$n" "$pool" || exit
echo "$files files, $cc, N = $n: ours / other, means, the most compilers at once"
compare 'in the pool / make -jN' 1.03 "$files" \
    ours flat.mk OUT="$tmp/one" -- own flat.mk OUT="$tmp/one"
compare 'in the pool / make -jN, five sub-makes' 1.03 "$files" \
    ours nested.mk OUT="$tmp/one" -- own nested.mk OUT="$tmp/one"
compare 'two in the pool / one make -jN of both' 1.05 $((2 * files)) two ours -- own both.mk
[ "$(awk '$2 > m {m = $2} END {print m + 0}' results)" -le "$n" ] && met=met || met=missed
echo "two in the pool: never above $n compilers: $met"
compare 'two in the pool / two make -jN' '' $((2 * files)) two ours -- two own
