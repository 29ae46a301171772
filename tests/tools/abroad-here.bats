# bats file_tags=waits
load ../helper
load ../helpers/places
load ../helpers/abroad

# tokget HOST:FIFO, whose processes here are killed or stopped: the command is dead before the token
# is home.

@test "KILL of the lender, of the guard, or of both" {
	at_once "$(lost_by 'kill -KILL $lender')" "$(lost_by 'kill -KILL $guard')" \
		"$(lost_by 'kill -KILL $lender $guard')"
}

@test "KILL of tokget, and of the lender, or of the guard, at one instant" {
	at_once 'lent; kill -KILL $borrower; killed_home' \
		'lent; kill -KILL $borrower $lender; killed_home' \
		'lent; kill -KILL $borrower $guard; killed_home'
}

@test "KILL of tokget, which is the job of somebody who has given up" {
	given_up()
	{
		tokget=(timeout -s KILL 1000 tokget) # it kills its group
		with_token
		kill -ALRM "$borrower"
		ends_with 137 "$borrower"
		until_true dead "$command"
		until_true pool_says '1 1 0 0'
	}
	at_once given_up
}

@test "all of tokget is killed at once by its name: the command dies with it" {
	need_proc # a child hears that its parent has died
	[ "$(uname)" = Linux ] || skip 'not Linux'
	at_once 'lent; kill -KILL $borrower $guard $lender; killed_home'
}

@test "KILL of tokget and its guard ends the command though it has closed its lease" {
	closed()
	{
		with_token fresh seat far # fresh closes what is above 2
		guard=$(up "$command" 1)
		next_waits
		kill -KILL "$borrower" "$guard"
		killed_home
	}
	at_once 'tokget=(tokget -o); closed' closed
}

@test "STOP of the guard, and then a loss; STOP of the lender, though the place goes on" {
	stopped_lender()
	{
		lent
		kill -STOP "$lender"
		until_true dead "$command"
		kill -CONT "$lender"
		lost
	}
	at_once "$(lost_by 'kill -STOP $guard; kill -KILL $(far)')" stopped_lender
}

@test "all here are stopped for long: the command is killed when they go on" {
	all_stopped()
	{
		lent
		kill -STOP "$borrower" "$lender" "$guard" "$command"
		ends_with 0 "$next"
		kill -CONT "$lender" "$guard" "$borrower"
		ends_with 122 "$borrower"
		until_true dead "$command"
	}
	at_once all_stopped
}

@test "a place that hangs as the command ends: its status, and a message; a signal ends the wait" {
	hangs() # [SIGNAL]
	{
		local far
		lent
		far=$(far)
		kill -STOP "$far"
		kill -KILL "$command"
		until_true dead "$guard"
		[ -z "${1-}" ] || kill -s "$1" "$borrower"
		ends_with 137 "$borrower"
		is "tokget: far:$FIFO: the token has not come back yet" err
		kill -CONT "$far" || : # the watcher may have killed it
		home
	}
	at_once 'BEAT=${BEAT/0.3/0.6}; hangs' 'BEAT=30; hangs TERM' 'BEAT=30; hangs INT'
}

@test "what the command has started in groups of its own is ended, too" {
	group_of() # TEXT
	{
		with_token bash -c "$1; exit" sh
		kill -KILL "$(lender_of "$borrower")" || gone
		ends_with 122 "$borrower"
		until_true dead "$command"
		until_true pool_says '1 1 0 0'
	}
	twice()
	{
		TMPDIR=$PWD/stays # the place of the second one is here, and killed, too
		mkdir "$TMPDIR"
		tokend -b -n 1 "$FIFO.2" 3>&-
		group_of 'tokget --beat '"$BEAT"' "again:$FIFO.2" "$@"'
		FIFO=$FIFO.2 until_true pool_says '1 1 0 0'
		tokstop "$FIFO.2"
	}
	at_once "group_of 'timeout 900 \"\$@\"'" "group_of 'setsid \"\$@\"'" \
		"group_of 'set -m; \"\$@\" & wait'" twice
}
