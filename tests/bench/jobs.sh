#!/bin/sh
# Part of make bench: jobctl(1) beside other programs that run lists of jobs.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh

# lists JOBS -- for that many jobs
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

lists "$(count 5000)"
ours () { jobctl -j 8 true <"$tmp/list"; }
with_xargs () { xargs -P 8 -n 1 true <"$tmp/list"; }
with_make () { make -s -j 8 -f "$tmp/Makefile"; }
with_moreutils () { tr '\n' '\0' <"$tmp/list" | xargs -0 parallel.moreutils -j 8 true --; }
our_commands () { jobctl -j 8 <"$tmp/commands"; }
xargs_commands () { tr '\n' '\0' <"$tmp/commands" | xargs -0 -P 8 -n 1 sh -c; }
compare 'jobctl -j 8 true / xargs -P 8 -n 1 true' ours "$jobs" with_xargs "$jobs" '<=' 1
if make --version 2>/dev/null | grep -q GNU; then
    compare 'jobctl -j 8 true / make -j 8' ours "$jobs" with_make "$jobs" '<=' 1
fi
if command -v parallel.moreutils >/dev/null; then
    compare 'jobctl -j 8 true / parallel of moreutils' ours "$jobs" with_moreutils "$jobs" '<=' 1
fi
compare 'jobctl -j 8 <commands / xargs -P 8 sh -c' \
    our_commands "$jobs" xargs_commands "$jobs" '<=' 1
if parallel --version 2>/dev/null | grep -q GNU; then
    pairs=1
    lists "$(count 500)"
    with_parallel () { parallel -j 8 true <"$tmp/list"; }
    parallel_commands () { parallel -j 8 <"$tmp/commands"; }
    compare 'jobctl -j 8 true / GNU parallel' ours "$jobs" with_parallel "$jobs" '<=' 0.25
    compare 'jobctl -j 8 <commands / GNU parallel' \
        our_commands "$jobs" parallel_commands "$jobs" '<=' 0.25
fi

# The cost of reading the output of jobs: for each job, and for each byte.
lists "$(count 5000)"
by_lines () { jobctl -j 8 --line-buffer --tag true <"$tmp/list"; }
compare 'jobctl -j 8 --line-buffer --tag true / without' by_lines "$jobs" ours "$jobs" '<=' 1.15

# The cost of a display, at a terminal that takes all it is given.
at_terminal () { script -qec "jobctl -j 8 $* -a $tmp/list true" /dev/null </dev/null >/dev/null; }
shown () { at_terminal --status; }
unshown () { at_terminal; }
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    compare 'jobctl -j 8 --status true / without, at a terminal' \
        shown "$jobs" unshown "$jobs" '<=' 1.05
fi

megabytes=$(count 1000)
yes 'a line of forty bytes, as logs have them' | head -c "${megabytes}000000" >"$tmp/big"
big_lines () { echo "cat $tmp/big" | jobctl --line-buffer; }
# shellcheck disable=SC2002 # a pipe, as jobctl has one
big_cat () { cat "$tmp/big" | cat; }
compare 'jobctl --line-buffer / cat, in MB' big_lines "$megabytes" big_cat "$megabytes" '>=' 0.5
rm "$tmp/big"

# grows TEXT FUNCTION -- whether finished jobs cost memory, or time. The function runs JOBS
# of them and writes the peak into the file "peak".
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
