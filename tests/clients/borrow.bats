# bats file_tags=waits
load ../helper
load ../helpers/jobserver

# A dispenser for programs whose tokens are make's: tokend -b -u make.

# left_behind MAKE -- a recipe leaves a dispenser behind, and another one uses it
left_behind()
{
	{
		printf 'all: b\na:\n\t+@tokend -b -u make "$$FIFO"\n'
		printf 'b: a\n\t+@for i in 1 2 3; do tokget "$$FIFO" true; done; '
		printf 'tokget "$$FIFO" sh -c "echo in >>log"\n'
	} >Makefile
	timeout 100 "$1" -j3 >out 2>&1 3>&-
	[ ! -s out ] || { cat out; false; } # make counts its tokens at the end
	running 1
	rm log
	nothing_left
}

@test "a dispenser that a recipe leaves behind keeps no make from ending, and ends with it" {
	left_behind make
}

@test "... and so it does where make, from 4.4 on, has a FIFO" {
	[ -n "${MAKE44-}" ] || skip "no make from 4.4 on: set MAKE44"
	left_behind "$MAKE44"
	MAKEFLAGS=--jobserver-style=pipe left_behind "$MAKE44"
}

# held_outside -- two clients that make has not started hold a token; sets $clients
held_outside()
{
	local i
	mkfifo gate
	clients=
	for i in 1 2; do
		tokget "$FIFO" bash -c 'cat_gate in' 3>&- 5<&- 6>&- &
		clients="$clients $!"
	done
	until_true running 2
}

@test "make gets back, at its end, what clients of a dispenser left behind hold, and waits for that" {
	make_pool ab
	flags "fifo:$here/pool" 3
	MAKELEVEL=1 pool -u make 5<&- 6>&-
	until_true tokens ab
	held_outside # the first has the recipe's own
	one_token() { tokens a || tokens b; }
	until_true one_token
	exec 6>&-
	cat <&5 >got 3>&- & make=$!
	until_true test -s got
	tokget "$FIFO" true 2>/dev/null 3>&- 5<&- & late=$!
	until_true waiting 1
	kill -0 "$make"
	open_gate gate
	ends_with 0 "$make"
	same ab "$(fold -w 1 got | sort | tr -d '\n')"
	for client in $clients; do ends_with 0 "$client"; done
	status=0
	wait "$late" || status=$? # 0: it had the recipe's own
	[ "$status" -eq 0 ] || [ "$status" -eq 123 ] # it was too late
	nothing_left
}

@test "a parent with free tokens keeps no dispenser busy that is paused" {
	need_strace
	make_pool abc
	flags "fifo:$here/pool" 4
	pool -u make -n 4
	tokput -n 0 "$FIFO"
	tokget "$FIFO" true 3>&- & one=$!
	until_true waiting 1
	rests
	tokput -n 4 "$FIFO"
	ends_with 0 "$one"
	stopped
}
