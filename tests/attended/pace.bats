load ../helper
load ../helpers/pace

# The time between starts (-i, -d), of a dispenser for one shell.

@test "-i: a lease that comes home too soon is gone, and free when its slot's time has come" {
	dispenser -a -n 1 -i 0.3
	until_true is_line 1 'free 1'
	for n in 2 4; do
		exec 8>"$FIFO.d/1"
		before=$(now)
		echo + >&8
		exec 8>&-
		until_true says "$n" 'gone 1 *'
		until_true is_line "$((n + 1))" 'free 1'
		past "$((before + 300000))"
	done
	stopped
}

@test "-i: a job that took longer frees its slot at once" {
	dispenser -a -n 1 -i 1
	until_true is_line 1 'free 1'
	exec 8>"$FIFO.d/1"
	printf '+:it has begun\n' >&8
	until_true is_line 2 'said 1 it has begun'
	begun=$(now)
	until_true past "$((begun + 1002000))"
	exec 8>&-
	until_true says 3 '* 1 *'
	says 3 'done 1 *'
	stopped
}

@test "-i: the start is the last '+', and the end where there was none" {
	dispenser -a -n 1 -i 0.5
	until_true is_line 1 'free 1'
	began=$(now)
	until_true past "$((began + 500000))" # it lies ready
	exec 8>"$FIFO.d/1"
	printf '+:one\n' >&8
	until_true is_line 2 'said 1 one'
	until_true past "$((began + 1000000))"
	last=$(now)
	printf '+:two\n' >&8
	until_true is_line 3 'said 1 two'
	exec 8>&-
	until_true is_line 5 'free 1'
	past "$((last + 500000))"
	exec 8>"$FIFO.d/1"
	end=$(now)
	until_true past "$((end + 600000))"
	end=$(now)
	exec 8>&-
	until_true is_line 7 'free 1'
	past "$((end + 500000))"
	says 6 'gone 1 *'
	stopped
}

@test "-i: a token that is returned early waits for its slot's time, too" {
	dispenser -a -n 1 -i 0.4
	until_true is_line 1 'free 1'
	exec 8>"$FIFO.d/1"
	began=$(now)
	printf +C >&8
	until_true is_line 2 'free 1_1'
	past "$((began + 400000))"
	echo + >&8 # this is nothing to the slot any more
	exec 8>&-
	until_true says 3 'gone 1 *'
	exec 8>"$FIFO.d/1_1"
	printf '+:begun\n' >&8
	until_true is_line 4 'said 1_1 begun'
	began=$(now)
	until_true past "$((began + 402000))"
	printf C >&8
	until_true is_line 5 'early 1_1 1'
	exec 8>&-
	stopped
}

@test "-d: one slot is announced at a time, and the next when that job has begun, so long ago" {
	dispenser -a -n 3 -d 0.2
	until_true is_line 1 'free 1'
	exec 8>"$FIFO.d/1"
	printf ':one\n' >&8
	until_true is_line 2 'said 1 one'
	before=$(now)
	until_true past "$((before + 300000))"
	printf ':two\n' >&8
	until_true is_line 3 'said 1 two'
	before=$(now)
	echo + >&8
	until_true is_line 4 'free 2'
	past "$((before + 200000))"
	held_lease 2 # killed before it says that it begins
	before=$(now)
	kill -KILL "$holder"
	until_true says 5 'gone 2 *'
	until_true says 6 'free *'
	past "$((before + 200000))"
	exec 8>&-
	until_true says 7 'gone 1 *'
	[ "$(grep -c free lines)" -eq 3 ]
	stopped
}

@test "what needs no pace is as it was: done, and all slots at once" {
	dispenser -a -n 2 -i 0 -d 0
	until_true lines_in 2 lines
	held_lease 2
	kill "$holder"
	until_true says 3 'done 2 *'
	stopped
}

@test "-a, after the death of another dispenser: all slots wait in full" {
	killed_dispenser
	before=$(now)
	dispenser -a -n 2 -i 0.5
	until_true is_line 1 'free 1'
	past "$((before + 500000))"
	kill "$holder"
	until_true is_line 2 'free 2'
	stopped
}
