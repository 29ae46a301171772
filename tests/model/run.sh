#!/bin/sh
# Checks lease.pml and loan.pml with spin(1): first that the functions it names are in src/, then its
# promises, case by case, and then that each of its broken variants is found.
# With -q only the smaller cases, like "make test": some seconds. With -d also larger ones:
# some minutes, and some gigabytes.
cd "$(dirname "$0")" || exit
quick='' cc=gcc
[ "${1-}" != -q ] || quick=yes
# gcc takes longer to compile a checker than the checker to run.
! command -v tcc >/dev/null 2>&1 || cc=tcc
for tool in spin "$cc"; do
    command -v "$tool" >/dev/null 2>&1 || { echo "model: no $tool" >&2; exit 1; }
done
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

# "file.c: function, function": each begins a line there.
cat lease.pml loan.pml | grep -o '[a-z]*\.c: [a-z_]*\(, [a-z_]*\)*' | sed 's/://; s/,//g' |
    while read -r file names; do
        for name in $names; do
            grep -q "^$name(" ../../src/*/"$file" || echo "model: no $name in src/$file"
        done
    done >"$work/missing"
if [ -s "$work/missing" ]; then
    cat "$work/missing" >&2
    failed=1
fi

# checked NAME FLAGS DEFINITION... -- runs it; leaves its output in $work/NAME/out
checked ()
{
    name=$1 flags=$2
    shift 2
    mkdir "$work/$name" && cp "$model.pml" "$work/$name" && cd "$work/$name" || exit
    spin "$@" -a "$model.pml" >out 2>&1 &&
        $cc -w "$store" -DVECTORSZ=512 -DMEMLIM="${MEMLIM:-4000}" "$flags" -o pan pan.c \
            >>out 2>&1 &&
        ./pan -m100000 ${circles:+-l} >>out 2>&1
    cd "$OLDPWD" || exit
    states=$(awk '/states, stored/ {print $1; exit}' "$work/$name/out")
    found=$(sed -n 's/^pan:[0-9]*: //p' "$work/$name/out" | sed 's/.*||\([a-z_]*\)) (at.*/\1/; s/ (at.*//; 1q')
}

head () { printf '%-58s %10s  %s\n' "$1" states result; }
row () { printf '%-58s %10s  %s\n' "$1" "${states:--}" "$2"; }

# good WHAT DEFINITION... -- all states were looked at, and no fault found
good ()
{
    what=$1
    shift
    checked "good$((n += 1))" "${circles:--DSAFETY}" "$@"
    if grep -q 'errors: 0$' "$work/good$n/out" && ! grep -q "$incomplete" "$work/good$n/out"; then
        row "$what" holds
    else
        row "$what" "FAILS: ${found:-see below}"
        tail -n 20 "$work/good$n/out"
        failed=1
    fi
    rm -rf "$work/good$n"
}

# broken NUMBER WHAT FINDING DEFINITION...
broken ()
{
    number=$1 what=$2 finding=$3
    shift 3
    checked "broken$number" -DSAFETY -DBROKEN="$number" "$@"
    if [ "$found" = "$finding" ]; then
        row "$what" "found: $found"
    else
        row "$what" "NOT FOUND: ${found:-nothing}, not $finding"
        failed=1
    fi
    rm -rf "$work/broken$number"
}

# large WHAT DEFINITION... -- good, but not with -q
large () { [ -n "$quick" ] || good "$@"; }

# How states are kept: fast, or in little memory.
incomplete='max search depth too small\|out of memory\|Search not completed'
n=0 circles='' store=-DNOCOMP model=lease
small='-DDETAIL=0 -DCLIENTS=2'
# shellcheck disable=SC2086 # $small is two words
{
    head 'two tokens, three clients, and'
    large 'two of them, or their commands, are killed' -DDEATHS=2
    good 'one gives up as its time ends, one wants two' -DWANTS=2 -DLATE=1
    large 'one is stopped for ever, one wants two, one is killed' -DWANTS=2 -DSTOPS=1 -DDEATHS=1
    good 'one is stopped for ever, one wants two' -DWANTS=2 -DSTOPS=1
    large 'one token less, or more; one is killed' -DSIZES=1 -DMOST=3 -DDEATHS=1 -DDETAIL=0
    large 'the end is asked for' -DENDS=1 -DDETAIL=0
    head 'two tokens, two clients, and'
    good 'the end is asked for' -DENDS=1 $small
    good 'one token less, or more; one is killed' -DSIZES=1 -DMOST=3 -DDEATHS=1 $small
    good 'tokend is killed, and started again; one is killed' -DKILLS=1 -DDEATHS=1 $small
    large 'tokend is killed and started again, twice' -DKILLS=2 $small
    good 'tokend is killed and started again; one wants both' -DKILLS=1 -DWANTS=2 $small
    large 'tokend is killed, and who takes over fails, twice' -DKILLS=1 -DFAILS=2 $small
    large 'who takes over fails; one wants both, and is killed' -DKILLS=1 -DFAILS=1 -DWANTS=2 -DDEATHS=1 $small
    large 'who takes over fails; one wants both' -DKILLS=1 -DFAILS=1 -DWANTS=2 $small
    large 'it ends, is killed on the way, and started again' -DENDS=1 -DKILLS=1 $small
    good 'it ends, and is started again on an inlet that stayed' -DENDS=1 -DSTARTS=1 -DMADE=0 $small
    large 'it ends, and is started so, in detail' -DENDS=1 -DSTARTS=1 -DMADE=0 -DCLIENTS=2
    circles=-DNP store=-DCOLLAPSE
    good 'nothing goes in circles: what can move comes to rest' -DKILLS=1 $small
    circles='' store=-DNOCOMP
    if [ -z "$quick" ]; then
        head 'broken:'
        broken 2 'the answer before the name' slot_given_twice -DKILLS=1 $small
        broken 3 'who takes over believes that all is free' waiter_forgotten -DKILLS=1 $small
        broken 4 'who takes over does not read the leases' token_lost -DKILLS=1 -DDEATHS=1 $small
        broken 5 'who takes over does not put back what it read' waiter_forgotten -DKILLS=1 $small
        broken 6 'the FIFO of who asks is opened without O_NONBLOCK' dispenser_blocks -DDEATHS=1
        broken 7 'who waits for two tokens is not watched' waiter_forgotten -DWANTS=2 -DDEATHS=1 -DSTOPS=1
        broken 8 'the write end of the answer stays open' token_lost
        broken 9 'who takes over says nothing to those who wait' waiter_forgotten -DKILLS=1 $small
        broken 10 'who takes over says nothing to who has a name, no answer' waiter_forgotten -DKILLS=1 $small
        broken 11 'a token comes home, and nobody is served' waiter_forgotten
        broken 12 'a client asks before it has its write end open' waiter_forgotten
        broken 13 'a slot that is too many comes home, and stays' token_lost -DSIZES=1
        broken 14 'tokget closes its lease before its command has it' slot_given_twice
        broken 15 'it ends, and takes names away without a word' waiter_forgotten -DENDS=1 -DSTARTS=1 -DMADE=0 $small
        broken 16 'who takes over and fails removes the names' slot_given_twice -DREST=0 -DKILLS=1 -DFAILS=1 $small
    fi
    model=loan
    head 'a loan:'
    good 'tokend is killed, and two borrowers are' -DKILLS=1 -DDEATHS=2
    good 'and the token is given back early' -DKILLS=1 -DDEATHS=1 -DEARLY=1
    if [ -z "$quick" ]; then
        head 'broken:'
        broken 1 'a token comes home without a second look' two_at_work
        broken 2 '... and so it does where another tokend takes over' two_at_work -DKILLS=1
        broken 3 'loans are taken without a lock' two_at_work
        broken 4 'the name of the lease is not looked at last' two_at_work -DEARLY=1
        broken 5 'a token is given back early while it is lent' two_at_work -DEARLY=1
    fi
    model=lease
    if [ "${1-}" = -d ]; then
        head 'larger:'
        cc='gcc -O2' store=-DCOLLAPSE MEMLIM=${MEMLIM:-16000}
        good 'three clients: tokend is killed, and started again' -DKILLS=1 -DDETAIL=0
        good 'two clients: tokend is killed; a resize' -DKILLS=1 -DSIZES=1 -DMOST=3 $small
        good 'three clients, in detail: tokend is killed' -DKILLS=1
        good 'three clients: tokend is killed; one wants both' -DKILLS=1 -DWANTS=2 -DDETAIL=0
        good 'three clients, in detail: it ends; one is killed' -DENDS=1 -DDEATHS=1
        good 'three clients, in detail: a resize; one is killed' -DSIZES=1 -DMOST=3 -DDEATHS=1
        good 'three clients: it ends, and is started on an inlet that stayed' -DENDS=1 -DSTARTS=1 -DMADE=0 -DDETAIL=0
        good 'two clients, in detail: tokend is killed twice; one is killed' -DKILLS=2 -DDEATHS=1 -DCLIENTS=2
        good 'two clients: it ends, is killed, both are killed' -DENDS=1 -DKILLS=1 -DDEATHS=2 $small
    fi
}
exit "$failed"
