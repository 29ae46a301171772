# batches.awk -- makes up a script that uses jobctl.sh, from -v seed=N, for a -v shell=NAME, and its
# expected result: the files "script" and "expected", and odd.K, the arguments for the jobs. The
# same awk makes the same of a seed, a -v kind and -v without, which may be empty. Tasks are in
# batches-tasks.awk, workers in batches-workers.awk, and what happens around jobs in
# batches-moves.awk, which are to be read, too.
#
# A job is "work NAME HOW ODD K LINES PAUSE EARLY SAYS FLAGS": see functions(). NAME is B_I: the
# Ith of batch B. "told NAME STATUS" is the line on standard error of a job that failed for good.

function pick(n) # 0 to n - 1
{
    state = state * 16807 % 2147483647
    return int(state / 2147483647 * n)
}

function chance(percent) { return pick(100) < percent }
function when(yes, text) { return yes ? text : "" }

function quoted(s)
{
    gsub(/'/, "'\\''", s)
    return "'" s "'"
}

function say(line)
{
    print unaliased(line) >"script"
    if (both)
        print line >"program"
}
function expect(line) { if (!skipped) print line >"expected" }

function make_odd(    i, n, list)
{
    n = split("plain|a  b|*|it's|$HOME|-n|back\\slash|\"|;exit 9|`id`|{}|a=b|#|~|!|\\|[x]|%s|\t|", list, "|")
    for (i = 1; i <= n; i++) {
        odd[i - 1] = list[i]
        print list[i] >("odd." (i - 1))
    }
    odds = n
}

function prelude()
{
    forgets = move("wait", 15) # a wait of the caller has the statuses
    if (chance(50))
        say((errexit = !forgets) ? "set -eu" : "set -u")
    if (chance(30))
        say("set -" substr("Cfa", 1 + pick(3), 1))
    if (chance(20))
        say("mkdir -p \"$D/a b\"; cd \"$D/a b\"; umask 077")
    if (chance(30)) # with an empty one, posh joins what is in "$@"
        say("IFS=" substr(":1_", 1 + pick(shell == "posh" ? 3 : 4), 1))
    move_aliases("before")
    say(". jobctl.sh")
    move_aliases("after")
    note_state()
    if (own = chance(30) && !forgets)
        say("sh -c 'exit 3' & own=$!")
}

# A job; and a job that talks to the connection of its slot before. A job that fails leaves an
# answer there that nobody is to see.
function functions()
{
    say("echo 'while read -r line; do echo \"answer to $line\"; done' >\"$D/server\"")
    say("talk ()")
    say("{")
    say("    for n in one two; do")
    say("        echo \"$1 $n\" >&6")
    say("        IFS= read -r answer <&7 || answer=none")
    say("        [ \"$answer\" = \"answer to $1 $n\" ] || echo \"bad $1: $answer\" >>\"$D/log\"")
    say("    done")
    say("    case $2 in kill* | nest* | exit[!0]* | return[!0]* | sh[!0]*) echo \"$1 last\" >&6 ;; esac")
    say("    work \"$@\"")
    say("}")
    both = 1
    say("work ()")
    say("{")
    say("    echo \"run $1 $JOBCTL_ID ${JOBCTL_TRY-1}\" >>\"$D/log\"")
    say("    in=$D/in.${1%_*}.$JOBCTL_SLOT")
    say("    mkdir \"$in\" || echo \"bad $1: not alone in slot $JOBCTL_SLOT\" >>\"$D/log\"")
    say("    IFS= read -r want <\"$D/odd.$4\"")
    say("    [ \"$3\" = \"$want\" ] || echo \"bad $1: $3\" >>\"$D/log\"")
    say("    n=0")
    say("    while [ \"$n\" -lt \"$5\" ]; do")
    say("        n=$((n + 1))")
    say("        echo \"out $1 $n of the lines that this job writes\"")
    say("    done")
    say("    [ \"$8\" = 0 ] || jobctl_say \"$1 $3\"")
    say("    case $9 in *e*) echo \"err $1\" >&2 ;; esac")
    say("    case $9 in *3*) echo \"third $1\" >&3 ;; esac")
    say("    case $9 in *r*) while IFS= read -r line; do echo \"read $line\" >>\"$D/log\"; done ;; esac")
    say("    case $9 in *d*) IFS= read -r line <here || :; echo \"at $1 $line ${PWD##*/} $mark\" >>\"$D/log\" ;; esac")
    say("    [ \"$6\" = 0 ] || sleep \"0.0$6\"")
    say("    rmdir \"$in\"")
    say("    [ \"$7\" = 0 ] || echo C >|\"$FIFO\"")
    say("    case $2 in")
    say("    exit*) exit \"${2#exit}\" ;;")
    say("    return*) return \"${2#return}\" ;;")
    say("    sh*) sh -c \"exit ${2#sh}\" ;;")
    say("    kill*) exec sh -c \"kill -s ${2#kill} \\$\\$\" ;;")
    say("    nest*)")
    say("        jobctl_open --quiet -b inner 2")
    say("        jobctl_run sh -c 'exit 4'")
    say("        jobctl_run true")
    say("        rc=0; jobctl_close || rc=$?")
    say("        exit \"$rc$JOBCTL_DONE\"")
    say("        ;;")
    say("    try*) [ \"$JOBCTL_TRY\" -ge \"${2#try}\" ] ;;")
    say("    esac")
    say("}")
    both = 0
    print "work \"$@\"" >"program"
}

# A way to end: sets how and status. Some shells forget how jobs ended without a last word.
function make_end(    n)
{
    n = pick(100)
    if (forgets)
        n = 30 + int(n / 2)
    status = chance(60) ? 0 : chance(50) ? 1 + pick(3) : pick(256)
    if (n < 30)
        how = "exit" status
    else if (n < 55)
        how = "return" status
    else if (n < 80)
        how = "sh" status
    else {
        n = shell == "ksh93" ? 0 : pick(4) # there a subshell forgets
        how = "kill" substr("KILLTERMUSR1ALRM", n * 4 + 1, 4)
        status = 128 + substr("09151014", n * 2 + 1, 2)
    }
}

function job(b, free)
{
    program = free && chance(20)
    return (program ? "sh \"$D/program\" " : talks[b] && chance(60) ? "jobctl_on talk " : "work ") make_job(b, free)
}

# The arguments of work, and its addition to the expected output. Moves are only for a free one,
# which the script itself starts.
function make_job(b, free,    name, i, k, lines, runs, early, says)
{
    name = b "_" made[b]++ (tasks[b] && chance(30) ? substr(".=+%", 1 + pick(4), 1) : "")
    tries = 1
    make_end()
    if (most[b] > 1 && chance(30)) {
        k = 1 + pick(4)
        how = "try" k
        tries = k < most[b] ? k : most[b]
        status = k > most[b]
    } else if (status != 0)
        tries = most[b]
    if (how !~ /^try/ && !forgets && !program && chance(3)) {
        how = "nest"
        status = 12
        tries = most[b]
    }
    k = pick(odds)
    lines = chance(30) ? pick(mode[b] == "plain" ? 5 : 300) : pick(3)
    early = chance(20) && !halts
    says = hears[b] && !program && chance(40)
    for (i = 1; i <= tries; i++) {
        expect("run " name " " i)
        if (says)
            expect(blanks_off("said " name " " odd[k]))
    }
    runs = tasks[b] ? status == 0 : mode[b] == "plain" ? tries : 1
    move_job(name, tries, free && !adds[b]) # a job of a callback is started within such moves
    redirected(name, lines, tries, runs)
    ends(b, name)
    return name " " how " " quoted(odd[k]) " " k " " lines " " (chance(30) ? pick(4) : 0) " " early " " says " " flags streams(name)
}

# The effects of the end of a job, whatever it did.
function ends(b, name)
{
    if (hook[b])
        expect("end " name " " status)
    if (log_of[b])
        expect("log " name " " (status > 128 ? 0 : status) " " (status > 128 ? status - 128 : 0))
    if (status != 0 && fails[b])
        expect("failed " name " " status)
    else if (status != 0 && !quiet[b])
        expect("told " name " " status)
    failed[b] += status != 0
}

# A command that does not exist: jobctl_run has left its number.
function mistype(b,    name)
{
    name = b "_" made[b]++
    status = 127
    expect("run " name " 1")
    ends(b, name)
    return "jobctl_run no_work " name " && echo \"run " name " $JOBCTL_STARTED 1\" >>\"$D/log\""
}

function blanks_off(s)
{
    sub(/[ \t]+$/, "", s)
    return s
}

function choose_mode(b,    n)
{
    n = pick(11)
    mode[b] = n < 5 ? "plain" : n < 7 ? "group" : n < 9 ? "order" : n < 10 ? "files" : "tag"
    return mode[b] == "group" ? " --group" : mode[b] == "tag" ? " --tag" : mode[b] == "order" ? " -k" : mode[b] == "files" ? " --results \"$D/files." b "\"" : ""
}

# jobctl_open, and the functions that it calls.
function open_batch(b,    options, i)
{
    slots[b] = halts ? 1 : chance(10) ? 20 : 1 + pick(5)
    options = choose_mode(b)
    most[b] = chance(25) ? 2 + pick(2) : 1
    if (refuses)
        most[b] = 1
    hook[b] = chance(50)
    fails[b] = chance(15)
    quiet[b] = chance(15)
    if (halts) {
        options = options " --halt " (chance(50) ? "soon" : "now") "," (chance(50) ? "fail=" : "done=") halts
        by_done = options ~ /done=/
    }
    hears[b] = chance(30)
    log_of[b] = chance(20)
    options = options when(most[b] > 1, " --retries " most[b] ",0") when(hook[b], " --on-end ended_" b) \
        when(fails[b], " --on-failure failed_" b) when(quiet[b], " --quiet") \
        when(hears[b], " --on-message heard_" b) when(log_of[b], " --joblog \"$D/log." b "\"") \
        when(chance(10), " --nice 1")
    if (chance(20))
        for (i = 1; i <= slots[b]; i++)
            options = options " --label label" i
    starts[b] = chance(20) ? pick(60) : 1 + pick(12)
    talks[b] = chance(25)
    if (hook[b])
        make_hook(b)
    if (hears[b])
        say("heard_" b " () { echo \"said $2\" >>\"$D/log\"; }")
    if (fails[b])
        say("failed_" b " () { echo \"failed " b " $1 $2 $JOBCTL_DONE $JOBCTL_FAILED\" >>\"$D/log\"; }")
    say("jobctl_open" options " -b " b " " slots[b])
    if (talks[b])
        say("jobctl_connections sh \"$D/server\"")
    expect("slots " b " " slots[b] " " mode[b])
}

# A callback adds jobs, too.
function make_hook(b,    i)
{
    say("ended_" b " ()")
    say("{")
    say("    case $3 in *.*) ;; *) echo \"bad seconds $3\" >>\"$D/log\" ;; esac")
    say("    echo \"end " b " $1 $2 $4 $JOBCTL_DONE $JOBCTL_FAILED\" >>\"$D/log\"")
    say("    case $1 in")
    if (chance(40) && !halts && !refuses)
        for (i = 1; i <= starts[b]; i += 1 + pick(4)) {
            say("    " i ") jobctl_run " job(b) " ;;")
            adds[b]++
        }
    say("    esac")
    say("}")
}

function close_batch(b,    ended)
{
    ended = made[b] + 0
    say("jobctl_in " b)
    if (forgets && chance(50))
        say("wait")
    say("rc=0")
    say("jobctl_close || rc=$?")
    say("echo \"close " b " $rc $JOBCTL_STARTED $JOBCTL_DONE $JOBCTL_FAILED ${JOBCTL_FIRST:-none}\" >>\"$D/log\"")
    expect("close " b " " (refuses ? 125 : failed[b] > 0) " " ended " " ended " " failed[b] + 0)
}

# A job is started, or not, with --halt.
function start(b,    text)
{
    starts[b]--
    if (!halts && chance(4))
        return mistype(b)
    skipped = halts && (by_done ? made[b] : failed[b]) + 0 >= halts
    text = "jobctl_run " job(b, 1)
    if (!halts)
        return before text after
    text = before text (skipped ? " && echo \"bad start\" >>\"$D/log\" || :" : " || echo \"bad halt\" >>\"$D/log\"") after
    if (skipped) {
        made[b]--
        failed[b] -= status != 0
    }
    skipped = 0
    return text
}

# Says these commands, or has a subshell execute them: the end of a pipe, or parentheses. Not all
# are plain words, so the loop gets their numbers, which have no character of IFS.
function say_somewhere(text, n,    i, where)
{
    where = halts ? 99 : pick(100) # failures that a subshell does not know do not halt it
    if (where >= 10 && breaks())
        where = 99
    if (where < 10) {
        say("echo '" substr("a\nb\nc\nd\ne\nf\ng\nh", 1, 2 * n - 1) "' | while read -r one; do")
        say("    case $one in")
        for (i = 1; i <= n; i++)
            say("    " substr("abcdefgh", i, 1) ") " text[i] " ;;")
        say("    esac")
        say("done")
        return
    }
    if (where < 15)
        say("(")
    for (i = 1; i <= n; i++)
        say(text[i])
    if (where < 15)
        say(")")
}

# Waits in the middle. In a subshell jobctl_close does what jobctl_wait does.
function wait_batch(b,    apart)
{
    apart = chance(40) && !breaks()
    if (forgets)
        say("wait")
    if (apart)
        say("(")
    say("rc=0; " (apart ? "jobctl_close" : "jobctl_wait") " || rc=$?")
    if (adds[b] == 0) # a subshell may not know the ends of all, and then says 1
        say("[ \"$rc $JOBCTL_DONE $JOBCTL_FAILED\" = \"" (failed[b] > 0) " " made[b] + 0 " " failed[b] + 0 "\" ] || " (apart ? "{ [ \"$rc\" -eq 1 ] && [ \"$JOBCTL_DONE\" -lt " made[b] + 0 " ]; } || " : "") "echo \"bad wait: $rc $JOBCTL_DONE $JOBCTL_FAILED\" >>\"$D/log\"")
    if (apart)
        say(")")
}

# Two shells at the same time: from then on no job is started but those that the waiting shell has
# heard of.
function refuse(b,    i)
{
    skipped = 1
    say("rc=0; jobctl_run " job(b) " & wait \"$!\" || rc=$?; [ \"$rc\" -eq 125 ] || echo \"bad refused: $rc\" >>\"$D/log\"")
    say("rc=0; jobctl_wait || rc=$?; [ \"$rc\" -eq 125 ] || echo \"bad wait: $rc\" >>\"$D/log\"")
    for (i = pick(3); i > 0; i--)
        say("rc=0; jobctl_run " job(b) " || rc=$?; [ \"$rc\" -eq 125 ] || echo \"bad start: $rc\" >>\"$D/log\"")
    skipped = 0
    expect("refused")
}

function batches(    n, i, k, b, left, names, text)
{
    n = chance(70) ? 1 : 2 + pick(2)
    halts = n == 1 && chance(10) ? 1 + pick(4) : 0
    refuses = n == 1 && !halts && chance(5) && !ignores_quit()
    for (i = 1; i <= n; i++) {
        names[i] = "b" i
        open_batch(names[i])
        left += starts[names[i]]
    }
    while (left > 0) {
        do
            b = names[1 + pick(n)]
        while (starts[b] == 0)
        between()
        if (n > 1)
            say("jobctl_in " b)
        for (k = 0; k == 0 || (k < 8 && starts[b] > 0 && chance(50)); left--)
            text[++k] = start(b)
        say_somewhere(text, k)
        if (chance(8) && !halts)
            wait_batch(b)
    }
    if (refuses) {
        made_before = made[b] + 0
        failed_before = failed[b] + 0
        refuse(b)
        made[b] = made_before
        failed[b] = failed_before
    }
    for (i = n; i > 0; i--)
        close_batch(names[i])
}

# As if the tests ran in the background: then "&" looks like no "&".
function ignores_quit() { return ignores("[4567cdef]$") }
function ignores_interrupt() { return ignores("[2367abef]$") }

function ignores(mask,    line, ignored)
{
    while ((getline line <"/proc/self/status") > 0)
        if (line ~ "^SigIgn:.*" mask)
            ignored = 1
    close("/proc/self/status")
    return ignored
}

function process(    b, i, list)
{
    b = "p"
    mode[b] = "plain"
    most[b] = 1
    slots[b] = 1 + pick(5)
    hook[b] = chance(50)
    starts[b] = 1 + pick(30)
    list = chance(50)
    say("job ()")
    say("{")
    say("    case $1 in")
    for (i = 0; i < starts[b]; i++)
        say("    " (list ? "'line '" : "") i ") work " make_job(b) " ;;")
    say("    esac")
    say("}")
    if (hook[b])
        say("job_done () { echo \"end p $1 $2 $4 $JOBCTL_DONE $JOBCTL_FAILED\" >>\"$D/log\"; }")
    if (list)
        say(": >|\"$D/list\"") # zsh -C does not append to what is not there
    if (list)
        for (i = 0; i < starts[b]; i++)
            say("echo 'line " i "' >>\"$D/list\"")
    between()
    say("jobctrl " slots[b] " | {")
    move_ticks() # this side may be a subshell, which loses traps
    say("    rc=0")
    say("    process " (list ? "- \"$D/list\"" : starts[b]) " || rc=$?")
    say("    echo \"close p $rc " starts[b] " $JOBCTL_DONE $JOBCTL_FAILED ${JOBCTL_FIRST:-none}\" >>\"$D/log\"")
    move_ticks_end()
    say("}")
    expect("slots " b " " slots[b] " " mode[b])
    expect("close p " (failed[b] > 0) " " starts[b] " " starts[b] " " failed[b] + 0)
}

BEGIN {
    state = seed * 7919 % 2147483646 + 1
    for (warm = 0; warm < 5; warm++)
        pick(2)
    make_odd()
    subshell = chance(20)
    move_start()
    if (subshell)
        say("(")
    prelude()
    n = pick(100)
    if (kind == "")
        kind = n < 15 ? "workers" : n < 30 ? "process" : n < 45 ? "tasks" : "batches"
    if (kind != "workers")
        functions()
    move_aliases("late")
    note_aliases()
    if (kind == "workers")
        workers()
    else {
        if (kind == "process")
            process()
        else if (kind == "tasks")
            task_batch()
        else
            batches()
    }
    move_ticks_end()
    if (own)
        expect_own("own", 3)
    compare_state()
    if (subshell)
        say(")")
}
