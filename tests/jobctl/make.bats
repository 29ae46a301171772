# bats file_tags=waits
load ../helper
load ../helpers/jobctl
load ../helpers/jobserver

# jobctl within make -jN, whose tokens it takes.

@test "make -jN: recipes with '+' share its tokens, and use all of them" {
	mkfifo gate
	cat_jobs 4 >list
	for n in 2 3 5; do
		rm -f log
		makefile '+@jobctl list' 2
		make -j"$n" >out 2>&1 3>&- &
		make=$!
		until_true running "$n"
		gate_opens "$make"
		same "$n" "$(peak)"
		running 8
		[ ! -s out ] || { cat out; false; } # make counts its tokens at the end
	done
}

@test "make -jN: each of many short jobs, never more than N, every token back" {
	echo 'echo in >>log; echo out >>log' | sed p | sed p | sed p | sed p >list
	makefile '+@jobctl list; ! echo false | jobctl --quiet; echo "exit 3" | jobctl --quiet --retries 3,0 || :' 6
	for n in 1 2 4; do
		rm -f log
		make -j"$n" >out 2>&1
		same 96 "$(grep -c in log)"
		[ "$n" -eq 1 ] || [ "$(peak)" -le "$n" ]
		[ ! -s out ] || { cat out; false; }
	done
}

@test "make -jN: in a recipe without '+', a warning and one job at a time, or -j" {
	cat_jobs 4 | sed 's/: <gate; //' >list
	makefile '@jobctl list' 1
	make -j4 >out 2>errors
	same 1 "$(peak)"
	running 4
	same 1 "$(wc -l <errors)"
	grep -q "^jobctl: warning: one job at a time, .*descriptor [0-9]* is .*'+'" errors
	rm log
	mkfifo gate
	cat_jobs 3 >list
	makefile '@jobctl -j3 list' 1
	make -j2 >out 2>errors 3>&- &
	make=$!
	until_true running 3
	gate_opens "$make"
	[ ! -s errors ]
}

@test "make -j1: one job at a time, without -j; a make that was told nothing changes nothing" {
	mkfifo gate
	cat_jobs 4 >list
	makefile '@jobctl --label a --label b list' 1
	for options in '-j1' '-k -j1' '-j4 -j1'; do
		rm -f log
		make $options >out 2>&1 3>&- &
		make=$!
		until_true has_one "$make"
		exec 7<>gate # for good
		ends_with 0 "$make"
		close_gate
		[ "$(peak)" -eq 1 ] || { echo "$options"; false; }
		running 4
		[ ! -s out ] || { cat out; false; }
	done
	cat_jobs 2 >list
	for command in make 'jobctl --label a --label b list'; do
		rm log
		[ "$command" = make ] || export MAKEFLAGS=' -j1' # a shell's, for all makes to come
		$command >out 2>&1 3>&- &
		two=$!
		until_true running 2
		gate_opens "$two"
	done
}

@test "a job that is a make itself finds the jobserver" {
	makefile '+@jobctl list' 1
	export MAKEFLAGS=--no-print-directory
	printf 'all: a b\na b:\n\t@echo in >>log; : <gate; echo out >>log\n' >sub.mk
	mkfifo gate
	echo 'make -f sub.mk' >list
	make -j2 >out 2>&1 3>&- &
	make=$!
	until_true running 2
	gate_opens "$make"
	[ ! -s out ] || { cat out; false; }
}

@test "whatever ends a batch, each token is back, the same byte" {
	make_pool abc
	for options in '' '--halt now' '--timeout 0.05' '--deadline 0.05' '--retries 2,0'; do
		printf '%s\n' '"$here/sleeper" 0.1' 'exit 3' '"$here/sleeper" 0.2' 'kill -KILL $$' \
			'"$here/sleeper" 0.1' >list
		jobctl --quiet $options list || :
		tokens abc
	done
	seq 9 >list
	jobctl ./missing <list 2>/dev/null || :
	tokens abc
	(ulimit -n 30; jobctl --group true <list) 2>/dev/null || :
	tokens abc
	jobctl cat <list --deadline x 2>/dev/null || :
	tokens abc
	yes | jobctl --quiet echo 2>/dev/null | head -n 1 >out || : # of SIGPIPE
	until_true tokens abc
}

one_is_back() { tokens a || tokens b || tokens c; }

@test "INT, TERM and HUP, and KILL of the jobs: each token is back" {
	make_pool abc
	flags "fifo:$here/pool" 9
	for ((i = 0; i < 6; i++)); do echo '"$here/sleeper" 1000'; done >list
	for sig in TERM HUP QUIT; do
		begun -a list
		until_true has_sleepers 4
		tokens ''
		kill -s "$sig" "$batch"
		ends_with $((128 + $(kill -l "$sig"))) "$batch"
		tokens abc
	done
	begun -a list
	until_true has_sleepers 4
	kill -INT "$batch"
	until_true grep -q '4 running jobs' errors
	tokens ''
	kill -KILL "$(ours sleeper | head -n 1)" # what runs is let end
	until_true has_sleepers 3
	until_true one_is_back
	kill -INT "$batch"
	ends_with 130 "$batch"
	tokens abc
	begun --quiet -a list
	until_true has_sleepers 4
	for i in 1 2 3 4 5 6; do
		tokens '' || [ "$i" -gt 3 ]
		one=$(ours sleeper | sed -n 1p)
		kill -KILL "$one"
		until_true ended "$one"
		until_true has_sleepers $((6 - i < 4 ? 6 - i : 4))
	done
	ends_with 6 "$batch"
	tokens abc
}

@test "what a job leaves in the background keeps no token" {
	make_pool a
	printf '%s\n' '"$here/sleeper" 1000 & echo in >>log' 'echo in >>log' >list
	jobctl list
	running 2
	until_true has_sleepers 1 # which may yet have to begin
	tokens a
}

@test "within a pool of tokend -j, in both forms" {
	tokend -j -b -n 3 "$FIFO" 3>&-
	mkfifo gate
	cat_jobs 6 >list
	for form in fifo pipe; do
		rm -f log
		tokget -j "$form" "$FIFO" jobctl list >out 2>&1 3>&- &
		batch=$!
		until_true running 3
		gate_opens "$batch"
		same 3 "$(peak)"
		[ ! -s out ] || { cat out; false; }
		until_true tokget -n -k 3 "$FIFO" true
	done
	tokstop "$FIFO"
}
