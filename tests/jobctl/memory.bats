# bats file_tags=waits
load ../helper
load ../helpers/limits

# jobctl --load and --memfree.

# begun OPTION... -- the list, in the background, with memory and load as the test has them
begun()
{
	faked fresh jobctl "$@" -a list >>out 2>errors &
	batch=$!
}

# held -- no job is started, and jobctl has looked more than once
held()
{
	until_true signal_ours 0 jobctl
	looked_again "$(ours jobctl)"
	[ ! -s log ]
}

@test "--memfree: no job is started, nor the first, while less is available" {
	need_mounts
	echo 'echo started >>log' >list
	available 976
	begun --memfree 1m
	held
	available 977
	ends_with 0 "$batch"
	same started "$(cat log)"
}

@test "--load: no job is started while the load is as high" {
	need_mounts
	echo 'echo started >>log' >list
	loaded 2.5
	begun --load 2.5
	held
	loaded 2.49
	ends_with 0 "$batch"
	same started "$(cat log)"
}

@test "a limit that is reached does not keep a batch that has no job left, or none to run" {
	need_mounts
	available 1
	: >list
	begun --memfree 1G
	ends_with 0 "$batch"
	echo 'echo never >>log' >list
	begun --memfree 1G --dry-run
	ends_with 0 "$batch"
	same 'echo never >>log' "$(cat out)"
	begun --quiet --memfree 1G --deadline 0.1
	ends_with 124 "$batch"
	[ ! -e log ]
}

@test "--load and --memfree are a number, a part of the processors, a size" {
	for load in 1e999 0x10 -1 '' 1.5.2 inf % 5m; do
		run -125 jobctl --load "$load" true
		[[ "$output" == "jobctl: --load ${load:-"''"}: not a load such as"* ]]
	done
	for size in -9999999999999999999 -1 '' K 0 1X 1MB 99999999999999999999G 9999999T; do
		run -125 jobctl --memfree "$size" true
		[[ "$output" == "jobctl: --memfree ${size:-"''"}: not a size such as"* ]]
	done
	for fits in 1k 1K 1m 1M 1 '1000000 --load 100000%' '1 --load 9999'; do
		same x "$(echo x | jobctl --memfree $fits echo)"
	done
}
