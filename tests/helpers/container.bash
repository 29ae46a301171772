# What runs as in a container.

# need_container -- skips where nobody may make a namespace of processes
need_container()
{
	unshare --pid --fork --mount-proc true 2>/dev/null || skip "no new PID namespace here"
}

# first COMMAND... -- as process 1 of its own
first() { timeout 60 unshare --pid --fork --kill-child --mount-proc "$@" 3>&-; }
