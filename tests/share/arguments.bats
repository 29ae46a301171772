load ../helper

# Functions of the library that are called with too little.

check_missing()
{
	cat >script <<'S'
set -u
. jobctl.sh
process - || echo $?
jobctl_open
jobctl_tasks --retries || echo $?
jobctl_workers --most || echo $?
jobctl_close
S
	in_shell "$1" script >out 2>errors || :
	is 125,125,125 out
	diff - errors <<'E'
process: - needs an argument
jobctl_tasks: --retries needs an argument
jobctl_workers: --most needs an argument
E
}

@test "an option without its argument is told of, and 125" { batch missing; }
