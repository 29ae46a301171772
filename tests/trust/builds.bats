load ../helper
load ../helpers/builds

# What tests/whole/builds.bats does with make and cargo, by other builds.

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
