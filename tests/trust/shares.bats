load ../helper
load ../helpers/greedy

@test "-p 9 beside -p 0: at least four jobs to one, whoever came first" {
	pool -j -n 10
	for way in 'high pipe' 'low pipe' 'high make' 'low make'; do
		both ${way% *} ${way#* }
		mark=$(wc -l <log)
		until_true has_begun "$mark" 300 high
		few=$(begun "$mark" low)
		many=$(begun "$mark" high)
		echo "$way: $many to $few" # 8.9 to 1 at the lowest of 24 runs beside six busy loops
		[ "$many" -ge $((4 * few)) ]
		[ "$(peak)" -le 10 ]
		ended_both
	done
	stopped
}
