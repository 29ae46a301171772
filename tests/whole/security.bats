# bats file_tags=waits
load ../helper

# The claims of SECURITY CONSIDERATIONS in tokend(1), one after the other. "daemon" is
# a member of the dispenser's group, "stranger" is not.

setup_file() { if [ "$(id -u)" -ne 0 ]; then skip "needs root, to be other users"; fi; }
member() { as daemon 0 "$@"; }
as() { setpriv --reuid="$1" --regid="$2" --clear-groups env FIFO="$FIFO" "${@:3}" 3>&-; }
stranger() { as nobody nogroup "$@"; }

@test "without -m: nobody else can ask, look, return or stop" {
	chmod 755 "$here"
	(umask 0; pool -n 1)
	stat -c %a "$FIFO" "$FIFO.d" | is 600,700 -
	run -125 stranger tokget "$FIFO" true
	run -125 member tokget "$FIFO" true
	run -125 stranger tokstat "$FIFO"
	run -125 stranger tokput "$FIFO"
	run -125 stranger tokstop "$FIFO"
	run ! stranger ls "$FIFO.d"
	pool_says '1 1 0 0'
	stopped
}

open_pool() { chmod 755 "$here" && pool -m 660 "$@"; }

@test "with -m 660: the group can, others cannot; it lists nothing, and writes where who waits does" {
	open_pool -n 1
	run -0 member tokget "$FIFO" echo mine
	run -125 stranger tokget "$FIFO" true
	stat -c %a "$FIFO" "$FIFO.d" "$FIFO.d/w" "$FIFO.d/lock" | is 620,2710,3730,600 -
	for there in "$FIFO.d" "$FIFO.d/w"; do
		run ! stranger ls "$there"
		run ! member ls "$there"
	done
	run ! member sh -c ': >>"$FIFO.d/lock"'
	run ! member rm -f "$FIFO.d/lock"
	run ! member mv "$FIFO.d/lock" "$FIFO.d/w/1"
	run ! member mv "$FIFO.d/w" "$FIFO.d/v"
	run ! member rmdir "$FIFO.d/w"
	run ! member mkfifo "$FIFO.d/1.1_1"
	run ! member mkdir "$FIFO.d/1"
	stopped
}

# Requests of others have the names of their FIFOs.
@test "a member reads nothing in the inlet, whatever its mode was before" {
	for mode in 660 666 620; do
		open_pool -n 1
		stopped
		chmod 755 "$here"
		pool -n 1 -m "$mode"
		run -1 member dd if="$FIFO" iflag=nonblock
		[[ "$output" == *'Permission denied'* ]]
		stopped
		mkfifo "$FIFO"
		chmod 666 "$FIFO"
		pool -n 1 -m "$mode"
		run -1 member dd if="$FIFO" iflag=nonblock
		[[ "$output" == *'Permission denied'* ]]
		run -0 member tokget "$FIFO" echo mine
		tokstop "$FIFO"
		rm "$FIFO"
	done
}

@test "a member can take all, resize and stop" {
	open_pool -n 2
	member tokget -b -k 2 "$FIFO" "$here/sleeper" 1000 3>&-
	run -124 tokget -n "$FIFO" true
	member tokput -n 3 "$FIFO"
	until_true pool_says '3 1 2 0'
	member tokstop -f "$FIFO"
	signal_ours KILL sleeper
	nothing_left
}

# attack PID... -- says all that a member can say for others: by names that it hears in the inlet,
# finds in the directories, or can make up of slots and of these processes
attack()
{
	member bash -c '
		heard=$(timeout 1 cat <"$FIFO" | sed -n "s/^@[a-z]* \([0-9_]*\).*/\1/p")
		found=$(cd "$FIFO.d" && echo * w/*; cd "$FIFO.d/w" && echo *)
		for name in $heard $found "$@" "${@/%/_0}"; do
			name=${name##*[./]}
			for request in "get $name 1 9 p" "get $name 1 5 n" "get $name 9999 5 -" \
				"get $name 1 5 l" "share $name" "stat $name" "heard $name" "begun $name 1"; do
				echo "@$request" >"$FIFO"
			done
			for file in "$FIFO.d/w/$name" "$FIFO.d/x.$name" "$FIFO.d"/{1,2}{,".$name"}; do
				[ -p "$file" ] || continue
				printf "ok 1\n77 x\n" | timeout 5 dd of="$file" conv=nocreat,notrunc
				tokput "$file"
				rm -f "$file"
			done
		done
		echo C >"$FIFO"' bash "$@" 2>/dev/null || :
	tokstat "$FIFO" >/dev/null # all of that was read
}

@test "a member cannot free another's token, by no request, nor remove its lease or its place in the queue" {
	open_pool -n 2
	mkfifo gate
	as bin 0 tokget "$FIFO" sh -c ': <gate' &
	one=$!
	shell=$(tokget -l "$FIFO" 3>&-) # a letter in its lease would free the token
	exec 9>"$shell"
	echo + >&9
	until_true pool_says '2 0 2 0'
	as bin 0 tokget "$FIFO" sh -c 'echo "two $JOBCTL_SLOT"' >out 9>&- &
	two=$!
	until_true waiting 1
	attack "$one" "$two" 1 2
	pool_says '2 0 2 1'
	exec 9>&-
	ends_with 0 "$two"
	[[ "$(cat out)" == 'two '[12] ]]
	pool_says '2 1 1 0'
	gate_opens "$one"
	until_true pool_says '2 2 0 0'
	stopped
}

# plant NAME -- makes FIFOs that could be leases of slots 1 to 3, a build's; a
# member has them open until it is killed
plant()
{
	member bash -c 'cd "$FIFO.d" && for name in {,w/,w/x.}{{1,2,3}{,.1_1,.9,.9.jobserver},lock}; do
			mkfifo -m 666 "$name" && exec {fd}<>"$name"
		done
		exec "$1" 10000' bash "$here/sleeper" 2>/dev/null &
	until_true signal_ours 0 sleeper
}

@test "a member cannot keep another's token out, nor hinder a slot, nor a dispenser that takes over" {
	for options in '' -j; do
		open_pool -n 2 $options
		rm -f gate
		mkfifo gate
		as bin 0 tokget "$FIFO" sh -c ': <gate' & one=$!
		until_true pool_says '2 1 1 0'
		plant
		killed
		pool -n 2 -m 660 $options
		pool_says '2 1 1 0'
		signal_ours KILL sleeper
		pool_says '2 1 1 0' # and not free because the member's FIFO is closed
		plant
		gate_opens "$one"
		until_true pool_says '2 2 0 0'
		run -0 as bin 0 tokget -k 2 "$FIFO" echo mine
		run -0 as bin 0 tokget "$FIFO" echo mine
		killed
		pool -n 2 -m 660 $options
		pool_says '2 2 0 0'
		signal_ours KILL sleeper
		tokstop "$FIFO"
		[ ! -e "$FIFO" ]
		rm -r "$FIFO.d" || [ ! -e "$FIFO.d" ]
	done
}

@test "an answer that no dispenser gave is no token: tokget asks again" {
	pool -n 1
	tokget "$FIFO" "$here/sleeper" 100 3>&- & one=$!
	until_true pool_says '1 0 1 0'
	tokget "$FIFO" sh -c 'echo "slot $JOBCTL_SLOT"' >out 3>&- & two=$!
	until_true waiting 1
	for forged in 77 1; do
		file=$(find "$FIFO.d/w" -type p)
		printf 'ok 1\n%s x\n' "$forged" >"$file"
		asks_again() { [ ! -e "$file" ] && waiting 1; }
		until_true asks_again
	done
	[ ! -s out ]
	signal_ours TERM sleeper
	ends_with 0 "$two"
	is 'slot 1' out
	wait "$one" || :
	stopped
}

@test "a directory that is ours, but in which others may write, is refused and left" {
	chmod 755 "$here"
	install -d -m 3730 "$FIFO.d" # by hand: our own nobody else may write into
	run -125 tokend -b -n 1 -m 660 "$FIFO"
	same "tokend: $FIFO.d: must be a directory of yours where nobody else may write" "$output"
	[ ! -e "$FIFO.d/lock" ]
	[ ! -e "$FIFO" ]
	rmdir "$FIFO.d"
}

@test "a member that gives the lock a second name hinders no dispenser that takes over" {
	open_pool -n 1
	ln "$FIFO.d/lock" "$FIFO.d/w/lock" # as a member can where fs.protected_hardlinks is 0
	killed
	pool -n 1 -m 660
	run -0 member tokget "$FIFO" echo mine
	rm "$FIFO.d/w/lock"
	stopped
}

@test "a member makes tokend neither open, change nor remove a file outside of the directory" {
	open_pool -n 1
	echo precious >precious
	chmod 600 precious
	for name in 1 2 5 1.1_1; do
		run ! member ln -s "$here/precious" "$FIFO.d/$name"
		member ln -s "$here/precious" "$FIFO.d/w/$name"
	done
	for request in 'get 1 1 5 -' 'stat 2' 'get ../precious 1 5 -'; do
		member sh -c 'echo "@$1" >"$FIFO"' sh "$request"
	done
	tokget "$FIFO" true
	killed
	pool -m 660 -n 2
	tokget "$FIFO" true
	tokstop "$FIFO" || :
	is precious precious
	same 600 "$(stat -c %a precious)"
	rm -rf "$FIFO.d"
}

@test "what another user made at FIFO or FIFO.d, and a symbolic link, is refused and left" {
	chmod 1777 "$here"
	stranger mkfifo "$FIFO"
	run -125 tokend -b "$FIFO"
	[[ "$output" == *'another user'* ]]
	[ -p "$FIFO" ]
	[ ! -e "$FIFO.d" ]
	rm -rf "$FIFO"* 
	stranger mkdir -m 777 "$FIFO.d"
	run -125 tokend -b -m 666 "$FIFO"
	[ ! -e "$FIFO" ]
	[ -d "$FIFO.d" ]
	rmdir "$FIFO.d"
	mkdir real
	stranger ln -s "$here/real" "$FIFO.d"
	run -125 tokend -b "$FIFO"
	[ -z "$(ls real)" ]
	rm "$FIFO.d"
	stranger ln -s "$here/real/f" "$FIFO"
	run -125 tokend -b "$FIFO"
	rm -f "$FIFO"
	[ -z "$(ls real)" ]
}

# planted WHAT -- tokget, stopped as it has made its FIFO; a symbolic link is there instead
planted()
{
	echo precious >precious
	chmod 600 precious
	stops_at "$MKFIFO" tokget "$FIFO" true
	name=$(find "$FIFO.d/w" -type p)
	rm "$name"
	ln -s "$here/precious" "$name"
	kill -CONT "$stuck"
}

@test "whoever owns the directory cannot have tokget open, write or chmod what a link names" {
	need_strace
	pool -n 1 -m 666
	planted
	wait "$tracer" || :
	is precious precious
	same 600 "$(stat -c %a precious)"
	rm -f "$FIFO".d/w/*
	until_true pool_says '1 1 0 0'
	stopped
}

@test "tokget asks whom it finds: that a path is one's own must be seen to by where it is" {
	chmod 1777 "$here"
	stranger tokend -b -n 1 -m 666 "$FIFO"
	run -0 tokget "$FIFO" echo ran
	stranger tokstop "$FIFO"
	nothing_left
}

@test "no FIFO of another is opened with O_CREAT, which fs.protected_fifos forbids" {
	need_strace
	strace -f -qq -A -o trace -e trace='?open,?openat' tokend -b -n 2 -m 660 "$FIFO" 3>&- &
	tracer=$!
	until_true is_inlet "$FIFO"
	for client in 'tokget "$FIFO" true' 'tokget -k 2 "$FIFO" true' 'lease=$(tokget -l "$FIFO")' \
		'tokput -n 3 "$FIFO"' 'tokstat "$FIFO"' 'tokstop "$FIFO"'; do
		strace -f -qq -A -o trace -e trace='?open,?openat' sh -c "$client"
	done
	wait "$tracer"
	# Files elsewhere are those of make coverage.
	run -0 grep -hE "[( ]\"($here/|[^/\"])[^\"]*\", [A-Z_|]*O_CREAT" trace
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *'"lock"'* ]]
	nothing_left
}

# For files of others in a directory that all may write: .ci/run sets "sysctl
# fs.protected_fifos=2" for the machine; a test does not.
@test "where fs.protected_fifos is set, members use a dispenser in such a directory as before" {
	[ "$(cat /proc/sys/fs/protected_fifos)" -gt 0 ] || skip "fs.protected_fifos is 0 here"
	chmod 1777 "$here"
	as daemon 0 tokend -b -n 2 -m 660 "$FIFO"
	for user in nobody bin daemon; do
		run -0 as "$user" 0 tokget "$FIFO" echo mine
		run -0 as "$user" 0 sh -c '. jobctl.sh
			jobctl_with "$FIFO" true && jobctl_hold "$FIFO"'
		run -0 as "$user" 0 tokput -n 3 "$FIFO"
		run -0 as "$user" 0 tokstat "$FIFO"
	done
	run ! as nobody 0 sh -c ': >>"$FIFO"' # the shell asks for O_CREAT
	until_true pool_says '3 3 0 0'
	run -0 as nobody 0 tokstop "$FIFO"
	nothing_left
}

@test "with fs.protected_hardlinks a member gets one token, not two at once" {
	chmod 1777 "$here"
	as daemon 0 tokend -b -n 2 -m 660 "$FIFO"
	run -0 as nobody 0 tokget "$FIFO" true
	expected=0
	if [ "$(cat /proc/sys/fs/protected_hardlinks 2>/dev/null)" = 1 ]; then expected=125; fi
	run -"$expected" as nobody 0 tokget -k 2 "$FIFO" true
	run -0 as daemon 0 tokget -k 2 "$FIFO" true
	as daemon 0 tokstop "$FIFO"
	nothing_left
}

@test "a umask that takes rights from the owner himself: batches and workers begin all the same" {
	chmod 755 "$here"
	mkdir own && chown nobody own
	cat >script <<'S'
cd own && TMPDIR=$PWD
umask 0277
. jobctl.sh
answer () { echo "answer $2"; }
jobctl_open 1
jobctl_run echo job
jobctl_close
jobctl_workers answer cat
jobctl_ask 1
jobctl_workers_end
S
	same $'job\nanswer 1' "$(stranger timeout 100 dash script)"
	until_true rmdir own
}

@test "a directory that is closed to its dispenser: who waits has the token later, who cannot is told why" {
	chmod 777 "$here"
	member tokend -n 1 "$FIFO" &
	tokend=$!
	until_true is_inlet "$FIFO"
	mkfifo gate
	member tokget "$FIFO" sh -c ': <gate' & holder=$!
	until_true pool_says '1 0 1 0'
	member tokget "$FIFO" touch ran & waiter=$!
	until_true waiting 1
	chmod 0 "$FIFO.d"
	gate_opens "$holder"
	echo >"$FIFO" # makes it look at the waiters
	chmod 500 "$FIFO.d"
	ends_with 125 "$waiter"
	[ ! -e ran ]
	chmod 700 "$FIFO.d"
	member tokget "$FIFO" touch ran
	[ -e ran ]
	stopped
}
