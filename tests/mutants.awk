# mutants.awk -v seed=N FILE... -- small faults in these sources, in C and in shell, one a line:
# FILE, the number of one of its lines, and the new text of that line, with tabs between them.
# Kinds of faults take turns, three in C for one in shell; the seed decides which one, in any awk
# alike. Not those that the sanitizers find: a lost free(), a loop that goes one too far.

FNR == 1 {
    shell = FILENAME ~ /^share/
    state = ""
    before = ";"
}

# The line, as long, with @ for each character in comments and strings.
function masked(line,    i, c, two, seen) {
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (state == "" && shell && c == "#" && (i == 1 || substr(line, i - 1, 1) ~ /[ \t]/)) {
            while (i++ <= length(line))
                seen = seen "@"
        } else if (shell ? 0 : two == (state == "*" ? "*/" : state == "" ? "/*" : "no")) {
            state = state == "" ? "*" : ""
            seen = seen "@@"
            i++
        } else if (c == "\\" && state != "*" && (state != "'" || !shell)) {
            seen = seen "@@"
            i++
        } else {
            if (state == "" && (c == "\"" || c == "'"))
                state = c
            else if (c == state && c != "*")
                state = ""
            seen = seen (state == "" ? c : "@")
        }
    }
    return substr(seen, 1, length(line))
}

# fault(KIND, FROM, LENGTH, TEXT) -- that part of the line becomes the text
function fault(kind, from, size, text) {
    kind = (shell ? "shell " : "C ") kind
    all[kind, ++count[kind]] = FILENAME "\t" FNR "\t" \
        substr(line, 1, from - 1) text substr(line, from + size)
}

# swaps(KIND, WORDS) -- of each two of these words, one becomes the other. No descriptor is 0.
function swaps(kind, words,    w, n, i, at, rest) {
    n = split(words, w, " ")
    for (i = 1; i <= n; i++)
        for (rest = 1; (at = index(substr(m, rest), " " w[i] " ")) > 0; rest += at)
            if (kind != "bound" || m !~ /for \(/ && substr(m, rest + at) !~ /^(<|>=) 0/)
                fault(kind, rest + at, length(w[i]), w[i % 2 ? i + 1 : i - 1])
}

# each(KIND, PATTERN, TEXT) -- each match becomes that text; or a number one more
function each(kind, pattern, text,    at, rest) {
    for (rest = 1; match(substr(m, rest), pattern); rest = at + RLENGTH - 1) {
        at = rest + RSTART - 1
        if (kind == "constant")
            fault(kind, at + 1, 1, substr(m, at + 1, 1) + 1)
        else
            fault(kind, at, RLENGTH, text)
    }
}

# The condition of an if, behind its parenthesis: negated, and never true.
function condition(at,    i, depth) {
    for (i = at; depth >= 0 && i <= length(m); i++)
        depth += (substr(m, i, 1) == "(") - (substr(m, i, 1) == ")")
    if (depth >= 0) {
        fault("check", at, 0, "0 && ")
        return
    }
    fault("check", at, i - 1 - at, "!(" substr(line, at, i - 1 - at) ")")
    fault("check", at, i - 1 - at, "0 && (" substr(line, at, i - 1 - at) ")")
}

function branches(    from, colon, end) {
    if (match(m, /[^ ] [?] [^?:()]+ : [^?:;()]+;/)) {
        from = RSTART + 4
        end = RSTART + RLENGTH - 1
        colon = from + index(substr(m, from), " : ") - 1
        fault("branch", from, end - from, \
            substr(line, colon + 3, end - colon - 3) " : " substr(line, from, colon - from))
    }
}

{
    line = $0
    whole = state == ""
    m = masked(line) " " # all has an end
    whole = whole && state == ""
    start = match(m, /[^\t]/)
    swaps("sign", "+ -")
    swaps("logic", "&& ||")
}

!shell && m ~ /^\t/ {
    swaps("sign", "+= -=")
    swaps("bound", "< <= > >=")
    swaps("equal", "== !=")
    if (match(m, /(^|[^a-z_])if \(/))
        condition(RSTART + RLENGTH)
    branches()
    each("constant", "[^A-Za-z0-9_.@-][0-9][^A-Za-z0-9_.@]")
    if (whole && before ~ /(^|[;{}):@]|else)$/ && m !~ /(^\t+|[^a-z])free\(/ &&
        m ~ /^\t+(\(void\))?([^ ]+ [-+|&*]?= .*|[a-z_]+\(.*\)|[^ ]*(\+\+|--)|break|return);/)
        fault(m ~ /close[a-z_]*\(/ ? "lost" : "statement", start, length(line), ";")
}

shell {
    swaps("test", "-eq -ne -lt -le -gt -ge -z -n = !=")
    each("check", "[[] [^]]* []]", ":")
    each("check", "[[] [^]]* []]", "false")
    each("lost", " [0-9][<>]&-", "")
    each("constant", "[ =][0-9][ ;)]")
    if (match(m, /^\t+[^()&;=]+\)/))
        fault("case", start, RLENGTH - start, "/never/")
    else if (whole && before !~ /(\\|&&|[|]|@)$/ && m !~ /(\\|&&|[|({]|do|then|;;) $/ &&
        m ~ /^\t*[a-z_:]+(=| [^(])/ && m !~ /^\t*(if|then|else|elif|while|until|for|do|case|esac) /)
        fault("statement", start, length(line), ":")
}

{
    sub(/[ \t@]+$/, "", m)
    before = m
}

END {
    seed = 1 + seed * 7919 % 2147483646
    in_c = split("sign bound equal logic check branch statement lost constant", c)
    in_shell = split("test logic check case statement lost constant", sh)
    for (i = 0; i < 10000; i++) {
        kind = i % 4 == 3 ? "shell " sh[++s % in_shell + 1] : "C " c[++t % in_c + 1]
        seed = seed * 48271 % 2147483647 # exact in doubles
        which = 1 + int(seed / 2147483647 * count[kind])
        if (count[kind] == 0)
            continue
        print all[kind, which]
        all[kind, which] = all[kind, count[kind]--]
    }
}
