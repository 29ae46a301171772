load ../helper

# Scripts that share a dispenser: jobctl_with, jobctl_hold.

@test "jobctl_with runs a function in the shell itself, holding a token; its status is kept" {
	cat >script <<'S'
set -eu
. jobctl.sh
id=1
work () { id=2; tokget -n "$FIFO" true || echo "taken $?"; echo "$# $1"; return "$2"; }
jobctl_with "$FIFO" work 'a b' 0
jobctl_with "$FIFO" work 'a b' 7 || echo "status $?"
echo "id $id"
tokget -n -t 5 "$FIFO" echo free || tokget -t 5 "$FIFO" echo free
jobctl_with "$FIFO.none" work x 0 2>/dev/null || echo "none $?"
jobctl_hold "$FIFO"
tokget -n "$FIFO" true || echo "held $?"
jobctl_release
tokget -t 5 "$FIFO" echo released
jobctl_hold "$FIFO"
S
	pool -n 1
	for shell in $(shells); do
		echo "in $shell" >&2
		in_shell "$shell" script >out
		diff out - <<'W'
taken 124
2 a b
taken 124
2 a b
status 7
id 2
free
none 123
held 124
released
W
		until_true pool_says '1 1 0 0'
	done
	stopped
}

@test "jobctl_with and jobctl_hold have no options, and need their operands" {
	check_operands() {
		for wrong in 'with -N 2 x true' 'with x' with 'hold -t 1 x' hold 'hold x y' 'hold -x'; do
			run -125 in_shell "$1" -c '. jobctl.sh; jobctl_"$@"' sh $wrong
			[[ "$output" == "jobctl_${wrong%% *}: needs a FIFO"*", and has no options: "* ]]
		done
	}
	everywhere operands
}

@test "jobctrl N -u PARENT is refused: process does not ask for tokens" {
	pool -j -n 2
	cat >script <<'S'
. jobctl.sh
job () { :; }
FIFO=$FIFO.child
jobctrl 2 -u "$1" | process 3
S
	run -125 in_shell dash script "$FIFO"
	[[ "$output" == *"-u: process asks for no tokens"* ]]
	[ ! -e "$FIFO.child" ]
	until_true pool_says '2 2 0 0'
	stopped
}
