load ../helper

# jobctl beside GNU parallel and xargs: what jobctl-parallel(7) calls the same has the same output
# and status. How arguments are made is in arguments.bats.

setup_file()
{
	export PARALLEL_HOME=$BATS_FILE_TMPDIR PARALLEL='' # it keeps there how long commands may be
	parallel -j1 true ::: 1 </dev/null >/dev/null 2>&1 || :
}

is_gnu() { "$1" --version 2>/dev/null | grep -q GNU; }

# On standard input, pairs of lines: what the others are called with, and jobctl. The file "list" is
# the input of both.
compare()
{
	local theirs ours
	unset JOBCTL_ID # of these tests, which jobctl runs
	while IFS= read -r theirs && IFS= read -r ours; do
		rm -f tried
		theirs_status=0 ours_status=0
		eval "$theirs" <list >theirs 2>theirs.err || theirs_status=$?
		rm -f tried
		eval "$ours" <list >ours 2>ours.err || ours_status=$?
		echo "$theirs: $theirs_status $(cat theirs.err)" >&2
		echo "$ours: $ours_status $(cat ours.err)" >&2
		diff theirs ours
		[ "$theirs_status" -eq "$ours_status" ]
	done
}

@test "commands, places and output are as GNU parallel has them" {
	is_gnu parallel || skip 'no GNU parallel'
	printf '%s\n' 'a b.txt' "it's" 'c$d' 'dir/e.tar.gz' '' '*' >list
	printf '%s\0' a $'b\nc' >nul
	printf '%s\n' 'echo one; echo two' 'echo "$JOBCTL_ID$PARALLEL_SEQ"' >commands
	compare <<'E'
parallel -k echo
jobctl -k echo
parallel -k echo {} {.} {/} {//} {/.} {#}
jobctl -k echo {} {.} {/} {//} {/.} {#}
parallel -j1 echo {%} x{}y{}
jobctl -j1 echo {%} x{}y{}
parallel -j1 -r echo
jobctl -j1 -r echo
parallel -k 'cat; echo {} | tr a-z A-Z; echo $PARALLEL_SEQ'
jobctl -k -c 'cat; echo {} | tr a-z A-Z; echo $JOBCTL_ID'
parallel -k -q printf '<$x %s|\n' {}
jobctl -k -q printf '<$x %s|\n' {}
parallel -k -q --null printf '<%s>' <nul
jobctl -k --null printf '<%s>' <nul
parallel -k -q -a nul -0 printf '<%s>'
jobctl -k -a nul -0 printf '<%s>'
parallel -j1 <commands
jobctl -j1 <commands
parallel -k --tag echo x
jobctl -k --tag echo x
parallel -k --tagstring '{#}' 'echo x; echo y; : {}' ::: a b
jobctl -k --tagstring '{#}' -c 'echo x; echo y; : {}' ::: a b
parallel -j1 --line-buffer --tag 'echo x{}; echo y' ::: a b
jobctl -j1 --line-buffer --tag -c 'echo x{}; echo y' ::: a b
parallel -j1 --ungroup echo
jobctl -j1 --ungroup echo
parallel -j3 --keep-order 'n={}; until [ $n = 1 ] || grep -qsx $((n - 1)) tried; do :; done; echo $n | tee -a tried' ::: 3 1 2
jobctl -j3 --keep-order -c 'n={}; until [ $n = 1 ] || grep -qsx $((n - 1)) tried; do :; done; echo $n | tee -a tried' ::: 3 1 2
parallel -k --dry-run echo {.} ::: a.x b
jobctl -k --dry-run echo {.} ::: a.x b
parallel -j1 --nice 3 'nice; : {}' ::: a
jobctl -j1 --nice 3 -c 'nice; : {}' ::: a
parallel -j1 -t echo ::: a b 2>&1
jobctl -j1 -t echo ::: a b 2>&1
parallel -j0 -k echo ::: a b
jobctl -j0 -k echo ::: a b
parallel -j200% -k echo {%} {#} {} ::: a
jobctl -j200% -k echo {%} {#} {} ::: a
parallel --will-cite --gnu --plain -k echo
jobctl --will-cite --gnu --plain -k echo
parallel -k --delay 0.01 --timeout 1m echo
jobctl -k --delay 0.01 --timeout 1m echo
parallel -k echo </dev/null
jobctl -k echo </dev/null
E
}

@test "failures, tries and the end of a batch are as with GNU parallel" {
	is_gnu parallel || skip 'no GNU parallel'
	seq 3 >list
	compare <<'E'
parallel -j1 'echo {}; exit {}'
jobctl -j1 -c 'echo {}; exit {}'
parallel -j1 'kill -9 $$; : {}'
jobctl -j1 -c 'kill -9 $$; : {}'
seq 100 | parallel -j4 'exit 255; : {}'
seq 100 | jobctl -j4 -c 'exit 255; : {}'
seq 103 | parallel -j4 false
seq 103 | jobctl -j4 false
parallel -j1 --halt never 'echo {}; [ {} != 2 ]'
jobctl -j1 --halt never -c 'echo {}; [ {} != 2 ]'
parallel -j1 --halt soon,fail=1 'echo {}; [ {} != 2 ]'
jobctl -j1 --halt soon,fail=1 -c 'echo {}; [ {} != 2 ]'
parallel -j1 --halt now,fail=1 'echo {}; [ {} != 2 ]'
jobctl -j1 --halt now,fail=1 -c 'echo {}; [ {} != 2 ]'
parallel -j1 --halt soon,fail=2 'echo {}; exit {}'
jobctl -j1 --halt soon,fail=2 -c 'echo {}; exit {}'
parallel -j1 --halt now,success=1 'echo {}'
jobctl -j1 --halt now,success=1 -c 'echo {}'
parallel -j1 --retries 3 'echo {} >>tried; false'; cat tried
jobctl -j1 --retries 3,0 -c 'echo {} >>tried; false'; cat tried
parallel -j1 --retries 2 '[ {} -ne 2 ] || [ -e tried ] || ! touch tried'
jobctl -j1 --retries 2,0 -c '[ {} -ne 2 ] || [ -e tried ] || ! touch tried'
parallel -j2 --timeout 0.5 'sleep {}' ::: 0 1000
jobctl -j2 --timeout 0.5 -c 'sleep {}' ::: 0 1000
E
}

@test "each resumes from the log of the other" {
	is_gnu parallel || skip 'no GNU parallel'
	printf '%s\n' a 'b c' d >list
	parallel -j1 --joblog theirs echo <list
	jobctl -j1 --joblog ours echo <list
	columns() { cut -f1,7,8 "$1"; } # Seq, Exitval, Signal: the others are times, or quoted
	[ "$(columns theirs)" = "$(columns ours)" ]
	[ "$(head -n 1 theirs)" = "$(head -n 1 ours)" ]
	for first in parallel jobctl; do
		rm -f log flag
		printf '%s\n' true '[ -e flag ]' 'echo new' >commands
		"$first" -j1 --joblog log < <(head -n 2 commands) || :
		touch flag
		for second in parallel jobctl; do
			cp log copy
			run -0 "$second" -j1 --joblog copy --resume <commands
			[ "$output" = new ]
			cp log copy
			run -0 "$second" -j1 --joblog copy --resume-failed <commands
			[ "$output" = new ]
			[ "$(tail -n +2 copy | wc -l)" -eq 4 ]
		done
	done
}

@test "what jobctl and xargs share is the same" {
	is_gnu xargs || skip 'no GNU xargs'
	printf '%s\n' a b c >list
	printf '%s\0' 'a b' "it's" '' >nul
	compare <<'E'
xargs -n 1 echo
jobctl -k echo
xargs -P 1 -n 1 -t echo 2>&1
jobctl -P 1 -n 1 -t echo 2>&1
xargs -n 2 echo x
jobctl -k -n 2 echo x
xargs -L 2 echo
jobctl -k -L 2 echo
xargs -0 -n 1 printf '<%s>' <nul
jobctl -k -0 -n 1 printf '<%s>' <nul
xargs -a nul -0 -I % printf '<%s|%s>' % x%
jobctl -k -a nul -0 -I % printf '<%s|%s>' % x%
xargs echo
jobctl -k -X -j1 echo
xargs -d , -n 1 printf '<%s>' <<<'a,b,c'
jobctl -k -d , printf '<%s>' <<<'a,b,c'
xargs -E b -n 1 echo
jobctl -k -E b echo
xargs -r false </dev/null
jobctl -r false </dev/null
xargs -n 1 -P 0 true
jobctl -P 0 true
xargs --process-slot-var=SLOT -n1 sh -c 'echo "$((SLOT + 1))"'
jobctl -j1 sh -c 'echo "$JOBCTL_SLOT"'
xargs -n 1 nosuchprogram
jobctl nosuchprogram
E
}

# Options that the manual names from one section on: "-j" or "--jobs" on each line.
named() # SECTION
{
	sed -n "/^\.Sh $1/,\$p" "$top/share/man/jobctl-parallel.7" | grep -w Fl | tr ' ' '\n' |
		sed -n 's/^[a-zA-Z0-9]$/-&/p; s/^-[a-z-]*$/-&/p' | sort -u
}

@test "the manual has each option of GNU parallel" {
	is_gnu parallel || skip 'no GNU parallel'
	perl -ne '$on |= /^sub options_completion_hash/; exit if $on && /^}/; s/^#.*//; $all .= $_ if $on;
		END { print "$1\n" while $all =~ /(?:^|[,(]\s*)\(?\s*["\x27]([\w|-]+)/g }' \
		"$(command -v parallel)" >options
	[ "$(wc -l <options)" -ge 150 ]
	named 'GNU parallel: THE SAME' >named
	while IFS= read -r names; do
		case $names in _*) continue ;; esac # for itself
		echo "$names" >&2
		tr '|' '\n' <<<"$names" | sed 's/^.$/-&/; t; s/^/--/' | grep -qxFf - named
	done <options
}

@test "the manual has each option of GNU xargs" {
	is_gnu xargs || skip 'no GNU xargs'
	xargs --help | cut -c 1-30 | sed -n 's/=.*//; s/\[.*//; s/^  *-/-/p' |
		grep -oE -e '-(-[a-z][a-z-]*|[a-zA-Z0-9])' >options
	[ "$(wc -l <options)" -ge 30 ]
	named xargs >named
	grep -vxFf named options || :
	[ "$(grep -cxFf named options)" -eq "$(wc -l <options)" ]
}

@test "an option that jobctl does not have is refused with what to write" {
	for option in -p -o -x -m -v -i -e -l --pipe --shuf --onall --retry-failed; do
		run -125 jobctl "$option" echo <<<a
		[[ "$output" == "jobctl: $option: "* ]]
		[[ "$output" != *'no such option'* ]]
	done
}
