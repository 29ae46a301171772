# seen.awk -- the result of a script of batches.awk, in the words of its "expected": reads that
# file, the log, and the output. Lines that begin with "bad" tell faults.

function bad(what) { print "bad " what }

FILENAME == "expected" {
    if ($1 == "slots") {
        print
        slots[$2] = $3
        mode[$2] = $4
    }
    if ($1 == "end")
        status[$2] = $3
    if ($1 == "told")
        untold[$2] = $3
    next
}

# Shells tell of a job's program that was killed.
FILENAME ~ /^errors|^to\.|^output/ && /(^|\t)(Terminated|Killed|Alarm clock|User (defined )?signal 1) *$|_special: line [0-9]+: [0-9]+: [A-Z]/ { next }

# A file for a stream of one job.
FILENAME ~ /^to\./ {
    if (FNR == 1)
        split(FILENAME, part, ".")
    if ($2 != part[3] || ($1 == "out" && NF != 10))
        bad(FILENAME ": " $0)
    else
        to[part[2] " " $2 " " $1]++
    next
}

# The tag of a line has the name of its job; the rest is as in other modes.
{ tag = "" }

(FILENAME == "output" || FILENAME == "errors") && match($0, /\t(out|err) b[0-9]+_[0-9]+/) {
    tag = substr($0, 1, RSTART - 1)
    $0 = substr($0, RSTART + 1)
}

(FILENAME == "output" || FILENAME == "errors") && /^(out|err) b[0-9]+_/ {
    split($2, part, "_")
    if ((mode[part[1]] == "tag") != (index(tag, " " $2 " ") > 0) || (mode[part[1]] != "tag" && tag != ""))
        bad("tag '" tag "' of " $0)
}

/^err b[0-9]+_[0-9]+$/ {
    errors[$2]++
    next
}

FILENAME == "errors" && /: a subshell waits, and cannot tell how / { next } # it says 1 then

# The message for a killed job has no command, if nobody needed to know it before.
FILENAME == "errors" && /^\.\/script: line [0-9]+: +[0-9]+ [A-Z]/ { reports = 1 } # bash, in lines of its caller

FILENAME == "errors" && reports {
    reports = !/} *< *\/dev\/null/
    next
}

FILENAME == "errors" {
    if (match($0, /^(jobctl_run|process): job [0-9]+: ((exit status|killed by signal) [0-9]+|no such command or function)/)) {
        split(substr($0, 1, RLENGTH), word, " ")
        number = word[3] + 0
        code = word[4] == "no" ? 127 : word[4] == "exit" ? word[6] : word[7] + 128
        text = substr($0, RLENGTH + 1)
        if (match(text, / '?(b[0-9]+|t)_[0-9]+[.=+%]?/)) {
            text = substr(text, RSTART + 1, RLENGTH - 1)
            sub(/'/, "", text)
            print "told", text, code
            told[text] = 1
        } else if (text == "" || text ~ /^: (job|work|sh|jobctl_on) (\.\.\.|('line )?[0-9]+'?)$/)
            nameless[++messages] = number " " code
        else
            bad("message: " $0)
    } else if (/^jobctl_run: write it without .* two shells cannot start jobs of a batch at once$/)
        print "refused"
    else if (/^(jobctl_|jobctl:|jobctrl:|jobkeep:|process:|tok|mkdir|rm|cat)|not found|yntax|read-?only|share\/jobctl|jobctl\.sh|_jobctl/)
        bad("message: " $0)
    next
}

$1 == "run" {
    print "run", $2, $4
    split($2, part, "_")
    if (((part[1], $3) in name) && name[part[1], $3] != $2)
        bad($3 " is the number of " $2 " and of " name[part[1], $3])
    name[part[1], $3] = $2
    id[$2] = $3
}

$1 == "end" {
    if (++ended[$2, $3] > 1)
        bad("job " $3 " of " $2 " ended twice")
    print "end", name[$2, $3], $4
    failures[$2] += $4 != 0
    if ($6 != ended_of[$2] + 1 || $7 != failures[$2])
        bad("figures at the end of job " $3 " of " $2 ": " $6 ", " $7)
    ended_of[$2]++
    if ($5 + 0 < 1 || $5 + 0 > slots[$2])
        bad("slot " $5)
}

$1 == "failed" {
    print "failed", name[$2, $3], $4
    if ($5 < $6 || $6 != ++failures_told[$2])
        bad("figures at the failure of job " $3 " of " $2 ": " $5 ", " $6)
}

$1 == "read" { reads[$2]++ }

$1 == "said" {
    sub(/[ \t]+$/, "")
    print
}

$1 == "close" {
    print $1, $2, $3, $4, $5, $6
    if (($6 == 0) != ($7 == "none"))
        bad("first of " $6 ": " $7)
    if ($7 != "none" && !(($2, $7) in name))
        bad("first: " $7)
    if ($7 != "none" && ((name[$2, $7]) in status) && status[name[$2, $7]] == 0)
        bad("first: " $7 " has not failed")
}

$1 == "result" || $1 == "error" || $1 == "noted" || $1 == "pool" { print }

$1 == "asked" { request[++requests] = $2 }

$1 == "answer" || $1 == "unanswered" {
    if (++settled[$2] > 1 || (mode["w"] == "order" && $2 + 0 <= turn))
        bad("answer of request " $2)
    turn = $2 + 0
    sub(/ [0-9]+/, " " request[turn])
    sub(/[ \t]+$/, "")
    print
}

$1 == "bad" || $1 == "at" || $1 == "exited" || $1 == "interrupted" { print }

# Lines of a batch: those of a job together, or even in order, if that was asked for.
$1 == "out" {
    split($2, part, "_")
    b = part[1]
    lines[$2]++
    if (NF != 10)
        bad("torn: " $0)
    if (mode[b] == "plain")
        next
    if ($2 != last[b]) {
        if ($2 in begun)
            bad("the output of " $2 " is in pieces")
        if (mode[b] == "order" && id[$2] + 0 < id[last[b]] + 0)
            bad($2 " is shown behind " last[b])
        begun[$2] = 1
        last[b] = $2
    }
    if ($3 != lines[$2])
        bad($2 ": line " $3 " in place of " lines[$2])
}

FILENAME ~ /^log\./ && FNR > 1 {
    split($0, column, "\t")
    split(FILENAME, part, ".")
    print "log", name[part[2], column[1]], column[7], column[8]
}

END {
    for (i = 1; i <= messages; i++) {
        split(nameless[i], part, " ")
        found = "job " part[1]
        for (b in mode)
            if (((b, part[1]) in name) && !(name[b, part[1]] in told) && untold[name[b, part[1]]] == part[2])
                found = name[b, part[1]]
        told[found] = 1
        print "told", found, part[2]
    }
    for (one in lines)
        print "out", one, lines[one]
    for (one in errors)
        print "err", one, errors[one]
    for (one in reads)
        print "read", one, reads[one]
    for (one in to)
        print "to", one, to[one]
}
