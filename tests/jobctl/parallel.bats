load ../helper
load ../helpers/parallel

# jobctl beside GNU parallel and xargs: what jobctl-parallel(7) calls the same has the same output
# and status. How arguments are made is in arguments.bats.

@test "commands, places and output are as GNU parallel has them" {
	printf '%s\n' 'a b.txt' "it's" 'c$d' 'dir/e.tar.gz' '' '*' >list
	printf '%s\0' a $'b\nc' >nul
	printf '%s\n' 'echo one; echo two' 'echo "$JOBCTL_ID$PARALLEL_SEQ"' >commands
	nice=$(nice)
	export nice
	as_parallel <<-'E'
		P -k echo => a b.txt\nit's\nc$d\ndir/e.tar.gz\n\n*
		P -k echo {} {.} {/} {//} {/.} {#} => a b.txt a b a b.txt . a b 1\nit's it's it's . it's 2\nc$d c$d c$d . c$d 3\ndir/e.tar.gz dir/e.tar e.tar.gz dir e.tar 4\n   .  5\n* * * . * 6
		P -j1 echo {%} x{}y{} => 1 xa b.txtya b.txt\n1 xit'syit's\n1 xc$dyc$d\n1 xdir/e.tar.gzydir/e.tar.gz\n1 xy\n1 x*y*
		P -j1 -r echo => a b.txt\nit's\nc$d\ndir/e.tar.gz\n*
		P -k $C 'cat; echo {} | tr a-z A-Z; echo $PARALLEL_SEQ$JOBCTL_ID' => A B.TXT\n1\nIT'S\n2\nC$D\n3\nDIR/E.TAR.GZ\n4\n\n5\n*\n6
		P -k $Q printf '<$x %s|\n' {} => <$x a b.txt|\n<$x it's|\n<$x c$d|\n<$x dir/e.tar.gz|\n<$x |\n<$x *|
		P -k $Q --null printf '<%s>' <nul; echo => <a><b\nc>
		P -k $Q -a nul -0 printf '<%s>'; echo => <a><b\nc>
		P -j1 <commands => one\ntwo\n2
		P -k --tag echo x => a b.txt\tx a b.txt\nit's\tx it's\nc$d\tx c$d\ndir/e.tar.gz\tx dir/e.tar.gz\n\tx \n*\tx *
		P -k --tagstring '{#}' $C 'echo x; echo y; : {}' ::: a b => 1\tx\n1\ty\n2\tx\n2\ty
		P -j1 --line-buffer --tag $C 'echo x{}; echo y' ::: a b => a\txa\na\ty\nb\txb\nb\ty
		P -j1 --ungroup echo => a b.txt\nit's\nc$d\ndir/e.tar.gz\n\n*
		P -j3 --keep-order $C 'n={}; until [ $n = 1 ] || grep -qsx $((n - 1)) tried; do :; done; echo $n | tee -a tried' ::: 3 1 2 => 3\n1\n2
		P -k --dry-run echo {.} ::: a.x b => echo a\necho b
		P -j1 --nice 3 $C 'echo $(($(nice) - nice)); : {}' ::: a => 3
		P -j1 -t echo ::: a b 2>&1 => echo a\na\necho b\nb
		P -j0 -k echo ::: a b => a\nb
		P -j200% -k echo {%} {#} {} ::: a => 1 1 a
		P --will-cite --gnu --plain -k echo => a b.txt\nit's\nc$d\ndir/e.tar.gz\n\n*
		P -k --delay 0.01 --timeout 1m echo => a b.txt\nit's\nc$d\ndir/e.tar.gz\n\n*
		P -k echo </dev/null =>
	E
}

@test "failures, tries and the end of a batch are as with GNU parallel" {
	seq 3 >list
	as_parallel <<-'E'
		P -j1 $C 'echo {}; exit {}' =3> 1\n2\n3
		P -j1 $C 'kill -9 $$; : {}' =3>
		seq 100 | P -j4 $C 'exit 255; : {}' =100>
		seq 103 | P -j4 false =101>
		P -j1 --halt never $C 'echo {}; [ {} != 2 ]' =1> 1\n2\n3
		P -j1 --halt soon,fail=1 $C 'echo {}; [ {} != 2 ]' =1> 1\n2
		P -j1 --halt now,fail=1 $C 'echo {}; [ {} != 2 ]' =1> 1\n2
		P -j1 --halt soon,fail=2 $C 'echo {}; exit {}' =2> 1\n2
		P -j1 --halt now,success=1 $C 'echo {}' => 1
		P -j1 --retries 3$NOW $C 'echo {} >>tried; false'; cat tried => 1\n1\n1\n2\n2\n2\n3\n3\n3
		P -j1 --retries 2$NOW $C '[ {} -ne 2 ] || [ -e tried ] || ! touch tried' =>
		P -j2 --timeout 0.5 $C 'exec sleep {}' ::: 1000 =1>
	E
}

@test "each resumes from the log of the other" {
	is_gnu parallel || skip 'no GNU parallel'
	printf '%s\n' a 'b c' d >list
	parallel -j1 --joblog theirs echo <list
	jobctl -j1 --joblog ours echo <list
	columns() { cut -f1,7,8 "$1"; } # Seq, Exitval, Signal: the others are times, or quoted
	same "$(columns ours)" "$(columns theirs)"
	same "$(head -n 1 ours)" "$(head -n 1 theirs)"
	for first in parallel jobctl; do
		rm -f log flag
		printf '%s\n' true '[ -e flag ]' 'echo new' >commands
		"$first" -j1 --joblog log < <(head -n 2 commands) || :
		touch flag
		for second in parallel jobctl; do
			cp log copy
			run -0 "$second" -j1 --joblog copy --resume <commands
			same new "$output"
			cp log copy
			run -0 "$second" -j1 --joblog copy --resume-failed <commands
			same new "$output"
			same 4 "$(tail -n +2 copy | wc -l)"
		done
	done
}

@test "what jobctl and xargs share is the same" {
	is_gnu xargs || skip 'no GNU xargs'
	printf '%s\n' a b c >list
	printf '%s\0' 'a b' "it's" '' >nul
	as_xargs <<-'E'
		P $EACH echo
		P -P 1 $EACH -t echo 2>&1
		P -n 2 echo x
		P -L 2 echo
		P -0 $EACH printf '<%s>' <nul
		P -a nul -0 -I % printf '<%s|%s>' % x%
		P $ALL echo
		P -d , $EACH printf '<%s>' <<<'a,b,c'
		P -E b $EACH echo
		P -r false </dev/null
		P $EACH -P 0 true
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
	same "$(wc -l <options)" "$(grep -cxFf named options)"
}

@test "an option that jobctl does not have is refused with what to write" {
	for option in -p -o -x -m -v -i -e -l --pipe --shuf --onall --trc --trim --shellquote \
		--number-of-threads; do
		run -125 jobctl "$option" echo <<<a
		[[ "$output" == "jobctl: $option: "* ]]
		[[ "$output" != *'no such option'* ]]
	done
}
