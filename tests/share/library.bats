load ../helper
load ../helpers/display

# jobctl.sh itself: where it finds its parts, and when it can be called.

@test "jobctl.sh finds its parts beside a bin on PATH, from JOBCTL_LIB, or says what to set" {
	mkdir programs elsewhere
	cp "$top"/bin/tok* "$top/build/fresh" programs
	cp "$top/bin/jobctl.sh" elsewhere
	cat >script <<'S'
file=$1
shift
. "$file"
cd /
jobctl_open 2
jobctl_run echo one
jobctl_close
S
	ln -s "$top/share" library
	echo '. "$1"; echo "$?"' >alone
	PATH=$here/programs:/usr/bin:/bin
	check_parts() {
		same one "$(PATH=$PATH:$top/bin in_shell "$1" script elsewhere/jobctl.sh)"
		same one "$(JOBCTL_LIB=library/jobctl in_shell "$1" script elsewhere/jobctl.sh)"
		for file in elsewhere/jobctl.sh "$top/bin/jobctl.sh"; do
			JOBCTL_LIB=${file##elsewhere*} run in_shell "$1" alone "$file"
			[[ "$output" == *'add PREFIX/bin, the directory of jobctl.sh, to PATH'*125 ]]
			[ "${#lines[@]}" -eq 2 ]
		done
	}
	everywhere parts
}

@test "an interactive shell is refused, and goes on as it was" {
	cat >typed <<'S'
. jobctl.sh 2>said
{
	echo "status $?"
	set | grep '^_jobctl'
	command -v jobctl_run jobctrl _jobctl_part
	trap
} >>said
S
	: >.yashrc # else yash reads one of its own
	check_refused() {
		local shell=("$1")
		[ "$1" != busybox ] || shell=(busybox sh)
		for way in typed -c; do
			HOME=$here fresh -t "${shell[@]}" -i "$way" '. ./typed' </dev/null >out 2>&1 3>&-
			is 'jobctl.sh: this shell is interactive; write these lines into a file and run that, or use jobctl(1),status 125' said
		done
	}
	everywhere refused
}

@test "at a prompt jobctl.sh is refused, and set -m in a script is not" {
	for shell in 'bash --norc --noprofile' 'zsh -f' mksh; do
		command -v "${shell%% *}" || continue
		# shellcheck disable=SC2086 # words
		at_terminal --size 120x12 --until '1#' --keys '. jobctl.sh\r' --until 'jobctl(1)' \
			--keys 'echo "st""ill $?"\r' --until 'still 125' --keys 'exit\r' \
			-- env PS1='1# ' ENV= $shell -i
		grep '^jobctl.sh: this shell is interactive' screen
	done
	# zsh has it at a terminal only, posh has not got it
	printf '%s\n' 'case ${ZSH_VERSION-}${POSH_VERSION-} in "") set -m ;; esac' '. jobctl.sh' 'jobctl_open 2' \
		'for x in a b c; do jobctl_run echo "$x"; done' jobctl_close >script
	check_monitored() { in_shell "$1" script 2>err | sort | is a,b,c -; }
	batch monitored
}

@test "a TMPDIR that is no absolute path: the script may go elsewhere meanwhile" {
	cat >script <<'S'
. jobctl.sh
TMPDIR=tmp
work () { echo C >"$FIFO"; echo "$1"; }
result () { cat >>"$here/log"; }
number () { while read -r n; do echo "$((n + 1))"; done; }
answer () { echo "$2" >>"$here/log"; }
jobctl_open 2
jobctl_tasks work result
jobctl_workers answer number
cd elsewhere
jobctl_task a
jobctl_close
echo "$?" >>"$here/log"
jobctl_ask 1
jobctl_workers_end
echo "$?" >>"$here/log"
S
	check_relative() {
		mkdir -p tmp elsewhere
		in_shell "$1" "$here/script"
		is 'a,0,2,0' log
		until_true rmdir tmp
	}
	batch relative
}

@test "what is called before anything is open says so; reading the library again changes nothing" {
	cat >script <<'S'
. jobctl.sh
try () { "$@" 2>err; got=$?; echo "$got $(wc -l <err)" >>log; }
show () { cat; }
try jobctl_run true
try jobctl_wait
try jobctl_close
try jobctl_in batch
try jobctl_tasks echo cat
try jobctl_task a
try jobctl_on true
try jobctl_ask a
try jobctl_answers
try jobctl_workers_end
jobctl_stop
jobctl_open 1
try jobctl_task a
try jobctl_ask a
try jobctl_on true
. jobctl.sh
jobctl_tasks echo show
. jobctl.sh
jobctl_task a
jobctl_close >>log || echo "$? 1" >>log
S
	check_early() {
		in_shell "$1" script
		same ' 14 125 1; 1 a;' "$(sort log | uniq -c | tr -s ' ' | tr '\n' ';')"
	}
	batch early
}

@test "a program that is not on PATH: the message names the directory to add, where it is known" {
	cat >script <<'S'
. "$1"
PATH=/usr/bin:/bin
job () { :; }
try () { "$@" || echo "$?"; }
try jobctl_open 2
jobctrl 2 | try process 1
try jobctl_workers job job
try jobctl_with "$FIFO" job
try jobctl_hold "$FIFO"
S
	check_path() {
		in_shell "$1" script "$top/bin/jobctl.sh" >out 2>said
		is 125,125,125,125,125 out
		printf '%s\n' 'jobctl_open: tokend' 'jobctrl: tokend' 'jobctl_workers: jobpool' \
			'jobctl_with: tokget' 'jobctl_hold: tokget' |
			sed "s|$|: not found on PATH; add $bin, the directory of jobctl.sh, to PATH|" |
			diff - said
	}
	bin=$top/bin
	everywhere path
	export JOBCTL_LIB=$top/share/jobctl
	everywhere path
	cp -r "$top/share/jobctl" parts
	JOBCTL_LIB=$here/parts bin=PREFIX/bin
	everywhere path
}

@test "what is called where it cannot be says why, and what to do, in one line" {
	cat >script <<'S'
. jobctl.sh
exec 2>>said
inner () { jobctl_run true || jobctl_in x || jobctl_open 1 && jobctl_run true && jobctl_close; }
ended () { jobctl_wait; jobctl_close; }
jobctl_run true
jobctl_say x
jobctl_ask x
jobctl_open --on-end ended 1
jobctl_open 2 || jobctl_run inner
jobctl_wait
jobctl_in x
jobctl_run
jobctl_task x
jobctl_on true
jobctl_say a
jobctl_retry_after 1
jobctl_close
jobctl_close
jobctl_with x
jobctl_with x nosuch
process ''
S
	check_why() {
		rm -f said
		run -125 in_shell "$1" script
		diff wanted said
	}
	cat >wanted <<'W'
jobctl_run: no batch is open; jobctl_open opens one
jobctl_say: only a job of a batch can call this
jobctl_ask: there are no workers; jobctl_workers starts some
jobctl_open: the batch 'batch' is already open, and stays open; call jobctl_close first, or name this one: -b NAME
jobctl_run: a job cannot use the batch it is part of; jobctl_open in the job opens one of its own
jobctl_in: a job cannot use the batch it is part of; jobctl_open in the job opens one of its own
jobctl_wait: not in a callback; call it from the script itself
jobctl_close: not in a callback; call it from the script itself
jobctl_in: x: no such batch is open, only: batch 
jobctl_run: needs a command: jobctl_run COMMAND [ARGUMENT...]
jobctl_task: this batch has no tasks; call jobctl_tasks before
jobctl_on: only a job of a batch can call this
jobctl_say: only a job of a batch can call this
jobctl_retry_after: only a job of a batch can call this
jobctl_close: no batch is open; jobctl_open opens one
jobctl_with: needs a FIFO and a command, and has no options: jobctl_with FIFO COMMAND
jobctl_with: nosuch: no such function or command
process: '': not a number from 0 to 999999999
W
	batch why
}

@test "a batch minds neither the caller's IFS nor its noclobber" {
	cat >script <<'S'
set -eu
IFS=0123456789.
set -C
. jobctl.sh
jobctl_open --nice 1 -k 2
jobctl_run echo one
jobctl_run echo two
jobctl_close
jobctl_open --results files --joblog log 1
jobctl_run echo three
jobctl_close
S
	check_set() {
		rm -rf files
		in_shell "$1" script | is one,two -
		is three files/1.out
	}
	batch set
}

@test "a batch within a command substitution; functions of the caller named as our programs" {
	cat >script <<'S'
. jobctl.sh
for name in jobend tokend jobkeep jobpool; do eval "$name () { echo $name; }"; done
batch () {
	jobctl_open --nice 1 2 || return
	jobctl_connections cat
	jobctl_run jobctl_on echo job
	jobctl_close
}
echo "$(batch) $?" >log
echo "$(jobctl_open 1; jobctl_run false; jobctl_close || echo "$?")" >>log
S
	logs 'job 0,1'
}

# There bash, mksh and yash take a return without a number for one with the status before the trap.
@test "in a trap everything returns what it returns elsewhere" {
	cat >script <<'S'
. jobctl.sh
job () { [ "$1" != b ]; }
all () {
	for wrong in 'jobctl_open -z' 'jobctl_open --retries x' 'jobctl_open 1 2' \
		'jobctl_open --delay x 1' 'jobctl_workers -x' 'jobctl_run job a' jobctl_close 'process x'; do
		eval "$wrong" 2>/dev/null
		echo "$?"
	done | uniq >>log
	jobctl_open --joblog jobs 1
	jobctl_run job a
	jobctl_run job b
	jobctl_close
	echo "$?" >>log
	jobctl_open --resume-failed --joblog jobs 1
	jobctl_run job a
	jobctl_run job c
	echo "$?" >>log
	jobctl_close
	echo "$? $JOBCTL_DONE" >>log
	jobctrl 1 | { process - list; echo "$? $JOBCTL_DONE" >>log; }
}
printf '%s\n' a b c >list
trap all USR1
sh -c 'kill -s USR1 "$PPID"; exit "$1"' sh "$1" || :
S
	check_trap() {
		for status in 0 3; do
			rm -f log
			in_shell "$1" script "$status"
			is '125,1,0,0 2,1 3' log
		done
	}
	batch trap
}

@test "set -a does not keep a script that is run as a job from reading the library" {
	cat >inner <<'S'
. jobctl.sh
job () { echo "$1"; }
FIFO=$PWD/inner.fifo
jobctl_open 1 && jobctl_run echo one && jobctl_close
jobctrl 1 | process 1
S
	cat >script <<'S'
set -a
. jobctl.sh
jobctl_open 1
jobctl_run fresh "$@" inner
jobctl_close
S
	check_exported() {
		inner=$1
		if [ "$1" = busybox ]; then inner='busybox sh'; fi
		in_shell "$1" script $inner | is one,0 -
	}
	batch exported
}
