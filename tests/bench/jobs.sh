#!/bin/sh
# Of make bench: batches in a script, and jobctl(1) beside other programs that run lists of
# jobs.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh

# lists JOBS -- for so many of them
lists ()
{
    jobs=$1
    seq "$jobs" >"$tmp/list"
    sed 's/.*/true/' "$tmp/list" >"$tmp/commands"
    {
        echo "all: $(sed 's/^/j/' "$tmp/list" | tr '\n' ' ')"
        echo 'j%:; @true x'
    } >"$tmp/Makefile"
}

# compare A B RELATION GOAL TEXT
compare ()
{
    side_by_side "$1" "$2"
    r=$(of %.2f '$1 / $2')
    echo "$5 $r  $(rates "$jobs" "$jobs") jobs/s $(verdict "$r" "$3" "$4")"
}

lists "$(count 5000)"
bounded () { run "$shell" tests/bench/batch.sh 8 "$jobs"; }
unbounded () { run "$shell" tests/bench/bare.sh 8 "$jobs"; }
echo "jobctl_run / the bare loop, 8 at once, a function that does nothing"
for shell in $(shells dash bash ksh93 mksh yash zsh busybox); do
    side_by_side bounded unbounded
    r=$(of %.2f '$1 / $2')
    printf '%-8s %s  %s us' "$shell" "$r" "$(costs "$jobs" "$jobs")"
    [ "$shell" != dash ] || printf ' %s' "$(verdict "$r" '<=' 1.2)"
    echo
done

ours () { jobctl -j 8 true <"$tmp/list"; }
with_xargs () { xargs -P 8 -n 1 true <"$tmp/list"; }
with_make () { make -s -j 8 -f "$tmp/Makefile"; }
with_moreutils () { tr '\n' '\0' <"$tmp/list" | xargs -0 parallel.moreutils -j 8 true --; }
our_commands () { jobctl -j 8 <"$tmp/commands"; }
xargs_commands () { tr '\n' '\0' <"$tmp/commands" | xargs -0 -P 8 -n 1 sh -c; }
compare ours with_xargs '<=' 1 'jobctl -j 8 true / xargs -P 8 -n 1 true'
if make --version 2>/dev/null | grep -q GNU; then
    compare ours with_make '<=' 1 'jobctl -j 8 true / make -j 8'
fi
if command -v parallel.moreutils >/dev/null; then
    compare ours with_moreutils '<=' 1 'jobctl -j 8 true / parallel of moreutils'
fi
compare our_commands xargs_commands '<=' 1 'jobctl -j 8 <commands / xargs -P 8 sh -c'
if parallel --version 2>/dev/null | grep -q GNU; then
    pairs=1
    lists "$(count 500)"
    with_parallel () { parallel -j 8 true <"$tmp/list"; }
    parallel_commands () { parallel -j 8 <"$tmp/commands"; }
    compare ours with_parallel '<=' 0.25 'jobctl -j 8 true / GNU parallel'
    compare our_commands parallel_commands '<=' 0.25 'jobctl -j 8 <commands / GNU parallel'
fi

# What reading the output of jobs costs: for each of them, and for each byte.
lists "$(count 5000)"
by_lines () { jobctl -j 8 --line-buffer --tag true <"$tmp/list"; }
compare by_lines ours '<=' 1.15 'jobctl -j 8 --line-buffer --tag true / without'

# What a display costs, at a terminal that takes what it is given.
at_terminal () { script -qec "jobctl -j 8 $* -a $tmp/list true" /dev/null </dev/null >/dev/null; }
shown () { at_terminal --status; }
unshown () { at_terminal; }
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    compare shown unshown '<=' 1.05 'jobctl -j 8 --status true / without, at a terminal'
fi

megabytes=$(count 1000)
yes 'a line of forty bytes, as logs have them' | head -c "${megabytes}000000" >"$tmp/big"
big_lines () { echo "cat $tmp/big" | jobctl --line-buffer; }
# shellcheck disable=SC2002 # a pipe, as jobctl has one
big_cat () { cat "$tmp/big" | cat; }
side_by_side big_lines big_cat
r=$(of %.2f '$2 / $1')
echo "$megabytes MB by cat / by jobctl --line-buffer $r $(verdict "$r" '>=' 0.5)"
rm "$tmp/big"

# grows TEXT FUNCTION -- whether what has been done costs memory, or time. The function runs
# JOBS of them and writes the peak into the file "peak".
grows ()
{
    few=$(count 1000) many=$(count 100000)
    few_us=$(elapsed "$2" "$few") && read -r little <"$tmp/peak"
    many_us=$(elapsed "$2" "$many") && read -r much <"$tmp/peak"
    r=$(awk "BEGIN {printf \"%.2f\", ($many_us / $many) / ($few_us / $few)}")
    echo "$1, $many jobs / $few: $r times the time for each $(verdict "$r" '<=' 1.2)," \
        "$much/$little kB"
}
# The last job looks jobctl's peak up.
jobctl_jobs ()
{
    peak="awk '/^VmHWM/ {print \$2}' /proc/\$PPID/status >$tmp/peak"
    { yes : | head -n "$(($1 - 1))"; echo ":; $peak"; } >"$tmp/many"
    jobctl -j 8 "$tmp/many"
}
dash_jobs ()
{
    dash -c '. jobctl.sh; job () { :; }; jobctl_open 8; i=0
        while [ "$i" -lt "$1" ]; do jobctl_run job; i=$((i + 1)); done; jobctl_close
        awk "/^VmHWM/ {print \$2}" "/proc/$$/status" >"$2"' dash "$1" "$tmp/peak"
}
grows jobctl jobctl_jobs
if command -v dash >/dev/null; then grows 'jobctl_run in dash' dash_jobs; fi
