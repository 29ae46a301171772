load ../helper

# The manuals and READMEs: what they say, run as it stands.

# Every literal block under EXAMPLES is a script that runs as it stands.
blocks() # PAGE -- into ex.1, ex.2 ...
{
	rm -f ex.*
	awk '/^\.Sh / {on = $2 == "EXAMPLES"; next}
		on && /^\.Bd/ {n++; in_block = 1; next}
		/^\.Ed/ {in_block = 0; next}
		on && in_block {gsub(/\\&/, ""); gsub(/\\e/, "\\"); print > ("ex." n)}' "$1"
}

@test "the examples of all manuals run, those of the library in each shell" {
	ran=0
	unset FIFO
	for page in "$top"/share/man/*; do
		grep -q '^\.Sh EXAMPLES' "$page" || continue
		blocks "$page"
		for example in ex.*; do
			[ -e "$example" ] || continue
			in=dash
			! grep -q '^\. jobctl\.sh' "$example" || in=$(shells)
			for shell in $in; do
				echo "$page $example in $shell" >&2
				run -0 in_shell "$shell" -eu "$here/$example"
				[ -n "$output" ]
				ran=$((ran + 1))
			done
		done
	done
	[ "$ran" -ge 12 ]
	same '' "$(ls -d ./*.fifo* 2>/dev/null)"
}

@test "all pages but the tutorial begin with two examples, and jobctl.sh(7) is short" {
	for page in "$top"/share/man/*; do
		[ "${page##*/}" != jobctl-tutorial.7 ] || continue
		echo "$page" >&2
		sed -n 's/^\.Sh //p' "$page" | head -n 4 | is NAME,SYNOPSIS,EXAMPLES,DESCRIPTION -
		blocks "$page"
		[ -s ex.2 ]
	done
	[ "$(wc -l <"$top/share/man/jobctl.sh.7")" -le 450 ]
}

# Options of --help on standard input, and of a manual: lines such as "-j --jobs" or " --tag".
offered() { sed -n 's/^ *\(\(-.\), \)*\(--[^ ]*\).*/\2 \3/p; s/^  \(-.\) .*/\1/p' | sort; }
described() # PAGE
{
	sed -n '/ Ta /d; s/^\.It Fl \(.\) , -\([^ ]*\).*/-\1 --\2/p
		s/^\.It Fl -\([^ ]*\).*/ --\1/p; s/^\.It Fl \(.\) [^,].*/-\1/p' "$1" | sort
}

@test "--help, SYNOPSIS and the manual have the same options" {
	for tool in jobat jobctl jobend jobkeep jobplot jobpool tokend tokget tokput tokstat tokstop; do
		page=$top/share/man/$tool.1
		echo "$tool" >&2
		$tool --help | offered >offered
		grep -q -e '-V --version' offered
		described "$page" | diff offered -
		same "$($tool --help)" "$($tool -h)"
		[[ "$($tool -V)" == "$tool "[0-9]* ]]
		sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$page" >synopsis
		case $tool in jobctl | jobpool) continue ;; esac
		grep -oE '(^\.|Op |\| )Fl [A-Za-z0-9]+' synopsis | sed 's/.* //' | fold -w 1 |
			sort -u | grep -v '[hV]' >letters
		sed -n 's/^-\([^hV]\) .*/\1/p' offered | diff - letters
	done
}

@test "--help of a function of the library and its manual have the same options" {
	in_shell dash -c '. jobctl.sh; jobctl_open --help' >open || [ "$?" -eq 125 ]
	in_shell dash -c '. jobctl.sh; jobctl_open 1; jobctl_connections --help
		jobctl_close' >connections
	offered <open >offered
	[ -s offered ]
	described "$top/share/man/jobctl.sh.7" | diff offered -
	offered <connections >offered
	described "$top/share/man/jobctl-connections.7" | sed '/--help/d' >described
	[ -s described ]
	[ -z "$(comm -13 offered described)" ]
}

# unlike PROGRAM [PAGE] -- options of which --help, on standard input, and the manual do not say
# the same, with both texts
unlike()
{
	awk -v program="$1" -f "$top/tests/scripts/said.awk" - "$top/share/man/${2-$1.1}"
}

@test "the line of each option in --help says what its manual says in the first sentence" {
	for tool in jobat jobctl jobend jobkeep jobplot jobpool tokend tokget tokput tokstat tokstop; do
		same '' "$($tool --help | unlike "$tool")"
	done
	same '' "$(in_shell dash -c '. jobctl.sh; jobctl_open --help' | unlike jobctl_open jobctl.sh.7)"
	same '' "$(jobkeep --help | grep -e '--idle' -e '--uses' |
		unlike jobctl_connections jobctl-connections.7)"
	for line in '-f, --force  end the jobs, too: their tokens are not waited for' \
		'-s, --script PID  ... but not this one' '    --nosuch  wait' '-V  quit'; do
		[[ "$(echo "  $line" | unlike tokstop)" == 'tokstop -'*': not in the manual: '* ]]
	done
}

@test "the map names each source file, and none that is not there" {
	cd "$top"
	sed '/^## How a token/,$d' src/README.md >"$here/map"
	grep -o '`[^`]*`' "$here/map" | tr -d '`' | sort -u >"$here/told"
	printf '%s\n' src/*/*.c share/*.sh share/jobctl/*.sh | sed 's|.*/||; s/\.c$//' | sort -u |
		comm -23 - "$here/told" | is '' -
	shopt -s nullglob
	sed -n 's/^| \(`[^|]*`\) |.*/\1/p' "$here/map" | tr -d '`' | tr ' ' '\n' >"$here/names"
	[ -s "$here/names" ]
	while read -r name; do
		found=("$name" src/*/"$name".[ch] share/"$name" share/jobctl/"$name")
		for file in "${found[@]}"; do [ ! -e "$file" ] || continue 2; done
		echo "$name: not there" >&2
		return 1
	done <"$here/names"
}

@test "each folder of tests is in their map" {
	cd "$top/tests"
	for folder in */; do
		echo "$folder" >&2
		grep -qF "\`$folder\`" README.md
	done
}
