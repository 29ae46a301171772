load ../helper

usage_error()
{
	run -125 timeout 20 tokend "$@"
	[ "${#lines[@]}" -eq 1 ] || [[ "${lines[0]}" == "usage: tokend"* ]]
	[[ "$output" == *tokend* ]]
	no_files
}

count_of_tokens() # of tokend -n $1
{
	tokend -a -n "$1" "$FIFO" | {
		n=0
		while read -r word _; do
			[ "$word" = free ] && n=$((n + 1))
			[ "$n" -lt "$2" ] || break
		done
		printf '@end\n' >"$FIFO"
		while read -r word _; do
			[ "$word" = free ] && n=$((n + 1))
		done
		echo "$n"
	}
}

@test "tokend announces each token once, by the name of its lease" {
	dispenser -a -n 3
	until_true lines_in 3 lines
	[ "$(cat lines)" = "free 1
free 2
free 3" ]
	[ -p "$FIFO.d/1" ] && [ -p "$FIFO.d/2" ] && [ -p "$FIFO.d/3" ]
	printf '@end\n' >"$FIFO"
	ends_with 0 "$tokend"
	nothing_left
}

@test "tokend says done when the last process has closed a lease, not before" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	{ "$here/sleeper" 100 & one=$!; "$here/sleeper" 101 & two=$!; } 9>"$FIFO.d/1" 3>&-
	kill -KILL "$one"
	wait "$one" || :
	[ "$(wc -l <lines)" -eq 1 ]
	kill -KILL "$two"
	until_true grep -q '^done 1 ' lines
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "tokend lets a token be returned early, once, and tells when its holder has gone" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	exec 9>"$FIFO.d/1"
	echo C >"$FIFO.d/1"
	until_true lines_in 2 lines
	[ "$(sed -n 2p lines)" = 'early 1 1_1' ]
	echo CC >"$FIFO.d/1"
	exec 8>"$FIFO.d/1_1"
	echo C >"$FIFO.d/1"
	exec 9>&-
	until_true grep -q '^gone 1 ' lines
	[ "$(wc -l <lines)" -eq 3 ]
	exec 8>&-
	until_true grep -q '^done 1_1 ' lines
	[ "$(wc -l <lines)" -eq 4 ]
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "tokend passes a job's messages on whole" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	exec 9>"$FIFO.d/1"
	printf ':hello  *  world\n' >&9
	until_true grep -qxF 'said 1 hello  *  world' lines
	for bad in '\377' 'a\200' '\303' '\340\200\200' '\355\240\200' '\360\200\200\200' '\364\220\200\200' '\033[2J'; do
		printf ":$bad\n" >&9
	done
	printf ':gr\303\274n \360\237\214\262\n' >&9
	until_true grep -qx "$(printf 'said 1 gr\303\274n \360\237\214\262')" lines
	[ "$(grep -c ^said lines)" -eq 2 ]
	exec 9>&-
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
}

@test "tokend counts in every form of -n" {
	[ "$(count_of_tokens 5 5)" -eq 5 ]
	[ "$(count_of_tokens 08 8)" -eq 8 ]
	usable=$(processors_test '' '')
	[ "$(count_of_tokens 100% "$usable")" -eq "$usable" ]
	[ "$(count_of_tokens +2 $((usable + 2)))" -eq $((usable + 2)) ]
	[ "$(count_of_tokens -999 1)" -eq 1 ]
}

@test "the default count follows affinity" {
	grep -q sched_getaffinity "$top/src/lib/processors.o" || skip "the portable build knows of none"
	[ "$(taskset -c 0 processors_test '' '')" -eq 1 ]
}

@test "the default count follows the control group's quota" {
	mkdir -p root/proc/self root/sys/fs/cgroup/a/b root/sys/fs/cgroup/cpu/x
	echo '0::/a/b' >root/proc/self/cgroup
	all=$(processors_test root '')
	[ "$all" -ge 1 ]
	echo '50000 100000' >root/sys/fs/cgroup/a/cpu.max
	[ "$(processors_test root '')" -eq 1 ]
	echo 'max 100000' >root/sys/fs/cgroup/a/cpu.max
	[ "$(processors_test root '')" -eq "$all" ]
	echo '100000 100000' >root/sys/fs/cgroup/cpu.max
	[ "$(processors_test root '')" -eq 1 ]
	rm root/sys/fs/cgroup/cpu.max
	echo '4:cpu,cpuacct:/x' >root/proc/self/cgroup
	echo 90000 >root/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us
	echo 100000 >root/sys/fs/cgroup/cpu/x/cpu.cfs_period_us
	[ "$(processors_test root '')" -eq 1 ]
	echo -1 >root/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us
	[ "$(processors_test root '')" -eq "$all" ]
}

@test "control groups that are told of in no form we know set no quota" {
	mkdir -p root/proc/self root/sys/fs/cgroup/a root/sys/fs/cgroup/cpu/x
	all=$(processors_test root '')
	for max in '' 50000 'x y' '1 0' '99999999999 1'; do
		echo "$max" >root/sys/fs/cgroup/a/cpu.max
		echo '0::/a' >root/proc/self/cgroup
		[ "$(processors_test root '')" -eq "$all" ]
	done
	for groups in '' nonsense '4:cpu' "4:memory:/x" "0::/$(printf '%01000d' 1)" '4:cpu:/x'; do
		echo "$groups" >root/proc/self/cgroup
		echo 1 >root/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us
		[ "$(processors_test root '')" -eq "$all" ]
	done
}

@test "a slot whose name something else has taken is withdrawn; the others are not" {
	dispenser -a -n 2
	until_true lines_in 2 lines
	held_lease 1
	rm "$FIFO.d/1"
	mkdir "$FIFO.d/1"
	kill "$holder"
	until_true grep -q '^gone 1 ' lines
	grep -q 'slot 1 is withdrawn' errors
	: 9>"$FIFO.d/2"
	until_true grep -q '^done 2 ' lines
	rmdir "$FIFO.d/1"
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "percentages and differences of 8 processors" {
	[ "$(processors_test '' 50%)" -eq 4 ]
	[ "$(processors_test '' 1%)" -eq 1 ]
	[ "$(processors_test '' 150%)" -eq 12 ]
	[ "$(processors_test '' +0)" -eq 8 ]
	[ "$(processors_test '' -3)" -eq 5 ]
	[ "$(processors_test '' -8)" -eq 1 ]
	for form in '' 0 0% % - + 1x x -x 1.5 ' 1' 1001 +993 999999999999999999999 -- ; do
		if [ -n "$form" ]; then run -1 processors_test '' "$form"; fi
	done
}

@test "tokend refuses what is no count, in one line" {
	for n in 0 -x abc 1x '' 1000001 99999999999999999999 0%; do
		usage_error -a -n "$n" "$FIFO"
	done
}

@test "tokend needs exactly one FIFO and one form" {
	usage_error -a
	usage_error -a -c "$FIFO"
	usage_error -a "$FIFO" more
	usage_error -a -z "$FIFO" || [ "${#lines[@]}" -eq 2 ]
	run -0 tokend -h
	[[ "$output" == usage:* ]]
	run -0 tokend -V
}

@test "tokend refuses more tokens than it may have descriptors, and few are enough for few" {
	run -125 bash -c 'ulimit -n 16; tokend -a -n 8 "$FIFO"'
	[ "${#lines[@]}" -eq 1 ]
	no_files
	run -0 bash -c 'ulimit -n 16; . jobctl.sh; job() { :; }; jobctrl 4 | process 20'
	no_files
}

@test "tokend leaves a regular file, a directory, a link as they are" {
	echo precious >"$FIFO"
	run -125 tokend -a "$FIFO"
	[ "$(cat "$FIFO")" = precious ]
	[ ! -e "$FIFO.d" ]
	rm "$FIFO"; mkdir "$FIFO"; : >"$FIFO/x"
	run -125 tokend -a "$FIFO"
	[ -e "$FIFO/x" ] && [ ! -e "$FIFO.d" ]
	rm -r "$FIFO"; mkfifo real; ln -s real "$FIFO"
	run -125 tokend -a "$FIFO"
	[ -L "$FIFO" ] && [ -p real ] && [ ! -e "$FIFO.d" ]
}

@test "tokend leaves a directory in the place of its own as it is when that is not private" {
	mkdir -m 755 "$FIFO.d"; : >"$FIFO.d/x"
	run -125 tokend -a "$FIFO"
	[ -e "$FIFO.d/x" ] && [ ! -e "$FIFO.d/lock" ] && [ ! -e "$FIFO" ]
	rm -r "$FIFO.d"; mkdir real; ln -s real "$FIFO.d"
	run -125 tokend -a "$FIFO"
	[ -L "$FIFO.d" ] && [ ! -e real/lock ]
	rm "$FIFO.d"; echo precious >"$FIFO.d"
	run -125 tokend -a "$FIFO"
	[ "$(cat "$FIFO.d")" = precious ]
}

@test "tokend says what is wrong with the place of its FIFO" {
	usage_error -a "$here/missing/f"
	usage_error -a ''
	usage_error -a "$(printf '%5000s' | tr ' ' x)"
	usage_error -a "$here/$(printf '%254s' | tr ' ' x)"
	usage_error -a /proc/f
	mkdir closed; chmod 500 closed
	if [ "$(id -u)" -eq 0 ]; then
		chown nobody closed "$here"
		run -125 setpriv --reuid=nobody --clear-groups tokend -a "$here/closed/f"
	else
		run -125 tokend -a "$here/closed/f"
	fi
	[ "${#lines[@]}" -eq 1 ]
}

@test "tokend takes a FIFO with blanks, quotes and a newline in its name" {
	FIFO="$here/a b'c\"d
e\$f"
	dispenser -a -n 1
	until_true lines_in 1 lines
	: 9>"$FIFO.d/1"
	until_true grep -q '^done 1 ' lines
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "tokend refuses the path of a live dispenser, which goes on undisturbed" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	run -125 tokend -a "$FIFO"
	[[ "$output" == *"process $tokend"* ]]
	: 9>"$FIFO.d/1"
	until_true grep -q '^done 1 ' lines
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "of many tokend that start on one path at the same time, one wins" {
	pids=
	for i in {1..24}; do
		tokend -c -n 1 "$FIFO" >"out.$i" 2>"err.$i" 3>&- &
		pids="$pids $!"
	done
	alone() { [ "$(pgrep -fc "tokend -c -n 1 $FIFO")" -eq 1 ]; }
	until_true alone
	until_true test -p "$FIFO"
	tokstop -f "$FIFO"
	won=0 refused=0
	for pid in $pids; do
		status=0
		wait "$pid" || status=$?
		case $status in 0) won=$((won + 1)) ;; 125) refused=$((refused + 1)) ;; esac
	done
	[ "$won $refused" = '1 23' ]
	[ "$(cat out.*)" = C. ]
	nothing_left
}

@test "tokend takes over after a SIGKILL: held leases stay out, the rest is free" {
	killed_dispenser
	dispenser -a -n 3
	until_true lines_in 2 lines
	[ "$(sort lines)" = "free 1
free 3" ]
	kill "$holder"
	until_true grep -qx 'free 2' lines
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "tokend -r winds up what a killed one left, when the last token is home" {
	killed_dispenser
	tokend -r "$FIFO" 3>&- &
	two=$!
	until_true pgrep -f "tokend -r $FIFO"
	[ -e "$FIFO.d/2" ]
	kill "$holder"
	ends_with 0 "$two"
	nothing_left
}

@test "tokend reuses a FIFO that somebody made and nobody reads, and leaves it there" {
	mkfifo "$FIFO"
	dispenser -a -n 1
	until_true lines_in 1 lines
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	[ -p "$FIFO" ] && [ ! -e "$FIFO.d" ]
}

@test "tokend does not remove a file that took the place of its FIFO" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	exec 7>"$FIFO"
	rm "$FIFO"; echo mine >"$FIFO"
	printf '@end\n' >&7
	exec 7>&-
	until_true ended "$tokend"
	[ "$(cat "$FIFO")" = mine ]
	[ ! -e "$FIFO.d" ]
}

@test "tokend ends and removes its files when its reader is gone" {
	dispenser -a -n 2
	until_true lines_in 2 lines
	kill -KILL "$reader"
	ends_with 0 "$tokend"
	nothing_left
}

@test "a megabyte of junk on the inlet and on a lease costs nothing but one message" {
	dispenser -a -n 2
	until_true lines_in 2 lines
	head -c 1000000 /dev/urandom | tr -d '\n' >"$FIFO"
	exec 9>"$FIFO.d/1"
	head -c 1000000 /dev/urandom >&9
	exec 8>"$FIFO.d/2" 8>&-
	until_true grep -q '^done 2' lines
	exec 9>&-
	home() { grep -qE '^(done|gone) 1 ' lines; }
	until_true home
	kill -0 "$tokend"
	[ "$(grep -c . errors)" -eq 1 ]
	printf 'junk@\n@en@stop now@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

@test "requests are understood behind anything that stands unfinished before them" {
	dispenser -a -n 1
	until_true lines_in 1 lines
	printf '!!! @st' >"$FIFO"
	printf '%5000s' >"$FIFO"
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	nothing_left
}

# is_full FIFO -- its reader has as much as it wants; a newline says nothing there
is_full() { ! echo | dd of="$1" oflag=nonblock conv=nocreat,notrunc 2>/dev/null; }

@test "a flood of messages waits in its job's lease, and tokens still come home" {
	dispenser -a -n 2
	until_true lines_in 2 lines
	kill -STOP "$reader"
	timeout 20 sh -c 'i=0; while [ $i -lt 20000 ]; do echo ":message $i" >&9; i=$((i + 1)); done' 9>"$FIFO.d/1" 3>&- &
	flood=$!
	until_true is_full "$FIFO.d/1"
	: 9>"$FIFO.d/2"
	kill -CONT "$reader"
	until_true grep -q '^done 2 ' lines
	ends_with 0 "$flood"
	until_true grep -q '^done 1 ' lines
	[ "$(grep -c '^said 1 message' lines)" -eq 20000 ]
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
}

@test "TERM asks the attendant to stop, when it answers; INT and HUP are its business" {
	dispenser -a -w -n 1
	until_true lines_in 1 lines
	kill -INT "$tokend"; kill -HUP "$tokend"; kill -TERM "$tokend"
	until_true grep -qx 'stop asked' lines
	[ -p "$FIFO" ]
	printf '@end\n' >"$FIFO"
	ends_with 0 "$tokend"
	nothing_left
}

@test "asked to be brief, tokend says just the name of a lease that came home" {
	dispenser -a -w -n 1
	until_true lines_in 2 lines
	printf '@brief\n' >"$FIFO"
	: 9>"$FIFO.d/1"
	until_true lines_in 3 lines
	[ "$(cat lines)" = "ready 1
free 1
1" ]
	printf '@end\n' >"$FIFO"
	ends_with 0 "$tokend"
	nothing_left
}

@test "labels are said once, before the tokens" {
	dispenser -a -s 'host one' -s two
	until_true lines_in 4 lines
	[ "$(cat lines)" = "slot 1 host one
slot 2 two
free 1
free 2" ]
	printf S >"$FIFO"
	until_true ended "$tokend"
	usage_error -a -n 1 -s a -s b "$FIFO"
	usage_error -a -s '' "$FIFO"
	usage_error -a -s 'a
b' "$FIFO"
}

@test "the byte form: N bytes, one more for each return, a dot at the end" {
	dispenser -c -n 3
	printf C >"$FIFO"
	printf S >"$FIFO"
	until_true ended "$tokend"
	wait "$reader"
	[ "$(cat lines)" = CCCC. ]
	nothing_left
}

@test "a full disk, no lock file: tokend says so and leaves nothing" {
	if [ "$(id -u)" -ne 0 ]; then skip "mounting a small tmpfs needs root"; fi
	mkdir small; mount -t tmpfs -o size=4k,nr_inodes=6 none small || skip "no tmpfs here"
	head -c 4096 /dev/zero >small/fill || :
	run -125 tokend -a -n 1 "$here/small/f"
	ls -A small >left
	umount small
	[ "$(cat left)" = fill ]
}

@test "standard descriptors that are closed do not end up in the dispenser's files" {
	run -125 bash -c 'tokend -a "$FIFO" >&-'
	no_files
	tokend -a -n 1 "$FIFO" <&- 2>&- 3>&- | { read -r line; echo "$line" >first; printf '!@end\n' >"$FIFO"; cat >/dev/null; }
	[ "$(cat first)" = 'free 1' ]
	nothing_left
}
