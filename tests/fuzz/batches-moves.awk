# batches-moves.awk -- what a script does around its jobs, for batches.awk, and must change nothing
# of what is run, counted and returned. Each move has a name; -v without='NAME ...' leaves some out.

function move(name, percent)
{
    return chance(percent) && index(" " without " ", " " name " ") == 0
}

# Moves of one job, whose streams go to files of its own: "to.STREAM.JOB" has what the job wrote in
# all its tries, and a job reads "from.JOB". Sets stream[], and flags for work.

function move_job(name, tries, free)
{
    flags = "-" when(chance(20), "r")
    before = after = stream["out"] = stream["err"] = stream["third"] = stream["in"] = ""
    if (free) {
        move_redirections()
        move_directory(name, tries)
    }
}

function move_redirections()
{
    if (move("output", 12))
        stream["out"] = ">"
    else if (move("append", 6))
        stream["out"] = ">>"
    if (move("error", 12))
        stream["err"] = chance(30) && stream["out"] != "" ? "&" : ">"
    if (move("third", 5))
        stream["third"] = ">"
    if (move("input", 10))
        stream["in"] = "<"
    if (stream["err"] != "" || chance(20))
        flags = flags "e"
    if (stream["in"] != "" && flags !~ /r/)
        flags = flags "r"
    if (stream["third"] != "")
        flags = flags "3"
}

# The job's effects on its streams, in so many tries; "shown" is how many of them are seen elsewhere.
function redirected(name, lines, runs, shown)
{
    if (stream["out"] == "")
        expect_lines("out " name, lines * shown)
    if (stream["out"] == ">>")
        expect("to out " name " kept 1")
    if (stream["out"] != "")
        expect_lines("to out " name " out", lines * runs)
    if (flags ~ /e/ && stream["err"] == "")
        expect_lines("err " name, shown)
    if (stream["err"] == ">")
        expect("to err " name " err " runs)
    if (stream["err"] == "&")
        expect("to out " name " err " runs)
    if (stream["third"] != "")
        expect("to third " name " third " runs)
    if (stream["in"] != "")
        expect("read " name " " runs)
}

function expect_lines(what, n) { if (n > 0) expect(what " " n) }

# The redirections of a job. Sets the commands before it, too.
function streams(name,    text)
{
    if (stream["in"] != "") {
        before = before "echo '" name "' >\"$D/from." name "\"; "
        text = text " <\"$D/from." name "\""
    }
    if (stream["out"] == ">>" && !skipped)
        before = before "echo 'kept " name "' >\"$D/to.out." name "\"; "
    if (stream["out"] != "")
        text = text " " stream["out"] "\"$D/to.out." name "\""
    if (stream["err"] != "")
        text = text " 2>" (stream["err"] == "&" ? "&1" : "\"$D/to.err." name "\"")
    if (stream["third"] != "")
        text = text " 3>\"$D/to.third." name "\""
    return text
}

# A job is started in one of three directories, and with a variable of its own.
function move_directory(name, runs,    n, i)
{
    if (!move("directory", 12))
        return
    n = 1 + pick(3)
    flags = flags "d"
    before = "cd dir." n "; mark=" name "; "
    after = "; cd ..; mark=none"
    for (i = 1; i <= runs; i++)
        expect("at " name " dir." n " dir." n " " name)
}

# Moves of the script as a whole, before and after ". jobctl.sh", and behind its functions.

# Words that the library uses. say() quotes them in the script's own lines.
function move_aliases(where,    n, i, word, words)
{
    if (shell == "posh" || !move("alias-" where, 8)) # posh has none
        return
    if (shell == "bash")
        say("shopt -s expand_aliases")
    n = split("kill read echo eval printf trap wait command exec export unset set shift return cd test rm" \
        (where == "late" ? " work talk" : ""), words, " ")
    for (i = 1 + pick(3); i > 0; i--) {
        word = words[1 + pick(n)]
        say("alias " word "='" (chance(50) ? "false" : word " -9") "'")
        aliased[word] = 1
    }
    said_aliases = 1
}

function note_aliases()
{
    if (said_aliases)
        say("alias >\"$D/aliases\"")
}

# Quotes the words that are aliases, where they may be commands.
function unaliased(line,    word, done, at, c)
{
    for (word in aliased) {
        done = ""
        while ((at = index(line, word)) > 0) {
            c = substr(line, at + length(word), 1)
            done = done substr(line, 1, at - 1)
            if ((done == "" || done ~ /[ ;({&|]$/) && (c == " " || c == "" || c == ";"))
                done = done "\\"
            done = done word
            line = substr(line, at + length(word))
        }
        line = done line
    }
    return line
}

function set_trap(signal, action)
{
    if (signal == "CHLD" && action == "")
        ever_ignores_chld = 1
    say("trap " (action == "-" ? "-" : "'" action "'") " " signal)
    trapped[signal] = action
}

# Between two jobs: traps that are set and taken away.
function move_traps()
{
    if (move("trap-usr1", 5) && !ticking)
        set_trap("USR1", chance(30) ? "-" : ": USR1")
    if (move("trap-chld", 5))
        set_trap("CHLD", chance(30) ? "-" : "ends=$((ends + 1))")
    if (move("trap-chld-ignored", 3))
        set_trap("CHLD", "")
    if (move("trap-exit", 5))
        set_trap("EXIT", chance(30) ? "-" : "\\echo \"exited\" >>\"$D/log\"")
    if (move("trap-int", 5))
        set_trap("INT", pick(3) == 0 ? "-" : chance(20) ? "" : "\\echo \"interrupted\" >>\"$D/log\"")
    if (move("interrupt", 30) && trapped["INT"] != "-" && !subshell && !ignores_interrupt()) {
        say("kill -s INT \"$$\"")
        if (trapped["INT"] != "")
            expect("interrupted")
    }
}

# USR1 that comes every few milliseconds, until move_ticks_end.
function move_ticks(    n)
{
    if (ticking || !move("ticks", 6) || forgets || refuses)
        return
    # In ksh93 a command that the signal interrupts may have failed, and $() has no traps. bash, when
    # it runs a trap with $() while it parses, may miss the end of that, and exits.
    if (shell == "ksh93" && errexit)
        return
    n = shell == "ksh93" || shell == "bash" ? 2 * pick(2) : pick(3)
    set_trap("USR1", n == 0 ? "ticks=$((ticks + 1))" : n == 1 ? ": $(:)" : "IFS= \\read -r tick <\"$D/odd.1\" || :")
    say("echo >|\"$D/tick\"")
    say("sh -c 'while [ -e \"$D/tick\" ] && kill -s USR1 \"$PPID\"; do sleep 0.00" (1 + pick(9)) "; done; : >\"$D/ticked\"' 2>/dev/null & ticker=$!")
    ticking = 1
}

# Whether parentheses are left early, at the signal.
function breaks() { return ticking && shell == "ksh93" }

function move_ticks_end()
{
    if (!ticking)
        return
    say("rm -f \"$D/tick\"")
    say("until [ -e \"$D/ticked\" ]; do sleep 0.01; done")
    say("wait \"$ticker\" || :; rm -f \"$D/ticked\"")
    ticking = 0
}

# The script's own process, and its status: a trap may interrupt wait.
function move_own(    n)
{
    if (!move("own", 5))
        return
    if (ticking && shell ~ /bash|ksh93/) # there an interrupted wait may lose the status for good
        return
    n = pick(100)
    say("(sleep 0.00" pick(9) "; exit " n ") & mine=$!")
    expect_own("mine", n)
}

function expect_own(pid, n)
{
    if (ever_ignores_chld)
        return
    if (shell == "posh") # there wait takes its operand for an option after a builtin with one
        say("unset nothing")
    say("while rc=0; wait \"$" pid "\" || rc=$?; [ \"$rc\" -gt 128 ]; do :; done; [ \"$rc\" -eq " n " ] || echo \"bad " pid ": $rc\" >>\"$D/log\"")
}

function between()
{
    if (ticking && chance(20))
        move_ticks_end()
    move_traps()
    move_ticks()
    move_own()
}

# A script that is started with SIGCHLD ignored.
function move_start()
{
    trapped["INT"] = trapped["CHLD"] = trapped["USR1"] = trapped["EXIT"] = "-"
    if (ever_ignores_chld = move("start-chld-ignored", 4))
        say("[ -n \"${begun-}\" ] || { trap '' CHLD; begun=1; export begun; exec " shell " ./script; }")
}

# The state of the shell, before the first batch.
function note_state()
{
    say("flags=$- mask=$(umask) fields=$IFS here=$PWD ticks=0 ends=0 mark=none; export mark")
    say("for n in 1 2 3; do mkdir \"dir.$n\"; echo \"dir.$n\" >\"dir.$n/here\"; done")
}

# After the last one: all is as it was. Traps and aliases are what the script sets once more.
function compare_state(    signal, word)
{
    move_ticks_end()
    say("[ \"$flags $mask $fields $here\" = \"$- $(umask) $IFS $PWD\" ] || echo \"bad state: $- $(umask) $IFS $PWD\" >>\"$D/log\"")
    say("{ trap; } >\"$D/traps.seen\"")
    for (signal in trapped)
        set_trap(signal, trapped[signal])
    say("{ trap; } >\"$D/traps.wanted\"")
    say("cmp \"$D/traps.wanted\" \"$D/traps.seen\" || echo \"bad traps\" >>\"$D/log\"")
    if (said_aliases) {
        say("alias >\"$D/aliases.after\"")
        say("cmp \"$D/aliases\" \"$D/aliases.after\" || echo \"bad aliases\" >>\"$D/log\"")
    }
    if (trapped["EXIT"] != "-" && trapped["EXIT"] != "")
        expect("exited")
}
