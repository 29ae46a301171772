#!/bin/sh
# The third part of make bench: batches in a script, and jobctl(1) beside other
# programs that run lists of jobs. Medians of pairs, as in run.sh.
cd "$(dirname "$0")/../.." || exit
. tests/bench/pairs.sh
jobs=${BENCH_JOBS:-5000}
trap 'rm -rf "$tmp"' EXIT
export TMPDIR="$tmp"

# ratio A B -- two functions: medians of the ratio of their times, and of the times
ratio ()
{
    i=0
    while [ "$i" -lt "$pairs" ]; do
        echo "$(elapsed "$1") $(elapsed "$2")"
        i=$((i + 1))
    done >"$tmp/pairs"
    awk '{print $1 / $2}' "$tmp/pairs" | median >"$tmp/ratio"
    printf '%.2f %d %d\n' "$(cat "$tmp/ratio")" "$(cut -d' ' -f1 "$tmp/pairs" | median)" \
        "$(cut -d' ' -f2 "$tmp/pairs" | median)"
}

# compare A B RELATION GOAL TEXT
compare ()
{
    read -r r a b <<R
$(ratio "$1" "$2")
R
    echo "$5 $r  $((jobs * 1000000 / a))/$((jobs * 1000000 / b)) jobs/s $(verdict "$r" "$3" "$4")"
}

i=0
while [ "$i" -lt "$jobs" ]; do
    i=$((i + 1))
    echo "$i"
done >"$tmp/list"
sed 's/.*/true/' "$tmp/list" >"$tmp/commands"
{
    echo "all: $(sed 's/^/j/' "$tmp/list" | tr '\n' ' ')"
    echo 'j%:; @true x'
} >"$tmp/Makefile"

bounded () { run "$shell" tests/bench/batch.sh 8 "$jobs"; }
unbounded () { run "$shell" tests/bench/bare.sh 8 "$jobs"; }
echo "jobctl_run / the bare loop, 8 at once, a function that does nothing"
for shell in ${BENCH_SHELLS:-dash bash ksh93 mksh yash zsh busybox}; do
    command -v "$shell" >/dev/null || continue
    read -r r a b <<R
$(ratio bounded unbounded)
R
    printf '%-8s %s  %d/%d us' "$shell" "$r" "$((a / jobs))" "$((b / jobs))"
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
    compare ours with_make '<=' 1.1 'jobctl -j 8 true / make -j 8'
fi
if command -v parallel.moreutils >/dev/null; then
    compare ours with_moreutils '<=' 1.1 'jobctl -j 8 true / parallel of moreutils'
fi
compare our_commands xargs_commands '<=' 1 'jobctl -j 8 <commands / xargs -P 8 sh -c'
if parallel --version 2>/dev/null | grep -q GNU; then
    pairs=1 jobs=500
    head -n 500 "$tmp/list" >"$tmp/few" && mv "$tmp/few" "$tmp/list"
    head -n 500 "$tmp/commands" >"$tmp/few" && mv "$tmp/few" "$tmp/commands"
    with_parallel () { parallel -j 8 true <"$tmp/list"; }
    parallel_commands () { parallel -j 8 <"$tmp/commands"; }
    compare ours with_parallel '<=' 0.25 'jobctl -j 8 true / GNU parallel'
    compare our_commands parallel_commands '<=' 0.25 'jobctl -j 8 <commands / GNU parallel'
fi

# Whether what has been done costs memory, or time. The peak is that of jobctl, which
# the last job looks up.
peak () { echo "awk '/^VmHWM/ {print \$2}' /proc/\$PPID/status >$tmp/peak"; }
grows () # JOBS
{
    { yes : | head -n "$(($1 - 1))"; echo ":; $(peak)"; } >"$tmp/many"
    elapsed jobctl -j 8 "$tmp/many"
}
few=$(grows 1000) && read -r little <"$tmp/peak"
many=$(grows 100000) && read -r much <"$tmp/peak"
awk -v f="$few" -v m="$many" -v l="$little" -v k="$much" 'BEGIN {
    r = (m / 100000) / (f / 1000)
    printf "jobctl, 100,000 jobs / 1,000: %.2f times the time for each (goal <= 1.2: %s), %d/%d kB\n",
        r, r <= 1.2 ? "met" : "missed", k, l}'
batch () # JOBS -- microseconds for each
{
    dash -c '. jobctl.sh; job () { :; }; jobctl_open 8; i=0
        while [ "$i" -lt "$1" ]; do jobctl_run job; i=$((i + 1)); done; jobctl_close
        awk "/^VmHWM/ {print \$2}" "/proc/$$/status"' dash "$1" >"$tmp/peak"
}
if command -v dash >/dev/null; then
    few=$(elapsed batch 1000) && read -r little <"$tmp/peak"
    many=$(elapsed batch 100000) && read -r much <"$tmp/peak"
    awk -v f="$few" -v m="$many" -v l="$little" -v k="$much" 'BEGIN {
        r = (m / 100000) / (f / 1000)
        printf "jobctl_run in dash, 100,000 jobs / 1,000: %.2f times (goal <= 1.2: %s), %d/%d kB\n",
            r, r <= 1.2 ? "met" : "missed", k, l}'
fi
