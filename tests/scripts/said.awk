# said.awk HELP PAGE -- compares HELP, which --help has printed, with PAGE, a manual in mdoc(7): the
# words of an option's line, up to a colon, a semicolon or a bracket, must be in the first sentence
# of its description, in any form and order. Little words do not count, nor does what is no word,
# such as N or 50%. An option for which this is not so is shown, with both texts.
function words(text) {
    text = " " tolower(text) " "
    gsub(/[^a-z]+/, " ", text)
    return text
}
# missing -- words of the help that the sentence has not
function missing(text, sentence,    n, i, word, begins, found) {
    sub(/(: |[;(]).*/, "", text)
    n = split(text, word, /[ ,]+/)
    for (i = 1; i <= n; i++) {
        sub(/'s$/, "", word[i])
        begins = " " substr(word[i], 1, length(word[i]) < 5 ? 3 : 4)
        if (word[i] !~ /^[a-z]+$/ || word[i] ~ LITTLE)
            continue
        if (word[i] ~ NO ? sentence !~ NO : !index(sentence, begins))
            found = found " " word[i]
    }
    return found
}
# name -- the first option in a text, by its long name if it has one
function name(text) {
    return match(text, /--[a-z-]+/) || match(text, /-[A-Za-z0-9]/) ? \
        substr(text, RSTART, RLENGTH) : ""
}
BEGIN {
    NO = "(^| )(no|not|none|never|nothing|nobody|without)( |$)"
    LITTLE = "^(a|an|the|it|its|this|that|these|those|there|they|them|their|we|which|what|who|" \
        "where|when|how|is|are|was|be|been|has|have|does|may|of|to|in|at|on|by|for|from|with|" \
        "into|after|before|between|within|up|out|and|or|but|if|as|than|so|then|now|yet|all|any|" \
        "some|many|more|most|such|each|one|another|other|also|only|too)$"
}
FNR == 1 {page++}
page == 1 && /^  (-|    --)/ {
    option[++options] = name($0)
    help[options] = match($0, /[^ ]  +[^-]/) ? substr($0, RSTART + 1) : ""
    next
}
page == 1 && /^                        / && options > 0 {help[options] = help[options] $0}
page == 1 {next}
/^\.(It|El|Sh|Ss)/ {
    if (described)
        items = described = 0
    if (sub(/^\.It Fl /, "-")) {
        sub(/ , -/, ", --")
        item[++items] = name($0)
    }
    next
}
items > 0 && !/^\.(Pp|Bd|Bl|Ed)/ {
    described = 1
    ends = /\.$/
    sub(/^\.Nm/, program)
    gsub(/(^\.| )(Ar|Cm|Dv|Ev|Fl|Li|No|Ns|Pa|Pq|Ql|Sx|Xr)( |$)|\\&/, " ")
    for (i = 1; i <= items; i++)
        if (!over[item[i]]) {
            said[item[i]] = said[item[i]] " " $0
            over[item[i]] = ends
        }
}
END {
    for (i = 1; i <= options; i++)
        if ((not = missing(help[i], words(said[option[i]]))) != "")
            print program " " option[i] ": not in the manual:" not "\n  help:  " help[i] \
                "\n  manual:" said[option[i]]
}
