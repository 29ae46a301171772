load ../helper

# Each allocation of a program fails once, in typical runs: then the program says so and ends, or
# refuses the request, or does without. Nobody hangs, and nothing is left.

# linked PROGRAM -- with allocations that can fail, first on PATH. (tcc has no --wrap.)
linked()
{
	local command flags=(-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
	need_native
	read -ra command <"$top/build/compiler"
	if grep -q __asan_init "$top/bin/$1"; then skip "the sanitizer has its own memory"; fi
	mkdir scarce
	flags+=(-o "scarce/$1" "$top/tests/c/scarce.c" "$top"/src/*/"$1.o" "$top/build/lib.a")
	(cd "$top" && "${command[@]}" "${flags[@]/#scarce/$here/scarce}") 2>err ||
		cc "${flags[@]}" 2>>err || skip "no linker that has --wrap"
	PATH=$here/scarce:$PATH
}

# with_scarce N FUNCTION -- sets status; the output is in the file "out"
with_scarce()
{
	status=0
	rm -f seen log list keepers
	SCARCE=$1 SCARCE_SEEN=$here/seen timeout -s KILL 200 bash -c "$(declare -f "$2"); $2" \
		>out 2>&1 </dev/null 3>&- || status=$?
	[ ! -p "$FIFO" ] || tokstop -f "$FIFO" 3>&- || :
	until_true no_ours tokend
	until_true no_batch
	until_true no_ours sleeper
	rm -rf "$FIFO" "$FIFO.d"
}

# scarce PROGRAM FUNCTION [N] -- at N allocations; each message must be ours, and the status must
# tell it
scarce()
{
	local n
	[ -e scarce ] || linked "$1"
	with_scarce 0 "$2"
	[ "$status" -eq 0 ] || { cat out >&2; return 1; }
	[ -s seen ]
	for n in $(seq "$(sort -n seen | tail -n 1)" | some "${3-6}"); do
		with_scarce "$n" "$2"
		echo "$2, allocation $n of $1: $status" >&2
		[ "$status" -lt 126 ] || { cat out >&2; return 1; }
		run -1 grep -aiE 'segmentation|abort|corrupt|invalid pointer' out
	done
}

clients()
{
	tokend -b -j -s one -s two "$FIFO" || exit
	tokget -t 20 "$FIFO" true &&
	tokget -t 20 -k 2 "$FIFO" sh -c '[ "$JOBCTL_LABEL" ]' &&
	MAKEFLAGS=-k tokget -t 20 "$FIFO" sh -c ': "$MAKEFLAGS"' &&
	tokget -p 1 -t 20 "$FIFO" true &&
	tokget -b -t 20 "$FIFO" false && tokget -k all -t 20 "$FIFO" true &&
	lease=$(tokget -t 20 -l "$FIFO") &&
	{ : 9>"$lease"; } &&
	tokput -a three "$FIFO" && tokput -n 40 "$FIFO" && tokput -d two "$FIFO" &&
	tokstat "$FIFO" && tokstat -o json "$FIFO" || status=$?
	tokstop -f "$FIFO" || exit
	exit "${status-0}"
}

attended()
{
	printf '%s\n' a b c >list
	tokend -a -f list "$FIFO" 2>&1 | {
		trap '' PIPE # tokend may end just then
		n=0
		while read -r word slot rest; do
			case $word in
			[1-9]*) [ "$((n += 1))" -gt 4 ] || printf ':hello\nC=0\n' >"$FIFO.d/$word" ;;
			who) echo "s $slot 1" >>"$FIFO.d/calls" ;;
			esac
			case $n$word in # "early" is said of a job that has its lease open still
			5* | *early) [ "${over-}" ] || { over=1; echo q >>"$FIFO.d/calls"; : >"$FIFO.d/bell"; } ;;
			esac
			case $word in
			tokend:) exit 125 ;;
			esac
		done
		:
	}
}

batches()
{
	printf '%s\n' 1 2 'a b' >list
	jobctl -j 4 --group --tag --joblog log -a list echo {/.} {} && jobctl --group --resume-failed --joblog log -a list echo {/.} {} &&
	jobctl -j 2 --retries 1 --label x --label y -a list -c 'echo {} "$JOBCTL_LABEL"'
}

ending()
{
	tokend -b -n 2 "$FIFO" || exit
	"$here/sleeper" 50 & one=$!
	tokstop -p -g 0 "$one" || { status=$?; kill "$one"; exit "$status"; }
}

pooled()
{
	seq 60 | jobpool --quiet -k --tag --error-prefix '#' --begin hello --idle 1 -j 3 --ahead 3 sh -c '
		read -r x; echo "hello $x"
		while read -r x; do
			[ "$x" -ne 1 ] || { read -r y; echo 1; x=$y; } # the others wait for the first
			[ "$x" -ne 40 ] || echo "#retire"
			echo "$x"
		done' >list || exit
	[ "$(cut -f 2 list)" = "$(seq 60)" ]
}

# Workers that are functions; one asks for another worker.
asked()
{
	. jobctl.sh
	double()
	{
		while read -r x; do
			[ "$x" -ne 2 ] || echo '#retire'
			echo "#on $x"
			echo "$((2 * x))"
		done
	}
	answer() { [ "$2" -eq "$((2 * $1))" ] || exit 126; }
	heard() { :; }
	jobctl_workers --quiet --error-prefix '#' --begin 0 --on-message heard -j 2 answer double || exit
	for x in 1 2 3 4; do jobctl_ask "$x" || break; done
	jobctl_workers_end
}

# The first keeper is killed, the second finds its leftovers; one of them has no memory.
kept()
{
	. jobctl.sh
	job() { echo "$1" >&6 && read -r answer <&7 && [ "$answer" = "<$1>" ]; }
	killer() { kill -KILL "$(tail -n 1 keepers)" || :; }
	jobctl_open --retries 3,0 1 || exit
	jobctl_connections sh -c 'while read -r n; do echo "<$n>"; done' || { jobctl_close; exit 125; }
	jobctl_run jobctl_on job 1
	jobctl_run killer
	jobctl_run jobctl_on job 2
	jobctl_close
}

fake_keeper()
{
	linked jobkeep
	fake jobkeep <<-S
		[ "\$1" = -s ] || exec "$top/bin/jobkeep" "\$@"
		echo "\$\$" >>keepers
		[ "\$(wc -l <keepers)" -eq "\$scarce_keeper" ] || unset SCARCE
		exec "$here/scarce/jobkeep" "\$@"
	S
}

@test "tokend has no memory: it says so or refuses, and goes on or ends" {
	scarce tokend clients
}

@test "tokend has no memory for an attendant's tokens" {
	scarce tokend attended
}

@test "tokget has no memory" {
	scarce tokget clients
}

@test "tokstat has no memory" {
	scarce tokstat clients
}

@test "tokstop has no memory" {
	scarce tokstop ending
}

@test "jobctl has no memory" {
	scarce jobctl batches
}

@test "jobpool has no memory" {
	scarce jobpool pooled
}

@test "jobpool has no memory for the workers of a script" {
	export TMPDIR=$here
	scarce jobpool asked
}

# A log with two slots, and jobs of one host that overlap.
plotted()
{
	printf '%s\t%s\t%s\t%s\t0\t0\t%s\t0\tx\n' 1 1 1 2 0 2 2 1 2 3 3 h 1 ' 2' 0 4 h 2 ' 2' 0 >list
	jobplot $format list | grep -q -e '</svg>' -e 'as many as there were' -e '"seq":4'
}

@test "jobplot has no memory" {
	for format in '' -t -T -J; do
		export format
		scarce jobplot plotted 3
	done
}

@test "jobkeep has no memory" {
	export TMPDIR=$here
	fake_keeper
	for scarce_keeper in 1 2; do
		export scarce_keeper
		scarce jobkeep kept 3
	done
}
