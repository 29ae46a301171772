#!/bin/sh
# one.sh 'SUBJECT CALL N FAULT' -- a typical run of a program (subjects.sh) in which its Nth
# such system call fails with the error FAULT, or the program is killed there (KILL). Prints
# the case and
#
#	ok	all was done
#	message	not all was done, and a status and a message say so; or it was killed
#	missed	there were fewer such calls this time
#	FAILED	and what is wrong
#
# SUBJECT alone: without a fault, and notes the calls in the file $CALLS.SUBJECT, as CALL N.
# shellcheck disable=SC2016,SC2317,SC3045 # scripts for others; called by name; where strace is
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/helpers/others.sh"
. "$top/tests/faults/subjects.sh"
# shellcheck disable=SC2086 # words
set -- $1
subject=$1 call=${2-} nth=${3-} fault=${4-}
PATH=$top/bin:$top/build:$PATH
ulimit -n 64 # tokend -b closes them all
unset MAKEFLAGS MFLAGS MAKELEVEL CARGO_MAKEFLAGS
limit=20 # seconds, though a tenth of one is enough

here=$(mktemp -d "${TMPDIR:-/tmp}/fault.XXXXXX") || exit
cd "$here" || exit
export here FIFO="$here/f" TMPDIR="$here" JOBCTL_BOARDS="$here/boards"
case $fault in
'') options='-e trace=all' ;;
KILL) options="-e trace=$call -e inject=$call:signal=KILL:when=$nth" ;;
*) options="-e trace=$call -e inject=$call:error=$fault:when=$nth" ;;
esac

# The end of this case.
result ()
{
    signal_others KILL
    if [ "$1" = FAILED ] && [ -n "${KEEP-}" ]; then
        echo "kept: $here" >&2
    else
        cd / && rm -rf "$here"
    fi
    echo "$subject $call $nth $fault $*"
    [ "$1" != FAILED ]
    exit
}
failed () { result FAILED "$*"; }

# traced COMMAND... -- the run in which the fault happens
# shellcheck disable=SC2086 # words
traced () { timeout -s KILL "$limit" strace -qq -o trace $options "$@"; }

# traced_by_name PROGRAM [OPTION] -- the same for a program that others start: the first of that
# name in PATH, with that option first. Its parent is its starter, not strace.
traced_by_name ()
{
    mkdir path
    first=${2:-'${1-}'} # any one
    cat >"path/$1" <<S
#!/bin/sh
[ "\${1-}" = "$first" ] && mkdir "$here/began" 2>/dev/null || exec "$(command -v "$1")" "\$@"
exec strace -D -qq -o "$here/trace" $options "$(command -v "$1")" "\$@"
S
    chmod +x "path/$1"
    PATH=$here/path:$PATH
}

# it_ended STATUS MAY -- the run ended with one of the statuses in MAY, and with a message
# if that is no success
it_ended ()
{
    status=$1
    if [ "$status" -eq 137 ]; then # of strace, which dies like its child, or of timeout
        # strace may be nobody's child, and not have written its line yet
        if [ "$fault" = KILL ] && until_true grep -q 'killed by SIGKILL' trace; then return; fi
        failed "no end in $limit seconds"
    fi
    case " $2 " in
    *" $status "*) ;;
    *) failed "status $status: $(head -n 1 err)" ;;
    esac
    [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || [ -s err ] ||
        failed "status $status without a message"
}

# A file that could not be removed or locked may be left, if a message said so.
# The background has nobody to tell.
removal ()
{
    case $call/$fault in
    */KILL) false ;;
    unlink* | rmdir/* | *stat/* | *statat/* | fcntl/* | lseek/*)
        [ -s err ] || [ "$subject" = tokend.background ]
        ;;
    *) false ;;
    esac
}
no_files () { [ ! -e "$FIFO" ] && [ ! -e "$FIFO.d" ]; }
no_batch () { ! ls -d "$here"/jobctl.* >/dev/null 2>&1; }
pool_says ()
{
    [ "$(timeout 5 tokstat -o tsv "$FIFO" | sed -n 's/^pool.//p' | cut -f 1-4 |
        tr '\t' ' ')" = "$1" ]
}
no_names () { ! ls "$FIFO.d"/w/* >/dev/null 2>&1; }

# all_home N -- the dispenser has all of its tokens, and gives them
all_home ()
{
    until_true pool_says "$1 $1 0 0" ||
        failed "tokens: $(timeout 5 tokstat -o tsv "$FIFO" 2>&1 | head -n 1)"
    timeout 10 tokget -t 5 -k "$1" "$FIFO" true 2>again || failed "then: $? $(cat again)"
    until_true pool_says "$1 $1 0 0" || failed 'tokens of the next client'
}

# nothing_left -- waits until there is no file and no process: while "others" goes through its
# list of processes, one in the list may leave its work to a child that is not.
gone () { nobody_else && { no_files || removal; } && { no_batch || removal; }; }
nothing_left ()
{
    if ! until_true gone && ! nobody_else; then
        pids=$(others | paste -sd ,)
        failed "processes: $(ps -o args= -p "$pids" | head -n 3 | paste -sd ';')"
    fi
    no_files || removal || failed "files: $(find "$FIFO" "$FIFO.d" 2>/dev/null | paste -sd ' ')"
    no_batch || removal || failed "directory: $(find "$here"/jobctl.* | paste -sd ' ')"
}

# stopped N -- the pool is as it was, and ends
stopped ()
{
    all_home "$1"
    case $subject/$call/$fault in
    */KILL | */unlink*) ;; # tokend finds that name, in time
    tokstat.*/mmap/ENOMEM | tokstat.*/brk/ENOMEM) ;; # likewise: no room for its answer
    *) no_names || failed "$(ls "$FIFO.d")" ;;
    esac
    timeout 10 tokstop "$FIFO" 2>again || failed "tokstop: $? $(cat again)"
    nothing_left
}

"subject_${subject%%.*}" "${subject#*.}"
if [ -z "$fault" ]; then
    [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || failed "status $status: $(cat err)"
    [ -z "${CALLS-}" ] || calls_of trace >"$CALLS.$subject"
elif [ "$fault" != KILL ] && ! grep -q INJECTED trace; then
    result missed
fi
case $status in
0) result ok ;;
*) result message ;;
esac
