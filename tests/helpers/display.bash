# The display on a terminal while jobs run.

# at_terminal STEP... -- COMMAND... -- the text of the screen goes to the file "screen"
at_terminal()
{
	need_python
	timeout 200 "$top/tests/helpers/screen.py" "$@" >screen 3>&-
}

# can_hold -- "sh hold FILE..." waits until these are there
can_hold()
{
	cat >hold <<'S'
for file do
	until [ -e "$file" ]; do ./sleeper 0.05; done
done
S
}

# held_jobs -- "job N" says so, and more; then it waits for the file "open"
held_jobs()
{
	can_hold
	cat >job <<'S'
printf 'job %s\nits end' "$1"
: >"began.$1"
sh hold open
exit $(($1 == 2))
S
}
