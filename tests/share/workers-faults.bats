# bats file_tags=waits
load ../helper

# jobctl_workers, in each shell: workers that die, hang or are too many; signals.

@test "a worker that is killed: others get its requests; one of which all die reaches --on-failure" {
	cat >script <<'S'
set -eu
. jobctl.sh
worker () {
	while read -r x; do
		case $x in
		3) if mkdir once 2>/dev/null; then sh -c 'kill -KILL "$PPID"'; fi ;;
		5) sh -c 'kill -KILL "$PPID"' ;;
		esac
		echo "$x"
	done
}
answer () { echo "$1 $2" >>log; }
failed () { echo "failed $1 $2" >>log; }
over () { echo "over $1" >>log; }
jobctl_workers --quiet --retries 2 -j 2 --on-failure failed --on-end over answer worker
for x in 1 2 3 4 5 6 7; do jobctl_ask "$x"; done
result=0
jobctl_workers_end || result=$?
echo "$result $JOBCTL_UNANSWERED" >>log
S
	check_killed() {
		rm -rf once
		in_shell "$1" "$here/script" 2>err
		sort log | is '1 1,1 1,2 2,3 3,4 4,6 6,7 7,failed 5 the worker was killed by signal 9,over 1' -
	}
	batch killed
}

@test "who does not answer in time is ended with what it has started" {
	cat >script <<'S'
set -eu
. jobctl.sh
worker () {
	while read -r x; do
		[ "$x" -ne 2 ] || ! mkdir once 2>/dev/null || "$here/sleeper" 1000
		echo "$x"
	done
}
answer () { echo "$1 $2" >>log; }
jobctl_workers --retries 1000 --timeout 0.3 -j 1 answer worker
for x in 1 2 3; do jobctl_ask "$x"; done
jobctl_workers_end
S
	export JOBCTL_GRACE=0.1
	check_late() {
		rm -rf once
		in_shell "$1" "$here/script" 2>err
		sort log | is '1 1,2 2,3 3' -
		grep -q '^jobpool: worker 1 gave no answer in 0.300 seconds$' err
	}
	batch late
}

@test "workers that die at once: one message, the status 125, and the script goes on" {
	cat >script <<'S'
. jobctl.sh
worker () { echo in >>log; return 7; }
answer () { echo "$1 $2" >>log; }
jobctl_workers --quiet -j 2 answer worker
i=0 result=0
while [ "$i" -lt 3000 ]; do
	i=$((i + 1))
	jobctl_ask "$i" || { result=$?; break; }
done
jobctl_answers
echo "$? $result" >out
jobctl_ask more
echo "$?" >>out
jobctl_workers_end
echo "$?" >>out
jobctl_workers answer "$here/plain"
echo "$?" >>out
S
	: >plain
	chmod +x plain
	check_dying() {
		in_shell "$1" "$here/script" 2>err
		is '125 125,125,125,0' out || is '125 0,125,125,0' out
		[ "$(grep -c in log)" -lt 40 ]
		same 'jobpool: 10 workers in a row gave no answer, the last one ended with 7; '\
'no more are started' "$(grep -v Terminated err)"
	}
	batch dying
}

@test "a function that closed its output, and lives, is a worker no more" {
	cat >script <<'S'
set -eu
. jobctl.sh
worker () {
	while read -r x; do
		echo "$x"
		! mkdir once 2>/dev/null || { exec >&-; exec "$here/sleeper" 1000; }
	done
}
answer () { echo "$1 $2" >>log; }
jobctl_workers --quiet --ahead 1 -j 1 answer worker
for x in 1 2 3; do jobctl_ask "$x"; done
jobctl_workers_end
S
	export JOBCTL_GRACE=0.1
	check_mute() {
		rm -rf once
		in_shell "$1" "$here/script" 2>err
		is '1 1,2 2,3 3' log
	}
	batch mute
}

@test "few descriptors: as many functions are workers as there can be" {
	cat >script <<'S'
set -eu
. jobctl.sh
worker () { while read -r x; do until [ -e asked ]; do ./sleeper 0.02; done; echo "$x"; done; }
answer () { echo "$2" >>log; }
jobctl_workers --ahead 1 -j 9 answer worker
i=0
while [ "$i" -lt 50 ]; do i=$((i + 1)); jobctl_ask "$i"; done
: >asked
jobctl_workers_end
S
	export TMPDIR=$here top
	fake jobpool <<<'[ "$1" != --attended ] || ulimit -n "$few"; exec "$top/bin/jobpool" "$@"'
	for few in 13 14 15 16; do # the one that is missing is another end each time
		export few
		rm -f log asked
		in_shell dash script 2>err
		same "$(seq 50)" "$(sort -n log)"
		grep -q '^jobpool: cannot start more than [1-6] workers: ' err
		clean
	done
	rm -f log
	export few=9 # and here is no other worker to wait for
	run -125 in_shell dash script
	[[ "$output" == 'jobpool: the shell that starts workers: '* ]]
	same 1 "${#lines[@]}"
	[ ! -e log ]
	clean
	fake jobpool <<<'[ "$1" = --attended ] || ulimit -n "$few"; exec "$top/bin/jobpool" "$@"'
	for few in 4 5 6 7 8 9; do
		run -125 in_shell dash script
		clean
	done
}

# A script in the middle of its requests: two workers have begun, and wait, by a child.
waiting_script()
{
	mkfifo go
	export JOBCTL_GRACE=0.1
	cat >script <<'S'
. jobctl.sh
worker () {
	while read -r x; do
		echo in >>log
		sh -c ': <go'
		echo "$x"
	done
}
answer () { echo "$1 $2" >>answers; }
jobctl_workers --quiet --ahead 1 --idle 2 -j 2 answer "$@"
for x in 1 2 3 4; do jobctl_ask "$x"; done
jobctl_workers_end
echo "status $?" >>answers
S
}

@test "SIGKILL of any process of it: the script ends or is dead, and nothing is left" {
	waiting_script
	check_kill() {
		local victims='0 3 4 5' # 0: nobody; 1, 2: jobpool; then copies of the script
		case $1 in dash) victims='0 1 2 3 4 5 6 7 8' ;; bash | zsh) ;; *) return 0 ;; esac
		for victim in $victims; do
			rm -f log answers
			started "$1" "$here/script" worker
			until_true lines_in 2 log
			pid=$({ ours jobpool; ours "$1" "$here/script"; } |
				awk -v n="$victim" 'NR == n')
			[ -z "$pid" ] || kill -KILL "$pid"
			exec 7<>go # opens, too, where nobody waits any more
			wait "$script" || :
			clean
			close_gate
			[ "$pid" = "$script" ] || grep -q status answers
			[ -n "$pid" ] || grep -qx 'status 0' answers
			same '' "$(grep -v status answers 2>/dev/null | sort | uniq -d)"
		done
	}
	batch kill
}

@test "jobpool is killed: each request without an answer reaches --on-failure, or is counted; 123" {
	cat >script <<'S'
. jobctl.sh
worker () {
	while read -r x; do
		case $x in slow) "$here/sleeper" 1000 ;; esac
		echo "$x"
	done
}
answer () { echo "$1 $2" >>log; }
failed () { echo "$1 $2" >>log; }
over () { echo "over $1" >>log; }
jobctl_workers "$@" --ahead 1 -j 2 --most 2 --on-end over answer worker
for x in slow a b c slow; do jobctl_ask "$x"; done
[ "$JOBCTL_ANSWERED" -eq 3 ] || jobctl_ask # the loop heard those
kill -KILL "$(cat pool)"
jobctl_answers
echo "$? $JOBCTL_ASKED $JOBCTL_ANSWERED $JOBCTL_UNANSWERED"
jobctl_ask more
echo "$?"
jobctl_workers_end
echo "$? $JOBCTL_ASKED $JOBCTL_ANSWERED $JOBCTL_UNANSWERED"
S
	export JOBCTL_GRACE=0.1 top
	fake jobpool <<<'[ "$1" != --attended ] || echo "$$" >pool; exec "$top/bin/jobpool" "$@"'
	check_pool_killed() {
		for option in '--on-failure failed' '' --quiet; do
			rm -f log
			in_shell "$1" "$here/script" $option >out 2>err
			is '123 5 3 2,123,123 5 3 2' out
			case $option in
			--on-f*) is '2 a,3 b,4 c,1 jobpool was killed,5 jobpool was killed,over 123' log ;;
			*) is '2 a,3 b,4 c,over 123' log ;;
			esac
			same 1 "$(grep -c 'jobpool was killed' err)"
			same 0 "$(grep -cv 'Killed\|Terminated\|jobpool was killed' err)"
		done
	}
	batch pool_killed
}

# Answers that the script has not heard fill their FIFO, and what it asks meanwhile the other.
@test "who asks much, and does not hear, is not waited for when jobpool gives up, or is killed" {
	cat >script <<'S'
. jobctl.sh
worker () { while read -r x; do [ ! -e over ] || exit 1; echo "$x"; [ "${x%% *}" -lt 160 ] || : >over; done; }
answer () { :; }
jobctl_workers -j 1 --quiet answer "$1"
long=$(printf %600s x)
n=0
while [ "$n" -lt 400 ]; do n=$((n + 1)); jobctl_ask "$n $long"; done
echo >asked
read -r line <gate
while jobctl_ask "$n $long"; do n=$((n + 1)); done
jobctl_workers_end
echo "$?" >>log
S
	export JOBCTL_GRACE=0.1
	mkfifo asked gate
	check_much() {
		local how
		for how in worker:125 cat:123; do
			rm -f over log
			started "$1" script "${how%:*}"
			read -r line <asked
			[ "$how" = worker:125 ] || signal_ours KILL jobpool --attended
			echo go >gate
			ends_with 0 "$script"
			is "${how#*:}" log
			clean
		done
	}
	batch much
}

@test "TERM or INT to the script ends its workers; nothing is left" {
	waiting_script
	check_signal() {
		for sig in TERM INT; do
			rm -f log answers
			started "$1" "$here/script" worker
			until_true lines_in 2 log
			until_true in_read "$script"
			kill -s "$sig" -- "-$script"
			wait "$script" || :
			clean
		done
	}
	batch signal
}

@test "jobpool that fails beside a script says why, and the workers it has begun end" {
	need_strace
	cat >script <<'S'
. jobctl.sh
double () { while read -r n; do echo "$((n * 2))"; done; }
answer () { :; }
jobctl_workers -j 2 answer double
for n in 1 2 3 4; do jobctl_ask "$n"; done
jobctl_workers_end
S
	for fault in '?pselect6:error=ENOMEM:when=3' write:error=EIO:when=1; do
		fake jobpool <<S
[ "\$1" = --attended ] || exec "$top/bin/jobpool" "\$@"
exec strace -D -qq -o "$here/trace" -e inject='$fault' "$top/bin/jobpool" "\$@"
S
		status=0
		# To no pipe: a worker may have it.
		in_shell dash script >out 2>&1 || status=$?
		same 125 "$status"
		grep -q INJECTED trace
		grep -q '^jobpool: pselect: \|^jobpool: output: ' out
		clean
	done
}

# The one that ends the worker looks, and signals somewhat later.
@test "what a worker starts while it is ended is ended, too" {
	need_strace
	fake tokstop <<S
exec strace -D -qq -o "$here/trace" -e inject=kill:delay_enter=200000:when=1 \\
	"$top/bin/tokstop" "\$@"
S
	cat >script <<'S'
. jobctl.sh
worker () {
	read -r x
	while :; do
		"$here/sleeper" 1000 &
		: >begun
		sh -c : # less often
	done
}
answer () { :; }
jobctl_workers --quiet --timeout 0.2 --retries 1 -j 1 answer worker
jobctl_ask x
jobctl_workers_end
echo "$?" >log
S
	export TMPDIR=$here
	until [ -e begun ]; do # as a rule at once: it may be late before it has begun
		JOBCTL_GRACE=0 in_shell dash script >out 2>&1
		is 1 log
		clean
	done
}
