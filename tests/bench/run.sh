#!/bin/sh
# make bench: the cost of a bound on the number of jobs, side by side.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
export FIFO="$tmp/fifo"

thousand () { by_process 1000; }
dd_loop () { run "$shell" tests/bench/dd.sh 8 "$few"; }
few=$(count 300) many=$(count 5000)
for shell in $(shells dash bash mksh yash busybox posh); do
    case $shell in
    ksh93 | zsh) continue ;; # a loop with dd never ends there
    dash) set -- 7 ;;
    posh) many=$(count 500) && set -- ;; # slow
    *) set -- ;;
    esac
    compare "$shell: process / a loop with dd" by_process "$many" dd_loop "$few" '>=' "$@"
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
compare '1000 slots / 8 slots' thousand "$many" by_process "$many" '<=' 1.5

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
        echo "tokend: $rss kB resident with 8 slots $(verdict "$rss" '<=' 1024)"
        switches () { awk '/ctxt/ {n += $2} END {print n}' "/proc/$tokend/status"; }
        before=$(switches)
        sleep 2
        woke=$(($(switches) - before))
        echo "tokend: woke up $woke times in two idle seconds $(verdict "$woke" '<=' 0)"
        tokstop "$FIFO"
    } <"$tmp/pipe"
    wait "$tokend"
fi
