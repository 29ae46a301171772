# The report of tests/coverage.sh, from the export of llvm-cov.

/^SF:/ {
    path = substr($0, 4)
    file = path
    sub(/^src\//, "", file)
    names[++files] = file
    n = 0
    while ((getline line < path) > 0)
        text[file, ++n] = line
    close(path)
}

/^DA:/ {
    split(substr($0, 4), at, ",")
    lines[file]++
    if (at[2] > 0)
        run[file]++
    else
        printf "%s:%d: %s\n", path, at[1], text[file, at[1]]
}

/^BRDA:/ {
    split(substr($0, 6), at, ",")
    branches[file]++
    if (at[4] != "-" && at[4] > 0)
        taken[file]++
}

function percent(part, whole) {
    return whole ? 100 * part / whole : 100
}

function row(name, lines, run, branches, taken) {
    printf "%-28s %6d %6.1f%% %9d %6.1f%%\n", name, lines, percent(run, lines), \
        branches, percent(taken, branches)
}

END {
    printf "\n%-28s %6s %7s %9s %7s\n", "", "lines", "run", "branches", "taken"
    for (i = 1; i <= files; i++) {
        file = names[i]
        row(file, lines[file], run[file], branches[file], taken[file])
        all += lines[file]
        all_run += run[file]
        ways += branches[file]
        ways_taken += taken[file]
    }
    row("all", all, all_run, ways, ways_taken)
    exit !all || percent(all_run, all) < 96 || percent(ways_taken, ways) < 88
}
