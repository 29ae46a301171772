load ../helper
load ../helpers/builds

# The tests of tests/whole/builds.bats with make and cargo, by other builds; and a dispenser that is
# killed at each step of them.

@test "gcc and make share the pool" { together gcc make; }
@test "make of 4.4 and cargo share the pool" { together make44 cargo; }
@test "make of 4.4, with sub-makes, and make share the pool" { together submakes44 make; }
@test "cargo and ninja share the pool" { together cargo ninja; }
@test "a signal to make with sub-makes" { signalled submakes; }
@test "a signal to make of 4.4 with sub-makes" { signalled submakes44; }
@test "a signal to cargo" { signalled cargo; }
@test "a signal to gcc -flto=jobserver" { signalled gcc; }
@test "jobs of sub-makes fail, with and without -k" { jobs_fail submakes -k; }
@test "jobs of make of 4.4 fail, with and without -k" { jobs_fail make44 -k; }
@test "jobs of gcc fail" { jobs_fail gcc; }

@test "cargo -j2 stays in the pool" {
	more=-j2 whole_pool cargo
}

over_or_ended() { ended "$1" || { ended "$2" && ended "$3"; }; }

@test "a dispenser killed at each step of a build's life: nothing is lost, nothing there twice" {
	need_strace
	steps=0
	for call in mkfifoat,mknodat linkat unlinkat renameat,renameat2 write read; do
		for ((when = 1; when < 40; when++)); do
			echo "$call $when" >&2
			rm -f log
			strace -qq -f -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$when" \
				tokend -n 3 -j "$FIFO" 3>&- 2>/dev/null & tokend=$!
			until_true up_or_dead "$tokend"
			tokget -j fifo "$FIFO" greedy make 6 0.01 a 3>&- 2>/dev/null & one=$!
			tokget -j pipe "$FIFO" greedy pipe 6 0.01 a 3>&- 2>/dev/null & two=$!
			until_true over_or_ended "$tokend" "$one" "$two"
			killed=1
			ended "$tokend" || killed=0
			signal_ours KILL tokend || :
			wait "$tokend" || :
			pool -n 3 -j
			until_true ended "$one"
			until_true ended "$two"
			[ ! -e log ] || [ "$(peak)" -le 3 ]
			until_true pool_says '3 3 0 0'
			[ "$(cd "$FIFO.d" && echo * w/*)" = 'lock w w/*' ]
			tokstop "$FIFO"
			until_true no_files
			steps=$((steps + killed))
			[ "$killed" -eq 1 ] || break
		done
	done
	[ "$steps" -ge 20 ]
}
