load ../helper

# A command on one line, the same in each log.

# again TEXT WANTED
again()
{
	run -0 quote_test "$1"
	[ "$output" = "$2" ] || { echo "$1: $output, not $2" >&2; false; }
}

@test "a command that the shell library has quoted is shown as jobctl would show it" {
	again "'echo' 'a b' 'c'" "echo 'a b' c"
	again "'echo' '' '\$x' 'a;b'" "echo '' '\$x' 'a;b'"
	again "'it'\\''s' ''\\'''" "'it'\\''s' ''\\'''"
	again "'a'\"\$_jobctl_newline\"'b' 'c'" "'a'\$'\\n''b' c"
	again "'a'\\''\"\$_jobctl_newline\"'\\''b'" "'a'\\''\"\$_jobctl_newline\"'\\''b'"
	printf '%s\n' "it's" 'a b' '*' '' 'x\' c >list
	jobctl --joblog log -a list true
	. "$top/share/jobctl/jobs.sh"
	while IFS= read -r line; do
		_jobctl_quote true "$line"
		run -0 quote_test "$_jobctl_quoted"
		echo "$output"
	done <list >shown
	sed 1d log | sort -n | cut -f 9 | diff - shown
}

@test "a command in no such quotes is shown as it is, on one line" {
	for text in '' echo 'echo "a  b"' "'a' " "'a'  'b'" "'a'b" "'a" "'a'\\'" "'a' b" "'"; do
		again "$text" "$text"
	done
	again $'echo a\necho "b"' 'echo a\necho "b"'
}
