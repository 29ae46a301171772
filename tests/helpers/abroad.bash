# A token of another machine: tokget HOST:FIFO. The next client is here, and takes a seat beside
# the command's: it gets the second seat if the command is not dead. Load after places.bash.

export SEATS=seats

# with_token [WORD...] -- tokget, by these words, runs a command that ignores TERM: sets $borrower
# and $command
with_token()
{
	rm -f pid seats
	fresh "${tokget[@]}" --beat "$BEAT" "far:$FIFO" "$@" sh -c "trap '' TERM HUP INT
		echo \$\$ >pid.new; mv pid.new pid; exec '$here/sleeper' 1000" 2>err 3>&- &
	borrower=$!
	until_true in_time test -s pid
	command=$(cat pid)
}
tokget=(tokget)

# in_time COMMAND... -- its status; ends the case with 75 if the token is lost before anything was
# done to it: this machine is too slow for the beat
in_time() { [ ! -s err ] || exit 75; "$@"; }

# relay_places -- as local_places, with a transport as ssh is: what it runs outlives it, and has its
# own session
relay_places()
{
	command -v setsid >/dev/null || skip 'no setsid'
	local_places
	sed 's/^exec "$@"/cat | setsid "$@" | cat/' rsh >rsh.new
	chmod +x rsh.new
	mv rsh.new rsh
}

# lent -- a command has the only token: sets also $next, which waits for it; $guard; $transport,
# which leads a group; and at the place $asker and $beater, which have the lease, and $far, the sh
lent()
{
	need_native
	with_token seat far
	processes
	next_waits
}
next_waits()
{
	tokget "$FIFO" seat next true 3>&- &
	next=$!
	until_true in_time waiting 1
}
processes()
{
	guard=$(pgrep -P "$borrower" -x tokget)
	transport=$(pgrep -P "$borrower" | grep -vx -e "$guard" -e "$command")
	asker=$(pgrep -of "^tokget --far .* process $borrower\$")
	beater=$(pgrep -P "$asker")
	far=$(up "$asker" 1)
}
no_holders() { no_ours tokget --far; }

# home -- the token came home after the command was dead
home()
{
	ends_with 0 "$next"
	dead "$command"
	is 'far 1,next 1' seats
	until_true pool_says '1 1 0 0'
}

# lost -- the same, and tokget says so, once
lost()
{
	ends_with 122 "$borrower"
	same 1 "$(grep -c "^tokget: far:$FIFO: lost: .*; the command was ended$" err)"
	home
}
# lost_by WHAT -- that is done to a lent token
lost_by() { echo "lent; $1 || gone; lost"; }
# gone -- the process to be hit has gone: so the token was lost
gone() { until_true test -s err; in_time; }
killed_home()
{
	in_time ends_with 137 "$borrower"
	home
}

# at_once TEXT... -- evaluates each in a directory of its own, with a pool of one token, and all at
# the same time, for a loss takes long to be seen; then nothing is left
at_once()
{
	local text pids=() status=0
	rm -rf case*
	need_native
	"${places-relay_places}"
	for text; do
		with_beats "case${#pids[@]}" "$text" &
		pids+=($!)
	done
	for text; do
		wait "${pids[0]}" || { echo "failed: $text" >&2; status=1; }
		pids=("${pids[@]:1}")
	done
	[ "$status" -eq 0 ]
	until_true no_holders
}

# with_beats CASE TEXT -- with the first beat that is long enough here
with_beats()
{
	local BEAT status
	for BEAT in 0.3 1 5; do
		status=0
		case_of "$1.$BEAT" "$2" &
		wait "$!" || status=$?
		[ "$status" -eq 75 ] || break
		here=$PWD/$1.$BEAT until_true all_killed
		rm -r "$1.$BEAT"
	done
	[ "$status" -eq 0 ]
}
all_killed() { ! signal_ours KILL && no_ours; }
case_of()
{
	mkdir "$1"
	cd "$1" || exit
	FIFO=$PWD/f
	pool -n 1
	eval "$2"
	tokstop "$FIFO"
	until_true no_files
}
