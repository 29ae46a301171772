load ../helper

# Batches made up at random by tests/fuzz/batches.sh.

# The kind of batch, a file of share/jobctl, and the fault made there.
@test "what a library does wrong, random batches find" {
	cat >faults <<'S'
batches jobs s/_jobctl_status=$1$/_jobctl_status=0/
batches news s/"s $1 $_jobctl_outcome"/"s $1 0"/
batches jobs s/JOBCTL_ID=$_jobctl_id JOBCTL/JOBCTL_ID=0 JOBCTL/
batches copies s/_jobctl_post 'e 125'/:/
batches connections s/_jobctl_status=$?/_jobctl_status=0/
tasks tasks s/retries=$_jobctl_n,0/retries=1,0/
workers workers s/JOBCTL_ASKED=${_jobctl_w_figures%%/JOBCTL_ASKED=${_jobctl_w_figures##/
S
	unset FIFO
	export top
	jobctl -j 3 -a faults "$top/tests/scripts/find-fault.sh"
}
