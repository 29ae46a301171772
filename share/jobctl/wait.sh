# wait.sh -- "wait" of the caller, while a batch of jobctl.sh is open. A bare one would make most
# shells forget how the jobs of the batch ended.

wait () {
	_jobctl_from news _jobctl_waited ${1+"$@"}
}
