load ../helper
load ../helpers/builds
load ../helpers/styles

# The tests of tests/whole/styles.bats, by other builds.

@test "tokget FIFO make, and gcc -flto=jobserver in a recipe: the whole pool" {
	whole_pool_of link make gcc
}
@test "tokget FIFO ./build.sh, which runs gcc -flto=jobserver: the whole pool" {
	whole_pool_of gcc_build_sh gcc
}
@test "tokget FIFO cargo build, and build.rs runs make by CARGO_MAKEFLAGS: the whole pool" {
	whole_pool_of build_rs_cargo make cargo
}
@test "tokget FIFO ninja, which runs makes of 4.4: the whole pool" {
	whole_pool_of ninja_makes44 ninja make44
}
@test "tokget FIFO make of 4.4, with sub-makes, which run ninjas: the whole pool" {
	whole_pool_of submake44_ninjas make44 ninja
}
