# bats file_tags=waits
load ../helper
load ../helpers/places
load ../helpers/abroad

# tokget HOST:FIFO, where processes at HOST are killed or stopped: the command here is dead before
# the token is home.

@test "KILL of the sh there, its watcher, who is beside the job, or two of them" {
	at_once "$(lost_by 'kill -KILL $(far)')" "$(lost_by 'kill -KILL $(watcher)')" \
		"$(lost_by 'kill -KILL $(beside)')"
	at_once "$(lost_by 'kill -KILL $(far) $(watcher)')" \
		"$(lost_by 'kill -KILL $(beside) $(has_it)')"
}

@test "KILL and TERM of what holds the token" {
	not_missed()
	{
		BEAT=30
		lent
		kill -KILL "$(rest)"
		kill -KILL "$command"
		killed_home
	}
	at_once "$(lost_by 'kill -KILL $(has_it)')" not_missed \
		"$(lost_by 'kill -TERM $(rest) $(has_it)')"
}

@test "the place hangs, for ever or for some time" {
	hangs() # SIGNAL
	{
		local far
		lent
		far=$(far)
		kill -STOP "$far"
		ends_with 122 "$borrower"
		until_true dead "$command"
		kill -s "$1" "$far" || : # the watcher may have killed it
		home
	}
	at_once 'hangs CONT' 'hangs KILL'
}

@test "by the real sshd: KILL and STOP of ssh and of sshd's session" {
	places=real_sshd
	by() # SIGNAL PROGRAM
	{
		local victim
		lent
		case $2 in # the holder, who is beside it, the sh there, sshd
		sshd) victim=$(up "$(pgrep -of "^sh -c : held for .* process $borrower;")" 3) ;;
		ssh) victim=$(pgrep -P "$lender") ;;
		esac
		kill -s "$1" "$victim" || gone
		lost
		kill -CONT "$victim" 2>/dev/null || :
	}
	at_once 'by KILL ssh' 'by TERM ssh' 'by STOP ssh'
	places=: # it is there
	at_once 'by KILL sshd' 'by STOP sshd'
}
