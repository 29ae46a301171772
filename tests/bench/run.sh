#!/bin/sh
# make bench: the cost of a bound on the number of jobs, side by side.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
export FIFO="$tmp/fifo"

# A job that does nothing: in $slots slots, and in a loop without a bound.
ours ()
{
    run "$shell" -c '. jobctl.sh; job () { :; }; jobctrl "$1" | process "$2"' \
        "$shell" "$slots" "$many"
}
bare () { looped 'job "$i" &' 'job () { :; }' wait; }
dd_loop () { run "$shell" tests/bench/dd.sh 8 "$few"; }
slots=8 few=$(count 300)
for shell in $(shells dash bash ksh93 mksh yash zsh busybox posh); do
    goal=1.25 many=$(count 5000)
    [ "$shell" != dash ] || goal=1.15
    [ "$shell" != posh ] || many=$(count 500) # its own loop is quadratic
    compare "$shell: process / a loop with &" ours "$many" bare "$many" '<=' "$goal"
    case $shell in
    ksh93 | zsh) continue ;; # a loop with dd never ends there
    dash) set -- 7 ;;
    *) set -- ;;
    esac
    compare "$shell: process / a loop with dd" ours "$many" dd_loop "$few" '>=' "$@"
done

starts=$(count 500)
started () { i=0; while [ "$i" -lt "$starts" ]; do "$@"; i=$((i + 1)); done; }
tool_itself () { started "$tool" -V; }
true_itself () { started /bin/true; }
for tool in tokget tokput tokstop tokend; do
    set -- '<=' 0.3
    [ "$tool" != tokend ] || set -- # starts once for all jobs
    compare "start of $tool / of true" tool_itself "$starts" true_itself "$starts" "$@"
done

many=$(count 20000) shell=dash jobs=$many
thousand () { slots=1000 && ours; }
eight () { slots=8 && ours; }
compare '1000 slots / 8 slots' thousand "$many" eight "$many" '<=' 1.5

if [ -r /proc/self/status ]; then
    mkfifo "$tmp/pipe"
    tokend -a -n 8 "$FIFO" >"$tmp/pipe" &
    tokend=$!
    {
        read -r _ # "ready 8"
        i=0
        while [ "$i" -lt "$jobs" ] && read -r lease _; do
            echo '=0' >"$FIFO.d/$lease"
            i=$((i + 1))
        done
        rss=$(awk '/^VmRSS/ {print $2}' "/proc/$tokend/status")
        ticks=$(awk '{print $14 + $15}' "/proc/$tokend/stat")
        echo "tokend: $rss kB resident with 8 slots $(verdict "$rss" '<=' 1024)," \
            "$((ticks * 1000000 / $(getconf CLK_TCK) / jobs)) us of CPU for a token"
        switches () { awk '/ctxt/ {n += $2} END {print n}' "/proc/$tokend/status"; }
        before=$(switches)
        sleep 2
        woke=$(($(switches) - before))
        echo "tokend: woke up $woke times in two idle seconds $(verdict "$woke" '<=' 0)"
        tokstop "$FIFO"
    } <"$tmp/pipe"
    wait "$tokend"
fi
