#!/bin/sh
# portability.sh [quick] -- builds with each compiler, C library and kind of machine that is
# available here, each in a copy, reports warnings of compilers, and runs the tests nearest to C
# on it. quick: all tests of the programs with the sanitizers, and a few of each build that is
# unlike the default one. Prints a table of results, and names builds whose compiler is not
# installed; 1 if something failed.
#
# portability.sh build NAME DIRECTORY, for itself: one line of the table.
set -u
cd "$(dirname "$0")/.." || exit

few='tests/tools/*.bats tests/tokend/*.bats tests/attended/*.bats'
core="$few tests/clients/*.bats tests/share/process*.bats"
emulated="$few tests/share/process.bats"
rooms='lib lease display clients attended book tokend tools tokstat jobctl jobat jobpool jobkeep'
rooms="$rooms jobplot"
names='gcc clang tcc musl portable i686 s390x arm'

# about NAME -- sets cc, how to make it, tests, and qemu, which runs it
about ()
{
    cc=$1 make='' what='' tests=$core qemu=''
    case $1 in
    sanitizers)
        cc='clang -g -fsanitize=address,undefined -fno-sanitize-recover=all'
        what='clang, sanitizers' make=build/replay/done
        tests=$(for room in $rooms; do printf 'tests/%s/*.bats ' "$room"; done)
        ;;
    # A static build skips the tests of memory.
    gcc) what='gcc, glibc' tests="$few tests/whole/memory.bats" ;;
    clang) what='clang, glibc' tests=$few ;;
    tcc) what='tcc, glibc' tests=$few ;;
    musl) cc=musl-gcc what='gcc, musl, static' make='LDFLAGS=-static' tests=$few ;;
    portable) cc=gcc what='-DPORTABLE' make='CPPFLAGS=-DPORTABLE' ;;
    i686) cc=i686-linux-gnu-gcc what='32 bits' make=LDFLAGS=-static qemu=qemu-i386 ;;
    s390x)
        cc=s390x-linux-gnu-gcc what='64 bits, big-endian' make=LDFLAGS=-static
        qemu=qemu-s390x tests=$emulated
        ;;
    arm)
        cc=arm-linux-gnueabihf-gcc what='32 bits, ARM' make=LDFLAGS=-static
        qemu=qemu-arm tests=$emulated
        ;;
    esac
    # Quick looks at the parts that only that build has.
    if [ "$mode" = quick ]; then
        make="$make CFLAGS=-O1"
        case $1 in
        sanitizers) ;;
        *) tests=tests/tools/tokget.bats ;;
        esac
        case $1 in
        portable) tests="$tests tests/tokend/claim.bats tests/attended/attendant.bats" ;;
        esac
    fi
}

line () # RESULT TEXT
{
    printf '%-7s %-10s %-24s %s\n' "$1" "$name" "$what" "$2"
}

# emulate QEMU -- a script of its name runs each program that cannot run here itself
emulate ()
{
    mkdir real
    for program in bin/* build/*; do
        case $program in
        *.sh) continue ;;
        esac
        mv "$program" real/
        printf '#!/bin/bash\nexec %s -0 %s "%s" "$@"\n' "$(command -v "$1")" "${program##*/}" \
            "$PWD/real/${program##*/}" >"$program"
        chmod 755 "$program"
    done
}

# foreign -- symbols that the objects need from outside, and that are not in the list. (glibc
# writes stat64 for a stat of large files.)
foreign ()
{
    nm src/*/*.o | awk 'NF == 3 {print $3}' >own
    sed 's/#.*//' tests/posix-symbols | tr ' ' '\n' >>own
    nm "$@" src/*/*.o | awk 'NF == 2 && $1 == "U" {sub(/64$/, "", $2); print $2}' | sort -u |
        grep -vxFf own
}

# The check is no check if it does not find such a symbol.
check_symbols ()
{
    found=$(foreign)
    if [ -n "$found" ]; then
        echo "not in POSIX.1-2008: $(echo "$found" | tr '\n' ' ')"
        return 1
    fi
    echo 'int asprintf(char **, const char *, ...); int f(char **p) {return asprintf(p, "");}' \
        >canary.c
    gcc -c canary.c && [ "$(foreign canary.o)" = asprintf ] && return 0
    echo 'the check of symbols finds nothing'
    return 1
}

# shellcheck disable=SC2086 # words
one ()
{
    make clean >/dev/null
    if ! make CC="$cc" $make all helpers >log 2>&1; then
        line failed 'does not build'
        cat log
        return 1
    fi
    if grep -q 'warning' log; then
        line failed 'a compiler has something to say'
        grep -A 3 'warning' log
        return 1
    fi
    said=''
    if [ "$name" = portable ]; then
        said=$(check_symbols) || { line failed "$said"; return 1; }
        said='; no symbol but those of POSIX.1-2008'
    fi
    if ! bin/tokput -V >/dev/null 2>&1; then
        command -v "$qemu" >/dev/null || { line - "built; not run: no $qemu"; return 0; }
        emulate "$qemu"
        said=", by $qemu"
    fi
    if ./tests/run.sh $tests >log 2>&1; then
        line ok "$(tail -n 1 log)$said"
    else
        line failed "$(tail -n 1 log)$said"
        cat log
        return 1
    fi
}

mode=${1-all}
if [ "$mode" = build ]; then
    name=$2 mode=$4
    about "$name"
    copy=$3/$name
    mkdir "$copy" && tar -cf - Makefile README.md src share tests | tar -xf - -C "$copy" &&
        cd "$copy" || exit
    one
    exit
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/portability.XXXXXX") || exit
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work" # for tests as another user
[ "$mode" = all ] || names='sanitizers portable tcc i686 s390x'
for name in $names; do
    about "$name"
    # shellcheck disable=SC2086 # words
    if command -v "${cc%% *}" >/dev/null 2>&1; then
        echo "$name"
    else
        line - "not tested: no ${cc%% *}" >&2
    fi
done | bin/jobctl -k -j 2 sh tests/portability.sh build {} "$work" "$mode"
