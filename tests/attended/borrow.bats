load ../helper
load ../helpers/jobserver

# A dispenser for one shell whose tokens are make's: tokend -u make.

# last_of_make N -- N jobs have all the tokens, and the shell asks for one more; then the second
# job ends
last_of_make()
{
	for id in $(seq "$1"); do
		calls n
		until_true grep -qx "$id $id" lines
		exec {lease[$id]}>"$FIFO.d/$id"
	done
	until_true tokens ''
	calls n
	echo "=0" >&"${lease[2]}"
	exec {lease[2]}>&-
}

@test "tokend -u: not to wind up; and -n is of make's jobs" {
	make_pool ab
	run -125 tokend -u make -a -r "$FIFO"
	run -125 tokend -u "$here/other" -a "$FIFO"
	[[ "$output" == *'no tokend runs there'* ]]
	flags 5,6 8
	first_line() # OPTION... -- its first line
	{
		tokend -a "$@" "$FIFO" 3>&- | {
			read -r line
			echo "$line"
			echo @end >"$FIFO"
			cat >lines
		}
	}
	for n in '/8' '-n 50%/4' '-n -1/7' '-n 3/3' '-s a -n 1/1'; do
		[ "$(first_line -u make ${n%%/*})" = "ready ${n#*/} asks tells" ] || { echo "$n"; false; }
		tokens ab
	done
	unset MAKEFLAGS
	same 'ready 2' "$(first_line -u make -n 2)"
}

@test "tokend -u: a lease for each that is asked for, as make's tokens come; each goes back" {
	make_pool ab
	flags "fifo:$here/pool" 8
	mkfifo pipe
	cat pipe >lines 3>&- 5<&- 6>&- & reader=$!
	fresh -s tokend -a -u make -n 4 "$FIFO" >pipe 2>errors 3>&- 5<&- 6>&- & tokend=$!
	until_true lines_in 1 lines
	last_of_make 3
	until_true grep -qx '2 4' lines
	echo "=0" >&"${lease[1]}"
	exec {lease[1]}>&-
	one_token() { tokens a || tokens b; }
	until_true one_token
	for id in 2 3; do job_ends "$id"; done
	calls q
	exec {lease[3]}>&-
	ends_with 0 "$tokend"
	until_true tokens ab
	wait "$reader"
	same 'all 0 4 4 0' "$(tail -n 1 lines)"
}

@test "tokend -u: the script was killed, and its jobs live on: nothing of make's is kept" {
	make_pool ab
	flags "fifo:$here/pool" 8
	cat >script <<'S'
. jobctl.sh
jobctl_open
jobctl_run "$here/sleeper" 1000
jobctl_run "$here/sleeper" 1000
: >begun
jobctl_wait
S
	export TMPDIR=$here
	started dash script 5<&- 6>&-
	until_true test -e begun
	until_true tokens b
	kill -KILL "$script"
	ends_with 137 "$script" 2>/dev/null
	until_true tokens ab
	until_true pool_is_free
	until_true no_ours tokend
	has_sleepers 2
	signal_ours KILL sleeper
}

@test "tokend -u -i: while a slot rests, its token is make's, though a job waits for the slot" {
	make_pool a
	flags "fifo:$here/pool" 2
	mkfifo pipe
	cat pipe >lines 3>&- 5<&- 6>&- &
	fresh -s tokend -a -u make -i 1000 -n 2 "$FIFO" >pipe 3>&- & tokend=$!
	until_true lines_in 1 lines
	last_of_make 2
	until_true tokens a
	run -1 grep ' 3$' lines
	exec {lease[1]}>&-
	echo '@stop now' >"$FIFO"
	ends_with 0 "$tokend"
}
