load ../helper
load ../helpers/builds
load ../helpers/styles

# A build below a command that tokget does not know: each takes part unchanged, by the descriptors
# or by the path. (whole_pool: five jobs wait at once, and there are never more.) More of them are
# in tests/trust/styles.bats.

@test "tokget FIFO env CC=gcc make has the whole pool" { whole_pool_of env make; }
@test "tokget FIFO nice make, with sub-makes: the whole pool" {
	whole_pool_of nice make
}
@test "tokget FIFO sh -c make has the whole pool" { whole_pool_of sh make; }
@test "tokget FIFO ./build.sh, which runs make, with sub-makes: the whole pool" {
	whole_pool_of build_sh make
}
@test "tokget -x FIFO ./build.sh, which runs make: the whole pool" {
	whole_pool_of exec make
}
@test "tokget FIFO cmake --build has the whole pool" {
	whole_pool_of cmake make cmake
}
@test "tokget FIFO cmake --build, which runs ninja: the whole pool" {
	whole_pool_of cmake_ninja ninja cmake
}
@test "tokget FIFO ninja, which runs makes: the whole pool" {
	whole_pool_of ninja_makes ninja make
}
@test "tokget FIFO make, with sub-makes, which run ninjas: the whole pool" {
	whole_pool_of submake_ninjas make ninja
}
@test "tokget FIFO env make, which is of 4.4: the whole pool" {
	whole_pool_of env44 make44
}
@test "tokget FIFO ./build.sh, which runs a make of 4.4, with sub-makes: the whole pool" {
	whole_pool_of build_sh44 make44
}
@test "tokget FIFO ./build.sh, which runs ninja: the whole pool" {
	whole_pool_of ninja_build_sh ninja
}
@test "tokget FIFO make, and ninja in a recipe: the whole pool" {
	whole_pool_of ninja_recipe make ninja
}
@test "tokget FIFO make, and cargo in a recipe: the whole pool" {
	whole_pool_of cargo_recipe make cargo
}
@test "variables of makes above and below stay, and there is the whole pool" {
	whole_pool_of variables make
}
@test "the words of the jobserver of a build above are replaced, its variables stay" {
	need make
	export MAKEFLAGS=" -j9 --jobserver-fds=98,99 --jobserver-auth=98,99 -- A=1 --jobserver-auth=fifo:$here/no"
	whole_pool build_sh
	! lacks ninja >/dev/null || return 0
	rm -r a log
	MAKEFLAGS=" -j9 -- --jobserver-auth=fifo:$here/no A=--jobserver-auth=fifo:$here/no"
	whole_pool ninja_build_sh
}
@test "tokget FIFO cargo build, and build.rs runs make by its MAKEFLAGS: the whole pool" {
	whole_pool_of build_rs make cargo
}
