load ../helper
load ../helpers/jobctl

# jobctl, killed at random times.

@test "killed at any time, in each mode: all output comes, now or with --resume-failed" {
	printf '%s\n' "$here/sleeper 0.03; echo job 1" 'echo job 2' 'echo job 3' >list
	for mode in -k -k -k --group --tag ''; do
		for _ in $(seq 20); do
			rm -f log
			begun $mode -j 2 --joblog log
			"$here/sleeper" "0.0$((RANDOM % 60 + 10))"
			kill -KILL "$batch" 2>/dev/null || :
			wait "$batch" || :
			jobctl $mode --resume-failed -j 2 --joblog log -a list >>out
			sed 's/^.*	//' out | grep -x 'job [1-3]' | sort -u | is 'job 1,job 2,job 3' -
		done
	done
}
