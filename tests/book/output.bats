load ../helper

# The output of jobs, shown by a program that must not wait for its reader.

# wrote ID TEXT ERRORS -- a job that has ended
wrote()
{
	mkdir -p d
	printf "$2" >"d/$1.out"
	printf "$3" >"d/$1.err"
}

# steps -- the output of each step of output_test
steps()
{
	run -0 output_test "$@"
	echo "$output"
}

@test "what jobs wrote is shown as they end, or in the order of their numbers" {
	for mode in group order; do
		wrote 1 'a\nb' 'c\n'
		wrote 2 'd\n' ''
		rm d/2.err
		case $mode in
		group) wanted='2 bytes, its turn|3 bytes, its turn|0 waiting|d;a;b' ;;
		order) wanted='2 bytes, later|3 bytes, its turn|0 waiting|a;bd;' ;;
		esac
		same "$wanted|" "$(steps $mode 2 1 pump read=100 | tr '\n' '|')"
		same c "$(cat errors)"
		same '' "$(ls d)"
	done
}

@test "a tag stands before each line, and the last line of a job gets an end" {
	wrote 1 'a\n\nb' 'c'
	wrote 2 'd\n' ''
	same 'x	a;x	;x	b;y	d;' "$(steps group 1=x 2=y pump read=100 | tail -n 1)"
	same 'x	c' "$(cat errors)"
}

@test "in order, what has no output is passed, and at the end all is shown" {
	for id in 2 3 5; do wrote $id "$id\n" ''; done
	[ "$(steps order 2 3 5 pump -1 pump read=9 finish pump read=9 | tail -n +4 | tr '\n' '|')" = \
		'3 waiting|0|1 waiting|2;3;|0 waiting|5;|' ]
}

@test "in order, what has no output waits for its turn: a later job does not come first" {
	wrote 1 '1\n' ''
	wrote 2 '2\n' ''
	[ "$(steps order -3 pump 2 pump read=9 1 pump read=9 | tail -n 3 | tr '\n' '|')" = \
		'2 bytes, its turn|0 waiting|1;2;|' ]
}

@test "a reader who has stopped stops nobody, and gets the rest when it goes on" {
	mkdir d
	head -c 1000000 /dev/zero | tr '\0' x >d/1.out
	wrote 2 'end\n' 'late\n'
	set -- 1 2
	for _ in $(seq 40); do set -- "$@" pump pump read=50000; done
	steps group "$@" pump read=100 >said
	grep -q 'blocked' said
	[ "$(awk '$2 == "bytes" {all += $1} END {print all}' said)" -ge 1000000 ]
	same '0 waiting' "$(tail -n 2 said | head -n 1)"
	same late "$(cat errors)"
}

@test "a job's line of the log comes after its last byte, in that order, or never" {
	for mode in group order; do
		mkdir -p d
		head -c 100000 /dev/zero | tr '\0' x >d/1.out
		wrote 2 'a\n' 'b\n'
		case $mode in
		group) wanted='+2|blocked|+1|0 waiting|' ;;
		order) wanted='blocked|+1|+2|0 waiting|' ;;
		esac
		same "$wanted" "$(steps $mode +2 +1 pump read=70000 pump | grep -v bytes | tr '\n' '|')"
	done
	for id in 1 2; do wrote $id "$id\n" ''; done
	rm d/2.out # none of its output is lost
	[ "$(steps group +1 +2 end pump pump | tail -n 3 | tr '\n' '|')" = \
		'+2|Broken pipe|0 waiting|' ]
	same '0 bytes, +1|later|' "$(steps plain +1 | tr '\n' '|')"
}

@test "output that cannot be shown is told once, and the next one has its turn" {
	for id in 1 2; do wrote $id "$id\n" "$id\n"; done
	rm d/2.out
	same 'Broken pipe|0 waiting|' "$(steps group 1 2 end pump pump | tail -n 2 | tr '\n' '|')"
	same '1;2;' "$(tr '\n' ';' <errors)"
}

@test "only plain files are taken for what a job wrote, and others are left" {
	mkdir d
	echo secret >secret
	ln -s ../secret d/1.out
	mkfifo d/2.err
	mkdir d/3.out
	[ "$(timeout 100 output_test group 1 2 3 4 pump | tr '\n' '|')" = \
		'refused|refused|refused|0 bytes, its turn|0 waiting|' ]
	same '1.out 2.err 3.out ' "$(ls d | tr '\n' ' ')"
	same '0 bytes, later|0 waiting|' "$(output_test plain 1 pump | tr '\n' '|')"
}
