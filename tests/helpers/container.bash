# Programs that run as in a container.

# need_container -- skips if nobody may make a namespace of processes
need_container()
{
	unshare --pid --fork --mount-proc true 2>/dev/null || skip "no new PID namespace here"
}

# first COMMAND... -- runs it as process 1 of a namespace
first() { timeout 60 unshare --pid --fork --kill-child --mount-proc "$@" 3>&-; }
