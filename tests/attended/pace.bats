load ../helper
load ../helpers/pace
# bats file_tags=waits

# The time between starts (-i, -d), of a dispenser for one shell.

@test "-i: a slot whose job ended too soon is given again when its time has come" {
	dispenser -a -n 1 -i 0.3
	until_true is_line 2 '1 1'
	is_line 1 'ready 1 clock'
	for n in 2 3; do
		exec 8>"$FIFO.d/1"
		before=$(now)
		echo + >&8
		echo '=0' >&8
		exec 8>&-
		until_true is_line "$((n + 1))" "1 $n"
		past "$((before + 300000))"
	done
	stopped
}

@test "-i: a job that took longer frees its slot at once" {
	dispenser -a -n 1 -i 1
	until_true is_line 2 '1 1'
	exec 8>"$FIFO.d/1"
	printf '+:it has begun\n' >&8
	until_true is_line 3 'said 1 it has begun'
	begun=$(now)
	until_true past "$((begun + 1002000))"
	printf ':last\n=0\n' >&8
	exec 8>&-
	until_true is_line 5 '1 2'
	stopped
}

@test "-i: the start is the last '+', and the end where there was none" {
	dispenser -a -n 1 -i 0.5
	until_true is_line 2 '1 1'
	began=$(now)
	until_true past "$((began + 500000))" # it lies ready
	exec 8>"$FIFO.d/1"
	printf '+:one\n' >&8
	until_true is_line 3 'said 1 one'
	until_true past "$((began + 1000000))"
	last=$(now)
	printf '+:two\n' >&8
	until_true is_line 4 'said 1 two'
	echo '=0' >&8
	exec 8>&-
	until_true is_line 5 '1 2'
	past "$((last + 500000))"
	exec 8>"$FIFO.d/1"
	end=$(now)
	until_true past "$((end + 600000))"
	end=$(now)
	echo '=0' >&8
	exec 8>&-
	until_true is_line 6 '1 3'
	past "$((end + 500000))"
	stopped
}

@test "-i: a token that is returned early waits for its slot's time, too" {
	dispenser -a -n 1 -i 0.4
	until_true is_line 2 '1 1'
	exec 8>"$FIFO.d/1"
	began=$(now)
	printf +C >&8
	until_true is_line 3 'early 1'
	until_true is_line 4 '1_1 2'
	past "$((began + 400000))"
	echo + >&8 # the slot does not care any more
	echo '=0' >&8
	exec 8>&-
	exec 8>"$FIFO.d/1_1"
	printf '+:begun\n' >&8
	until_true is_line 5 'said 2 begun'
	began=$(now)
	until_true past "$((began + 402000))"
	printf C >&8
	until_true is_line 6 'early 1_1'
	until_true is_line 7 '1 3'
	exec 8>&-
	stopped
}

@test "-d: one slot is given at a time, and the next when that job has begun, so long ago" {
	dispenser -a -B who=tokend -n 3 -d 0.2
	until_true is_line 2 '1 1'
	exec 8>"$FIFO.d/1"
	printf ':one\n' >&8
	until_true is_line 3 'said 1 one'
	before=$(now)
	until_true past "$((before + 300000))"
	printf ':two\n' >&8
	until_true is_line 4 'said 1 two'
	before=$(now)
	echo + >&8
	until_true is_line 5 '2 2'
	past "$((before + 200000))"
	held_lease 2 # killed before it says that it begins
	before=$(now)
	kill -KILL "$holder"
	until_true is_line 6 'who 2 2'
	until_true says 7 '[23] 3'
	past "$((before + 200000))"
	echo '=0' >&8
	exec 8>&-
	calls w # takes the third back
	calls 's 2 0'
	until_true is_line 8 'all 0 2 2 0'
	until_true says 9 '? 3'
	stopped
}

@test "-d: a lease that was recalled is no start, and the next is given at once" {
	dispenser -a -n 2 -d 1000
	until_true is_line 2 '1 1'
	calls w
	until_true is_line 4 '1 1'
	is 'ready 2 clock,1 1,all 0 0 0 0,1 1' lines
	stopped
}

@test "what needs no pace is as it was: all slots at once" {
	dispenser -a -n 2 -i 0 -d 0
	until_true lines_in 3 lines
	job_ends 2
	until_true is_line 4 '2 3'
	is_line 1 'ready 2'
	stopped
}

@test "-a, after the death of another dispenser: all slots wait in full" {
	killed_dispenser
	before=$(now)
	dispenser -a -n 2 -i 0.5
	until_true is_line 2 '1 1'
	past "$((before + 500000))"
	kill "$holder"
	until_true is_line 3 '2 2'
	stopped
}
