# bats file_tags=waits
load ../helper

# Where the directory of a batch is taken away while jobs run, by a cleaner of /tmp, say.

make_script()
{
	mkfifo gate
	cat >script <<'S'
. jobctl.sh
job () { echo begun >>log; : <gate; echo ended >>log; }
answer () { echo "answer $2" >>log; }
ended () { :; }
work () { while read -r line; do job; echo "$line"; done; }
session () { echo hello >&6; read -r line <&7; job; }
run () { for i in 1 2 3 4; do jobctl_run "$@" || break; done; }
case $1 in
plain) jobctl_open 2; run job; jobctl_close ;;
kept) jobctl_open -k --joblog joblog 2; run job; jobctl_close ;;
hook) jobctl_open --on-end ended --retries 2 2; run job; jobctl_close ;;
loop) jobctl_open 2; seq 4 | while read -r i; do jobctl_run job || break; done; jobctl_close ;;
process) jobctrl 2 | process 4 ;;
connections) jobctl_open 2; jobctl_connections cat; run jobctl_on session; jobctl_close ;;
esac
echo "end $?" >>log
S
}

away() { rm -r "$here"/jobctl.* "$FIFO" "$FIFO.d" 2>/dev/null || [ ! -e "$FIFO.d" ]; }

# began SHELL KIND -- two jobs of the script have, and then its directory is taken away
began()
{
	rm -f log
	in_shell "$1" script "$2" 2>err 3>&- & run=$!
	until_true lines_in 2 log
	away
}

@test "the directory of a batch goes: it says so once, its jobs end in peace, its status is 123" {
	make_script
	check_goes() {
		local kind kinds='plain hook process'
		[ "$1" != dash ] || kinds='plain kept hook loop process connections'
		for kind in $kinds; do
			echo "$kind" >&2
			began "$1" "$kind"
			until_true grep -q 'was taken away; no more jobs are started' err
			gate_opens "$run"
			same 2 "$(grep -c ended log)"
			same 'end 123' "$(tail -n 1 log)"
			same 1 "$(grep -c 'no more jobs' err)"
			clean
		done
	}
	batch goes
}

@test "what a job wrote goes with the directory: that is said, and the log does not have the job" {
	make_script
	check_lost() {
		began "$1" kept
		gate_opens "$run"
		[[ "$(tail -n 1 log)" == "end 12"[35] ]]
		same 2 "$(grep -c 'the files of its output were removed' err)"
		same 1 "$(wc -l <joblog)"
		rm joblog
		clean
	}
	batch lost
}

@test "the directory goes, and TERM comes: the jobs are ended, nothing hangs" {
	make_script
	check_term() {
		local kind
		for kind in plain hook process; do
			echo "$kind" >&2
			rm -f log
			started "$1" script "$kind"
			until_true lines_in 2 log
			until_true in_read "$script" # ksh93 may lose a signal while it forks
			away
			kill -TERM -- "-$script"
			wait "$script" && return 1
			clean
		done
	}
	batch term
}

@test "the directory goes while a job is being started, and TERM comes: that job is ended, too" {
	make_script
	check_starting() {
		local at
		for at in 's/fi 9>|/sleep 0.2; &/' 's/^\tcase $? in/sleep 0.2; &/'; do # its lease is open, or not
			echo "$at" >&2
			rm -f log
			sed "/^_jobctl_launch/,/^}/$at" "$top/share/jobctl/jobs.sh" >"$JOBCTL_LIB/jobs.sh"
			! cmp -s "$top/share/jobctl/jobs.sh" "$JOBCTL_LIB/jobs.sh"
			started "$1" script plain
			until_true lines_in 2 log
			away
			kill -TERM "$script"
			until_true ended_by_more "$script"
			wait "$script" && return 1
			until_true no_jobs
			clean
		done
	}
	cp -r "$top/share/jobctl" lib
	export JOBCTL_LIB=$PWD/lib
	batch starting
}
ended_by_more() { ended "$1" || { pause 200; kill -TERM "$1"; false; }; }
no_jobs() { ! pgrep -s "$script" -f ' script (plain|process)$' >/dev/null; }

# astray WAY -- what stands in these directories is taken away
astray()
{
	case $1 in
	files) find "$here"/jobctl.* "$FIFO" "$FIFO.d" ! -type d -delete 2>/dev/null || : ;;
	calls | soon) rm -f "$here"/jobctl.*/fifo.d/calls "$FIFO.d/calls" ;;
	empty)
		mkdir -p elsewhere/$$
		for fifo in "$here"/jobctl.*/fifo "$FIFO"; do
			[ ! -e "$fifo.d" ] || { mv "$fifo.d" elsewhere/$$ && mkdir "$fifo.d"; }
		done
		;;
	*) away ;;
	esac
}

@test "names go in any way, and the script alone is ended: its jobs are, and nothing hangs" {
	make_script
	check_alone() {
		local kind way ways='all soon'
		[ "$1" != dash ] || ways='all files calls empty soon'
		for kind in plain process; do
			case $1/$kind in # they act when a job, or the pipeline, has ended
			yash/* | mksh/process | posh/process) continue ;;
			esac
			for way in $ways; do
				echo "$kind $way" >&2
				rm -f log
				started "$1" script "$kind"
				until_true lines_in 2 log
				astray "$way"
				[ "$way" = soon ] ||
					until_true grep -q 'was taken away; no more jobs are started' out
				[ "$way" = soon ] || until_true in_read "$script"
				kill -TERM "$script"
				# a signal in the instant before a read is heard with the next line
				[ "$way" != soon ] || until_true ended_by_more "$script"
				wait "$script" && return 1
				until_true no_jobs
				rm -rf elsewhere "$here"/jobctl.* "$FIFO.d" "$FIFO"
				clean
			done
		done
	}
	batch alone
}

@test "the directory of workers goes: those there are answer all, or the rest is told of" {
	cat >script <<'S'
. jobctl.sh
answer () { echo "answer $2" >>log; }
work () { . ./work; }
case $1 in
function) jobctl_workers -j 2 answer work ;;
program) jobctl_workers -j 2 answer sh work ;;
esac
for i in 1 2 3 4; do jobctl_ask "$i" || break; done
jobctl_workers_end
echo "end $?" >>log
S
	echo 'while read -r line; do echo begun >>log; : <gate; echo "$line"; done' >work
	mkfifo gate
	check_workers() {
		local kind
		for kind in function program; do
			began "$1" "$kind"
			gate_opens "$run"
			case $(tail -n 1 log) in
			'end 0') [ "$(grep -c answer log)" -eq 4 ] ;;
			*) [ "$(grep -c 'has no answer' err)" -gt 0 ] ;;
			esac
			clean
		done
	}
	batch workers
}
