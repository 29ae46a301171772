# Shared by all tests. Every test runs in a directory of its own, with our programs
# first on PATH, and must leave nothing behind: no process that names the directory,
# no file of a dispenser.

bats_require_minimum_version 1.5.0
top=${BASH_SOURCE[0]%/*} # without a process, as all here: it is read for each test
top=${top%/*/..}
top=${top%/tests}
PATH=$top/bin:$top/build:$PATH
# A python3 that is a script looking for the real one starts forty processes each time.
if hash python3 2>/dev/null && IFS= read -rn 2 first <"${BASH_CMDS[python3]}" &&
	[ "$first" = '#!' ]; then
	shims=${BASH_CMDS[python3]%/*}
	others=:$PATH:
	others=${others//:"$shims":/:}
	others=${others#:}
	others=${others%:}
	if PATH=$others type -P python3 >/dev/null; then PATH=$others; fi
fi

# "make test" announces its own, and so does the jobctl that runs a file of tests.
unset MAKEFLAGS MFLAGS MAKELEVEL CARGO_MAKEFLAGS JOBCTL_POOL JOBCTL_ID JOBCTL_SLOT JOBCTL_LABEL
export JOBCTL_GRACE=1

all_shells='dash bash ksh93 mksh yash zsh busybox posh'

# bats would note its place before each command, which takes half a millisecond. We tell it only
# when a command fails or the test is late.
failed_here()
{
	bats_check_status_from_trap
	bats_capture_stack_trace
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	[ "$BASH_SUBSHELL" -eq 0 ] || # bats shows the place of this shell
		echo "not 0: ${BASH_COMMAND%%$'\n'*}, ${FUNCNAME[*]:1}, lines ${BASH_LINENO[*]}" >&2
}
bats_timeout_trap()
{
	BATS_TIMED_OUT=1
	bats_capture_stack_trace
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	echo "late: ${BASH_COMMAND%%$'\n'*}, ${FUNCNAME[*]:1}" >&2 # bash takes the line for line 1
	exit 1
}

# The time of a test, for bats, of which some versions start two processes for it.
if [ -n "${EPOCHREALTIME-}" ]; then # of bash from 5.0 on
	get_mills_since_epoch() # [VARIABLE]
	{
		local ms=$((${EPOCHREALTIME/[.,]/} / 1000))
		if [ "$#" -eq 0 ]; then echo "$ms"; else printf -v "$1" %s "$ms"; fi
	}
fi

setup()
{
	trap failed_here ERR
	trap - DEBUG
	BATS_DEBUG_LASTLAST_STACK_TRACE=()
	set -o pipefail # "jobctl ... | cmp - wanted" is to see that jobctl fails, too
	here='' # should mktemp fail: teardown is run all the same
	here=$(mktemp -d "${TMPDIR:-/tmp}/tok.XXXXXX") || return # short, for names of FIFOs
	[ -d "$here" ] && cd "$here" || return
	export here FIFO=$here/f # "here" marks what this test starts: see ours
	export JOBCTL_BOARDS=$BATS_TEST_TMPDIR/boards # leftovers of others are not ours to see
	hash sleep
	ln -s "${BASH_CMDS[sleep]}" sleeper
	present=(/proc/[0-9]*)
}

# ours [NAME [WORD...]] -- pids of processes that this test has started, known by its directory in
# the environment, as a working directory, or on the command line (sshd has only that); or those of
# them that are the program of that name with these among its arguments
ours()
(
	# not by mapfile, which reads a byte at a time
	marked=$'\n'$(grep -lsF "$here" /proc/[0-9]*/{environ,cmdline} || :)$'\n'
	for process in /proc/[0-9]*; do
		[[ "$marked" == *$'\n'"$process"/[ce]* || "$process/cwd" -ef "$here" ]] || continue
		mapfile -d '' -t words <"$process/cmdline" || continue
		[[ "${words[0]}" != *qemu-* ]] || words=("${words[@]:2}")
		[ "$#" -eq 0 ] || [ "${words[0]##*/}" = "$1" ] || continue
		for word in "${@:2}"; do
			[[ " ${words[*]:1} " == *" $word "* ]] || continue 2
		done
		echo "${process#/proc/}"
	done 2>/dev/null
)
no_ours() { [ -z "$(ours "$@")" ]; }
has_sleepers() { [ "$(ours sleeper | wc -l)" -eq "$1" ]; }

# signal_ours SIGNAL [NAME [WORD...]] -- sends it to these; 1 if there are none
signal_ours()
{
	local pids
	pids=$(ours "${@:2}")
	# shellcheck disable=SC2086 # words
	[ -n "$pids" ] && kill -s "$1" $pids
}

# tokends guard|dispenser... -- pids of our dispensers, which have the lock, and of the parents that
# stay beside them
tokends()
{
	local pid file
	for pid in $(ours tokend); do
		for file in "/proc/$pid/fd/"*; do
			[[ "$(readlink "$file")" == */lock ]] || continue
			[[ "$*" != *dispenser* ]] || echo "$pid"
			[[ "$*" != *guard* ]] || awk '/^PPid:/ {print $2}' "/proc/$pid/status"
			break
		done
	done
}

# kill_tokends guard|dispenser... -- kills these, at once; 1 if there are none
kill_tokends()
{
	local pids
	pids=$(tokends "$@")
	# shellcheck disable=SC2086 # words
	[ -n "$pids" ] && kill -s KILL $pids
}

teardown()
{
	[ -n "$BATS_TEST_COMPLETED$BATS_TEST_SKIPPED$BATS_DEBUG_LAST_STACK_TRACE_IS_VALID" ] ||
		echo "the shell ended: $BASH_COMMAND" >&2
	[ -n "${here-}" ] || return 0
	cd /
	remaining=(/proc/[0-9]*)
	[ "${present[*]-}" = "${remaining[*]}" ] || while signal_ours KILL 2>/dev/null; do :; done
	rm -rf "$here"
}

# shells -- the shells in which this test tries shell code: by SHELLS, dash, bash and one other,
# always the same for a test; or all; or those named there
shells()
{
	local s others=(ksh93 mksh yash zsh busybox posh)
	# shellcheck disable=SC2086 # words
	case ${SHELLS:-three} in
	three) set -- dash bash "${others[${#BATS_TEST_NAME} % 6]}" ;;
	all) set -- $all_shells ;;
	*) set -- $SHELLS ;;
	esac
	for s; do
		if command -v "$s" >/dev/null; then echo "$s"; fi
	done
}

# built -- makes "top", a copy of the built tree: there a make with other settings harms nobody
built()
{
	mkdir -p top/build
	cp -Rp "$top"/{Makefile,README.md,src,share,bin} top
	cp -p "$top"/build/{compiler,lib.a} top/build
}

# installed_once -- for setup_file: installs that copy; a test makes "p" a link to it
installed_once()
{
	cd "$BATS_FILE_TMPDIR" || return
	built
	make -s -C top install PREFIX="$PWD/p" >/dev/null
}

# in_shell SHELL SCRIPT ARG... -- busybox is a shell under another name
in_shell()
{
	local shell=$1
	shift
	if [ "$shell" = busybox ]; then set -- sh "$@"; fi
	fresh -t "$shell" "$@" 3>&-
}

# fake NAME -- a program of that name, first on PATH: a script of sh, whose lines are read
fake()
{
	mkdir -p "$here/fake"
	{ echo '#!/bin/sh' && cat; } >"$here/fake/$1"
	chmod +x "$here/fake/$1"
	[[ "$PATH" == "$here/fake:"* ]] || PATH=$here/fake:$PATH
}

# started SHELL SCRIPT ARG... -- starts it in the background, as a terminal would, in
# a session of its own; sets $script to its pid. Output goes to the file "out".
started()
{
	local shell=$1
	shift
	if [ "$shell" = busybox ]; then set -- sh "$@"; fi
	: >out # to append: a process that outlives the script overwrites nothing that comes later
	fresh -s "$shell" "$@" </dev/null >>out 2>&1 3>&- &
	script=$!
}

# in_read PID -- this shell, or a subshell of it, waits for a line. Every shell hears a signal that
# comes just before only with that line.
in_read()
{
	local process call
	for process in "$1" $(pgrep -P "$1"); do
		{ read -r call _ <"/proc/$process/syscall"; } 2>/dev/null || continue
		case $HOSTTYPE/$call in # read, poll, recvfrom, pselect6; elsewhere, any call
		x86_64/0 | x86_64/7 | x86_64/45 | x86_64/270 | [!x]*/[0-9]*) return 0 ;;
		esac
	done
	return 1
}

# pause MS -- without a process. (Opened here: "$!" would be that of the substitution.)
exec {nothing}<> <(:)
pause()
{
	local time
	printf -v time 0.%03d "$1"
	read -rt "$time" -u "$nothing" _ || :
}

# until_true COMMAND... -- waits for an event; the limit is for events that never come
until_true()
{
	local end=$((SECONDS + 150)) ms=1 time
	while [ "$SECONDS" -le "$end" ]; do
		if "$@"; then return 0; fi
		# Sleep is a child: as it ends, bash also waits for others whose end it has missed.
		printf -v time 0.%03d "$ms"
		if [ "$ms" -ge 32 ]; then sleep "$time"; else pause "$ms"; fi
		[ "$ms" -ge 100 ] || ms=$((ms + (ms + 1) / 2)) # to look costs more than to wait
	done
	echo "never came true: $*" >&2
	return 1
}

# some N -- N of the lines read, evenly spread, always the same: for tests at each system call. All
# of them if EXHAUSTIVE is set, as by make trust.
some()
{
	awk -v n="$1" -v all="${EXHAUSTIVE-}" '{line[NR] = $0}
		END {
			if (all != "" || n > NR) n = NR
			for (i = 0; i < n; i++) print line[int(i * NR / n) + 1]
		}'
}

# looked_again PID -- a process that looks around each time it wakes up has done so twice at least
looked_again()
{
	local before
	before=$(wakes "$1")
	until_true has_woken "$1" $((before + 3))
}
wakes() { awk '/^voluntary/ {print $2}' "/proc/$1/status"; }
has_woken() { [ "$(wakes "$1")" -ge "$2" ]; }

# lines_in N FILE -- the file has at least N whole lines
lines_in()
{
	local all=()
	{ mapfile all <"$2"; } 2>/dev/null || :
	[ "${#all[@]}" -eq 0 ] || [[ "${all[-1]}" == *$'\n' ]] || unset 'all[-1]'
	[ "${#all[@]}" -ge "$1" ]
}
# is TEXT FILE -- its lines, with commas between them, are TEXT; FILE - is standard input
is()
{
	local all=() IFS=,
	if [ "$2" = - ]; then mapfile -t all; else mapfile -t all <"$2" || return; fi
	same "$1" "${all[*]}" "$2"
}
# same WANTED SEEN [WHAT] -- shows both if they differ
same()
{
	[ "$1" = "$2" ] || { printf '%s\n' "${3-seen}: $2" "not: $1" >&2; return 1; }
}
ended() { ! kill -0 "$1" 2>/dev/null; }
no_files() { [ ! -e "$FIFO" ] && [ ! -e "$FIFO.d" ]; }
# no_process REGEX -- no command line matches
no_process()
{
	local process words
	for process in /proc/[0-9]*; do
		words=()
		{ mapfile -d '' -t words <"$process/cmdline"; } 2>/dev/null || :
		[[ ! "${words[*]}" =~ $1 ]] || return 1
	done
}
# A FIFO that nobody has opened yet is no dispenser's.
is_inlet()
{
	local end
	[ -e "$1" ] || return
	for end in /proc/[0-9]*/fd/*; do
		if [[ "$end" -ef "$1" ]]; then return 0; fi
	done
	return 1
}
# up_or_dead PID -- that dispenser has its FIFO, or has ended
up_or_dead() { [ -p "$FIFO" ] || ended "$1"; }

# nothing_left -- no file of the dispenser, no job, no tokend
nothing_left()
{
	until_true no_files && until_true no_process "$here/" && return 0
	ls -d "$FIFO"* 2>/dev/null || :
	ps -ww -o pid,ppid,pgid,sid,stat,etimes,args -p "$(ours | paste -sd ,)" || :
	return 1
}

# ends_with STATUS PID -- a child of this shell does
ends_with()
{
	local got=0
	wait "$2" || got=$?
	[ "$got" -eq "$1" ] || { echo "ended with $got, not $1" >&2; return 1; }
}

# A gate is a FIFO: a reader waits until it is opened, and then no more.
open_gate() { exec 7>"$1"; }
close_gate() { exec 7>&-; }

# held_lease K -- somebody has the lease open; sets $holder
held_lease()
{
	"$here/sleeper" 100 9>"$FIFO.d/$1" 3>&- &
	holder=$!
	until_true test -e "/proc/$holder/fd/9"
}

# killed_dispenser -- a dead dispenser with three tokens, the second of them out
killed_dispenser()
{
	dispenser -a -n 3
	until_true lines_in 4 lines
	held_lease 2
	kill -KILL "$tokend"
	wait "$tokend" "$reader" || :
	rm pipe
}

# calls LINE... -- the shell's lines to its dispenser, which hears them now
calls()
{
	printf '%s\n' "$@" >>"$FIFO.d/calls"
	: >"$FIFO.d/bell" || [ ! -e "$FIFO.d" ] # it has read them already, and has ended
}

# job_ends L [STATUS] -- the job on that lease has begun, and ends with that as its last word
job_ends() { echo "=${2-0}" >"$FIFO.d/$1"; }

# refused LINES OPTION... -- tokend says no, in this many lines, and makes nothing
refused()
{
	run -125 tokend "${@:2}"
	[ "${#lines[@]}" -eq "$1" ]
	[[ "$output" == *tokend* ]]
	no_files
}

# dispenser OPTION... -- a tokend of the test's own, whose attendant's lines
# are in the file "lines"; sets $tokend. (cat is the attendant's pipe.)
dispenser()
{
	mkfifo pipe
	cat pipe >lines 3>&- &
	reader=$!
	tokend "$@" "$FIFO" >pipe 2>errors 3>&- &
	tokend=$!
	until_true is_inlet "$FIFO"
}

# pool OPTION... -- a dispenser for clients, ready and in the background; ended by
# teardown
pool() { tokend -b "$@" "$FIFO" 3>&-; }

# pool_says WHAT -- the pool's line: tokens, free, out, waiting
pool_says() { [[ "$(tokstat -o tsv "$FIFO")" == $'pool\t'"${1// /$'\t'}"$'\t'* ]]; }
waiting() { [ "$(tokstat -o tsv "$FIFO" | grep -c '^wait')" -eq "$1" ]; }

# take_tokens N -- so many processes hold a token each, until give_tokens N ends the oldest of them
held=0 given=0
take_tokens()
{
	for ((i = 0; i < $1; i++)); do
		: $((held += 1))
		mkfifo "$here/held.$held"
		tokget -b "$FIFO" sh -c ': <"$1"' sh "$here/held.$held" 3>&-
	done
}
give_tokens()
{
	for ((i = 0; i < $1; i++)); do
		: $((given += 1))
		: >"$here/held.$given"
	done
}

# lease K -- the path of the lease of that slot, of which a client's name may be a part
lease() { find "$FIFO.d" -name "$1.*[0-9]"; }

# killed -- kills the dispenser, and waits until it has no lock, so that another can take over.
# (As a process dies, the lock may go some time after the name.)
killed()
{
	local pid
	pid=$(cat "$FIFO.d/lock")
	kill -KILL "$pid"
	until_true locks_nothing "$pid"
}
# restarted OPTION... -- starts another pool in its place
restarted()
{
	killed
	pool "$@"
}
locks_nothing() { ! grep -q " $1 " /proc/locks; }

# stopped OPTION... -- stops that dispenser, which leaves nothing
stopped()
{
	tokstop "$@" "$FIFO"
	nothing_left
}

# all_home N -- all N tokens come home; then the dispenser is stopped
all_home()
{
	until_true pool_says "$1 $1 0 0"
	tokstop "$FIFO"
	nothing_left
}

# last_word -- the attendant says it, and the dispenser ends
last_word()
{
	printf '@end\n' >"$FIFO"
	ends_with 0 "$tokend"
	nothing_left
}

# names N -- N clients have asked the dispenser, and have no answer
names() { [ "$(find "$FIFO.d/w" -type p | wc -l)" -eq "$1" ]; }

# state S PID -- by ps(1): T is stopped
state() { [[ "$(ps -o stat= -p "$2")" == "$1"* ]]; }

# A command that says that it has a token, and holds it until the gate is opened.
cat_gate() { echo "$1" >>log; : <gate; }
export -f cat_gate

# holder -- a client that has a token until the gate is opened; sets $one
holder()
{
	mkfifo gate
	tokget "$FIFO" bash -c 'cat_gate in' 3>&- & one=$!
	until_true lines_in 1 log
}
# gate_opens PID... -- opens the gate; these children end well then
gate_opens()
{
	local pid
	open_gate gate
	for pid; do ends_with 0 "$pid"; done
	close_gate
}

# need_native -- an emulator shows strace its own calls; and qemu-user makes vfork a fork, so
# that posix_spawn cannot say what went wrong
need_native()
{
	[ "$(head -c 2 "$top/bin/tokget")" != '#!' ] || skip "programs that are emulated"
}

# The portable build asks ps(1), seldom, which shows some bytes differently and knows no leases.
portable() { grep -q -e -DPORTABLE "$top/build/compiler"; }
need_proc() { ! portable || skip "the portable build asks ps"; }

need_python() { command -v python3 >/dev/null || skip "no python3 here"; }

# traced PID -- strace -p has it
traced() { grep -q '^TracerPid:.[1-9]' "/proc/$1/status"; }

# need_strace -- a build that looks for leaks cannot do so beside it
need_strace()
{
	strace -o /dev/null true || skip "no strace here"
	need_native
	export ASAN_OPTIONS=detect_leaks=0
}

# calls_in TRACE -- each system call of it, as CALL N: the Nth of its kind. Not those that change
# nothing: a death there is like one at the next call.
calls_in()
{
	sed 's/(.*//' "$1" | awk '/^[a-z]/ {n[$1]++}
		/^(arch_prctl|brk|m(map|protect)|munmap|pread64|prlimit64|rseq|rt_sig.*)$/ {next}
		/^(f?access.*|clock_.*|get.*|p?poll|lseek|sched_.*|set_.*|.*stat.*)$/ {next}
		/^[a-z]/ {print $1, n[$1]}'
}

# traced_waits -- traces the calls by which the dispenser waits into the file "trace" from now on;
# sets $tracer
traced_waits()
{
	# A poll that has begun is shown as restart_syscall.
	strace -qq -o trace \
		-e trace='epoll_wait,epoll_pwait,poll,?select,?pselect6,restart_syscall' \
		-p "$(cat "$FIFO.d/lock")" 3>&- &
	tracer=$!
	until_true test -s trace # it has a line when the call has begun
}

# rests -- the dispenser rests: time ends its waits only once a second, when it looks at its names
rests()
{
	local before
	before=$(now)
	traced_waits
	# not mere questions, with no time to wait
	three_looks()
	{
		[ "$(grep '= 0' trace |
			grep -vcE ', 0(, NULL, [0-9]+)?\) |tv_sec=0, tv_.*=0\}')" -ge 3 ]
	}
	until_true three_looks
	kill "$tracer"
	wait "$tracer" || :
	[ "$(now)" -gt "$((before + 1900000))" ]
}

# failing CALL:error=E:when=N COMMAND... -- that system call of it fails
failing() { strace -qq -o /dev/null -e inject="$1" "${@:2}" </dev/null 3>&-; }

# attachable -- makes the program "attach FIFO": strace follows that dispenser from now on, with the
# options in $inject, and writes its calls into the file "trace"
attachable()
{
	export inject=''
	fake attach <<-'S'
		exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- </dev/null
		pid=$(cat "$1.d/lock")
		strace -qq -o trace $inject -p "$pid" &
		until grep -q '^TracerPid:	[1-9]' "/proc/$pid/status"; do
			kill -0 "$!" || exit
		done
	S
}

# stops_at CALL:when=N COMMAND... -- in the background, stopped when the one that
# runs tokget or tokend has made the Nth of these calls; sets $tracer, and $stuck
stops_at()
{
	strace -f -qq -o /dev/null -e inject="$1":signal=STOP "${@:2}" 3>&- &
	tracer=$!
	until_true is_stuck
}

# A traced process stops at each system call until strace has seen it. So it is stuck only if
# strace sleeps and it has not run since the last look.
is_stuck()
{
	local tracer before=${stuck_since-}
	stuck=$(pgrep -r T,t -f "^tok[a-z]* .*$FIFO") || return
	stuck_since="$stuck $(wakes "$stuck")"
	tracer=$(awk '/^TracerPid/ {print $2}' "/proc/$stuck/status")
	[ "$before" = "$stuck_since" ] && { [ "$tracer" -eq 0 ] || state S "$tracer"; }
}

# The call by which tokget makes its FIFO.
MKFIFO='?mknod,?mknodat:when=1'

# everywhere NAME -- check_NAME SHELL, in every shell
everywhere()
{
	local shell
	for shell in $(shells); do
		echo "in $shell" >&2
		rm -f log out
		"check_$1" "$shell"
		nothing_left
	done
}

# Batches of jobctl.sh. Their directories are in $TMPDIR, and must be gone.
no_batch() { ! compgen -G "$here/jobctl.*" >/dev/null; }
clean() { until_true no_batch && nothing_left; }

# batch NAME -- check_NAME in every shell, with a clean end each time
batch()
{
	export TMPDIR=$here
	check_clean() { "check_$batch" "$1"; clean; } # no "&&": that would switch -e off
	batch=$1
	everywhere clean
}

# logs WANTED [ARG...] -- the script of a batch logs WANTED in each shell, called with these
logs()
{
	wanted=("$@")
	check_logs() { in_shell "$1" script "${wanted[@]:1}" && is "${wanted[0]}" log; }
	batch logs
}

# peak -- the highest number of "in" lines that had no "out" line yet.
peak() { awk '/^in/ {n++} /^out/ {n--} n > m {m = n} END {print m + 0}' log; }
