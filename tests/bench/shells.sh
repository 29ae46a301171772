#!/bin/sh
# Part of make bench: what the library adds to a job, beside a loop with no bound: wall time, and
# CPU of all processes, also of those in the background.
cd "$(dirname "$0")/../.." || exit
BENCH_PAIRS=${BENCH_PAIRS:-5}
. tests/bench/pairs.sh
cost=cost
elapsed () { "$@" || failed "$@"; }
[ "$(uname)" = Linux ] || echo 'shells: CPU is without that of tokend here'

open='. jobctl.sh; job () { :; }; jobctl_open 8'
close='jobctl_wait
    read -r pid <"$TMPDIR/jobctl.$$.1/fifo.d/lock" && read -r ns _ <"/proc/$pid/schedstat" &&
        echo "$ns" >>"$TMPDIR/tokend"
    jobctl_close' # the nanoseconds of tokend, where they can be known
bounded () { looped 'jobctl_run job' "$open" jobctl_close; }
unbounded () { looped 'job &' 'job () { :; }' wait; }
started () { looped 'jobctl_run /bin/true' "$open" "$close"; }
bare () { looped '/bin/true </dev/null &' '' wait; }
wait_n () { looped '[ "$i" -lt 8 ] || wait -n; /bin/true </dev/null &' '' wait; }
by_xargs () { run sh -c "seq $many | xargs -P 8 -n 1 /bin/true"; }
once () { run "$shell" -c "$open; jobctl_run job; jobctl_close"; }

# costs TEXT A B [GOAL] -- two functions that do $many things
costs ()
{
    side_by_side "$2" "$3"
    wall=$(of %.2f '$1 / $3') cpu=$(of %.2f '$2 / $4')
    echo "$shell: $1  wall $wall $(verdict "$wall" '<=' "${4-}")" \
        " CPU $cpu $(verdict "$cpu" '<=' "${4-}")  $(rates "$many" "$many" 3) a second"
}
cpu () { echo "$shell: $1  $2 $3 of CPU $(verdict "$2" '<=' "$4")"; } # TEXT FIGURE UNIT GOAL

for shell in $(shells dash bash ksh93 mksh yash zsh busybox posh); do
    case $shell in
    dash | busybox | posh) goal=1.12 process=1.2 ;;
    bash) goal=1.25 process=1.2 ;;
    ksh93 | mksh) goal=1.2 process=1.5 ;;
    *) goal=1.3 process=1.5 ;;
    esac
    many=$(count 5000)
    [ "$shell" != posh ] || many=$(count 500) # its own loop is quadratic
    costs 'jobctl_run a function / a loop with &' bounded unbounded
    costs 'process / a loop with &' by_process unbounded "$process"
    [ "$shell" = posh ] || many=$(count 2000)
    rm -f "$tmp/tokend"
    costs 'jobctl_run true / a loop with &' started bare "$goal"
    [ "$shell" != bash ] || costs 'jobctl_run true / wait -n' started wait_n 1.15
    [ "$shell" != dash ] || costs 'jobctl_run true / xargs -P 8' started by_xargs
    [ ! -e "$tmp/tokend" ] || cpu 'tokend for a job' \
        "$(awk -v n="$many" '{print $1 / 1e3 / n}' "$tmp/tokend" | median %.1f)" us 25
    side_by_side once once
    cpu 'a batch of one job' "$(of %.1f '($2 + $4) / 2e3')" ms 10
done
