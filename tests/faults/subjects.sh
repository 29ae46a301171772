# subjects.sh -- the typical runs in which calls fail, for one.sh. subject_NAME FORM runs a
# command "traced", sets the status, and looks what is left.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154,SC2317 # one.sh; scripts for others

subjects='
tokget.command tokget.x tokget.o tokget.lease tokget.now tokget.late tokget.waits
tokget.many tokget.starts tokget.build tokget.pipe tokget.make tokget.background
tokput.lease tokput.size tokput.label
tokstop.plain tokstop.force tokstop.jobs
tokstat.table tokstat.json tokstat.list tokstat.screen
tokend.clients tokend.background tokend.builds tokend.over tokend.labels tokend.within
tokend.attendant tokend.again tokend.batch
takeover.clients takeover.builds takeover.batch
jobctl.plain jobctl.log jobctl.kept jobctl.lines jobctl.sources jobctl.make
jobctl.screen
jobpool.plain jobpool.order jobpool.asked
jobplot.svg jobplot.trace jobplot.json jobplot.text
jobkeep.batch
process.dash process.bash process.ksh93 process.mksh
jobctrl.dash jobctrl.bash jobctrl.ksh93 jobctrl.mksh
batch.dash batch.bash batch.ksh93 batch.mksh
options.dash options.bash options.ksh93 options.mksh
tasks.dash tasks.bash tasks.ksh93 tasks.mksh
connections.dash connections.bash connections.ksh93 connections.mksh
workers.dash workers.bash workers.ksh93 workers.mksh
'

# The last call before those of the program itself: the system's loader's; a shell's.
marker=set_tid_address

# calls_of TRACE -- the calls in it, as CALL N; not those after an exec if "until" says so;
# only the first and last $few of each, if set
calls_of ()
{
    sed -n 's/^\([0-9]*\) *\([a-z][a-z0-9_]*\)(\(.*\)/\1,\2 \2 \3/p' "$1" |
        awk -v marker="$marker" -v until="${until-}" -v few="${few-}" '
            {n[$1]++}
            on && !over && $2 != "exit_group" && !($2 SUBSEP n[$1] in seen) {
                seen[$2, n[$1]]
                call[++calls] = $2
                nth[calls] = n[$1]
                last[$2] = n[$1]
            }
            on && $2 == "execve" && until == "exec" {over = 1}
            index($0, marker) {on = 1}
            END {
                for (i = 1; i <= calls; i++)
                    if (!few || nth[i] <= few || nth[i] > last[call[i]] - few) print call[i], nth[i]
            }'
}

# client STATUSES COMMAND... -- a client that may return these
client ()
{
    may=$1
    shift
    status=0
    traced "$@" </dev/null >out 2>err || status=$?
    it_ended "$status" "$may"
}

# succeeded COMMAND... -- if the status is 0, this comes true
succeeded () { [ "$status" -ne 0 ] || until_true "$@" || failed "status 0, but not: $*"; }
lines_in () { [ "$(wc -l <"$2")" -eq "$1" ]; }
said () { grep -q "$1" out; }

# on_screen PROGRAM COMMAND -- the program, which the command starts, at a terminal
on_screen ()
{
    traced_by_name "$1"
    status=0
    TERM=vt100 timeout -s KILL "$limit" script -qefc "$2" screen >/dev/null || status=$?
    grep "$1: " screen >err
}

# hold N -- a process holds so many tokens, until somebody writes into the FIFO held
hold () { mkfifo held && tokget -b -k "$1" "$FIFO" sh -c ': <held'; }

subject_tokget ()
{
    case $1 in
    starts | stdin) ;;
    build | pipe | make) tokend -b -j -n 2 "$FIFO" ;;
    now | late | waits) tokend -b -n 2 "$FIFO" && hold 2 ;;
    *) tokend -b -n 2 "$FIFO" ;;
    esac
    "tokget_$1"
    case $1 in
    now | late) : >held ;;
    esac
    if [ -e "$FIFO" ]; then stopped 2; else nothing_left; fi
}

ran='0 123 125 126 127'
runs () { client "$ran" tokget "$@" "$FIFO" sh -c ': >ran' && succeeded [ -e ran ]; }
tokget_command () { runs; }
tokget_x () { until='exec' && runs -x; }
tokget_o () { runs -o; }
tokget_many () { runs -k 2; }
tokget_starts () { runs -N 2; }
tokget_now () { client '124 123 125' tokget -n "$FIFO" true; }

# Follows the guard that stays, and the command. A message tells their end, not a status.
tokget_background ()
{
    options="-f $options"
    client "$ran" tokget -b "$FIFO" sh -c ': >ran'
    ran_or_said () { [ -e ran ] || [ -s err ] || [ "$fault" = KILL ]; }
    succeeded ran_or_said
}
tokget_late () { client '124 123 125' tokget -t 0.1 "$FIFO" true; }

tokget_lease ()
{
    client '0 123 125' tokget -l "$FIFO"
    # shellcheck disable=SC2094 # a lease
    [ "$status" -ne 0 ] || { echo + >&9; } 9>"$(cat out)" || failed 'no lease'
}

tokget_waits ()
{
    traced tokget "$FIFO" sh -c ': >ran' </dev/null >out 2>err &
    one=$!
    waits_or_ended () { pool_says '2 0 2 1' || ! kill -0 "$one"; }
    until_true waits_or_ended
    : >held
    status=0
    wait "$one" || status=$?
    it_ended "$status" "$ran"
    succeeded [ -e ran ]
}

built () { client "$ran 1 2" tokget "$@" && succeeded lines_in 6 log; }
tokget_build () { built "$FIFO" greedy make 3 0 a; }
tokget_pipe () { built -j pipe "$FIFO" greedy pipe 3 0 a; }
tokget_make ()
{
    printf 'all: a b c\na b c:\n\t@echo $@ >>log; echo >>log\n' >Makefile
    built "$FIFO" make -s
}

subject_tokput ()
{
    tokend -b -n 2 "$FIFO"
    case $1 in
    lease)
        lease=$(tokget -l "$FIFO")
        client '0 123 125' tokput "$lease"
        [ "$status" -eq 0 ] || tokput "$lease" 2>/dev/null
        ;;
    size | label)
        case $1 in size) set -- -n 3 ;; *) set -- -a gpu ;; esac
        client '0 123 125' tokput "$@" "$FIFO"
        succeeded pool_says '3 3 0 0'
        tokput -n 2 "$FIFO"
        ;;
    esac
    stopped 2
}

subject_tokstop ()
{
    case $1 in
    jobs)
        tokend -a -n 2 "$FIFO" >lines 2>lines &
        until_true [ -p "$FIFO.d/1" ]
        few=15 # each process in /proc is looked at
        traced_by_name tokstop
        status=0 # it ends children of its own parent only
        timeout -s KILL "$limit" sh -c 'sleep 100 9>"$FIFO.d/1" &
            tokstop -p -g 1 "$!"; exit "$?"' \
            </dev/null >out 2>err || status=$?
        timeout 10 tokstop -f "$FIFO" 2>again
        it_ended "$status" '0 123 125'
        ;;
    *)
        tokend -b -n 2 "$FIFO"
        [ "$1" = plain ] || hold 1
        client '0 123 125' tokstop -f "$FIFO"
        ;;
    esac
    [ "$1" = jobs ] || succeeded no_files
    [ "$status" -eq 0 ] || [ ! -e "$FIFO" ] || timeout 10 tokstop -f "$FIFO" 2>again
    case $1/$status in
    force/* | jobs/[!0]*) signal_others TERM ;; # tokstop -f leaves who holds a token
    esac
    nothing_left
}

subject_tokstat ()
{
    tokend -b -j -n 2 "$FIFO"
    mkfifo gate
    tokget "$FIFO" sh -c ': <gate' &
    until_true pool_says '2 1 1 0'
    case $1 in
    table) stat_says runs "$FIFO" ;;
    json) stat_says '"out"' -o json "$FIFO" ;;
    list)
        pool=$FIFO
        unset FIFO
        stat_says "$pool"
        export FIFO="$pool"
        ;;
    screen)
        mkfifo keys
        until_drawn >keys &
        on_screen tokstat "tokstat -w '$FIFO'" <keys
        : >ended
        it_ended "$status" '0 123 125'
        succeeded grep -qi state screen
        wait "$!"
        [ ! -e stopped ] || { : >gate; nothing_left; return; }
        ;;
    esac
    : >gate
    stopped 2
}

# stat_says TEXT ARGUMENT... -- tokstat with these arguments prints TEXT
stat_says ()
{
    text=$1
    shift
    client '0 123 125' tokstat "$@" && succeeded said "$text"
}

# The key that ends it, and a signal if it has lost its keyboard.
until_drawn ()
{
    until_true seen STATE screen
    printf q
    until_true [ -e ended ] || { : >stopped; timeout 10 tokstop -f "$FIFO" 2>again; }
}
seen () { [ -e ended ] || grep -qi "$1" "$2"; }

# A dispenser in which calls fail, and its clients. If it is killed, the next one takes over
# what it may leave.
subject_tokend ()
{
    "tokend_$1"
    case $1 in
    attendant | batch) ;;
    *)
        [ "$status" -eq 0 ] || sure_of_its_end
        tokend -b -n 2 "$FIFO" || failed "the next tokend: $?"
        stopped 2
        ;;
    esac
}

# A dispenser that said why it ends leaves nothing.
sure_of_its_end ()
{
    [ "$fault" = KILL ] || [ -n "${holder-}" ] || no_files || removal ||
        failed "files: $(find "$FIFO" "$FIFO.d" 2>/dev/null | paste -sd ' ')"
}

# begin OPTION... -- waits until it is ready or has ended
begin ()
{
    traced tokend "$@" "$FIFO" </dev/null >out 2>err 7>&- &
    tokend=$!
    up_or_ended () { timeout 5 tokstat "$FIFO" >answer || ! kill -0 "$tokend"; }
    until_true up_or_ended
}

# asks COMMAND... -- a client is served or told why not
asks ()
{
    asked=0
    timeout -s KILL 15 "$@" >answer 2>said || asked=$?
    case $asked in
    0 | 124) ;;
    123 | 125) [ -s said ] || failed "$1: status $asked without a message" ;;
    *) failed "$*: status $asked" ;;
    esac
}

# over N -- the dispenser is still there, and whole; or has ended, and said why
over ()
{
    tokens=$1
    whole () { pool_says "$tokens $tokens 0 0" && timeout 10 tokget -n -k "$tokens" "$FIFO" true; }
    whole_or_ended () { ! kill -0 "$tokend" || whole; }
    until_true whole_or_ended ||
        failed "tokens: $(timeout 5 tokstat -o tsv "$FIFO" 2>&1 | head -n 1)"
    timeout 10 tokstop "$FIFO" 2>again
    [ "$?" -ne 124 ] || failed 'tokstop waits'
    status=0
    wait "$tokend" || status=$?
    it_ended "$status" "0 125 ${may-}"
}

session ()
{
    asks tokget -t 0.5 "$FIFO" true
    asks tokget -t 0.5 -k 2 "$FIFO" true
    asks tokstat "$FIFO"
}

tokend_clients () { begin -n 2 && session && over 2; }
tokend_labels ()
{
    printf 'a\nb\n' >labels
    begin -f labels -A 1000 -M 1 && session && over 2
}

tokend_builds ()
{
    begin -j -n 2
    asks tokget -t 0.5 "$FIFO" sh -c 'greedy make 4 0.01 a || [ "$?" -eq 4 ]' # told of no jobserver
    asks tokget -t 0.5 "$FIFO" true
    over 2
}

# Takes over from a killed dispenser that has a token out.
tokend_over ()
{
    tokend -b -n 2 "$FIFO"
    mkfifo gate
    tokget "$FIFO" sh -c ': <gate' &
    holder=$!
    until_true pool_says '2 1 1 0'
    kill -KILL "$(cat "$FIFO.d/lock")"
    dead () { tokget -n "$FIFO" true; [ "$?" -eq 123 ]; }
    until_true dead
    begin -n 2
    asks tokget -n "$FIFO" true
    : >gate
    wait "$holder"
    session
    over 2
}

tokend_background ()
{
    options="-D -f $options"
    client '0 125' tokend -b -n 2 "$FIFO"
    session
    # a dispenser whose parent was killed may only begin
    ends () { { [ ! -p "$FIFO" ] || timeout 10 tokstop "$FIFO"; }; nobody_else; }
    until_true ends || failed 'processes'
}

tokend_within ()
{
    tokend -b -j -n 2 "$here/parent"
    begin -u "$here/parent"
    session
    may='123 126 127' # of tokget, before it runs the command
    over 2
    all_of_parent () { FIFO=$here/parent all_home 2; }
    all_of_parent
    timeout 10 tokstop "$here/parent" 2>again || failed "tokstop: $? $(cat again)"
}

# unsaid SHELL WORDS -- adds to the file WORDS what a shell cannot say, or says elsewhere
unsaid ()
{
    case $call in
    *fork | clone*) # a shell says that where the command would
        [ "$status" -eq 0 ] || echo "$1: cannot fork" >>"$2"
        ;;
    fcntl) # dash, putting its standard error away, has none to say so; two have no word
        case $1 in
        ksh93 | mksh) where= ;;
        *) where=2 ;;
        esac
        ! grep -q "^fcntl($where.*F_DUPFD.*INJECTED" trace || echo "$1: cannot redirect" >>"$2"
        ;;
    esac
}

# in_shell SCRIPT -- a script that is no subject does all, or is told why not
in_shell ()
{
    asked=0
    timeout -s KILL 60 dash "$1" <&3 >answer 2>said || asked=$?
    case $asked in
    0) lines_in 4 log || failed "$1: status 0, and $(cat log)" ;;
    1 | 123 | 125) # jobctrl reports that tokend was killed
        case $subject in
        jobctrl.* | tokend.attendant) cat err >>said ;; # these are asked there
        esac
        [ -s said ] || [ "$subject/$fault" = tokend.attendant/KILL ] ||
            failed "$1: status $asked without a message"
        ;;
    # jobctrl: without it, process ends so
    143) [ "$fault" = KILL ] || failed "$1: status $asked" ;;
    *) failed "$1: status $asked" ;;
    esac
}

tokend_attendant ()
{
    script_process
    mkfifo news
    {
        status=0
        traced tokend -a -B who=process -B waits -n 2 "$FIFO" 2>err || status=$?
        [ "$status" -ne 137 ] || tokend -r "$FIFO" 2>again # as the parent does with -k
        exit "$status"
    } </dev/null >news &
    tokend=$!
    exec 3<news
    in_shell script
    exec 3<&-
    status=0
    wait "$tokend" || status=$?
    it_ended "$status" '0 125'
    nothing_left
}

# tokend -r, after one that was killed while a job has its lease open
tokend_again ()
{
    case $call/$fault in read/EAGAIN) result missed ;; esac # that is: the lease is held
    mkfifo news
    tokend -a -n 2 "$FIFO" >news 2>errors &
    one=$!
    exec 3<news
    read -r line <&3
    read -r line <&3
    # shellcheck disable=SC2094 # a lease
    { : >held; exec sleep 0.2; } 9>"$FIFO.d/1" &
    holder=$!
    until_true [ -e held ] || failed 'no lease'
    kill -KILL "$one"
    wait "$one" 2>/dev/null
    exec 3<&-
    client '0 125' tokend -r "$FIFO"
    no_files || removal || succeeded no_files
    wait "$holder"
}

# Live holders, then a start in which a call fails, then one that succeeds: this one knows of all
# tokens held, however the other ended. The other is killed if it did not fail.
subject_takeover ()
{
    mkfifo gate
    "takeover_$1"
}

# dies PID -- it has no lock any more, so that another one can begin
dies ()
{
    kill -KILL "$1"
    dead=$1
    unlocked () { ! grep -q " $dead " /proc/locks; }
    until_true unlocked
}

# takes_over UP OPTION... -- the start in which a call fails; UP succeeds once it is ready
takes_over ()
{
    up=$1
    shift
    dies "$(cat "$FIFO.d/lock")"
    traced tokend "$@" "$FIFO" </dev/null >lines 2>err &
    tokend=$!
    up_or_ended () { "$up" || ! kill -0 "$tokend"; }
    until_true up_or_ended || failed 'neither ready nor ended'
    status=0
    if kill -0 "$tokend" 2>/dev/null; then
        dies "$(cat "$FIFO.d/lock")"
        wait "$tokend" 2>/dev/null
    else
        wait "$tokend" || status=$?
        it_ended "$status" 125
    fi
}

# All four are out: the start that should fail says so if it does not, and so does the next one.
says () { timeout 5 tokstat -o tsv "$FIFO" >answer; }
all_out () { grep -q '^pool.4	0	4	' answer; }
is_up () { says && { all_out || failed "the first: $(grep pool answer)"; }; }
take_over_clients ()
{
    takes_over is_up -n 4 "$@"
    tokend -b -n 4 "$@" "$FIFO" 2>again || failed "the next tokend: $? $(cat again)"
    if ! says || ! all_out; then failed "the next: $(grep pool answer)"; fi
    exec 7<>gate
}

# One client holds two, one has not read its answer, and one waits.
takeover_clients ()
{
    tokend -b -n 4 "$FIFO" && hold 1
    holders=''
    for most in 1 2; do
        tokget -k "$most" "$FIFO" sh -c ': <gate' &
        holders="$holders $!"
    done
    until_true pool_says '4 0 4 0'
    tokget "$FIFO" sh -c ': <gate' &
    late=$!
    until_true pool_says '4 0 4 1'
    kill -STOP "$late"
    : >held
    until_true pool_says '4 0 4 0' # the answer is there
    tokget "$FIFO" true 2>said &
    waits=$!
    until_true pool_says '4 0 4 1' || failed 'nobody waits'
    take_over_clients
    kill -CONT "$late"
    for holder in $holders "$late"; do
        wait "$holder" || failed "a holder: status $?"
    done
    wait "$waits" || lines_in 1 said || failed "who waits: $(cat said)"
    stopped 4
}

# Three jobs of a build run besides its first one.
takeover_builds ()
{
    tokend -b -j -n 4 "$FIFO"
    tokget "$FIFO" sh -c 'path=${MAKEFLAGS##*fifo:} && exec 8<>"${path%% *}" &&
        dd bs=1 count=3 <&8 >bytes 2>noise && : <gate && cat bytes >&8' &
    holder=$!
    until_true pool_says '4 0 4 0' || failed 'no build'
    take_over_clients -j
    wait "$holder" || failed "the build: status $?"
    stopped 4
}

# A job has the lease of a batch.
take_over_batch ()
{
    case $call/$fault in write/EAGAIN) result missed ;; esac # a plain file never says so
    tokend -a -n 2 "$FIFO" >first 2>errors &
    one=$!
    until_true [ -s first ]
    # shellcheck disable=SC2094 # a lease
    { : >held; : <gate; } 9>"$FIFO.d/1" &
    holder=$!
    until_true [ -e held ] || failed 'no lease'
    is_told () { [ -s lines ]; }
    takes_over is_told "$@" 2>/dev/null
    wait "$one" 2>/dev/null
    if [ ! -p "$FIFO" ] || [ ! -p "$FIFO.d/1" ]; then failed 'the lease was removed'; fi
    tokend -r "$FIFO" >lines 2>again &
    one=$!
    inlet_read () { ! kill -0 "$one" || timeout 0.2 sh -c ': >"$FIFO"'; }
    until_true inlet_read
    kill -0 "$one" || failed "the next tokend does not wait: $(cat again)"
    exec 7<>gate
    wait "$holder"
    wait "$one" || failed "the next tokend: $? $(cat again)"
    exec 7<&-
    nothing_left
}
takeover_batch () { take_over_batch -a -n 2; }

subject_jobctl ()
{
    printf 'a\nb\nc\n' >in
    echo 'echo "$1" >>log; echo "$1"; [ "$1" != c ] || [ -e again ] || { : >again; exit 1; }' >job
    status=0
    "jobctl_$1"
    it_ended "$status" '0 1 2 3 125 126 127'
    succeeded lines_in 4 log
    [ ! -e "$FIFO" ] || stopped 2
    nothing_left
}

of_list () { traced jobctl -j 2 --retries 2,0 "$@" sh job <in >out 2>err || status=$?; }
jobctl_plain () { of_list; }
jobctl_log () { of_list --bar --joblog jobs.log --results kept; }
jobctl_kept () { of_list -k --tag --timeout 5; }
jobctl_lines () { of_list --line-buffer --tag; }
jobctl_screen () { on_screen jobctl 'jobctl -j 2 --retries 2,0 --status -a in sh job' </dev/null; }
jobctl_sources ()
{
    traced jobctl -j 2 --retries 2,0 --colsep , sh job '{1}' :::: in ::: x,y 2>err >out ||
        status=$?
}

jobctl_make ()
{
    tokend -b -j -n 2 "$FIFO"
    traced_by_name jobctl
    tokget "$FIFO" jobctl --retries 2,0 sh job <in >out 2>err || status=$?
}

subject_jobplot ()
{
    printf '%s\t1\t%s\t2\t0\t0\t0\t0\tx\n' 1 1 2 3 >log
    case $1 in
    svg) client '0 125' jobplot -o picture log && succeeded grep -q '</svg>' picture ;;
    trace) client '0 125' jobplot --trace log && succeeded said '"ph"' ;;
    json) client '0 125' jobplot --json log && succeeded said '"seq":2' ;;
    text) client '0 125' jobplot -t log && succeeded said 'as many as there were' ;;
    esac
}

# Four requests, each with an answer.
subject_jobpool ()
{
    status=0
    "jobpool_$1"
    until_true nobody_else
    nothing_left
}

pool_of_two ()
{
    printf '1\n2\n3\n4\n' | traced jobpool -j 2 "$@" >out 2>err || status=$?
    it_ended "$status" '0 1 125 126 127'
    succeeded lines_in 4 out
}

jobpool_plain () { pool_of_two sh -c 'while read -r line; do echo "<$line>"; done'; }

# The first worker dies of the third request.
jobpool_order ()
{
    pool_of_two -k --tag --timeout 5 --begin 0 sh -c 'while read -r line; do
        [ "$line" != 3 ] || [ -e again ] || { : >again; exit 1; }
        echo "<$line>"
    done'
}

# script <BODY -- a script that uses the library; script_KIND is one
script () { { echo 'set -eu; . jobctl.sh' && cat; } >script; }

script_workers ()
{
    script <<'S'
double () { while read -r n; do echo "$((n * 2))"; done; }
answer () { echo "$1 $2" >>log || exit; }
jobctl_workers -j 2 answer double
for n in 1 2 3 4; do jobctl_ask "$n"; done
jobctl_workers_end
S
}

script_connections ()
{
    script <<'S'
job () { echo "$1" >&6 && read -r answer <&7 && echo "$answer" >>got; }
jobctl_open --retries 3,0 2
jobctl_connections sh -c 'while read -r n; do echo "<$n>"; done'
for n in 1 2 3 4; do jobctl_run jobctl_on job "$n"; done
jobctl_close
sort -u got >log
S
}

script_tasks ()
{
    script <<'S'
result () { read -r twice && echo "$1 $twice" >>log || { echo 'no result' >&2; exit 1; }; }
double () { echo "$((2 * $1))"; }
jobctl_open 2
jobctl_tasks --retries 3 double result
for n in 1 2 3 4; do jobctl_task "$n"; done
jobctl_close
S
}

script_process ()
{
    script <<'S'
job () { echo "$1" >>log; }
process 4
S
}

script_batch ()
{
    script <<'S'
job () { echo "$1" >>log; }
jobctl_open 2
for n in 0 1 2 3; do jobctl_run job "$n"; done
jobctl_close
S
}

# shell NAME [SCRIPT] -- the shell is the subject
shell ()
{
    marker='jobctl.sh"'
    : >log
    status=0
    traced "$1" script <&3 >out 2>err || status=$?
    for said in kept/*.err; do # a job's own
        [ ! -s "$said" ] || cat "$said" >>err
    done
    unsaid "$1" err
    it_ended "$status" '0 1 2 3 4 123 124 125 126 127 254'
    succeeded lines_in 4 log
}

subject_process ()
{
    script_process
    mkfifo news
    sh -c '. jobctl.sh; jobctrl 2' >news 2>errors &
    exec 3<news
    shell "$1"
    exec 3<&-
    nothing_left
}

subject_jobctrl ()
{
    marker='jobctl.sh"'
    script_process
    mv script other
    echo 'jobctrl 2' | script
    mkfifo news
    traced "$1" script </dev/null >news 2>err &
    one=$!
    exec 3<news
    in_shell other
    exec 3<&-
    status=0
    wait "$one" || status=$?
    unsaid "$1" err
    it_ended "$status" '0 1 2 3 4 123 124 125 126 127 254'
    nothing_left
}

# The kinds that have a script: the shell that executes it is the subject.
script_options ()
{
    script <<'S'
job () { echo "$1" >>log; jobctl_say "$1"; [ "$1" != 1 ] || [ -e again ] || { : >again; exit 1; }; }
ended () { :; }
heard () { :; }
jobctl_open --on-end ended --on-message heard --retries 2,0 --joblog jobs.log --results kept 2
for n in 0 1 2; do jobctl_run job "$n"; done
jobctl_close
S
}

in_each () { "script_$1" && shell "$2" 3</dev/null && until_true nobody_else; nothing_left; }
subject_batch () { in_each batch "$1"; }
subject_options () { in_each options "$1"; }
subject_tasks () { in_each tasks "$1"; }
subject_connections () { in_each connections "$1"; }
subject_workers () { in_each workers "$1"; }

# started_by KIND PROGRAM [OPTION] -- the subject is the program, which such a script starts
started_by ()
{
    "script_$1"
    traced_by_name "$2" "${3-}"
    in_shell script 3</dev/null
    until_true nobody_else
    status=0
    nothing_left
}
tokend_batch () { options="-f $options" && started_by batch tokend; }
jobpool_asked () { started_by workers jobpool --attended; }
# A job may be tried again if it was done but could not say so.
subject_jobkeep () { started_by connections jobkeep -s; }
