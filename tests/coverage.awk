# tests/coverage-reasons, then what llvm-cov exports: the report of tests/coverage.sh.
# A line "= WHY" is a reason, and behind it stand "FILE:FUNCTION COUNT ..." for which it holds:
# so many lines of that function, at most, are run by no test.

FILENAME ~ /coverage-reasons$/ {
    if (/^=/)
        why = $0
    else if (NF && !/^#/) {
        if (why == "" || NF % 2) {
            print "coverage-reasons: not FILE:FUNCTION COUNT ...: " $0
            failed = 1
        }
        for (i = 1; i < NF; i += 2)
            excused[$i] += $(i + 1)
    }
    next
}

/^SF:/ {
    path = substr($0, 4)
    file = path
    sub(/.*\//, "", file)
    names[++files] = file
    read_source()
}

/^DA:/ {
    split(substr($0, 4), at, ",")
    lines[file]++
    if (at[2] > 0)
        run[file]++
    else
        missing(at[1])
}

/^BRDA:/ {
    split(substr($0, 6), at, ",")
    branches[file]++
    if (at[4] != "-" && at[4] > 0)
        taken[file]++
}

# The function that each line is in, by the house's style: its name begins a line.
function read_source(    line, n, name) {
    n = 0
    name = ""
    while ((getline line < path) > 0) {
        text[file, ++n] = line
        if (line ~ /^[a-z_]+\(/) {
            name = line
            sub(/\(.*/, "", name)
            known[file ":" name]
        }
        within[file, n] = name
    }
    close(path)
}

function missing(n,    key) {
    key = file ":" within[file, n]
    count[key]++
    listed[key] = listed[key] sprintf("%s:%d: %s\n", file, n, text[file, n])
}

function percent(part, whole) {
    return whole ? 100 * part / whole : 100
}

END {
    printf "%-16s %6s %7s %9s %7s\n", "", "lines", "run", "branches", "taken"
    for (i = 1; i <= files; i++) {
        file = names[i]
        printf "%-16s %6d %6.1f%% %9d %6.1f%%\n", file, lines[file], \
            percent(run[file], lines[file]), \
            branches[file], percent(taken[file], branches[file])
        all += lines[file]
        all_run += run[file]
        ways += branches[file]
        ways_taken += taken[file]
    }
    printf "%-16s %6d %6.1f%% %9d %6.1f%%\n", "all", all, percent(all_run, all), ways, \
        percent(ways_taken, ways)
    for (key in count)
        if (!(key in excused) || count[key] > excused[key]) {
            printf "not run, and %s:\n%s", \
                key in excused ? "more than the reason for " key " says" : \
                "no reason given for " key, listed[key]
            unexcused += count[key]
        } else {
            with += count[key]
        }
    for (key in excused)
        if (!(key in known)) {
            print "coverage-reasons: no such function: " key
            failed = 1
        }
    printf "%d lines not run with a reason, %d without\n", with, unexcused
    if (percent(all_run, all) < least) {
        printf "less than %d %% of the lines\n", least
        failed = 1
    }
    exit failed || unexcused > 0
}
