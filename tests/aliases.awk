# Prints each command word of share/jobctl.sh, and of text for eval and "$(" in its parts, that has
# no backslash: a shell reads it with the aliases of the caller. (_jobctl_part_bare: the others.)
# awk -f tests/aliases.awk share/jobctl.sh share/jobctl/*.sh
BEGIN {
	words = "alias|break|command|continue|echo|eval|exec|exit|export|false|kill|printf|read"
	words = words "|return|rm|set|setopt|sh|shift|shopt|test|tokend|tokget|tokstop|trap|true"
	words = words "|ulimit|unalias|unset|wait|\\[|:|\\."
	before = "(^|[;&|{!()] ?|(then|do|else|if|elif|while|until) |IFS=(' ')? |LC_ALL=C )"
	bare = before "(" words ")([ ;)]|$)"
}
FNR == 1 {end = ""}
/^[[:blank:]]*#/ {next}
{
	line = $0
	sub(/^[[:blank:]]+/, continued ? "- " : "", line)
	continued = /\\$/
	if (FILENAME ~ /jobctl\.sh$/) look(line)
	if (match(line, /\$\([^(].*/)) look(substr(line, RSTART + 2))
	while (end != "" || match(line, /(^|[^_a-z])eval ["']/)) {
		if (end == "") {
			end = substr(line, RSTART + RLENGTH - 1, 1)
			line = substr(line, RSTART + RLENGTH)
		}
		text = ""
		while (line != "" && substr(line, 1, 1) != end) {
			taken = substr(line, 1, 1) == "\\" && end == "\"" ? 2 : 1
			text = text substr(line, 1, taken)
			line = substr(line, taken + 1)
		}
		look(text)
		if (line == "") break
		line = substr(line, 2)
		end = ""
	}
}
function look(text) {
	if (text !~ bare) return
	print "lint: " FILENAME ":" FNR ": an alias of the caller can replace a word: " text
	status = 1
}
END {exit status}
