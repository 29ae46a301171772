load ../helper
load ../helpers/jobserver

# A dispenser for one shell whose tokens are make's: tokend -u make.

@test "tokend -u: not with bytes, nor to wind up; and -n is of make's jobs" {
	make_pool ab
	run -125 tokend -u make -c "$FIFO"
	run -125 tokend -u make -a -r "$FIFO"
	run -123 tokend -u "$here/other" -a "$FIFO"
	[[ "$output" == *'no dispenser there'* ]]
	flags 5,6 8
	first_line() # OPTION... -- what it says first
	{
		tokend -a -W $$ "$@" "$FIFO" 3>&- | {
			read -r line
			echo "$line"
			echo @end >"$FIFO"
			cat >lines
		}
	}
	for n in '/8' '-n 50%/4' '-n -1/7' '-n 3/3' '-s a -n 1/1'; do
		[ "$(first_line -u make ${n%%/*})" = "ready ${n#*/} want" ] || { echo "$n"; false; }
		tokens ab
	done
	unset MAKEFLAGS
	[ "$(first_line -u make -n 2)" = 'ready 2' ]
}

# script BODY -- where waits is a job that waits at the gate
script()
{
	cat - >script <<<"set -eu
. jobctl.sh
waits () { echo in >>log; : <gate; echo out >>log; }
$1"
}

@test "tokend -u: the script has died, its attendant and a job live on: nothing of make's is kept" {
	make_pool ab
	flags "fifo:$here/pool" 8
	"$here/sleeper" 1000 3>&- &
	watched=$!
	mkfifo pipe
	cat pipe >lines 3>&- 5<&- 6>&- &
	fresh -s tokend -a -u make -W "$watched" "$FIFO" >pipe 3>&- &
	until_true lines_in 2 lines
	held_lease 1 5<&- 6>&-
	echo @want >"$FIFO"
	until_true lines_in 3 lines
	until_true tokens b
	kill -KILL "$watched"
	until_true tokens ab
	until_true pool_is_free
	[ "$(tail -n 1 lines)" = 'stop orphan' ]
	pgrep -f "tokend -a -u make .*$here/"
	echo '@stop now' >"$FIFO"
}
