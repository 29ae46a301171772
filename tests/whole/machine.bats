load ../helper
load ../helpers/builds

# One pool for all builds of a machine, by jobctl-builds(7): the units of systemd, a group, and
# builds in containers.

setup_file() { installed_once; }
verified() { env XDG_RUNTIME_DIR="$here" systemd-analyze verify --man=no "$@"; }

@test "systemd finds no fault with the units, and the program is where they say" {
	command -v systemd-analyze >/dev/null || skip 'no systemd-analyze here'
	p=$BATS_FILE_TMPDIR/p
	same '' "$(verified "$p/lib/systemd/system/tokend@.service" 2>&1)"
	same '' "$(verified --user "$p/share/systemd/user/tokend@.service" 2>&1)"
	for unit in "$p"/lib/systemd/system "$p"/share/systemd/user; do
		grep -q "^ExecStart=\"$p/bin/tokend\" -b -j " "$unit/tokend@.service"
		run -1 grep '@BINDIR@' "$unit/tokend@.service"
	done
	# and it would, were there one
	sed 's/^ExecStart=.*/&\nExecStart=nothing/' "$p/lib/systemd/system/tokend@.service" >tokend@.service
	run ! verified "$here/tokend@.service"
}

@test "systemd-sysusers and systemd-tmpfiles understand our lines" {
	command -v systemd-sysusers >/dev/null || skip 'no systemd-sysusers here'
	mkdir -p root/etc root/run
	systemd-sysusers --root="$here/root" "$BATS_FILE_TMPDIR/p/lib/sysusers.d/jobctl.conf" 2>/dev/null
	grep -q '^jobserver:' root/etc/group
	grep -q '^jobserver:' root/etc/passwd
	[ "$(id -u)" -eq 0 ] || return 0
	systemd-tmpfiles --root="$here/root" --create "$BATS_FILE_TMPDIR/p/lib/tmpfiles.d/jobctl.conf"
	same 755 "$(stat -c %a root/run/jobserver)"
}

as() { setpriv --reuid="$1" --regid="$2" --clear-groups env SEATS="$here/log" "${@:3}" 3>&-; }

# machine_pool N -- a pool started like the unit's, but elsewhere, and as daemon; sets $FIFO
machine_pool()
{
	local line
	chmod 755 "$here"
	line=$(sed -n 's/^ExecStart="@BINDIR@\/tokend" \(.*\) \$OPTIONS .*/\1/p' \
		"$top/share/systemd/system/tokend@.service")
	[[ "$line" == *'-m 660'* ]]
	mkdir run
	chown daemon:daemon run
	chmod 750 run
	FIFO=$here/run/cpu
	# shellcheck disable=SC2086 # words
	as daemon daemon tokend $line -n "$1" "$FIFO"
}

@test "as the unit starts it: the group builds, others do not, and root can stop it" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root, to be other users'
	machine_pool 2
	echo 'all: ; @echo built' >Makefile
	same built "$(as nobody daemon tokget "$FIFO" make -f "$here/Makefile")"
	run -125 as nobody nogroup tokget "$FIFO" true
	until_true pool_says '2 2 0 0'
	tokstop "$FIFO"
	same '' "$(ls run)"
}

# with_containers COMMAND... -- a build outside and one within, with the binds of the manual; two at
# once of two tokens
with_containers()
{
	need make
	machine_pool 2
	: >log && chmod 666 log
	mkfifo gate && chmod 666 gate
	{
		echo 'all: 1 2 3 4'
		echo "1 2 3 4:; @tokget $FIFO seat a sh -c ': <$here/gate'"
	} >Makefile
	SEATS=$here/log fresh -s tokget "$FIFO" make -f "$here/Makefile" >out 2>&1 3>&- &
	outside=$!
	SEATS=$here/log "$@" tokget "$FIFO" make -f "$here/Makefile" >within 2>&1 3>&- &
	until_true all_wait 2
	passed gate
	ends_with 0 $! || { cat within; false; }
	ends_with 0 "$outside" || { cat out; false; }
	same '8 2' "$(jobs_of a) $(highest_seat)"
	until_true pool_says '2 2 0 0'
	tokstop "$FIFO"
}

@test "a build in bubblewrap, with the directory of the pool bound, takes part" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root, to be other users'
	bwrap --ro-bind / / true 2>/dev/null || skip 'no bubblewrap here, or it may not'
	with_containers bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid --unshare-ipc \
		--bind "$here/run" "$here/run" --bind "$here/log" "$here/log"
}

@test "a build of a member in bubblewrap, which drops all rights and hides all users, takes part" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root, to be other users'
	local member=(setpriv --reuid=nobody --regid=nogroup --groups=daemon)
	"${member[@]}" bwrap --ro-bind / / true 2>/dev/null || skip 'no bubblewrap for users here'
	with_containers "${member[@]}" bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid \
		--unshare-ipc --bind "$here/run" "$here/run" --bind "$here/log" "$here/log"
}

@test "a build in namespaces of its own takes part" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root, to be other users'
	unshare --mount --pid --fork --mount-proc true 2>/dev/null || skip 'no namespaces here'
	with_containers timeout 100 unshare --mount --pid --ipc --uts --fork --kill-child --mount-proc
}
