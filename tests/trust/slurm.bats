# bats file_tags=waits
load ../helper
load ../helpers/places
load ../helpers/slurm

# jobctl --slurm, and Slurm's allocations as places that come and go: with a real controller.

setup_file() { slurm_up; }
teardown_file() { slurm_down; }

# submit OPTION... -- jobctl as a batch script with these options, on all nodes; sets $id. Its jobs
# are those of the file "list"; the first six are done at once, the others when the gate is open.
submit()
{
	seq 12 >list
	cat >script <<-END
		#!/bin/sh
		exec jobctl --slurm --beat 10 --joblog log --resume-failed -a list -c \\
			'echo \$JOBCTL_LABEL >>begun; [ {} -le 6 ] || : <gate; echo {} >>done'
	END
	id=$(sbatch --parsable -N3 --ntasks-per-node=2 --open-mode=append -o out "$@" script)
}

# six_held N -- the first six are done and logged, and six run, as do N in all
six_held()
{
	until_true lines_in 7 log
	until_true lines_in "$1" begun
}

# each_once -- opens the gate: the batch ends, and each job was done once
each_once()
{
	open_gate gate
	until_true slurm_over "$id"
	close_gate
	same "$(seq 12)" "$(sort -n done)"
	same 12 "$(awk '$7 == 0 && $8 == 0' log | wc -l)"
}

# nothing_there -- no job, no session. Slurm kills all of a step at once: files of the sh there in
# $TMPDIR stay.
nothing_there()
{
	until_true no_ours sleeper && until_true no_ours jobat && until_true no_ours jobctl
	run ! compgen -G "$here/jobctl-*"
}

@test "in an allocation: its nodes are the places, with a slot for each task's processors" {
	in_slurm
	seq 6 | fresh salloc -Q -N3 --ntasks-per-node=2 jobctl --slurm --joblog log \
		-c 'echo $JOBCTL_LABEL $SLURMD_NODENAME {} >>slots; : <gate' >out 2>err 3>&- &
	salloc=$!
	until_true lines_in 6 slots
	gate_opens "$salloc"
	[ ! -s err ]
	same '' "$(awk '$1 != $2' slots)"
	same ' 1 Host, 2 node1, 2 node2, 2 node3' "$(cut -f 2 log | tally)"
	seq 9 | salloc -Q -N2 --ntasks-per-node=1 -c 2 jobctl --slurm --line-buffer -c \
		'echo $SLURM_CPUS_PER_TASK $JOBCTL_SLOT; : {}' | sort >out
	same '2 1,2 2' "$(sort -u out | paste -sd ,)"
	same 9 "$(wc -l <out)"
	nothing_there
}

@test "the slots follow the list of processors, -j bounds those of a node, and JOBCTL_RSH stays" {
	local_places
	mkfifo gate
	export SLURM_JOB_ID=1 SLURM_JOB_NODELIST='n[1-3],other' SLURM_JOB_CPUS_PER_NODE='4(x3),7'
	jobctl --slurm -c 'echo $JOBCTL_SLOT; : <gate; : {}' ::: $(seq 30) >slots 3>&- &
	jobctl=$!
	until_true lines_in 19 slots
	gate_opens "$jobctl"
	same 19 "$(sort -n slots | tail -n 1)"
	same ' 4 n1, 4 n2, 4 n3, 7 other' "$(tally ran)"
	SLURM_CPUS_PER_TASK=3 jobctl --slurm -j 1 -c 'echo $JOBCTL_SLOT; : {}' ::: $(seq 50) >slots
	[ "$(sort -nu slots | tail -n 1)" -le 4 ]
	no_places
}

@test "outside an allocation, and with other places: refused, with what to write" {
	run -125 jobctl --slurm true </dev/null
	[[ "$output" == *'salloc -N3 jobctl --slurm'* ]]
	export SLURM_JOB_ID=1
	run -125 jobctl --slurm true </dev/null
	[[ "$output" == *SLURM_JOB_NODELIST* ]]
	run -125 jobctl --slurm -S a true </dev/null
	[[ "$output" == *'not with -S'* ]]
	export SLURM_JOB_NODELIST='n[1-3]'
	for wrong in '2(x2)' '2(x4)' '2(x3' x '2(x' 2,2,2x 0 ''; do
		SLURM_JOB_CPUS_PER_NODE=$wrong run -125 jobctl --slurm true </dev/null
		[[ "$output" == *SLURM_JOB_CPUS_PER_NODE* ]]
	done
	for wrong in 0 abc ''; do
		SLURM_CPUS_PER_TASK=$wrong run -125 jobctl --slurm true </dev/null
		[[ "$output" == *SLURM_CPUS_PER_TASK* ]]
	done
}

@test "a batch that is requeued runs the rest, by its log: each job once" {
	in_slurm
	submit
	six_held 12
	scontrol requeue "$id"
	runs_again "$id"
	six_held 18
	each_once
	nothing_there
}

@test "a batch that is preempted runs the rest, too" {
	in_slurm
	submit
	six_held 12
	salloc -Q -p urgent -N3 --exclusive true
	runs_again "$id"
	six_held 18 || { cat out log begun; false; }
	each_once
	nothing_there
}

# Slurm kills a job that ignores TERM only if it knows all processes of a step: here it does not.
@test "scancel ends all jobs and sessions" {
	in_slurm
	cat >script <<-END
		#!/bin/sh
		exec jobctl --slurm --beat $BEAT --joblog log -a list -c \\
			'echo x >>begun; exec ./sleeper 1000; : {}'
	END
	seq 12 >list
	id=$(sbatch --parsable -N3 --ntasks-per-node=2 -o out script)
	until_true lines_in 6 begun
	scancel "$id"
	until_true slurm_over "$id"
	nothing_there
	same 6 "$(wc -l <begun)"
	same '' "$(awk '$7 == 0 && $8 == 0' log)"
}

@test "a step that is lost is status 122, and with --retries its job is begun again" {
	in_slurm
	kill_step='step=$(ps -o ppid= -p $(ps -o ppid= -p $PPID))
		echo $JOBCTL_TRY >>begun
		[ $JOBCTL_TRY = 2 ] && exit
		kill -9 $step; exec ./sleeper 1000'
	run -1 salloc -Q -N2 --ntasks-per-node=1 jobctl --slurm --beat $BEAT --joblog log \
		-c "$kill_step" ::: 1
	[[ "$output" == *'job 1: lost at node'* ]]
	same Exitval,122 "$(columns 7 log)"
	salloc -Q -N2 --ntasks-per-node=1 jobctl --slurm --beat $BEAT --retries 2,0 -c "$kill_step" ::: 1
	same 1,1,2 "$(paste -sd , begun)"
	nothing_there
}

# held_list N -- commands in the file "list", which begin, wait for the gate, and are done
held_list()
{
	seq "$1" | sed 's/.*/echo & >>begun; : <gate; echo & >>done/' >list
}

@test "the batch script of the examples, as it is: a requeue runs the rest" {
	in_slurm
	held_list 10
	id=$(sbatch --parsable "$top/share/examples/slurm-batch.sh" list)
	until_true lines_in 4 begun
	scontrol requeue "$id"
	runs_again "$id"
	until_true lines_in 8 begun
	open_gate gate
	until_true slurm_over "$id"
	close_gate
	same "$(seq 10)" "$(sort -n done)"
	sbatch -W "$top/share/examples/slurm-batch.sh" list
	same 10 "$(wc -l <done)"
	nothing_there
}

@test "near its time limit the batch script of the examples begins no more jobs" {
	in_slurm
	held_list 10
	id=$(sbatch --parsable "$top/share/examples/slurm-batch.sh" list)
	until_true lines_in 4 begun
	scancel --batch --signal=INT "$id"
	until_true grep -q 'interrupted: waiting for 4 running jobs' "slurm-$id.out"
	open_gate gate
	until_true slurm_over "$id"
	close_gate
	same 4 "$(wc -l <begun)"
	same 4 "$(wc -l <done)"
}
