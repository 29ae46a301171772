load ../helper

# What a job of jobctl.sh reads: an input that is its own it has, and for one that it lacks there is
# a message. A list belongs to the loop.

# reads WANTED [SAID] -- the jobs of "script" write WANTED to the log, and the messages match SAID
reads()
{
	need_proc
	wanted=$1 said=${2-}
	check_reads() {
		rm -f log
		printf 'one\n' >a
		printf 'two\n' >b
		printf '1\n2\n3\n' >list
		in_shell "$1" script 2>said </dev/null
		is "$wanted" log
		# shellcheck disable=SC2053 # a pattern
		[[ "$(cat said)" == $said ]] || { cat said; return 1; }
	}
	batch reads
}

@test "a job reads the file to which its jobctl_run is redirected; the caller may remove it at once" {
	cat >script <<'S'
. jobctl.sh
load () { { echo "$1"; cat; } >>log; }
jobctl_open 1
for f in a b; do jobctl_run load "$f" <"$f"; done
printf '%s\n' a b | while read -r f; do jobctl_run load "$f" <"$f"; done
while read -r f; do jobctl_run load "$f" <a; done <b
jobctl_run load sort <list
jobctl_run load cat <list
rm list
jobctl_close
S
	reads a,one,b,two,a,one,b,two,two,one,sort,1,2,3,cat,1,2,3
}

@test "the descriptor by which a job gets its input is closed, also for its own batch; the script's stay" {
	cat >script <<'S'
. jobctl.sh
look () { for n in 3 4 5 6 7 8; do { true <&"$n"; } 2>/dev/null && echo "$n" >>log; done; cat >>log; }
nest () { jobctl_open -k 1; jobctl_run echo inner; jobctl_close; }
exec 3>/dev/null
jobctl_open 1
jobctl_run nest <a >>log
jobctl_run look <a
jobctl_close
look </dev/null
S
	reads inner,3,one,3
}

@test "each try of a job reads the file from its start, even when it is gone; it takes no list away" {
	cat >script <<'S'
. jobctl.sh
load () { cat >>log; [ "$JOBCTL_TRY" -eq 2 ]; }
jobctl_open --retries 2,0 1
jobctl_run load <a
{ jobctl_run load; while read -r line; do echo "$line" >>log; done; } <b
rm a b
jobctl_close
S
	need_proc
	check_tries() {
		printf 'one\n' >a
		printf 'two\n' >b
		rm -f log
		in_shell "$1" script </dev/null
		same one,one,two,two,two "$(sort log | paste -sd ,)"
	}
	batch tries
}

@test "a loop reads its list, and nothing is said: a file, a pipe, a here-document, of any length" {
	cat >script <<'S'
. jobctl.sh
work () { echo "$1" >>log; cat >>log; }
jobctl_open 1
while read -r f; do jobctl_run work "$f"; done <list
while read -r f; do jobctl_run work "$f"; done <a
cat list | while read -r f; do jobctl_run work "$f"; done
echo one | while read -r f; do jobctl_run work "$f"; done
while read -r f; do jobctl_run work "$f"; jobctl_wait; done <<E
x
y
E
while read -r f; do jobctl_run work "$f"; done <<E
z
E
while read -r f <&3; do jobctl_run work "$f"; done 3<list
jobctl_run work null </dev/null
jobctl_run work closed <&-
jobctl_close
S
	reads 1,2,3,one,1,2,3,one,x,y,z,1,2,3,null,closed
}

@test "a pipe or a here-document is read, or it is said of the first job of a batch that it is not" {
	cat >script <<'S'
. jobctl.sh
load () { cat >>log; }
for kind in pipe here looped; do
	echo "$kind" >>log
	jobctl_open 1
	for n in 1 2; do
		case $kind in
		pipe) echo x | jobctl_run load ;;
		here) jobctl_run load <<E
x
E
			;;
		looped)
			cat list | while read -r f; do jobctl_run load <<E
x
E
			done
			;;
		esac
	done
	jobctl_close 2>>said || exit
done
S
	need_proc
	check_pipes() {
		rm -f log said
		printf '1\n2\n3\n' >list
		in_shell "$1" script 2>>said </dev/null
		message='jobctl_run load: standard input is a pipe, but the job reads /dev/null; to'
		message="$message give it that, write jobctl_open --stdin; if it needs none, write"
		same "$message </dev/null after the command" "$(sort -u said)"
		case $(paste -sd , log) in
		pipe,here,looped) same 3 "$(wc -l <said)" ;;
		pipe,here,x,x,looped,x,x,x,x,x,x) same 1 "$(wc -l <said)" ;; # they are files
		*) cat log; return 1 ;;
		esac
	}
	batch pipes
}

@test "a terminal is not read, and that is said; but nothing of the input that the script has itself" {
	need_proc
	hash script || skip 'no script(1)'
	cat >inner <<'S'
. jobctl.sh
jobctl_open 1
jobctl_run cat
case ${1-} in ?*) jobctl_run cat <"$1" ;; esac
jobctl_run cat
jobctl_close
S
	check_terminal() {
		shell=$1
		[ "$1" != busybox ] || shell='busybox sh'
		same '' "$(script -qec "$shell inner" /dev/null </dev/null)"
		[[ "$(script -qec "$shell inner /dev/tty" /dev/null </dev/null)" == \
			'jobctl_run cat: standard input is a terminal or device, but'* ]]
		same '' "$(echo x | in_shell "$1" inner 2>&1)"
		same '' "$(in_shell "$1" inner 2>&1 <inner)"
		same '' "$(in_shell "$1" inner 2>&1 <&-)"
		same '' "$(in_shell "$1" 2>&1 <inner)"
	}
	batch terminal
}

@test "--stdin: jobs read what their jobctl_run reads; not with further tries, nor with places" {
	cat >script <<'S'
. jobctl.sh
load () { cat >>log; }
jobctl_open --stdin 1
echo pipe | jobctl_run load
jobctl_run load <<E
here
E
jobctl_run load <a
jobctl_run head -n 1 <b >>log
jobctl_close || exit
for option in '--retries=2' '-S:'; do
	jobctl_open --stdin "$option" 2>>log
	echo "$?" >>log
done
S
	no='jobctl_open: --stdin: not with -S or --retries: a further try would read'
	no="$no nothing; redirect within the job,125"
	reads "pipe,here,one,two,$no,$no"
}

@test "a job of a callback, of a task or at a place has no input, and that is said" {
	cat >script <<'S'
. jobctl.sh
load () { cat; }
ended () { [ "$1" -ne 1 ] || jobctl_run load <a; }
result () { jobctl_run true; cat >>log; }
jobctl_open --on-end ended 1
jobctl_run load
jobctl_close
jobctl_open 1
jobctl_tasks load result
jobctl_task t <a
while read -r name; do jobctl_task "$name"; done <list
jobctl_close
jobctl_open -S :
jobctl_run cat <a
jobctl_close
echo end >>log
S
	reads end 'jobctl_run load: standard input is a file, but the job reads /dev/null; to give it that, redirect within the job;*
jobctl_task t: *
jobctl_run cat: * redirect within the job;*'
}

@test "a standard input that is closed is nothing; a file that a job gets then is its own" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --stdin 1
jobctl_run echo closed >>log <&-
jobctl_run cat >>log <a
jobctl_close
exec <&-
jobctl_open 1
jobctl_run cat >>log
jobctl_run cat >>log <b
jobctl_close
echo "$?" >>log
S
	reads closed,one,two,0
}

@test "without a descriptor for its input a job does not run, and is refused" {
	cat >script <<'S'
. jobctl.sh
jobctl_open 1
exec 3<a 4<a 5<a 6<a 7<a
jobctl_run cat >>log <b
echo "$?" >>log
jobctl_close
echo "$?" >>log
S
	reads 125,125 'jobctl_run: needs a free descriptor *
jobctl_run: job 1: exit status 1: *cat*'
}
