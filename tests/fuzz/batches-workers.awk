# batches-workers.awk -- a pool of workers, for batches.awk. A request is "HOW NAME TEXT", and
# the answer "re NAME TEXT". HOW comes before: "ok" nothing, "die" and, for the first time,
# "once" the end of the worker, "note" an event, "retire" the wish to be replaced.

# Its text is to come back without the blanks at the end.
function make_request(how,    name, k)
{
    name = "w" requests++
    k = pick(odds)
    if (how == "die" || (how == "once" && most["w"] == 1)) {
        unanswered++
        if (hook["w"])
            expect("unanswered " name)
    } else {
        answered[name] = 1
        expect(blanks_off("answer " name " re " name " " blanks_off(odd[k])))
    }
    if (how == "note" && hears["w"])
        expect("noted " name)
    return how " " name " " quoted(odd[k])
}

function make_worker()
{
    if (program = chance(40))
        say("cat >\"$D/worker\" <<'E'")
    else
        say("worker () {")
    say("while IFS=' ' read -r how name text; do")
    say("    case $how in")
    say("    die) exit 3 ;;")
    say("    once) if mkdir \"$D/once.$name\" 2>/dev/null; then exit 4; fi ;;")
    say("    note) echo \"#note $name\" ;;")
    say("    retire) echo '#retire' ;;")
    say("    esac")
    say("    echo \"re $name $text\"")
    say("done")
    say(program ? "E" : "}")
}

# The log has the requests in the order of their numbers, whichever shell asks.
function make_callbacks(    i)
{
    say("ask () { jobctl_ask \"$1 $2 $3\"; echo \"asked $2\" >>\"$D/log\"; }")
    say("answer ()")
    say("{")
    say("    echo \"answer $1 $2\" >>\"$D/log\"")
    say("    name=${2#re }")
    say("    case ${name%% *} in")
    for (i = 0; i < starts["w"]; i++)
        if ((("w" i) in answered) && chance(10))
            say("    w" i ") ask " make_request("ok") " ;;")
    say("    esac")
    say("}")
    if (hook["w"])
        say("failure () { echo \"unanswered $1\" >>\"$D/log\"; }")
    if (hears["w"])
        say("noted () { echo \"noted ${2#note }\" >>\"$D/log\"; }")
}

function pool_options()
{
    most["w"] = 1 + pick(3)
    hook["w"] = chance(60)
    hears["w"] = chance(50)
    form = " --error-prefix '#' -j " 1 + pick(4) " --retries " most["w"] \
        (hook["w"] ? " --on-failure failure" : " --quiet") (hears["w"] ? " --on-message noted" : "")
    ordered = chance(40)
    form = form when(ordered, " -k") when(chance(30), " --begin 'begin x y'") \
        when(chance(50), " --ahead " 1 + pick(4)) \
        when(chance(20), " --idle 1") when(chance(30), " --most " 1 + pick(5))
}

# After ten dead workers in a row the pool gives up: there are fewer here.
function workers(    i, n, how, text, deaths, line)
{
    pool_options()
    starts["w"] = 1 + pick(chance(20) ? 200 : 20)
    for (i = 1; i <= starts["w"]; i++) {
        n = pick(100)
        how = n < 70 ? "ok" : n < 80 ? "note" : n < 90 ? "retire" : n < 95 ? "once" : "die"
        if ((how == "once" && deaths >= 9) || (how == "die" && deaths + most["w"] > 9))
            how = "ok"
        deaths += how == "once" ? 1 : how == "die" ? most["w"] : 0
        text[i] = make_request(how)
    }
    make_worker()
    make_callbacks()
    expect("slots w 4 " (ordered ? "order" : "plain"))
    say("jobctl_workers" form " answer " (program ? "sh \"$D/worker\"" : "worker"))
    for (i = 1; i <= starts["w"];) {
        for (n = 0; n == 0 || (n < 8 && i <= starts["w"] && chance(50)); i++)
            line[++n] = "ask " text[i]
        between()
        say_somewhere(line, n)
        if (chance(5))
            say("rc=0; jobctl_answers || rc=$?; [ \"$rc\" -eq \"$((JOBCTL_UNANSWERED > 0))\" ] || echo \"bad answers: $rc\" >>\"$D/log\"")
    }
    say("rc=0; jobctl_workers_end || rc=$?")
    say("echo \"pool $rc $JOBCTL_ASKED $JOBCTL_ANSWERED $JOBCTL_UNANSWERED\" >>\"$D/log\"")
    expect("pool " (unanswered > 0) " " requests " " requests - unanswered " " unanswered + 0)
}
