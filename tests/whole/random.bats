load ../helper

# Batches made up at random: what "make fuzz" runs for as long as one likes.

@test "batches made up at random come to what they must, in every shell" {
	for shell in $(shells); do
		for seed in 7 8 9; do
			TMPDIR=$here BATCH_SEED=$seed BATCH_SHELL=$shell "$top/tests/fuzz/batches.sh"
		done
	done
}

# Each of six is looked for until it is found: where there is other work, that takes a while.
export BATS_TEST_TIMEOUT=700

@test "what a library does wrong, random batches find" {
	cat >faults <<'S'
batches batch s/_jobctl_b_failed += 1/_jobctl_b_failed += 2/
batches batch s/"$_jobctl_id" "$_jobctl_status"/"$_jobctl_id" 0/
batches batch s/JOBCTL_ID=$_jobctl_b_id JOBCTL/JOBCTL_ID=0 JOBCTL/
batches connections s/_jobctl_status=$?/_jobctl_status=0/
tasks tasks s/-lt "$_jobctl_b_attempts"/-lt 1/
workers workers s/JOBCTL_ANSWERED + 1/JOBCTL_ANSWERED + 2/
S
	cat >search <<'S'
set -eu
kind=${1%% *} rest=${1#* }
mkdir "$JOBCTL_ID"
cp -r "$top/bin" "$top/share" "$JOBCTL_ID"
file=$JOBCTL_ID/share/jobctl/${rest%% *}.sh
sed -i.was "${rest#* }" "$file"
if cmp -s "$file" "$file.was"; then exit 2; fi
status=0
FIFO= TMPDIR=$here/$JOBCTL_ID BATCH_BIN=$here/$JOBCTL_ID/bin BATCH_KIND=$kind BATCH_SHELL=dash FUZZ=120 \
	"$top/tests/fuzz/batches.sh" >"$JOBCTL_ID/out" || status=$?
[ "$status" -eq 1 ] && grep -q '^again: ' "$JOBCTL_ID/out"
S
	export top
	jobctl -j 3 -f faults sh search
}
