load ../helper

# The scripts of jobctl-tutorial(7): those "after" do the same as those "before", in
# every shell, with never more than two jobs at once. Their programs are counted on the
# way: see counting.
examples=$top/share/examples
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# counting PROGRAM... -- puts wrappers before them on PATH that write "in" and "out"
# into the file "log". With MEET set the first two wait for each other, so that one at
# a time would never end; with HOLD set all wait at the FIFO "gate".
counting()
{
	export TMPDIR=$here/tmp
	mkdir tmp counted
	mkfifo meet gate
	cat >counted/any <<'E'
#!/bin/sh
echo "in" >>"$here/log"
if [ -n "${MEET-}" ]; then
	if mkdir "$here/first" 2>/dev/null; then : <"$here/meet"
	elif mkdir "$here/second" 2>/dev/null; then : >"$here/meet"; fi
fi
[ -z "${HOLD-}" ] || : <"$here/gate"
status=0
PATH=${PATH#*:} "${0##*/}" "$@" || status=$?
echo "out" >>"$here/log"
exit "$status"
E
	chmod +x counted/any
	for program; do ln -s any "counted/$program"; done
	PATH=$here/counted:$PATH
}

# files DIR -- six to compress, under names that need care, and one that is no log
files()
{
	local name
	mkdir -p "$1/sub dir"
	for name in a.log 'b c.log' "it's.log" -n.log 'sub dir/*.log' $'sub dir/new\nline.log' \
		other; do
		printf '%s\n' "$name" "$name" >"$1/$name"
	done
	find "$1" -exec touch -d 2020-02-02 {} + # gzip writes it down
}

no_batch() { [ "$(ls tmp)" = '' ]; }

# counted STATUS JOBS COMMAND... -- in the directory "run", a new copy of "data"
counted()
{
	local want=$1 jobs=$2 status=0
	shift 2
	rm -rf log first second run
	cp -pR data run
	(cd run && MEET=1 "$@") >out 2>&1 || status=$?
	[ "$status $(grep -c '^out' log) $(peak)" = "$want $jobs 2" ] || {
		echo "status $status, $(peak) at once"
		cat log out
		return 1
	}
	until_true no_batch
	until_true no_process "$here/counted"
}

# blocks -- the page's blocks, as the files block.1, block.2 ...
blocks()
{
	awk '/^\.Bd -literal/ {n++; on = 1; next} /^\.Ed/ {on = 0}
		on {sub(/^\\&/, ""); gsub(/\\e/, "\\"); print > ("block." n)}' \
		"$top/share/man/jobctl-tutorial.7"
}

@test "what the page shows is in the files" {
	blocks
	for file in "$examples"/{loop,list,find,make,builds,cron}{-before,}.*; do
		[ -x "$file" ]
		awk '!/^#/ {on = 1} on' "$file" >body
		shown=
		for block in block.*; do
			if cmp -s body "$block"; then shown=yes; fi
		done
		[ -n "$shown" ] || { echo "${file##*/} is not shown"; return 1; }
	done
}

@test "loop.sh: a loop with &, and it tells of a failure" {
	files data
	cp -pR data want
	(cd want && in_shell dash "$examples/loop-before.sh" ./*.log ./sub*/*)
	counting gzip
	for shell in $(shells); do
		echo "in $shell" >&2
		counted 0 6 in_shell "$shell" "$examples/loop.sh" ./{a,b\ c,it\'s,-n}.log \
			'sub dir/*.log' $'sub dir/new\nline.log'
		diff -r want run
		counted 1 3 in_shell "$shell" "$examples/loop.sh" ./a.log missing "it's.log"
	done
}

@test "list.sh: a loop that reads a list, from a file or a pipe" {
	files data
	fake curl <<<'[ "$1 $2" = "-fsS -o" ] && exec cat "${4#file://}" >"$3"'
	for name in 1 2 3 4 5 6 7; do echo "$name file://$here/$name"; done >data/list
	for name in 1 2 4 5 7; do echo "content of $name" >$name; done
	cp -pR data want
	(cd want && in_shell dash "$examples/list-before.sh" list . 2>/dev/null)
	blocks
	sed '/^jobctl_open/,$d' "$examples/list.sh" |
		cat - "$(grep -l '^sort "$list" |' block.*)" >piped.sh
	counting curl
	for shell in $(shells); do
		for script in "$examples/list.sh" "$here/piped.sh"; do
			echo "in $shell: $script" >&2
			counted 0 7 in_shell "$shell" "$script" list .
			sort -o run/failed run/failed
			diff -r want run
		done
	done
	is 3,6 want/failed
}

@test "find.sh: find -exec, whatever the names are" {
	files data
	cp -pR data want
	in_shell dash "$examples/find-before.sh" want
	same 6 "$(find want -name '*.gz' -print0 | tr -cd '\0' | wc -c)"
	counting gzip
	for shell in $(shells); do
		echo "in $shell" >&2
		counted 0 6 in_shell "$shell" "$examples/find.sh" .
		diff -r want run
	done
}

@test "make.mk: a recipe, with each make and each shell, and make sees a failure" {
	files data
	mkdir data/logs # is not what the recipe makes
	cp -pR data want
	make -s -f "$examples/make-before.mk" DIR=want
	counting gzip
	for make in make bmake; do
		command -v "$make" >/dev/null || continue
		echo "$make" >&2
		counted 0 4 "$make" -s -f "$examples/make.mk" DIR=. 3>&-
		diff -r want run
	done
	for shell in $(shells); do
		[ "$shell" != busybox ] || continue # make takes no "busybox sh"
		echo "in $shell" >&2
		counted 0 4 make -s -f "$examples/make.mk" DIR=. SHELL="$(command -v "$shell")" 3>&-
		diff -r want run
	done
	echo occupied >data/a.log.gz
	counted 2 4 make -s -f "$examples/make.mk" DIR=. 3>&- # GNU make's status
	grep -q occupied run/a.log.gz
}

@test "a recipe that takes make's tokens, in each shell, and beside another one" {
	files data
	cp -pR data want
	make -s -f "$examples/make-before.mk" DIR=want
	blocks
	recipe=$(grep -l '+\. jobctl.sh' block.*)
	{ cat "$recipe"; echo 'beside:; gzip -9 sub*/new*'; } >both.mk
	(cd want && gzip -9 sub*/new*)
	counting gzip
	for shell in $(shells); do
		[ "$shell" != busybox ] || continue
		echo "in $shell" >&2
		counted 0 5 make -s -j 2 -f "$here/both.mk" DIR=. SHELL="$(command -v "$shell")" \
			logs beside 3>&-
		diff -r want run
	done
}

@test "builds.sh: builds side by side in one pool, that of the script or another" {
	for name in one two; do
		mkdir -p "data/$name"
		for log in a b c; do echo "$name $log" >"data/$name/$log.log"; done
		printf 'all: a b c\na b c:; @gzip -n <$@.log >$@\n' >"data/$name/Makefile"
	done
	cp -pR data want
	(cd want && in_shell dash "$examples/builds-before.sh" one two)
	counting gzip
	export CPU=$here/cpu.fifo
	tokend -b -j -n 2 "$CPU" 3>&-
	for shell in $(shells); do
		echo "in $shell" >&2
		counted 0 6 in_shell "$shell" "$examples/builds.sh" one two
		diff -r want run
		counted 1 6 in_shell "$shell" "$examples/builds.sh" one missing two
	done
	tokstop "$CPU"
	# Started by the script, and at the same time by another one.
	for name in one two; do
		in_shell dash "$examples/builds.sh" "$here/data/$name" &
		runs="$runs $!"
	done
	for run in $runs; do ends_with 0 "$run"; done
	diff -r want data
	tokstop "$CPU"
}

@test "cron.sh: not twice at the same time, and two at once of all that share the pool" {
	for name in one two three; do
		files "$name"
		in_shell dash "$examples/cron-before.sh" "$here/$name"
		mv "$name.sums" "$name.want"
	done
	[ ! -e one.lock ]
	counting find
	export HEAVY=$here/heavy.fifo
	for shell in $(shells); do
		echo "in $shell" >&2
		rm -rf log first second ./*.sums
		HOLD=1 in_shell "$shell" "$examples/cron.sh" "$here/one" &
		run=$!
		until_true lines_in 1 log
		status=0
		in_shell "$shell" "$examples/cron.sh" "$here/one" >out 2>&1 || status=$?
		[ "$status" -eq 124 ]
		[ ! -s out ]
		same 1 "$(wc -l <log)"
		gate_opens "$run"
		cmp one.want one.sums

		rm log one.sums
		runs=
		for name in one two three; do
			MEET=1 in_shell "$shell" "$examples/cron.sh" "$here/$name" &
			runs="$runs $!"
		done
		for run in $runs; do ends_with 0 "$run"; done
		same 3 "$(grep -c out log)"
		same 2 "$(peak)"
		for name in one two three; do cmp "$name.want" "$name.sums"; done
	done
	for name in one two three heavy; do
		tokstop "$name.fifo" || [ "$?" -eq 123 ]
	done
}

@test "cron.sh: killed, it leaves no lock, and its token only while the work goes on" {
	files one
	counting find
	export HEAVY=$here/heavy.fifo
	for shell in $(shells); do
		echo "in $shell" >&2
		rm -f log
		HOLD=1 started "$shell" "$examples/cron.sh" "$here/one"
		until_true lines_in 1 log
		kill -KILL "$script"
		run -124 in_shell "$shell" "$examples/cron.sh" "$here/one"
		open_gate gate
		until_true lines_in 2 log
		close_gate
		until_true in_shell "$shell" "$examples/cron.sh" "$here/one"
	done
	tokstop one.fifo
	tokstop heavy.fifo
}

@test "the line of a crontab: not twice at the same time" {
	blocks
	line=$(sed -n 's/^0 \* \* \* \* //p' block.*)
	fake report <<<'echo done'
	counting report
	HOLD=1 timeout 60 sh -c "$line" >out 3>&- &
	run=$!
	until_true lines_in 1 log
	run -124 sh -c "$line"
	gate_opens "$run"
	is 'done' out
	same 2 "$(grep -c . log)"
	tokstop report.fifo
	tokstop heavy.fifo
}
