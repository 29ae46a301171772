# batches-tasks.awk -- tasks, for batches.awk: each is a job like others, whose output is its
# result. The callbacks say "result NAME" and "error NAME STATUS".

# A task, before the functions that may add others.
function make_task(b,    text)
{
    text = make_job(b)
    name[b, made[b]] = text
    sub(/ .*/, "", name[b, made[b]])
    good[b, made[b]] = status == 0
    if (status == 0)
        expect("result " name[b, made[b]])
    else if (gives_up)
        expect("error " name[b, made[b]] " " status)
    return text
}

# The callback's additions, a case for each of some tasks: those that succeed, or do not.
function additions(b, those,    i)
{
    say("    case $1 in")
    for (i = 1; i <= starts[b]; i++)
        if (good[b, i] == those && chance(15))
            say("    '" name[b, i] "') jobctl_task " make_task(b) " ;;")
    say("    esac")
}

function task_functions(b)
{
    say("result ()")
    say("{")
    say("    cat")
    say("    echo \"result $1\" >>\"$D/log\"")
    additions(b, 1)
    say("}")
    if (!gives_up)
        return
    say("error ()")
    say("{")
    say("    echo \"error $1 $2\" >>\"$D/log\"")
    additions(b, 0)
    say("}")
}

function task_batch(    b, i, k, text, line)
{
    b = "t"
    tasks[b] = 1
    mode[b] = "task"
    slots[b] = 1 + pick(6)
    most[b] = chance(50) ? 2 + pick(2) : 1
    hears[b] = chance(30)
    gives_up = chance(80)
    quiet[b] = chance(15)
    starts[b] = chance(20) ? pick(60) : 1 + pick(20)
    for (i = 1; i <= starts[b]; i++)
        text[i] = make_task(b)
    task_functions(b)
    if (hears[b])
        say("heard_t () { echo \"said $2\" >>\"$D/log\"; }")
    say("jobctl_open" (hears[b] ? " --on-message heard_t" : "") (quiet[b] ? " --quiet" : "") " -b t " slots[b])
    say("jobctl_tasks" (most[b] > 1 ? " --retries " most[b] : "") " work result" (gives_up ? " error" : ""))
    expect("slots " b " " slots[b] " " mode[b])
    for (i = 1; i <= starts[b];) {
        for (k = 0; k == 0 || (k < 8 && i <= starts[b] && chance(50)); i++)
            line[++k] = "jobctl_task " text[i]
        between()
        say_somewhere(line, k)
        if (chance(10))
            say("rc=0; jobctl_task '" name[b, 1 + pick(i - 1)] "' x 2>/dev/null || rc=$?; [ \"$rc\" -eq 1 ] || echo \"bad twice: $rc\" >>\"$D/log\"")
        if (chance(10)) {
            say("jobctl_run true")
            made[b]++
        }
        if (chance(5))
            say("jobctl_wait || :")
    }
    close_batch(b)
}
