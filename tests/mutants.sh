#!/bin/sh
# mutants.sh -- make mutants: do the tests bite? Makes a hundred small faults in src/ and share/,
# one at a time, and tries tests on each until one fails. Lists the faults that no test found,
# as FILE:LINE: BEFORE -> AFTER. 1 if more than 5 of 100 have no reason in mutants-reasons.
#   MUTANTS  100: how many
#   SEED     1: which ones
#   OF       sources, such as 'src/lib/*.c'; all of them
#   MORE     15: files of tests tried at most, beside those of the name of the source
# A change that does not compile, or is the same to the compiler, is no fault. A test counts only if
# it passes without the fault; one that hangs fails. The tests have namespaces of their own, where
# only a copy can be written: a fault may well send a signal to -1, or remove / as root.
set -u
cd "$(dirname "$0")/.." || exit
bats=$(command -v bats) || bats=$PWD/build/node_modules/bats/bin/bats
case ${MUTANTS:-100} in
*[!0-9]* | 0*) echo "mutants: MUTANTS=$MUTANTS: must be a number from 1 on" >&2; exit 2 ;;
esac
unset MAKEFLAGS MFLAGS MAKELEVEL
space='unshare -pf --kill-child --mount-proc'
if ! [ -x "$bats" ] || ! $space true 2>/dev/null; then
    echo 'mutants: needs bats, and root with unshare(1): nobody else is to be harmed' >&2
    exit 1
fi
make -s all helpers || exit
work=$(mktemp -d "${TMPDIR:-/tmp}/mut.XXXXXX") || exit
pid='' once=''
trap '[ -z "$pid$once" ] || { kill -KILL $pid $once; wait $pid $once; } 2>/dev/null
    rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
mkdir -m 1777 "$work/t"
mkdir "$work/good"
mkfifo "$work/tap"
tar -cf - .ci LICENSE Makefile README.md src share tests bin build/compiler build/lib.a |
    tar -xf - -C "$work/good"
make -s -C "$work/good" all helpers || exit
export BATS_TEST_TIMEOUT="${BATS_TEST_TIMEOUT:-120}"

# tests_of SOURCE -- files of tests: those of its name, or with a program's check of that name; then
# those of its room and of files that call its functions, the quick ones first, by the last run
tests_of ()
{
    name=$(basename "${1%.*}")
    case $1 in
    */shim) rooms=shims ;;
    share/*) rooms=share ;;
    *) rooms=$(echo "$1" && grep -l "\<${name}_[a-z_]*(" src/*/*.c) ;;
    esac
    {
        cat build/costs 2>/dev/null
        grep -l "units_test $name" tests/*/*.bats | sed 's/$/ own/'
        for room in $(echo "$rooms" | sed 's/^src.\([a-z]*\).*/\1/' | sort -u); do
            case $room in
            display) ls tests/display/*.bats && echo tests/jobctl/display.bats own ;;
            attended) ls tests/attended/*.bats tests/share/b*.bats tests/share/tasks.bats ;;
            jobpool | jobkeep) ls "tests/$room"/*.bats tests/share/[cgw]*.bats ;;
            places) ls tests/*/places*.bats tests/tools/abroad*.bats tests/jobat/*.bats ;;
            tokend) ls tests/tokend/*.bats tests/*/restart.bats tests/*/attendant.bats \
                tests/share/[bdg]*.bats ;;
            shims) ls tests/whole/shims.bats ;;
            *) ls tests/"$room"/*.bats ;;
            esac
        done
    } | awk -v name="$name" '
        NF == 3 {cost[$1] = $3; next}
        NF == 2 && !seen[$1]++ {print 0, 0, $1}
        NF == 1 && !seen[$0]++ {print index($0, "/" name) == 0, ($0 in cost) ? cost[$0] : 8, $0}' |
        sort -n -k 1,1 -k 2,2 | awk -v more="${MORE:-15}" '$1 == 0 || n++ < more {print $3}'
}

# tests TREE OPTION... -- bats, in namespaces where only $work can be written
tests ()
{
    tree=$work/$1
    shift
    # shellcheck disable=SC2016,SC2086 # for another shell; words
    exec env TMPDIR="$work/t" $space sh -c 'mount --bind "$1" "$1" && cd "$2" || exit
        while read -r _ where _; do
            case $where in
            "$1" | /proc* | /dev* | /sys*) ;;
            *) mount -o remount,bind,ro "$where" ;;
            esac
        done </proc/self/mounts 2>/dev/null
        shift 2
        timeout -s KILL "$((4 * BATS_TEST_TIMEOUT))" build/fresh -d "$@"
        exit "$?"' sh "$work" "$tree" "$bats" --tap "$@" 2>/dev/null </dev/null
}

# again TREE RESULT -- the test $name has that result there, alone
again ()
{
    tests "$1" -f "^$name\$" "$suite" >"$work/once" &
    once=$!
    wait "$once" # a signal ends it at once
    once=''
    grep -q "^$2 " "$work/once"
}

# first_failure FILE... -- 0 if a test of one of them fails, and fails again; sets $found
first_failure ()
{
    for suite; do
        case $suite in */parsers.bats)
            for tree in good try; do make -s -C "$work/$tree" build/replay/done || continue 2; done
        esac
        tests try "$suite" >"$work/tap" &
        pid=$! found=''
        while read -r line; do
            case $line in 'not ok '*) ;; *) continue ;; esac
            name=$(echo "$line" | sed 's/^not ok [0-9]* //; s/ # .*//') found="$suite: $name"
            name=$(echo "$name" | sed 's/[][\.*^$+?(){}|]/\\&/g')
            again good ok && again try 'not ok' && break
            found=''
        done <"$work/tap"
        [ -z "$found" ] || kill -KILL "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
        if [ "$?" -eq 137 ] && [ -z "$found" ]; then
            tests good "$suite" >"$work/once" &
            once=$!
            wait "$once"
            [ "$?" -eq 137 ] || found="$suite: hangs"
            once=''
        fi
        pid=''
        [ -z "$found" ] || return 0
    done
    return 1
}

# made FILE LINE TEXT -- compiles the copy with that fault; 1: it is none
made ()
{
    rm -rf "$work/try"
    cp -Rp "$work/good" "$work/try"
    text=$3 awk -v n="$2" 'FNR == n {$0 = ENVIRON["text"]} {print}' "$1" >"$work/text"
    cat "$work/text" >"$work/try/$1"
    object=${1%.c}.o
    case $1 in
    *.c) make -s -C "$work/try" "$object" && ! cmp -s "$work/try/$object" "$work/good/$object" ;;
    *) sh -n "$work/try/$1" ;;
    esac >/dev/null 2>&1 && make -s -C "$work/try" all helpers
}

tab=$(printf '\t') n=0 survived=0 excused=0 list=''
# shellcheck disable=SC2086 # words
awk -v seed="${SEED:-1}" -f tests/mutants.awk \
    ${OF:-src/*/*.c share/jobctl.sh share/jobctl/*.sh share/jobctl/shim} >"$work/faults"
while [ "$n" -lt "${MUTANTS:-100}" ] && IFS=$tab read -r file at text <&3; do
    made "$file" "$at" "$text" 3<&- || continue
    n=$((n + 1)) result=survived
    fault="$(sed -n "${at}s/^$tab*//p" "$file") -> $(printf '%s\n' "$text" | sed "s/^$tab*//")"
    case $file in src/*) shells=dash ;; *) shells='dash three' ;; esac
    for SHELLS in $shells; do
        export SHELLS
        # shellcheck disable=SC2046 # words
        ! first_failure $(tests_of "$file") 3<&- || { result="caught by $found"; break; }
    done
    if [ "$result" = survived ] && grep -qxF "$file: $fault" tests/mutants-reasons; then
        result='has a reason' excused=$((excused + 1))
    elif [ "$result" = survived ]; then
        survived=$((survived + 1)) list="$list
$file:$at: $fault"
    fi
    printf '%d of %d, %s: %s:%d: %s\n' \
        "$n" "${MUTANTS:-100}" "$result" "$file" "$at" "$fault"
done 3<"$work/faults"
echo "Tests passed all the same with:$list"
echo "$n faults, $((n - survived - excused)) caught, $excused have a reason, $survived survived"
[ "$n" -gt 0 ] && [ $((survived * 100)) -le $((5 * n)) ]
