# jobctl(1) in the background.

# begun OPTION... -- a batch in the background, as from a terminal; its input is
# the file "list", its messages are in "errors". Sets $batch.
begun()
{
	ln -sf "$top/bin/jobctl" jobctl # so that teardown finds it
	: >out # to append: what outlives the batch overwrites nothing that comes later
	JOBCTL_GRACE=${JOBCTL_GRACE-5} fresh "$here/jobctl" "$@" <list >>out 2>errors 3>&- &
	batch=$!
}

# sleepers N -- a list of jobs that never end by themselves
sleepers() { for ((i = 1; i <= $1; i++)); do echo "$here/sleeper $((1000 + i))"; done; }
asleep() { [ "$(pgrep -fc "^$here/sleeper")" -eq "$1" ]; }
