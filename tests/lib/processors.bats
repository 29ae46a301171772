load ../helper

# The number of processors that we may use: the default of -n, and its forms.

need_affinity()
{
	grep -q sched_getaffinity "$top/src/lib/processors.o" || skip "the portable build has none"
}

@test "tokend counts in every form of -n" {
	usable=$(processors_test '' '')
	for form in 5/5 08/8 "100%/$usable" "+2/$((usable + 2))" -999/1; do
		pool -n "${form%/*}"
		pool_says "${form#*/} ${form#*/} 0 0"
		stopped
	done
	pool
	pool_says "$usable $usable 0 0"
	stopped
}

@test "the default count follows affinity" {
	need_affinity
	same 1 "$(taskset -c 0 processors_test '' '')"
}

@test "the default count follows the control group's quota" {
	mkdir -p root/proc/self root/sys/fs/cgroup/a/b
	echo '0::/a/b' >root/proc/self/cgroup
	all=$(processors_test root '')
	[ "$all" -ge 1 ]
	echo '50000 100000' >root/sys/fs/cgroup/a/cpu.max
	same 1 "$(processors_test root '')"
	echo 'max 100000' >root/sys/fs/cgroup/a/cpu.max
	same "$all" "$(processors_test root '')"
	echo '100000 100000' >root/sys/fs/cgroup/cpu.max
	same 1 "$(processors_test root '')"
	printf '1:name=systemd:/x\n0::/a/b\n' >root/proc/self/cgroup
	same 1 "$(processors_test root '')"
}

@test "control groups that are told of in no form we know set no quota" {
	mkdir -p root/proc/self root/sys/fs/cgroup/a
	all=$(processors_test root '')
	for max in '' 50000 'x y' '1 0' '99999999999 1'; do
		echo "$max" >root/sys/fs/cgroup/a/cpu.max
		echo '0::/a' >root/proc/self/cgroup
		same "$all" "$(processors_test root '')"
	done
	for groups in '' nonsense '4:cpu' "4:memory:/x" "0::/$(printf '%01000d' 1)"; do
		echo "$groups" >root/proc/self/cgroup
		same "$all" "$(processors_test root '')"
	done
}

@test "percentages and differences of 8 processors" {
	same 4 "$(processors_test '' 50%)"
	same 1 "$(processors_test '' 1%)"
	same 12 "$(processors_test '' 150%)"
	same 8 "$(processors_test '' +0)"
	same 5 "$(processors_test '' -3)"
	same 1 "$(processors_test '' -8)"
	for form in 0 0% % - + 1x x -x 1.5 ' 1' 1001 +993 999999999999999999999 --; do
		run -1 processors_test '' "$form"
	done
}
