load ../helper
load ../helpers/builds

# A build below a command that tokget does not know: each takes part as it is, by the descriptors
# or by the path. (whole_pool: five jobs wait at once, and there are never more.)

# below COMMAND... -- what of_CLIENT has set goes behind that
below() { command=("$@" "${command[@]}"); }

of_env() { of_make "$1"; below env CC=gcc; }
of_nice() { of_submakes "$1"; below nice; }
of_sh() { of_make "$1"; command=(sh -c "$(printf '%q ' "${command[@]}"); exit \"\$?\""); }

# script NAME -- what of_CLIENT has set becomes ./build.sh there
script()
{
	printf '#!/bin/sh -e\n%s\n' "$(printf '%q ' "${command[@]}")" >"$1/build.sh"
	chmod +x "$1/build.sh"
	command=("$here/$1/build.sh")
}

of_build_sh() { of_submakes "$1"; script "$1"; }
of_exec() { of_build_sh "$1"; options=(-x); }
of_env44() { of_make44 "$1"; below env CC=gcc; }
of_build_sh44() { of_submakes44 "$1"; script "$1"; }
of_ninja_build_sh() { of_ninja "$1"; script "$1"; }
of_gcc_build_sh() { of_gcc "$1"; script "$1"; }

# A recipe of make in which ninja, or cargo, is the only job; and make gives it no descriptors.
of_ninja_recipe()
{
	of_ninja "$1"
	printf 'all:; @%s\n' "$(printf '%q ' "${command[@]}")" >"$1/Makefile"
	command=(make -C "$here/$1")
}

of_cargo_recipe()
{
	of_cargo "$1"
	mkdir "$1/above"
	printf 'all:; @cd .. && %s\n' "$(printf '%q ' "${command[@]}")" >"$1/above/Makefile"
	command=(make -C "$here/$1/above")
	sed -i 's|--manifest-path [^ ]*|--manifest-path Cargo.toml|' "$1/above/Makefile"
}

# A variable of the user's, in an outer make, and one in a sub-make.
of_variables()
{
	of_make "$1"
	mkdir "$1/above"
	printf 'all:; @test "$(CC)" = "a b" && $(MAKE) -C .. LD=c\n' >"$1/above/Makefile"
	command=(make -C "$here/$1/above" 'CC=a b')
}

of_cmake()
{
	{
		echo 'cmake_minimum_required(VERSION 3.10)'
		echo 'project(jobs NONE)'
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
			echo "add_custom_target(t$i ALL COMMAND seat $1 sh -c \": <$here/$1/gate\" VERBATIM)"
		done
	} >"$1/CMakeLists.txt"
	cmake -G "${2-Unix Makefiles}" "-DCMAKE_MAKE_PROGRAM=${3-make}" -S "$1" \
		-B "$1/of_cmake" >"$1.cmake" || cat "$1.cmake"
	command=(cmake --build "$here/$1/of_cmake")
}

of_cmake_ninja() { of_cmake "$1" Ninja "$NINJA113"; }

# The link is the last of three recipes. To what is no make, make hands its descriptors on
# where "+" is.
of_link()
{
	of_gcc "$1"
	printf 'all: 1 2; +@cd .. && %s\n1 2:; @:\n' "$(printf '%q ' "${command[@]}")" \
		>"$1/Makefile"
	command=(make -C "$here/$1")
}

# Three sub-makes, or three ninjas, of four jobs each.
of_ninja_makes()
{
	of_submakes "$1"
	printf '%s\n' 'rule makes' " command = ${2-make} -s \${out}1 \${out}2 \${out}3 \${out}4" \
		'build a: makes' 'build b: makes' 'build c: makes' >"$1/build.ninja"
	command=("$NINJA113" --quiet -C "$here/$1")
}

of_ninja_makes44() { of_ninja_makes "$1" "$MAKE44"; }

of_submake_ninjas()
{
	{
		printf '%s\n' 'rule job' " command = seat $1 sh -c ': <$here/$1/gate && : >\$out'"
		printf 'build %s: job\n' {a,b,c}{1,2,3,4}
	} >"$1/build.ninja"
	cat >"$1/Makefile" <<-M
	all: a b c
	a b c:; @mkdir in.\$@ && cp build.ninja in.\$@ && \$(MAKE) \$@.ninja
	%.ninja:; @$NINJA113 --quiet -C in.\$* \$*1 \$*2 \$*3 \$*4
	M
	command=("${2-make}" -C "$here/$1")
}

of_submake44_ninjas() { of_submake_ninjas "$1" "$MAKE44"; }

# A crate whose build.rs runs make, as one does that builds a library of C; by the MAKEFLAGS that
# it has, or by the variable that cargo has for this.
of_build_rs()
{
	of_make "$1"
	mkdir "$1/crate" "$1/crate/src"
	printf '%s\n' '[package]' 'name = "crate"' 'version = "0.1.0"' 'edition = "2018"' \
		>"$1/crate/Cargo.toml"
	echo 'pub fn one() -> i32 { 1 }' >"$1/crate/src/lib.rs"
	cat >"$1/crate/build.rs" <<-R
	fn main() {
	    let flags = std::env::var("${2-MAKEFLAGS}").unwrap();
	    let made = std::process::Command::new("make").arg("-C").arg("$here/$1")
	        .env("MAKEFLAGS", flags).status().unwrap();
	    assert!(made.success());
	}
	R
	command=(cargo build --offline -q --manifest-path "$here/$1/crate/Cargo.toml")
}

of_build_rs_cargo() { of_build_rs "$1" CARGO_MAKEFLAGS; }
of_build_rs_debian() { of_build_rs "$1"; command[0]=/usr/bin/cargo; below env RUSTC=/usr/bin/rustc; }

# whole_pool_of CLIENT NEED... -- skipped where one of these is not there
whole_pool_of()
{
	local client=$1
	shift
	need "$@"
	whole_pool "$client"
}

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
@test "tokget FIFO make, and gcc -flto=jobserver in a recipe: the whole pool" {
	whole_pool_of link make gcc
}
@test "tokget FIFO ninja, which runs makes: the whole pool" {
	whole_pool_of ninja_makes ninja make
}
@test "tokget FIFO ninja, which runs makes of 4.4: the whole pool" {
	whole_pool_of ninja_makes44 ninja make44
}
@test "tokget FIFO make, with sub-makes, which run ninjas: the whole pool" {
	whole_pool_of submake_ninjas make ninja
}
@test "tokget FIFO make of 4.4, with sub-makes, which run ninjas: the whole pool" {
	whole_pool_of submake44_ninjas make44 ninja
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
@test "tokget FIFO ./build.sh, which runs gcc -flto=jobserver: the whole pool" {
	whole_pool_of gcc_build_sh gcc
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
	rm -r a log
	MAKEFLAGS=" -j9 -- --jobserver-auth=fifo:$here/no A=--jobserver-auth=fifo:$here/no"
	whole_pool_of ninja_build_sh ninja
}
@test "tokget FIFO cargo build, and build.rs runs make by its MAKEFLAGS: the whole pool" {
	whole_pool_of build_rs make cargo
}
@test "tokget FIFO cargo build, and build.rs runs make by CARGO_MAKEFLAGS: the whole pool" {
	whole_pool_of build_rs_cargo make cargo
}
@test "tokget FIFO cargo of Debian, and build.rs runs make by its MAKEFLAGS: the whole pool" {
	whole_pool_of build_rs_debian make debian
}
