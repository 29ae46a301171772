# bats file_tags=waits
load ../helper
load ../helpers/places
load ../helpers/abroad

# tokget HOST:FIFO, where processes at HOST are killed or stopped: the command here is dead before
# the token is home.

@test "KILL of the sh there and of either process that has the lease, or of two of them" {
	at_once "$(lost_by 'kill -KILL $asker')" "$(lost_by 'kill -KILL $beater')" \
		"$(lost_by 'kill -KILL $far $asker')" "$(lost_by 'kill -KILL $far $beater')"
	at_once 'lent; kill -KILL $far; kill -TERM $beater; kill -KILL $asker; lost'
}

@test "TERM of what has the lease there ends the command here" {
	at_once "$(lost_by 'kill -TERM $asker')" "$(lost_by 'kill -TERM $asker $beater')"
}

@test "the place hangs, for ever or for some time" {
	hangs() # SIGNAL
	{
		lent
		kill -STOP "$beater"
		ends_with 122 "$borrower"
		until_true dead "$command"
		kill -s "$1" "$beater"
		home
	}
	at_once 'hangs CONT' 'hangs KILL'
}

@test "the process that asks is stopped: the token is home when it goes on" {
	stopped_asker()
	{
		lent
		kill -STOP "$asker"
		kill -KILL "$command"
		until_true test -s err
		is "tokget: far:$FIFO: the token has not come back yet" err
		kill -CONT "$asker"
		ends_with 137 "$borrower"
		home
	}
	at_once stopped_asker
}

@test "by the real sshd: KILL and STOP of ssh and of sshd's session" {
	places=real_sshd
	by() # SIGNAL PROCESS
	{
		lent
		local victim=${!2-$(up "$far" 1)}
		kill -s "$1" "$victim" || gone
		lost
		kill -CONT "$victim" 2>/dev/null || :
	}
	at_once 'by KILL transport' 'by TERM transport' 'by STOP transport'
	places=: # it is there
	at_once 'by KILL sshd' 'by STOP sshd'
}
