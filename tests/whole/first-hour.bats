load ../helper

# The first things that somebody new reads and types: the README, pasted, and jobctl(7).

interactive=('bash --norc --noprofile -i' 'dash -i' 'zsh -f -i')

# A home with what the README and jobctl(7) speak of. "host1" and "host2" are here.
ground()
{
	rm -rf "$here/home"
	mkdir -p "$here/home/dir"
	cd "$here/home/dir"
	export HOME=$here/home JOBCTL_RSH='sh -c $1'
	unset FIFO
	printf 'all lint unit integration check:; @echo made $@\n' >Makefile
	for name in a 'b c' d; do echo "$name" >"$name.log"; done
	printf 'http://h/%s\n' 1 2 3 >urls
	echo big >big.tar
	fake pg_dump <<<'echo "dump of $1"'
	fake cargo <<<'echo "cargo $1 $CARGO_MAKEFLAGS" >>"$HOME/ran"'
	fake mail <<<'echo "$*: $(cat)" >>"$HOME/mail"'
	# 2 fails, but where a file "mended" is; -O writes a file
	fake curl <<-'E'
		for url; do :; done
		[ "${url##*/}" != 2 ] || [ -e "$HOME/mended" ] || { echo "no $url" >&2; exit 22; }
		case $1 in *O*) echo "page" >"${url##*/}" ;; *) echo "page $url" ;; esac
	E
}

# pools_end -- of this home, and with them what they left
pools_end()
{
	for fifo in "$HOME"/*.fifo "$HOME"/dir/*.fifo; do
		[ ! -p "$fifo" ] || tokstop "$fifo"
	done
}

# The indented blocks of the README, as block.1, block.2 ...
pasted()
{
	awk '/^    / {n += !on; on = 1; print substr($0, 5) > ("block." n); next} {on = 0}' \
		"$top/README.md"
}

# paste_block N -- that block, in each of the shells that are there; then "after N"
paste_block()
{
	pasted
	[ -s "block.$1" ]
	for shell in "${interactive[@]}"; do
		command -v "${shell%% *}" >&2 || continue
		echo "$shell" >&2
		ground
		"before_$1" 2>/dev/null || :
		{ cat "$here/block.$1"; echo 'echo "status $?"'; } >"$here/typed"
		# shellcheck disable=SC2086 # words
		fresh -t $shell <"$here/typed" >"$here/out" 2>&1 3>&- || { cat "$here/out"; false; }
		cat "$here/out" >&2
		run -1 grep -E 'not found|No such|rror|usage|refused|cannot (be|read|open)' "$here/out"
		grep -q 'status 0' "$here/out"
		"after_$1"
		pools_end
		cd "$here"
	done
}

@test "the README has at most 130 lines, and no comment where one would paste it" {
	[ "$(wc -l <"$top/README.md")" -le 130 ]
	pasted
	run -1 grep -n '#[^!]' block.*
	same "block.1 block.2 block.3 block.4 block.5 block.6 block.7" "$(echo block.*)"
}

@test "README: it is installed, and found" {
	before_1() { built && cd top; }
	after_1() {
		[ -x "$HOME/.local/bin/jobctl" ]
		[ -r "$HOME/.local/share/man/man7/jobctl.7" ]
		make -s uninstall PREFIX="$HOME/.local"
		[ ! -e "$HOME/.local/bin/jobctl" ]
	}
	paste_block 1
}

@test "README: the loop of a script, which fails when a job fails" {
	after_2() {
		same 'a.log.gz b c.log.gz d.log.gz' "$(echo *.gz)"
		for sh in $(shells); do
			rm ./*.gz
			in_shell "$sh" compress.sh
			same 'a.log.gz b c.log.gz d.log.gz' "$(echo *.gz)"
			ln -s nowhere e.log
			run -1 in_shell "$sh" compress.sh
			rm e.log
		done
	}
	paste_block 2
}

@test "README: a list, and what failed of it" {
	before_3() { fake curl <<<'for url; do :; done; echo page >"${url##*/}"'; }
	after_3() {
		same 'a.log.gz b c.log.gz d.log.gz' "$(echo *.gz)"
		same 4 "$(wc -l <log)"
		same 'page page page' "$(cat 1 2 3 | xargs)"
	}
	paste_block 3
}

@test "README: what runs, and a picture" {
	before_4() { : >"$HOME/mended"; }
	after_4() {
		grep -q '3 jobs: 3 ok' "$here/out"
		grep -q '<svg' log.svg
	}
	paste_block 4
}

@test "README: scripts share a pool" {
	after_5() {
		same 'a.log.gz b c.log.gz d.log.gz' "$(echo *.gz)"
		grep -q 'dump of app' "$here/out"
	}
	paste_block 5
}

@test "README: builds share a pool" {
	command -v xz || skip 'xz is not installed'
	after_6() {
		grep -q 'made all' "$here/out"
		same 'cargo build  -j8 --jobserver-fds=R,W --jobserver-auth=R,W' \
			"$(sed -E 's/[0-9]+,[0-9]+/R,W/g' "$HOME/ran")"
		same big "$(xz -dc big.tar.xz)"
	}
	paste_block 6
}

@test "README: other machines" {
	before_7() { : >"$HOME/mended"; }
	after_7() {
		same 4 "$(wc -l <log)"
		grep -q 'dump of app' "$here/out"
	}
	paste_block 7
}

# question TITLE -- the lines under it in jobctl(7)
question()
{
	awk -v title=".Ss $1" '/^\.S[sh] / {on = $0 == title} /^\.Ed/ {open = 0}
		on && open {gsub(/\\e/, "\\"); print} /^\.Bd/ {open = 1}' "$top/share/man/jobctl.7"
}

# answer TITLE [LINE] -- does what stands there, or one line of it; its output is in "out"
answer()
{
	question "$1" >"$here/lines"
	[ -s "$here/lines" ]
	sed -n "s/ PID/ ${pid-}/; ${2:-1,\$}p" "$here/lines" >"$here/script"
	run dash "$here/script" 3>&-
	echo "$output" >"$here/out"
}

@test "jobctl(7) answers twelve questions, and apropos finds it" {
	same 12 "$(sed -n '/^\.Sh QUESTIONS/,/^\.Sh SEE/p' "$top/share/man/jobctl.7" | grep -c '^\.Ss ')"
	for word in semaphore queue limit parallel jobserver; do # apropos(1) looks there
		grep -qw "^\.Nd.* $word" "$top/share/man/jobctl.7"
	done
}

@test "jobctl(7): four a minute" {
	ground
	: >"$HOME/mended"
	question 'Run four a minute' | sed 's/--delay 15/--delay 0.2/' >script
	from=$(now)
	dash script
	[ $(($(now) - from)) -ge 400000 ]
	same '1 2 3' "$(echo [123])"
	question 'Run four a minute' | grep -q -e '--delay 15 '
}

@test "jobctl(7): which job failed, and what it said" {
	ground
	answer 'See which job failed, and what it said'
	grep -q 'job 2: exit status 22' "$here/out"
	grep -q '3 jobs: 2 ok, 1 failed' "$here/out"
	grep -q '^no http://h/2' "$here/out"
}

@test "jobctl(7): output in order" {
	ground
	: >"$HOME/mended"
	answer 'Get the output in order'
	same 'http://h/1	page http://h/1
http://h/2	page http://h/2
http://h/3	page http://h/3' "$output"
}

@test "jobctl(7): a limit that scripts and machines share" {
	ground
	answer 'Share a limit between scripts, and between machines'
	same 'dump of app
dump of app' "$output"
	pools_end
}

@test "jobctl(7): stop all, and pause" {
	ground
	jobctl -j 2 "$here/sleeper" ::: 1001 1002 1003 >"$HOME/out" 2>&1 3>&- &
	pid=$!
	until_true has_sleepers 2
	answer 'Pause' 1
	in_state() { [ "$1 $1" = "$(ps -o stat= --ppid "$pid" | cut -c 1 | xargs)" ]; }
	until_true in_state T
	answer 'Pause' 2
	until_true in_state S
	answer 'Stop all'
	grep -q "sleeper .* list .* $pid" "$here/out"
	ends_with 143 "$pid"
	until_true has_sleepers 0
	tokget -N 2 "$HOME/gz.fifo" true
	question 'Pause' | sed -n '3s/600/1001/p' | sed "s|sleep |$here/sleeper |" >script
	dash script 3>&- &
	until_true has_sleepers 1
	run -124 tokget -n "$HOME/gz.fifo" true
	signal_ours TERM sleeper
	tokget "$HOME/gz.fifo" true
	pools_end
}

@test "jobctl(7): from cron, a run is skipped while the last one still works" {
	ground
	cd "$HOME"
	question 'Run from cron' | sed -n '2s/^[0-9*]* [0-9*]* [0-9*]* [0-9*]* [0-9*]* //p' >script
	[ -s script ]
	printf '#!/bin/sh\necho began\n: <"$HOME/gate"\n' >backup.sh
	chmod +x backup.sh
	mkfifo gate
	dash script >ran 3>&- &
	until_true grep -q began ran
	run -0 dash script 3>&-
	same '' "$output"
	gate_opens "$!"
	is began ran
	pools_end
}

@test "jobctl(7): in CI, a target that fails fails the step" {
	ground
	answer 'Run in CI, and in a container'
	same 'lint	made lint
unit	made unit
integration	made integration' "$output"
	printf 'unit:; false\n' >Makefile
	answer 'Run in CI, and in a container'
	[ "$status" -ne 0 ]
}

@test "jobctl(7): other machines, by ssh" {
	ground
	: >"$HOME/mended"
	mkdir src
	echo 'check:; @echo checked' >src/Makefile
	question 'Use other machines, by ssh' | sed "s|-C /src|-C src|" >script
	run -0 dash script 3>&-
	[[ "$output" == *checked* ]]
	same '1 2 3' "$(echo [123])"
}

@test "jobctl(7): B after A, and not after an A that failed" {
	ground
	answer 'Start B after A'
	[ "$status" -ne 0 ]
	same '*.gz' "$(echo *.gz)"
	: >"$HOME/mended"
	answer 'Start B after A'
	same '0 a.log.gz b c.log.gz d.log.gz' "$status $(echo *.gz)"
}

@test "jobctl(7): told when it is done" {
	ground
	answer 'Be told when it is done'
	is '-s done me: exit status 1,-s the pool is idle me: ' "$HOME/mail"
	pools_end
}

@test "jobctl(7): what failed is run again, and nothing else" {
	ground
	answer 'Rerun what failed' 1
	[ ! -e 2 ]
	rm 1 3
	: >"$HOME/mended"
	answer 'Rerun what failed' 2
	same '0 2' "$status $(echo [123])"
}
