load ../helper

# Batches of jobctl.sh, in each shell, -l and -R: whatever is killed or cannot be written, the next
# run shows what did not come.

# said FILE N -- what jobs 1 to N said has come, all of it
said() { [ "$(grep -x 'job [0-9]*' "$1" | sort -u | grep -c .)" -eq "$2" ] || { cat "$1" log; false; }; }

# killed_batch SCRIPT -- with its dispenser, if that is there already
killed_batch()
{
	local tokend
	tokend=$(cat "$here"/jobctl.*/fifo.d/lock 2>/dev/null) || :
	kill -KILL ${tokend:+"$tokend"} "$1" 2>/dev/null || :
	wait "$1" || :
	until_true no_batch
}

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
		killed_batch "$script"
		same 1 "$(grep -c . log)"
		open_gate gate
		in_shell "$1" script --resume-failed >out
		close_gate
		is 'job 1,job 2' out
	}
	one_is_taken() { [ "$(ls "$here"/jobctl.*/fifo.d/*.out | grep -c .)" -eq 1 ]; }
	batch kept
}

@test "a batch killed at any time, in each mode: all output comes, now or with --resume-failed" {
	cat >script <<'S'
. jobctl.sh
says () { [ "$1" != 1 ] || "$here/sleeper" 0.03; echo "job $1"; }
jobctl_open "$@" --joblog log 2
for job in 1 2 3; do jobctl_run says "$job"; done
jobctl_close
S
	check_anytime() {
		local mode modes=-k
		case $1 in dash | bash) modes='-k -k -k --group --tag' ;; esac
		for mode in $modes; do
			for _ in 1 2 3 4 5; do
				rm -f log
				started "$1" script "$mode"
				"$here/sleeper" "0.0$((RANDOM % 80 + 10))"
				killed_batch "$script"
				in_shell "$1" script "$mode" --resume-failed >>out
				sed 's/^.*	//' out >all
				said all 3
			done
		done
	}
	batch anytime
}

@test "a dispenser killed at each of its system calls: all output comes, now or with --resume-failed" {
	need_strace
	cat >script <<'S'
. jobctl.sh
says () { echo "job $1"; }
jobctl_open "$@" --joblog log 2
for job in 1 2 3; do jobctl_run says "$job"; done
jobctl_close
S
	mkdir fake
	cat >fake/tokend <<'S'
#!/bin/sh
mkdir first 2>/dev/null || exec "$dispenser" "$@"
exec strace -D -qq -o trace $inject "$dispenser" "$@"
S
	chmod +x fake/tokend
	export inject dispenser=$top/bin/tokend TMPDIR=$here PATH=$here/fake:$PATH
	for shell in dash bash; do
		inject='-e trace=write,unlinkat,close'
		rm -rf first log
		in_shell "$shell" script -k
		clean
		calls_in trace >calls
		[ "$(grep -c . calls)" -gt 20 ]
		killed=0
		while read -r call n; do
			echo "$shell $call $n" >&2
			rm -rf first log
			status=0
			inject="-e inject=$call:signal=KILL:when=$n"
			in_shell "$shell" script -k >out 2>err </dev/null || status=$?
			clean
			if grep -q 'was killed' err; then killed=$((killed + 1)); fi
			in_shell "$shell" script -k --resume-failed >>out
			clean
			said out 3
		done <calls
		[ "$killed" -gt 20 ]
	done
}

@test "output of a batch that nobody takes is not logged" {
	cat >script <<'S'
. jobctl.sh
jobctl_open "$@" --joblog log 1 >"$to"
jobctl_run echo 'job 1'
jobctl_close
S
	export to
	check_nobody() {
		for mode in --group -k --tag; do
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
		local shell=$1
		if [ "$1" = busybox ]; then shell='busybox sh'; fi
		for mode in --group -k --tag '--results disk/o'; do
			rm -f log
			TMPDIR=$here unshare -m sh -c 'mount -t tmpfs -o size=64k none disk &&
				case $2 in -o*) ;; *) TMPDIR=$PWD/disk ;; esac
				exec $1 script $2' sh "$shell" "$mode" >out 2>err 3>&-
			same '125 1 0' "$(tail -n 1 out | tr -d '\0')"
			grep -q 'jobctl_run: job 1: the disk is full, some of its output may be lost' err
			same 1 "$(grep -c . log)"
		done
	}
	batch filled
}
