load ../helper
load ../helpers/log

# Batches of jobctl.sh with --joblog FILE.json, in each shell.

# are WORD... -- the log has a job "test WORD != ..." for each of them, in this order
are()
{
	local commands words seen=()
	mapfile -d '' -t commands < <(commands log.json)
	eval "words=(${commands[*]})" # each is: test WORD != ...
	while [ "${#words[@]}" -gt 0 ]; do
		seen+=("${words[1]}")
		words=("${words[@]:4}")
	done
	same "$(printf '<%q>' "$@")" "$(printf '<%q>' "${seen[@]}")"
}

# The script: LABEL OPTIONS WORD...; the job of one of the words fails.
write_script()
{
	cat >script <<'S'
. jobctl.sh
label=$1 how=$2
shift 2
eval "jobctl_open $how --quiet --joblog log.json --label \"\$label\" 1"
for word; do jobctl_run test "$word" != 'bad
word'; done
jobctl_close
S
}

@test "a batch's log of objects, whatever bytes commands and labels have" {
	need_python
	write_script
	label=$'a\t"\\\e\x7f\xc3\xbc'
	words=($'t\tb' 'q"q' '\' $'\e[1m' $'bad\nword' "it's" '' $'d\x7fd' ü '$x')
	check_hostile() {
		rm -f log.json
		run -1 in_shell "$1" script "$label" '' "${words[@]}"
		members log.json >seen
		same 9 "$(grep -cF " $label 0 0 0 0 b" seen)"
		grep -qF "5 $label 0 0 1 0 b" seen
		are "${words[@]}"
	}
	batch hostile
}

@test "commands of a batch that are no UTF-8: each stands for itself alone" {
	need_python
	write_script
	check_bytes() {
		[ "$1" != yash ] || return 0 # it has characters, and no bytes
		rm -f log.json
		in_shell "$1" script $'\xff' '' $'\xff' $'\xc3' $'\xf0\x9f\x98' ü
		same 3 "$(members log.json | grep -c $'^[1-4] \uFFFD 0 0 0 0 b.* command_hex$')"
		are $'\xff' $'\xc3' $'\xf0\x9f\x98' ü
	}
	batch bytes
}

@test "a command of 100 kB is one line of a batch's log" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --resume --quiet --joblog log 1
jobctl_run test "$(cat "$1")" != bad
jobctl_close
S
	printf '%0100000d' 7 | tr 0 '\033' >long
	check_long() {
		rm -f log
		for again in 1 2; do
			in_shell "$1" script long
			same 2 "$(wc -l <log)"
		done
	}
	batch long
}

@test "a label with a tab is one column of a batch's log, which is resumed from" {
	cat >script <<'S'
. jobctl.sh
jobctl_open --quiet --resume-failed --joblog log --label "a	b	" 1
for word; do jobctl_run test "$word" != bad; done
jobctl_close
S
	check_tabs() {
		rm -f log
		run -1 in_shell "$1" script one bad
		run -1 in_shell "$1" script bad two one
		is "Seq Host Exitval Command,1 a b  0 test one '!=' bad,2 a b  1 test bad '!=' bad,\
1 a b  1 test bad '!=' bad,2 a b  0 test two '!=' bad" <(cut -f 1,2,7,9 log | tr '\t' ' ')
	}
	batch tabs
}
