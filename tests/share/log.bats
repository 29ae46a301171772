load ../helper

# Batches of jobctl.sh, in each shell, -l and -R: nobody else writes the log, and -F.

@test "--sync of a batch: first the output is on disk, then its line is written, then on disk" {
	need_strace
	cat >script <<'S'
. jobctl.sh
jobctl_open "$@" --sync --joblog log 1
jobctl_run echo one
jobctl_close
S
	fake tokend <<'S'
exec strace -f -y -D -qq -o trace -e trace=write,fsync "$dispenser" "$@"
S
	export dispenser=$top/bin/tokend
	for mode in --group -k --tag '' '--results d'; do
		rm -f log
		TMPDIR=$here in_shell dash script $mode >out 2>err
		clean # strace has written all
		sed -n 's/^[0-9]* *//; s/(.*<[^>]*\//(/; s/>.*//p' trace | grep '(\(out\|err\|log\|1[.]...\|d\)$' >steps
		case $mode in
		--results*) wanted='fsync(1.out,fsync(1.err,fsync(d' ;;
		*) wanted='fsync(out,fsync(err' ;;
		esac
		case $mode in --group | -k | --tag) wanted="write(out,$wanted" ;; esac
		is "write(log,fsync(log,$wanted,write(log,fsync(log" steps
	done
	sed -i 's/--joblog log //' script
	run -125 in_shell dash script
	same 'jobctl_open: --sync: needs --joblog FILE' "$output"
}

@test "a log that is being written is refused: in a job, as a second batch, by another script" {
	cat >script <<'S'
. jobctl.sh
again () { jobctl_open --joblog log 1 2>>err; }
jobctl_open --joblog log 1
jobctl_run again
jobctl_wait
jobctl_open -b second --joblog log 1 2>>err
echo "second $?" >>opened
jobctl --resume-failed --joblog log touch ran <list 2>>err
echo "jobctl $?" >>opened
jobctl_open -b dry --dry-run --joblog log 1
jobctl_close
jobctl_close
S
	echo 1 >list
	check_refused() {
		rm -f opened err log
		run -1 in_shell "$1" script
		same 'jobctl_run: job 1: exit status 125: again' "$output"
		is 'second 125,jobctl 125' opened
		same 3 "$(grep -c "log: process [0-9]* writes this log now: wait until it" err)"
		[ ! -e ran ]
		lines_in 2 log
	}
	batch refused
}

@test "a script that opens one batch after the other with the same log is never refused" {
	cat >script <<'S'
. jobctl.sh
i=0
while [ "$i" -lt 6 ]; do
	i=$((i + 1))
	jobctl_open --resume-failed --joblog log 2 || exit
	jobctl_run false
	jobctl_run true
	jobctl_close || [ $? -eq 1 ] || exit
done
S
	check_next() {
		in_shell "$1" script 2>/dev/null
		rm log
	}
	batch next
}

@test "a batch whose log is removed, renamed or cut while jobs run: that is said, and it ends with 125" {
	cat >script <<'S'
. jobctl.sh
harm () { case $1 in rm) rm log ;; mv) mv log elsewhere ;; cut) : >log ;; esac; }
jobctl_open --joblog log 1
jobctl_run harm "$1"
jobctl_close
S
	check_harm() {
		for harm in rm mv cut; do
			rm -f log
			run -125 in_shell "$1" script "$harm"
			[[ "$output" == *'/log: it was removed, renamed or cut while jobs ran'* ]]
		done
	}
	SHELLS=dash batch harm # it is C that decides
}

@test "--results of a batch: its directories are made, and files of an earlier run stay" {
	cat >script <<'S'
. jobctl.sh
job () { echo "$1 $JOBCTL_ID"; [ -e "good.$1" ]; }
jobctl_open --results some/dir --joblog log --resume-failed --quiet 1
for i; do jobctl_run job "$i"; done
jobctl_close
S
	check_results() {
		rm -rf some log good.b
		touch good.a
		in_shell "$1" script a b || [ "$?" -eq 1 ]
		touch good.b
		in_shell "$1" script b a
		cat some/dir/*.out >all
		is 'a 1,b 2,b 3' all
	}
	batch results
}

@test "log and files of --results have the modes that the caller's umask leaves" {
	cat >script <<'S'
. jobctl.sh
umask "$1"
jobctl_open --joblog log --results d 1
jobctl_run echo one
jobctl_close
S
	check_modes() {
		for mask in 077 027 002; do
			in_shell "$1" script "$mask"
			stat -c %a log d d/1.out | is "$(printf '%o,%o,%o' \
				$((0666 & ~mask)) $((0777 & ~mask)) $((0666 & ~mask)))" -
			rm -r log d
		done
	}
	SHELLS=dash batch modes # it is C that decides
}

@test "a log that is the output of the batch, too, is refused, and left as it was" {
	cat >script <<'S'
. jobctl.sh
jobctl_open -k --joblog log 1 || exit
jobctl_run true
jobctl_close
S
	check_output() {
		echo precious >log
		cp log before
		run -125 bash -c '$1 script >>log' bash "${1/busybox/busybox sh}"
		cmp log before
	}
	SHELLS=dash batch output # it is C that decides
}

@test "a command of 100 kB is one line of a batch's log" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --resume --quiet --joblog log 1
jobctl_run test "$(cat "$1")" != bad
jobctl_close
S
	printf '%0100000d' 7 | tr 0 '\033' >long
	check_long() {
		rm -f log
		for again in 1 2; do
			in_shell "$1" script long
			same 2 "$(wc -l <log)"
		done
	}
	batch long
}

@test "a label with a tab is one column of a batch's log, which is resumed from" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --quiet --resume-failed --joblog log --label "a	b	" 1
for word; do jobctl_run test "$word" != bad; done
jobctl_close
S
	check_tabs() {
		rm -f log
		run -1 in_shell "$1" script one bad
		run -1 in_shell "$1" script bad two one
		is "Seq Host Exitval Command,1 a b  0 test one '!=' bad,2 a b  1 test bad '!=' bad,\
1 a b  1 test bad '!=' bad,2 a b  0 test two '!=' bad" <(cut -f 1,2,7,9 log | tr '\t' ' ')
	}
	batch tabs
}
