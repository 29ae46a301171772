# jobpool in front of workers. One that does not end is ended.
jobpool() { timeout 200 "$top/bin/jobpool" "$@"; }
useless='jobpool: 10 workers in a row gave no answer, the last one'

# A worker says in the file "log" when it begins and ends, and answers with the square.
worker()
{
	ln -sf "$top/bin/jobpool" jobpool # so that teardown finds it
	cat >worker <<'S'
echo "in $$" >>log
while read -r x; do
	[ ! -p gate ] || : <gate
	echo "$((x * x))"
done
echo "out $$" >>log
S
}

# pool_of OPTION... -- in the background; its input is the FIFO "requests", by descriptor 6,
# its answers are in "answers", its messages in "errors". Sets $pool.
pool_of()
{
	worker
	rm -f requests
	mkfifo requests
	fresh "$here/jobpool" "$@" <requests >answers 2>errors 3>&- &
	pool=$!
	exec 6>requests
}
squares() { seq "$1" | awk '{print $1 * $1}'; }
said() { [ "$(grep -c "$2" errors)" -eq "$1" ]; }
no_worker() { no_process "$here/"; }
