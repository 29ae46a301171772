load ../helper

# The path of a dispenser: taken, taken over, refused, released.

@test "tokend leaves a regular file, a directory, a link as they are" {
	echo precious >"$FIFO"
	run -125 tokend -a "$FIFO"
	is precious "$FIFO"
	[ ! -e "$FIFO.d" ]
	rm "$FIFO"; mkdir "$FIFO"; : >"$FIFO/x"
	run -125 tokend -a "$FIFO"
	[ -e "$FIFO/x" ]
	[ ! -e "$FIFO.d" ]
	rm -r "$FIFO"; mkfifo real; ln -s real "$FIFO"
	run -125 tokend -a "$FIFO"
	[ -L "$FIFO" ]
	[ -p real ]
	[ ! -e "$FIFO.d" ]
}

@test "tokend leaves a directory in the place of its own as it is when that is not private" {
	mkdir -m 755 "$FIFO.d"; : >"$FIFO.d/x"
	run -125 tokend -a "$FIFO"
	[ -e "$FIFO.d/x" ]
	[ ! -e "$FIFO.d/lock" ]
	[ ! -e "$FIFO" ]
	rm -r "$FIFO.d"; mkdir real; ln -s real "$FIFO.d"
	run -125 tokend -a "$FIFO"
	[ -L "$FIFO.d" ]
	[ ! -e real/lock ]
	rm "$FIFO.d"; echo precious >"$FIFO.d"
	run -125 tokend -a "$FIFO"
	is precious "$FIFO.d"
}

@test "tokend says what is wrong with the place of its FIFO" {
	refused 1 -a "$here/missing/f"
	refused 1 -a ''
	refused 1 -a "$(printf '%5000s' | tr ' ' x)"
	refused 1 -a "$here/$(printf '%254s' | tr ' ' x)"
	refused 1 -a /proc/f
	mkdir closed; chmod 500 closed
	if [ "$(id -u)" -eq 0 ]; then
		chown nobody closed "$here"
		run -125 setpriv --reuid=nobody --clear-groups tokend -a "$here/closed/f"
	else
		run -125 tokend -a "$here/closed/f"
	fi
	same 1 "${#lines[@]}"
}

@test "tokend takes a FIFO with blanks, quotes and a newline in its name" {
	FIFO="$here/a b'c\"d
e\$f"
	dispenser -a -n 1
	until_true lines_in 2 lines
	job_ends 1
	until_true grep -qx '1 2' lines
	last_word
}

@test "tokend refuses the path of a live dispenser, which goes on undisturbed" {
	dispenser -a -n 1
	until_true lines_in 2 lines
	run -125 tokend -a "$FIFO"
	[[ "$output" == *"process $tokend"* ]]
	job_ends 1
	until_true grep -qx '1 2' lines
	last_word
}

@test "the modes that -m gave a pool do not change what a second tokend says of it" {
	pool -m 666 -n 1
	run -123 tokend -b -n 1 "$FIFO"
	[[ "$output" == "tokend: $FIFO: a tokend is running there (process "* ]]
	stopped
}

@test "of many tokend that start on one path at the same time, one wins" {
	pids=
	for i in {1..24}; do
		tokend -n 1 "$FIFO" >"out.$i" 2>"err.$i" 3>&- &
		pids="$pids $!"
	done
	others_refused() { [ "$(cat err.* | grep -c .)" -eq 23 ]; }
	until_true others_refused
	until_true test -p "$FIFO"
	tokstop -f "$FIFO"
	won=0 refused=0
	for pid in $pids; do
		status=0
		wait "$pid" || status=$?
		case $status in 0) won=$((won + 1)) ;; 125) refused=$((refused + 1)) ;; *) echo "$status" ;; esac
	done
	[ "$won $refused" = '1 23' ] || { echo "$won $refused"; cat err.*; false; }
	nothing_left
}

@test "tokend that has made the directory, and finds another's lock in it then, leaves all to that" {
	need_strace
	stops_at '?mkdir,?mkdirat:when=1' tokend -a -n 1 "$FIFO" 2>err
	dispenser -a -n 1
	until_true lines_in 2 lines
	kill -CONT "$stuck"
	ends_with 125 "$tracer"
	grep -q "a tokend is running there (process $tokend)" err
	[ -d "$FIFO.d/w" ]
	tokstop -f "$FIFO"
	ends_with 0 "$tokend"
	nothing_left
}

@test "tokend takes over after a SIGKILL: held leases stay out, the rest is free" {
	killed_dispenser
	ln -s nowhere "$FIFO.d/98" # no lease of ours
	mkdir "$FIFO.d/99"
	dispenser -a -n 3
	until_true lines_in 3 lines
	is 'ready 3,1 1,3 2' lines
	kill "$holder"
	until_true grep -qx '2 3' lines
	rmdir "$FIFO.d/99"
	last_word
}

@test "tokend -r winds up what a killed one left, when the last token is home" {
	killed_dispenser
	tokend -r "$FIFO" 3>&- & two=$!
	until_true pgrep -f "tokend -r $FIFO"
	[ -e "$FIFO.d/2" ]
	kill "$holder"
	ends_with 0 "$two"
	nothing_left
}

@test "tokend reuses a FIFO that somebody made and nobody reads, and leaves it there" {
	mkfifo "$FIFO"
	dispenser -a -n 1
	until_true lines_in 2 lines
	printf '@end\n' >"$FIFO"
	until_true ended "$tokend"
	[ -p "$FIFO" ]
	[ ! -e "$FIFO.d" ]
}

@test "tokend does not remove a file that took the place of its FIFO" {
	dispenser -a -n 1
	until_true lines_in 2 lines
	exec 7>"$FIFO"
	rm "$FIFO"; echo mine >"$FIFO"
	printf '@end\n' >&7
	exec 7>&-
	until_true ended "$tokend"
	is mine "$FIFO"
	[ ! -e "$FIFO.d" ]
}

@test "a full disk, no lock file: tokend says so and leaves nothing" {
	if [ "$(id -u)" -ne 0 ]; then skip "mounting a small tmpfs needs root"; fi
	mkdir small; mount -t tmpfs -o size=4k,nr_inodes=6 none small || skip "no tmpfs here"
	head -c 4096 /dev/zero >small/fill || :
	run -125 tokend -a -n 1 "$here/small/f"
	ls -A small >left
	umount small
	is fill left
}

@test "an inlet that tokend cannot remove is told of" {
	need_strace
	failing unlink:error=EACCES:when=1 tokend -n 1 "$FIFO" 2>err & tokend=$!
	until_true tokget "$FIFO" true 2>/dev/null
	tokstop "$FIFO" || :
	ends_with 0 "$tokend"
	is "tokend: $FIFO: Permission denied" err
	rm "$FIFO"
	nothing_left
}

@test "tokend killed as it signs the lock: the next one removes all there is" {
	need_strace
	for call in pwrite64:when=1 ftruncate,?ftruncate64:when=1; do
		pool -n 1
		killed
		run -137 failing "${call%:*}:signal=KILL:${call#*:}" tokend -n 1 "$FIFO"
		pool -n 1
		stopped
	done
}

@test "tokend that cannot tell whether the lock is new does not begin, and leaves it" {
	need_strace
	run -125 strace -qq -o /dev/null -P "$FIFO.d/lock" -e inject=lseek,?_llseek:error=EIO \
		tokend "$FIFO" 3>&-
	[[ "$output" == *"$FIFO.d/lock: "* ]]
	[ -e "$FIFO.d/lock" ]
	pool -n 1
	stopped
}

@test "tokend -b that cannot read whether it is ready: 125, and none is in the background" {
	need_strace
	strace -qq -o trace -e trace=read tokend -b -n 1 "$FIFO" </dev/null 3>&-
	tokstop "$FIFO"
	nth=$(grep -c '^read' trace) # the last thing it reads
	grep -q '^read(.*, 1) *= 1$' trace
	run -125 failing "read:error=EIO:when=$nth" tokend -b -n 1 "$FIFO"
	[[ "$output" == 'tokend: read: '* && ${#lines[@]} -eq 1 ]]
	nothing_left
}

# (Without epoll, nothing fails.)
@test "a client that comes while tokend fails to begin is told, and its name is not left" {
	need_strace
	strace -qq -o /dev/null -e inject=epoll_ctl:error=ENOSPC:delay_enter=500000:when=1 \
		tokend -n 1 "$FIFO" </dev/null 2>err 3>&- & tokend=$!
	until_true test -p "$FIFO"
	status=0
	tokget -t 60 "$FIFO" true || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 123 ]
	tokstop "$FIFO" || :
	wait "$tokend" || [ -s err ]
	nothing_left
}
