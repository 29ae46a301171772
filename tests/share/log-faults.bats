load ../helper

# Batches of jobctl.sh, in each shell, -l and -R: whatever is killed or cannot be written, the next
# run shows what did not come.

@test "a batch killed while kept output waits for its turn: the job is run again" {
	cat >script <<'S'
. jobctl.sh
waits () { : <gate; echo job 1; }
says () { echo job 2; : >begun; }
jobctl_open -k --joblog log "$@" 2
jobctl_run waits
jobctl_run says
jobctl_close
S
	mkfifo gate
	check_kept() {
		rm -f begun
		started "$1" script
		until_true test -e begun
		until_true one_is_taken
		kill -KILL "$(cat "$here"/jobctl.*/fifo.d/lock)" "$script"
		ends_with 137 "$script"
		until_true no_batch
		same 1 "$(grep -c . log)"
		open_gate gate
		in_shell "$1" script --resume-failed >out
		close_gate
		is 'job 1,job 2' out
	}
	one_is_taken() { [ "$(ls "$here"/jobctl.*/fifo.d/*.out | grep -c .)" -eq 1 ]; }
	batch kept
}

@test "a dispenser killed at each of its system calls: all output comes, now or with --resume-failed" {
	need_strace
	cat >script <<'S'
. jobctl.sh
says () { echo "job $1"; }
jobctl_open "$@" --joblog log 2
[ -z "$inject" ] || attach "$(echo "$here"/jobctl.*/fifo)"
for job in 1 2 3; do jobctl_run says "$job"; done
jobctl_close
S
	export TMPDIR=$here
	attachable
	for mode in -k --tag; do
		inject='-e trace=write,unlinkat,close'
		rm -f log
		in_shell dash script "$mode"
		clean
		calls_in trace | some 12 >calls
		killed=0
		while read -r call n; do
			echo "$mode $call $n" >&2
			rm -f log
			inject="-e inject=$call:signal=KILL:when=$n"
			in_shell dash script "$mode" >out 2>err </dev/null || :
			clean
			if grep -q 'was killed' err; then killed=$((killed + 1)); fi
			inject='' in_shell dash script "$mode" --resume-failed >>out
			clean
			sed 's/^.*	//' out | sort -u | is 'job 1,job 2,job 3' -
		done <calls
		[ "$killed" -ge 4 ] # not each run has as many calls
	done
}

@test "output of a batch that nobody takes is not logged" {
	cat >script <<'S'
. jobctl.sh
exec >"$to"
jobctl_open "$@" --joblog log 1
jobctl_run echo 'job 1'
jobctl_close
S
	export to
	check_nobody() {
		local mode modes=-k
		[ "$1" != dash ] || modes='--group -k --tag'
		for mode in $modes; do
			rm -f log
			to=/dev/full
			run -125 in_shell "$1" script "$mode"
			same 1 "$(grep -c . log)"
			to=out
			in_shell "$1" script "$mode" --resume-failed
			grep -q 'job 1$' out
		done
	}
	batch nobody
}

@test "a full disk: a job of a batch whose output may be lost is not logged, and close returns 125" {
	unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null || skip "cannot mount"
	cat >script <<'S'
. jobctl.sh
fill () { cat big 2>/dev/null || :; }
jobctl_open "$@" --joblog log 1
jobctl_run fill
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED"
S
	head -c 1000000 /dev/zero >big
	mkdir disk
	check_filled() {
		local mode modes=(-k '--results disk/o')
		[ "$1" != dash ] || modes+=(--group --tag)
		for mode in "${modes[@]}"; do
			rm -f log
			TMPDIR=$here unshare -m sh -c 'mount -t tmpfs -o size=64k none disk &&
				case $2 in --results*) ;; *) TMPDIR=$PWD/disk ;; esac
				exec $1 script $2' sh "${1/busybox/busybox sh}" "$mode" >out 2>err 3>&-
			same '125 1 0' "$(tail -n 1 out | tr -d '\0')"
			grep -q 'jobctl_run: job 1: the disk is full, some of its output may be lost' err
			same 1 "$(grep -c . log)"
		done
	}
	batch filled
}
