load ../helper

# Batches made up at random: what "make fuzz" runs for as long as one likes. Here the seeds are
# the same each time.

@test "batches made up at random come to what they must, in every shell" {
	for shell in $(shells); do
		for seed in 7 8 9; do
			TMPDIR=$here BATCH_SEED=$seed BATCH_SHELL=$shell "$top/tests/fuzz/batches.sh"
		done
	done
}

# What is made up, a file of share/jobctl, and what is done to it.
@test "what a library does wrong, random batches find" {
	cat >faults <<'S'
batches jobs s/_jobctl_b_failed += 1/_jobctl_b_failed += 2/
batches jobs s/"$_jobctl_id" "$_jobctl_status"/"$_jobctl_id" 0/
batches batch s/JOBCTL_ID=$_jobctl_b_id JOBCTL/JOBCTL_ID=0 JOBCTL/
batches connections s/_jobctl_status=$?/_jobctl_status=0/
tasks tasks s/-lt "$_jobctl_b_attempts"/-lt 1/
workers workers s/JOBCTL_ANSWERED + 1/JOBCTL_ANSWERED + 2/
S
	unset FIFO
	export top
	jobctl -j 3 -f faults "$top/tests/scripts/find-fault.sh"
}
