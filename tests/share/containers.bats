load ../helper
load ../helpers/container

# Batches of a script that is process 1 of a container, or is below one that waits for nobody.

export JOBCTL_GRACE=1000
script='. jobctl.sh
jobctl_open --timeout 0.2 2
jobctl_run sh -c "\"\$here/sleeper\" 1001 & \"\$here/sleeper\" 1002; :"
jobctl_close
echo "$? $$" >>log'

# ran HOW SHELL -- the script is, so
ran()
{
	local how=$1 shell=$2
	shift 2
	if [ "$shell" = busybox ]; then set -- sh; fi
	$how fresh "$shell" "$@" -c "$script" 2>err 3>&-
	grep -q 'job 1: not done within 0.200 s' err
}

@test "zombies that nobody waits for do not keep a batch" {
	check_careless() {
		ran "timeout 60 careless" "$1"
		[[ "$(cat log)" == '1 '* ]]
	}
	batch careless
}

@test "a batch of a script that is process 1" {
	need_container
	check_first() {
		ran first "$1"
		is '1 1' log
	}
	batch first
}
