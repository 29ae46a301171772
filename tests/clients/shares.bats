load ../helper
load ../helpers/greedy

# Shares of builds by their priority. The numbers of jobs are in tests/trust/shares.bats.

@test "a share is rounded, and at least what the build has of its own" { units_test shares; }

@test "-p 9 beside -p 0: nine tokens to one, whoever came first, and none is starved" {
	pool -j -n 10
	for way in 'high pipe' 'low make'; do
		both ${way% *} ${way#* }
		until_true has_begun "$(wc -l <log)" 10 low
		[ "$(peak)" -le 10 ]
		ended_both
	done
	stopped
}

@test "a dispenser that takes over does not know -p: the builds that it finds get equal shares" {
	pool -j -n 10
	both high pipe
	restarted -j -n 10
	until_true run_now 5 high
	until_true run_now 5 low
	ended_build KILL "$high"
	ended_build KILL "$low"
	stopped
}
