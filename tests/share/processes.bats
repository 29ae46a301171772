load ../helper

# No process is left for what jobctl.sh would start. The others (bash, ksh93, mksh, posh) try to
# fork until there is one.

setup_file() { [ "$(id -u)" -eq 0 ] || skip "needs root, to be a user with no processes"; }

# scarce MOST SHELL SCRIPT... -- as a user who may have so many processes, and has none
scarce()
{
	local user=$((100000 + RANDOM * 32768 + RANDOM)) # whom nobody is
	setpriv --reuid="$user" --regid="$user" --clear-groups \
		bash -c 'ulimit -u "$1"; exec $2 "${@:3}"' bash "$@" </dev/null 3>&-
}

@test "no process is left: a batch does all, or fails and says so; nothing stays" {
	chmod 777 "$here"
	export TMPDIR=$here
	cat >batch <<'S'
. jobctl.sh
jobctl_open -k 2 || exit
for i in 1 2 3; do jobctl_run echo $i; done
jobctl_close
S
	cat >processes <<'S'
. jobctl.sh
job () { echo "$1"; }
jobctrl 1 | process 3
S
	for shell in $(shells | grep -xE 'dash|busybox|yash|zsh'); do
		[ "$shell" != busybox ] || shell='busybox sh'
		for script in batch processes; do
			[ "$shell $script" != 'yash processes' ] || continue # it waits for what it has not
			for most in {1..9}; do
				echo "$shell $script $most" >&2
				status=0
				scarce "$most" "$shell" "$script" >out 2>err || status=$?
				clean
				if [ "$status" -eq 0 ]; then lines_in 3 out; else [ -s err ]; fi
			done
			[ "$status" -eq 0 ]
		done
	done
}
