load ../helper
load ../helpers/container

# Batches of a script that is process 1 of a container, or is below one that waits for nobody.

export JOBCTL_GRACE=1000
script='. jobctl.sh
jobctl_open --timeout 0.2 2
jobctl_run sh -c "\"\$here/sleeper\" 1001 & \"\$here/sleeper\" 1002; :"
jobctl_close
echo "$? $$" >>log'

# ran HOW SHELL -- the script is, so
ran()
{
	local how=$1 shell=$2
	shift 2
	if [ "$shell" = busybox ]; then set -- sh; fi
	$how fresh "$shell" "$@" -c "$script" 2>err 3>&-
	grep -q 'job 1: not done within 0.200 s' err
}

@test "zombies that nobody waits for do not keep a batch" {
	check_careless() {
		ran "timeout 60 careless" "$1"
		[[ "$(cat log)" == '1 '* ]]
	}
	batch careless
}

@test "a batch of a script that is process 1" {
	need_container
	check_first() {
		ran first "$1"
		is '1 1' log
	}
	batch first
}

# adopted SHELL -- the script is below a process that adopts its children; sets $script and $adopts
adopted()
{
	local shell=$1
	[ "$1" != busybox ] || shell='busybox sh'
	rm -f pid at
	fresh careless /bin/sh -c "$shell script & echo \$! >pid; : <done" 2>err 3>&- & adopts=$!
	until_true [ -s pid ]
	script=$(cat pid)
}

# orphaned -- the script is killed; its child, which said "at", goes on when it has been adopted
orphaned()
{
	until_true [ -s at ]
	kill -KILL "$script"
	until_true not_alive "$script"
	open_gate gate
	until_true not_alive "$(cat at)"
	close_gate
}
not_alive() { ! grep -qs '^State:.[^Z]' "/proc/$1/status"; }

@test "a script that dies as it hands on a signal: process 1, which adopts its child, gets none" {
	mkfifo gate done
	fake sh <<'S'
case $2 in kill* | *' kill '*) echo $$ >at; : <gate ;; esac
exec /bin/sh "$@"
S
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run "$here/sleeper" 1000
jobctl_close
S
	check_adopted() {
		case $1 in zsh | yash) return 0 ;; esac # it hands on none; it waits in read
		adopted "$1"
		until_true has_sleepers 1
		until_true in_read "$script"
		kill -TERM "$script"
		orphaned
		: >done
		ends_with 0 "$adopts"
	}
	batch adopted
}

@test "a script that dies before its guard begins: the guard does not take process 1 for it" {
	mkfifo gate done
	for maker in "$(command -v tokend)" "$(command -v jobpool)"; do
		fake "${maker##*/}" <<S
echo \$\$ >at
: <gate
exec "$maker" "\$@"
S
	done
	cat >script <<'S'
. jobctl.sh
[ -e workers ] || jobctl_open 1
[ ! -e workers ] || jobctl_workers : cat
S
	check_guard() {
		local kind
		for kind in batch workers; do
			rm -f batch workers
			: >"$kind"
			adopted "$1"
			orphaned
			grep -q "process $script has not started us, or has died" err
			no_batch
			: >done
			ends_with 0 "$adopts"
		done
	}
	batch guard
}
