# bats file_tags=waits
load ../helper
load ../helpers/connections

@test "connections are opened on demand, once for each slot, and lent to one job at a time" {
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
job () {
	echo "in $JOBCTL_CONNECTION" >>use
	query "$1"
	echo "out $JOBCTL_CONNECTION" >>use
}
jobctl_open 3
jobctl_connections ./server
echo "$(cat servers 2>/dev/null | wc -l)" >before
i=0
while [ "$i" -lt 60 ]; do jobctl_run jobctl_on job "$i"; i=$((i + 1)); done
jobctl_close
echo "$? $JOBCTL_DONE $JOBCTL_FAILED" >figures
S
	check_once() {
		rm -f servers use
		in_shell "$1" script
		is '0 60 0' figures
		is 0 before
		[ "$(grep -c "" servers)" -le 3 ]
		same "$(seq 0 59)" "$(cut -d' ' -f4 log | sort -n)"
		# each server has answered 1, 2, 3 ... in this order, and in one slot
		awk '$3 != ++n[$2] || ($2 in slot) && slot[$2] != $1 {exit 1} {slot[$2] = $1}' log
		awk '/^in/ && ++n[$2] > 1 {exit 1} /^out/ {n[$2]--}' use
	}
	batch_on_server once
}

@test "a dialogue in phases: request, acknowledgement, body, result" {
	cat >script <<'S'
set -eu
. jobctl.sh
mail () {
	echo "mail $1" >&6
	IFS= read -r line <&7
	case $line in "354 go on, $1") ;; *) return 1 ;; esac
	{ echo "to $1"; echo 'a  b'; echo .; } >&6
	IFS= read -r line <&7
	echo "$JOBCTL_USES $line" >>log
}
jobctl_open 1
jobctl_connections ./server
for to in ann ben; do jobctl_run jobctl_on mail "$to"; done
jobctl_close
S
	imitation
	logs '0 250 <to ann><a  b>,1 250 <to ben><a  b>'
}

@test "a job that fails or dies in the middle of a dialogue leaves nothing to the next" {
	cat >script <<'S'
. jobctl.sh
. ./query
failing () { return 1; } # nothing unread tells of it
killed () { echo half >&6; sh -c 'kill -KILL "$PPID"'; }
rude () { echo half >&6; exit 0; }
late () {
	[ -e asked ] || {
		echo me >&6
		read -r answer <&7
		: >asked # there is a server
		echo half >&6
		read -r answer <&7
	}
}
bad () { echo "failed: $*" >>errors; }
jobctl_open --on-failure bad 1
jobctl_connections ./server
for job in failing killed rude; do
	jobctl_run jobctl_on query before
	jobctl_run jobctl_on "$job" me
	jobctl_run jobctl_on query after
done
jobctl_close
echo "closed $? $JOBCTL_DONE $JOBCTL_FAILED" >>log
jobctl_open --timeout 0.3 --retries 1000,0 1 # for a machine that is slow
jobctl_connections ./server
job () { late; query late; }
jobctl_run jobctl_on job
jobctl_close
S
	check_half() {
		rm -f asked errors servers
		in_shell "$1" script 2>err
		sed '/late/d' log | sed 's/^1 [0-9]* //' | is '1 before,1 after,2 before,1 after,'\
'2 before,1 after,closed 1 9 2' -
		sed -n '/late/s/^1 [0-9]* //p' log | sort -u | is '1 late' -
		[ "$(grep -c "" servers)" -ge 6 ]
		sed 's/^failed: [0-9]* [0-9]* jobctl_on//' errors | is ' failing me, killed me' -
	}
	batch_on_server half
}

@test "an answer that nobody has read is not the next job's; nor is one that came meanwhile" {
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
jobctl_open 1
jobctl_connections ./server
for word in a twice b later; do jobctl_run jobctl_on query "$word"; done
jobctl_wait
: >go
until [ -e said ]; do ./sleeper 0.02; done
jobctl_run jobctl_on query c
jobctl_close
S
	check_unread() {
		rm -f go said
		in_shell "$1" script
		cut -d' ' -f3,4 log | is '1 a,2 twice,1 b,2 later,1 c' -
	}
	batch_on_server unread
}

@test "a connection is closed after so many uses, when it was idle for so long, and at the end" {
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
jobctl_open 1
ends=$1
shift
jobctl_connections ${1+"$@"} ./server
for word in a b c d e; do
	jobctl_run jobctl_on query "$word"
	if [ "$ends" -gt 0 ]; then
		jobctl_wait
		until [ -s ends ] && [ "$(grep -c . ends)" -ge "$ends" ]; do ./sleeper 0.02; done
		ends=$((ends + 1))
	fi
done
jobctl_close
grep -c . ends >>log
S
	check_closed() {
		rm -f ends servers
		in_shell "$1" script 0 -u 2
		cut -d' ' -f3,4 log | is '1 a,2 b,1 c,2 d,1 e,3' -
		rm -f ends log
		in_shell "$1" script 1 -i 0.05
		cut -d' ' -f3,4 log | is '1 a,1 b,1 c,1 d,1 e,5' -
		rm -f ends log
		in_shell "$1" script 0
		cut -d' ' -f3,4 log | is '1 a,2 b,3 c,4 d,5 e,1' -
	}
	batch_on_server closed
}

@test "a connection that is refused: each job says so, and --halt ends the batch" {
	fake server <<'S'
echo >>"$here/servers"
echo 'server: connection refused' >&2
exit 2
S
	cat >script <<'S'
. jobctl.sh
query () { echo "$1" >&6; read -r answer <&7; }
bad () { echo "failed: $*" >>log; }
jobctl_open --retries 2,0 --on-failure bad --halt "soon,fail=$1" 2
jobctl_connections server
i=0
while [ "$i" -lt 1000 ]; do
	jobctl_run jobctl_on query "$i" || break
	i=$((i + 1))
done
jobctl_run true
echo "run $?" >>figures
jobctl_close
echo "close $? $((JOBCTL_DONE < 20))" >>figures
S
	check_refused() {
		rm -f servers figures
		in_shell "$1" script 4 >out 2>err
		is 'run 1,close 1 1' figures
		[ "$(grep -c "" servers)" -ge 4 ]
		[ "$(grep -c "" servers)" -lt 20 ]
		grep -q '^failed: 1 [0-9]* jobctl_on query 0$' log
		grep -q '^server: connection refused$' err
	}
	batch refused
}

@test "who cannot be executed is tried once; what makes no sense is refused" {
	cat >script <<'S'
. jobctl.sh
jobctl_connections ./server; echo "none $?" >>log
jobctl_on true; echo "outside $?" >>log
jobctl_open 1
jobctl_connections; echo "nothing $?" >>log
jobctl_connections -x cat || jobctl_connections -i x cat
echo "option $?" >>log
jobctl_connections ./no-such; echo "command $?" >>log
jobctl_connections "$here"; echo "directory $?" >>log
jobctl_connections ''; echo "empty $?" >>log
jobctl_connections ./bad; echo "bad $?" >>log
jobctl_run jobctl_on true
jobctl_wait; echo "wait $?" >>log
jobctl_connections cat; echo "twice $?" >>log
jobctl_close || :
jobctl_open 1
jobctl_run jobctl_on true
jobctl_wait; echo "without $?" >>log
jobctl_connections cat; echo "then $?" >>log
jobctl_run jobctl_on true
jobctl_close; echo "close $?" >>log
S
	echo '#!/no/such/shell' >bad
	chmod 755 bad
	check_sense() {
		in_shell "$1" script 2>err
		head -n 6 log | is 'none 125,outside 125,nothing 125,option 125,command 125,directory 125' -
		# that the batch is to stop may come after the job's status
		tail -n 7 log |
			is 'empty 125,bad 0,wait 1,twice 125,without 1,then 0,close 1' -
		same 1 "$(grep -c '^jobkeep: ./no-such: no such command$' err)"
		same 1 "$(grep -c '^jobctl_connections: this batch has connections already$' err)"
	}
	batch sense
}

@test "the caller's -e is in force in a dialogue; a program may have it; traps stay the caller's" {
	cat >script <<'S'
set -eu
. jobctl.sh
job () { echo a >&6; read -r answer <&7; false; echo never >>log; }
program () { sh -c 'echo b >&6; read -r answer <&7; echo "$answer" >>log' 6>&6 7>&7; }
trap 'echo piped >>log' PIPE
exec 5>five 6>six 7>seven
jobctl_open 1
jobctl_connections ./server
jobctl_run jobctl_on job
jobctl_wait || echo "$JOBCTL_FAILED" >>log
jobctl_run jobctl_on program
jobctl_close || :
echo mine >&5; echo mine >&6; echo mine >&7
kill -s PIPE "$$"
S
	check_callers() {
		in_shell "$1" script
		sed 's/^[0-9]* 1 b/b/' log | is 1,b,piped -
		cat five six seven | is mine,mine,mine -
	}
	batch_on_server callers
}

@test "a job may have several dialogues, and what it does in between without the connection" {
	cat >script <<'S'
set -eu
. jobctl.sh
. ./query
job () {
	jobctl_on query "$1"
	jobctl_on false || echo "status $?" >>log
	jobctl_on query "$1"
}
jobctl_open 1
jobctl_connections ./server
jobctl_run job a
jobctl_close
S
	check_several() {
		in_shell "$1" script
		sed 's/^1 [0-9]* //' log | is '1 a,status 1,1 a' -
	}
	batch_on_server several
}

@test "a token that is returned early takes the connection with it" {
	cat >script <<'S'
. jobctl.sh
. ./query
early () {
	query before
	echo C >&9
	until [ -e second ]; do ./sleeper 0.02; done
	query after || echo "gone" >>log
}
late () { query mine; : >second; }
jobctl_open 1
jobctl_connections ./server
jobctl_run jobctl_on early
jobctl_run jobctl_on late
jobctl_close
echo "$? $JOBCTL_FAILED" >>log
S
	check_early() {
		rm -f second
		in_shell "$1" script 2>err
		grep -q '^1 [0-9]* 1 before$' log
		grep -q '^1 [0-9]* 1 mine$' log
		run -1 grep -q after log
		[ "$(tail -n 1 log)" = '0 0' ] || [ "$(tail -n 1 log)" = '1 1' ]
	}
	batch_on_server early
}
