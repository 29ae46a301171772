# jobctl(1) in the background.

# begun OPTION... -- a batch in the background, as from a terminal; its input is
# the file "list", its messages are in "errors". Sets $batch.
begun()
{
	ln -sf "$top/bin/jobctl" jobctl # so that teardown finds it
	: >out # to append: a process that outlives the batch overwrites nothing that comes later
	fresh "$here/jobctl" "$@" <list >>out 2>errors 3>&- &
	batch=$!
}

# sleepers N -- a list of jobs that never end by themselves
sleepers() { for ((i = 1; i <= $1; i++)); do echo "$here/sleeper $((1000 + i))"; done; }

# each_alone COMMAND... -- each of the array "names" is a job of its own: if the log lacks the
# line of one, that job alone would be run
each_alone()
{
	local i
	printf '%s\0' "${names[@]}" >names
	jobctl -0 -j 1 --joblog log "$@" <names
	mv log all
	for ((i = 0; i < ${#names[@]}; i++)); do
		grep -v "^$((i + 1))	" all >log
		jobctl -0 --dry-run --joblog log --resume-failed "$@" <names >would
		same 1 "$(wc -l <would)" "without ${names[i]@Q} there would be run $(<would)
jobs"
	done
}
