load ../helper

# How long a job waits that is tried again.

# between LEAST MOST RETRIES TRIED SAID -- all that this wait may be, which is not always the same
between()
{
	run -0 retry_test "${@:3}"
	printf '%s\n' "${lines[@]}" | sort -n | sed -n '1p;$p' >ends
	[ "$(head -n 1 ends)" -ge "$1" ]
	[ "$(tail -n 1 ends)" -le "$2" ]
	[ "$1" -eq "$2" ] || [ "$(head -n 1 ends)" -lt "$(tail -n 1 ends)" ]
}

@test "it waits for the pause, which doubles up to an hour, and up to half as much by chance" {
	between 1000 1500 5 1 -1
	between 4000 6000 5 3 -1
	between 500 750 5,0.25 2 -1
	between 4096000 6144000 100,1 99 -1
	between 0 0 5,0 4 -1
	run -1 retry_test 5 5 -1
}

@test "what a job has said comes in place of the pause, and chance adds no more than half of either" {
	between 30000 30500 5 1 30000
	between 30000 32000 5 3 30000
	between 100 150 5,60 2 100
	between 30000 30000 5,0 1 30000
	between 0 0 5 3 0
}
