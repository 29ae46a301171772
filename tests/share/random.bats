# bats file_tags=waits
load ../helper

# Random scripts of jobctl.sh, a few always the same ones, in each shell; make trust runs others.

# Where a signal comes every few ms, or SIGCHLD is ignored, some shells err themselves, once in a
# hundred runs or a thousand: only make trust has these.
check_seeds() {
	BATCH_SHELL=$1 BATCH_SEED=$seed BATCH_RUNS=4 BATCH_KIND=$kind \
		BATCH_WITHOUT='ticks trap-chld-ignored start-chld-ignored' \
		"$top/tests/fuzz/batches.sh" 3>&-
}

@test "random scripts of batches do what they say, whatever is redirected, aliased and trapped" {
	seed=300 kind=batches
	everywhere seeds
}

@test "random scripts of process do so, too" {
	seed=400 kind=process
	everywhere seeds
}

@test "random scripts of tasks do so, too" {
	seed=410 kind=tasks
	everywhere seeds
}

@test "random scripts of workers do so, too" {
	seed=420 kind=workers
	everywhere seeds
}
