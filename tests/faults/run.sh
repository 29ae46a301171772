#!/bin/sh
# make faults: in typical runs of every program (subjects.sh), each system call fails with each
# error that it can have, and the program is killed at it.
#
#	run.sh			all: some hours
#	run.sh quick [NAME...]	each error of each call of a program or shell once,
#				and each 40th kill
#	run.sh NAME...		all of these subjects, such as "tokget" or "batch.dash"
#	run.sh NAME CALL N FAULT	one case again; its files are kept
#
# STEP=K takes each Kth case, from PART=0 on, or 1 ... K - 1.
cd "$(dirname "$0")/../.." || exit
PATH=$PWD/bin:$PATH
. tests/faults/subjects.sh
if ! strace -o /dev/null true 2>/dev/null; then
    echo 'faults: needs strace' >&2
    exit 1
fi
export ASAN_OPTIONS=detect_leaks=0 # leaks cannot be looked for beside strace
case ${4-} in
E* | KILL) KEEP=1 exec tests/faults/one.sh "$*" ;;
esac
quick=0 step=${STEP-1} part=${PART-0}
if [ "${1-}" = quick ]; then
    quick=1
    shift
fi

tmp=$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX") || exit
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
jobs=$(($(getconf _NPROCESSORS_ONLN) * 2))

is_shell ()
{
    case ${1%%.*} in
    process | jobctrl | batch | options | tasks | connections | workers) ;;
    *) false ;;
    esac
}

# The subjects asked for, of shells that are installed.
chosen ()
{
    for subject in $subjects; do
        ! is_shell "$subject" || command -v "${subject#*.}" >/dev/null || continue
        [ "$#" -gt 0 ] || echo "$subject"
        for name in "$@"; do
            case $subject in "$name" | "$name".*) echo "$subject" ;; esac
        done
    done
}

# cases SUBJECT -- the cases of a subject, from its calls
cases ()
{
    prefix=''
    ! is_shell "$1" || prefix=sh:
    awk -v subject="$1" -v prefix="$prefix" '
        FNR == NR {errors[$1] = $0; sub(/^[^\t]*/, "", errors[$1]); next}
        {
            n = split(prefix $1 in errors ? errors[prefix $1] : errors[$1], error, " ")
            for (i = 1; i <= n; i++) print subject, $1, $2, error[i]
            print subject, $1, $2, "KILL"
        }' tests/faults/errors "$tmp/calls.$1"
}

# A quick run does not repeat what a program or a shell has done in another form.
sample ()
{
    awk -v quick="$quick" -v step="$step" -v part="$part" '
        {split($1, name, "."); program = name[2] ~ /^(dash|bash|ksh93|mksh)$/ ? name[2] : name[1]}
        quick && $4 != "KILL" && seen[program, $2, $4]++ {next}
        quick && $4 == "KILL" && kills++ % 40 {next}
        count++ % step == part'
}

chosen "$@" >"$tmp/subjects"
[ -s "$tmp/subjects" ] || { echo "faults: $*: no such subject" >&2; exit 1; }
CALLS="$tmp/calls" jobctl -k -j "$jobs" -a "$tmp/subjects" tests/faults/one.sh >"$tmp/plain"
if grep FAILED "$tmp/plain"; then
    echo 'faults: that was without any fault' >&2
    exit 1
fi
while read -r subject; do cases "$subject"; done <"$tmp/subjects" | sample >"$tmp/cases"
jobctl -j "$jobs" --timeout 200 -a "$tmp/cases" tests/faults/one.sh >"$tmp/results"
all=0
if [ "$(wc -l <"$tmp/results")" -ne "$(wc -l <"$tmp/cases")" ]; then
    echo 'faults: cases without a result: one.sh itself came to no end' >&2
    all=1
fi

# A table of calls and faults, in each place "done/message" and failures.
awk '
    {n[$2, $4, $5]++; total[$5]++; calls[$2]; faults[$4]; by[$1, $5]++; names[$1]}
    END {
        split("EINTR EAGAIN EMFILE ENFILE ENOSPC EIO ENOMEM EACCES KILL", column, " ")
        printf "%-18s", "ok/message"
        for (i = 1; i <= 9; i++) printf " %9s", column[i]
        print ""
        sort = "sort"
        for (call in calls) {
            line = sprintf("%-18s", call)
            for (i = 1; i <= 9; i++) {
                f = column[i]
                cell = n[call, f, "ok"] + n[call, f, "message"] + n[call, f, "FAILED"] == 0 ? "" : \
                    (n[call, f, "ok"] + 0) "/" (n[call, f, "message"] + 0)
                if (n[call, f, "FAILED"]) cell = cell "!" n[call, f, "FAILED"]
                line = line sprintf(" %9s", cell)
            }
            print line | sort
        }
        close(sort)
        print ""
        for (name in names)
            printf "%-18s %5d ok %5d message %3d missed %3d FAILED\n", name, by[name, "ok"], \
                by[name, "message"], by[name, "missed"], by[name, "FAILED"] | sort
        close(sort)
        printf "%d ok, %d message, %d missed, %d FAILED\n", total["ok"], total["message"], \
            total["missed"], total["FAILED"]
    }' "$tmp/results"
sort "$tmp/results" | awk '$5 == "FAILED" {
    printf "FAILED make faults FAULTS=\047%s %s %s %s\047: ", $1, $2, $3, $4
    $1 = $2 = $3 = $4 = $5 = ""
    sub(/^ */, "")
    print
}'
! grep -q ' FAILED' "$tmp/results" && [ -s "$tmp/results" ] && [ "$all" -eq 0 ]
