load ../helper

# Commands of a log that are the same though their words are quoted in other ways.

# alike, others -- all lines of standard input mean the same; no two of them do
alike()
{
	meaning_test >numbers
	[ "$(sort -u numbers)" = 0 ] || { cat numbers >&2; false; }
}

others()
{
	cat >commands
	meaning_test <commands >numbers
	[ "$(sort -u numbers | wc -l)" -eq "$(wc -l <commands)" ] || { cat numbers >&2; false; }
}

@test "words in the quotes of jobctl, in those of GNU parallel, and after backslashes are the same" {
	alike <<'S'
gzip 'a b' 'it'\''s' '$x*' ü c
gzip 'a b' 'it'"'"'s' '$x*' 'ü' 'c'
gzip a\ b it\'s \$x\* ü c
'gzip' a' 'b it"'"s \$'x'\* '''ü' c''
S
	printf "%s\n" "echo 'a'\$'\\n''b'" >expected
	printf "echo 'a\0b'\n" | cat - expected | alike
	alike <<'S'
test 'a b' '!=' b~ c#d [ '{' 'x]' ^ '}'
test "a b" != 'b~' 'c#d' '[' { x] '^' }
S
	alike <<'S'
gzip <'it'\''s' >'a b'.x && :
gzip <'it'"'"'s' >a\ b.x && :
S
}

@test "commands that differ for a shell, or may do so, are not the same" {
	others <<'S'
echo a b
echo 'a b'
echo a  b
echo a b 
echo a b ''
echo a '' b
echo '' a b
echo 'a'b
S
	others <<'S'
echo ~
echo '~'
echo #
echo '#'
echo [a]
echo '[a]'
echo {a,b}
echo '{a,b}'
echo "$a"
echo '$a'
S
	others <<'S'
echo $x
echo '$x'
echo *
echo '*'
echo >x
echo '>x'
echo a\nb
echo anb
echo 'a\nb'
echo 'a'$'\n''b'
S
	others <<'S'
echo "a b"
echo "a  b"
echo "a\\b"
echo "a\b"
echo "$(echo "a  b")"
echo "$(echo "a b")"
echo "a
echo 'a
echo a\
echo a
S
}
