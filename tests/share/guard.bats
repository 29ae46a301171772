load ../helper

# KILL of each program that makes or removes the directory of a batch.

@test "a script that is killed, or forgets to close, leaves jobs to end and no files" {
	mkfifo gate never
	cat >script <<'S'
. jobctl.sh
jobctl_open 2
jobctl_run sh -c 'echo started >>log; read line <gate; echo ended >>log'
[ -z "$1" ] || exit 3
read -r line <never
S
	check_forgets() {
		started "$1" script exit
		ends_with 3 "$script"
		until_true lines_in 1 log
		echo go >gate
		until_true lines_in 2 log
		clean
		started "$1" script ''
		until_true lines_in 3 log
		kill -KILL "$script"
		ends_with 137 "$script" 2>/dev/null
		echo go >gate
		until_true lines_in 4 log
	}
	batch forgets
}

@test "a dispenser that cannot be told: a message; it ends with the script, jobs are waited for" {
	cat >script <<'S'
. jobctl.sh
full () { rm -f "$dir/calls"; ln -s /dev/full "$dir/calls"; }
taken () { rm -f "$dir/calls"; mkdir "$dir/calls"; }
deaf () { rm "$dir/bell"; mkdir "$dir/bell"; }
gone () { rm -r "${dir%/fifo.d}"; }
jobctl_open $2 1
dir=$(echo "$here"/jobctl.*/fifo.d)
jobctl_run sh -c 'echo >begun; : <gate; echo out >>log'
read -r line <begun
"$1"
case $2 in ?*) jobctl_run true; echo "run $?" >>log ;; esac
jobctl_close
echo "close $?" >>log
S
	mkfifo begun gate
	untold() {
		rm -f log
		: >err
		in_shell "$@" 2>>err 3>&- &
		until_true grep -q 'no more jobs are started' err
		open_gate gate
		ends_with 0 "$!"
		close_gate
		# the shell says so, and the dispenser, if it has the time to see it: each once
		same '' "$(grep '^jobctl_run: .*no more jobs are started' err | sort | uniq -d)"
	}
	check_untold() {
		local way want ways='deaf gone'
		[ "$1" != dash ] || ways='full taken deaf gone'
		for way in $ways; do
			want=125
			[ "$way" != gone ] || want=123
			untold "$1" script "$way" ''
			is "out,close $want" log
			clean
			untold "$1" script "$way" --group
			[ "$way" != gone ] || sed -i '1{h;d};2G' log # there jobctl_close waits
			is "out,run $want,close $want" log
			clean
		done
	}
	batch untold
}

# Traced without -f: only the script itself is killed, its children live.
@test "a script that is killed at any system call of a batch leaves no directory and no process" {
	need_strace
	cat >script <<'S'
set -eu
. jobctl.sh
jobctl_open 2
jobctl_run true
jobctl_close
S
	check_killed_anywhere() {
		local shell=$1 before call killed=0 n
		if [ "$1" = busybox ]; then shell='busybox sh'; fi
		strace -qq -o trace $shell script
		sed '/batch.sh"/q' trace >head
		before=$(calls_in head | wc -l)
		# a line is read byte by byte: one of these calls
		calls_in trace | tail -n +"$before" | awk '$1 != kind; {kind = $1}' >calls
		[ "$(grep -c . calls)" -gt 40 ]
		some 14 <calls >chosen
		while read -r call n; do
			echo "$call $n" >&2
			status=0
			failing "$call:signal=KILL:when=$n" $shell script >out 2>&1 || status=$?
			case $status in
			137) killed=$((killed + 1)) ;;
			*) same 0 "$status" ;; # where there are fewer this time
			esac
			clean
		done <chosen
		[ "$killed" -gt 7 ]
	}
	batch killed_anywhere
}

@test "a guard of workers that is killed before the script has opened their FIFOs: they answer" {
	cat >script <<'S'
. jobctl.sh
answer () { echo "$*" >>log; }
jobctl_workers answer "$1"
jobctl_ask x
jobctl_workers_end
echo "$?" >>log
S
	fake jobpool <<'S'
PATH=${PATH#*:}
kill -STOP "$PPID"
exec jobpool "$@"
S
	guard() { ours jobpool | grep -vxF "$(ours jobpool --attended)"; }
	guard_waits() { ! no_ours jobpool --attended && [ "$(ours jobpool | wc -l)" -eq 2 ]; }
	check_unguarded() {
		local worker
		for worker in cat "$(type -P cat)"; do
			rm -f log
			started "$1" script "$worker"
			until_true guard_waits
			same '' "$(readlink "/proc/$(guard)/fd/"* | grep opened || :)"
			kill -KILL "$(guard)"
			kill -CONT "$script"
			ends_with 0 "$script"
			is '1 x,123' log
			same 1 "$(grep -c '^jobctl_workers: .*: the guard of jobpool was killed; ' out)"
			clean
		done
	}
	batch unguarded
}

# In each process of it the Nth call that makes or opens something fails, or it is killed there.
@test "who makes the directory of a batch or of workers fails or dies: 125, or it goes on" {
	need_strace
	cat >script <<'S'
. jobctl.sh
answer () { :; }
"$@" 2>err
echo "$?" >>log
jobctl_close 2>/dev/null || jobctl_workers_end 2>/dev/null || :
S
	for maker in tokend jobpool; do
		fake "$maker" <<S
PATH=\${PATH#*:}
calls=pipe,pipe2,mkdir,mknod,mknodat,open,openat
exec strace -D -f -b execve -qq -o trace -e inject="\$calls:\$how:when=\$n" $maker "\$@"
S
	done
	export how n
	check_maker() {
		local begin seen instants='2 7'
		[ "$1" != dash ] || instants='1 2 3 7 12'
		for how in signal=KILL error=EIO; do
			for begin in 'jobctl_open 2' 'jobctl_workers answer cat'; do
				seen=
				for n in $instants; do
					rm -f log
					# shellcheck disable=SC2086 # words
					in_shell "$1" "$here/script" $begin
					clean
					seen="$seen $(cat log)"
					case $(cat log)/$(cat err) in 123/?* | 125/?* | 0/*) continue ;; esac
					echo "$how $begin, call $n: $(cat log), $(cat err)" >&2
					return 1
				done
				echo "$how $begin:$seen" >&2
				[[ "$seen" == *' 125'* ]]
			done
		done
	}
	batch maker
}

@test "nobody is a guard of who has not started it" {
	run -125 jobpool --watch "$PPID" --directory "$here/directory" cat
	[ "$output" = "jobctl_workers: process $PPID has not started us, or has died" ]
	run -125 tokend --open 1 "$here/directory" key
	[[ "$output" == *'usage: tokend '* ]]
	run -125 tokend --open x "$here/directory" key 5
	[ "$output" = 'jobctl_open: process x has not started us, or has died' ]
	run -125 tokend --open "$PPID" "$here/directory" key 5
	[ "$output" = "jobctl_open: process $PPID has not started us, or has died" ]
	[ ! -e directory ]
}
