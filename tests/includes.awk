# awk -f tests/includes.awk src/README.md src/*/*.[ch] -- checks that each folder of src/ includes
# only its own headers, and its header those of the folders in the last column of its row, such as
#     | `src/tokend/` | the dispenser | clients, attended, lease, lib |
# and that these rows, followed from folder to folder, never lead back. 1 if not.

function wrong(what) {
    print "lint: " what
    status = 1
}

function row(folder, column, n) {
    n = split($0, column, / *[|] */)
    may[folder] = column[n - 1] == "nothing of ours" ? "" : column[n - 1]
}

FNR == NR {
    if (match($0, /^[|] `src\/[a-z]+\/` [|]/))
        row(substr($0, 8, RLENGTH - 11))
    next
}

FNR == 1 {
    split(FILENAME, path, "/")
    here = path[2]
    used[here]
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    header = part[2]
    if (header !~ /\//)
        next
    if (FILENAME ~ /[.]c$/)
        wrong(FILENAME ":" FNR ": includes " header ": let " here ".h do that")
    n = split(header, path, "/")
    if (n != 3 || path[1] != ".." || !index(", " may[here] ",", ", " path[2] ","))
        wrong(FILENAME ":" FNR ": includes " header ", but src/README.md allows src/" here "/ " \
            (may[here] == "" ? "nothing of ours" : "only " may[here]))
}

# finish -- a folder that includes only finished folders is finished; a circle never is
function finish(folder, i, n, name, changed) {
    do {
        changed = 0
        for (folder in may) {
            n = split(may[folder], name, ", ")
            for (i = 1; i <= n && (name[i] in finished); i++)
                continue
            if (i <= n)
                follows[folder] = name[i]
            else if (!(folder in finished))
                changed = finished[folder] = 1
        }
    } while (changed)
}

# circle FOLDER -- the circle that an unfinished folder leads to
function circle(folder, seen, text, first) {
    for (; !(folder in seen); folder = follows[folder])
        seen[folder]
    first = text = folder
    do {
        folder = follows[folder]
        text = text " -> " folder
    } while (folder != first)
    return text
}

END {
    for (folder in used)
        if (!(folder in may))
            wrong("src/README.md has no row for src/" folder "/")
    for (folder in may) {
        if (!(folder in used))
            wrong("src/README.md has a row for src/" folder "/, where no source is")
        n = split(may[folder], name, ", ")
        for (i = 1; i <= n; i++)
            if (!(name[i] in may))
                wrong("src/README.md: src/" folder "/ may include " name[i] ", which has no row")
    }
    if (!status)
        finish()
    for (folder in may)
        if (!status && !(folder in finished))
            wrong("src/README.md: a circle: " circle(folder))
    exit status
}
