#!/bin/sh
# Of make bench: a loop that starts programs, in a batch of 8, beside the loop of the shell itself
# that has no bound; in bash beside one with "wait -n", too, and xargs.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
programs=$(count 2000)

# looped BODY BEFORE AFTER -- so often, in $shell
looped ()
{
    run "$shell" -c "$2
        i=0
        while [ \"\$i\" -lt $programs ]; do
            $1
            i=\$((i + 1))
        done
        $3"
}
ours () { looped 'jobctl_run /bin/true' '. jobctl.sh; jobctl_open 8' jobctl_close; }
bare () { looped '/bin/true </dev/null &' '' wait; }
wait_n () { looped '[ "$i" -lt 8 ] || wait -n; /bin/true </dev/null &' '' wait; }
with_xargs () { seq "$programs" | xargs -P 8 -n 1 /bin/true; }

# compare OTHER TEXT [GOAL]
compare ()
{
    side_by_side ours "$1"
    r=$(of %.2f '$1 / $2')
    printf '%-8s / %-16s %s  %s us' "$shell" "$2" "$r" "$(costs "$programs" "$programs")"
    [ "$#" -lt 3 ] || printf ' %s' "$(verdict "$r" '<=' "$3")"
    echo
}

echo "jobctl_run /bin/true, 8 at once / other loops; microseconds for each"
for shell in $(shells dash bash ksh93 mksh yash zsh busybox); do
    case $shell in
    dash) goal=1.05 ;;
    busybox) goal=1.1 ;;
    mksh) goal=1.4 ;;
    yash) goal=1.5 ;;
    *) goal=1.3 ;;
    esac
    compare bare 'the bare loop' "$goal"
    [ "$shell" != bash ] || compare wait_n 'its wait -n loop' 1.15
    [ "$shell" != dash ] || compare with_xargs 'xargs -P 8'
done
