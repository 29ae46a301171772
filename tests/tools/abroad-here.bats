# bats file_tags=waits
load ../helper
load ../helpers/places
load ../helpers/abroad

# tokget HOST:FIFO, whose processes here are killed or stopped: the command is dead before the token
# is home.

@test "KILL of tokget, of its guard, or of both" {
	at_once 'lent; kill -KILL $borrower; killed_home' "$(lost_by 'kill -KILL $guard')" \
		"$(lost_by 'kill -KILL -- -$transport')"
	need_proc # a child hears that its parent has died
	[ "$(uname)" = Linux ] || skip 'not Linux'
	at_once 'lent; kill -KILL $guard $borrower; killed_home'
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

@test "STOP of tokget, of its guard and then a loss, or of the transport" {
	stopped_tokget()
	{
		lent
		kill -STOP "$borrower"
		until_true dead "$command"
		home
		kill -CONT "$borrower"
		ends_with 122 "$borrower"
	}
	at_once stopped_tokget "$(lost_by 'kill -STOP $guard; kill -KILL $beater')" \
		"$(lost_by 'kill -STOP -- -$transport')"
}

@test "all here are stopped for long: the command is killed when they go on" {
	all_stopped()
	{
		lent
		kill -STOP "$borrower" "$guard" "$command"
		ends_with 0 "$next"
		kill -CONT "$guard" "$borrower"
		ends_with 122 "$borrower"
		until_true dead "$command"
	}
	at_once all_stopped
}

@test "a place that hangs as the command ends: its status, and a message; a signal ends the wait" {
	hangs() # [SIGNAL]
	{
		lent
		kill -STOP "$beater"
		kill -KILL "$command"
		until_true dead "$guard"
		[ -z "${1-}" ] || kill -s "$1" "$borrower"
		ends_with 137 "$borrower"
		is "tokget: far:$FIFO: the token has not come back yet" err
		kill -CONT "$beater"
		home
	}
	at_once 'BEAT=${BEAT/0.3/0.6}; hangs' 'BEAT=30; hangs TERM' 'BEAT=30; hangs INT'
}

@test "all of the command's group is ended; timeout(1) is its first process, too" {
	group_of() # WORD...
	{
		with_token "$@"
		processes
		kill -KILL "$beater" || gone
		ends_with 122 "$borrower"
		until_true dead "$command"
		until_true pool_says '1 1 0 0'
	}
	twice() # the place of the second one is here, and ended, too
	{
		tokend -b -n 1 "$FIFO.2" 3>&-
		group_of tokget --beat "$BEAT" "again:$FIFO.2"
		FIFO=$FIFO.2 until_true pool_says '1 1 0 0'
		tokstop "$FIFO.2"
	}
	at_once 'group_of timeout 900' "group_of sh -c '\"\$@\" & wait' sh" twice
}
