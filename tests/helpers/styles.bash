# Builds below a command that tokget does not know: see helpers/builds.bash.

# below COMMAND... -- puts the command of of_CLIENT behind that
below() { command=("$@" "${command[@]}"); }

of_env() { of_make "$1"; below env CC=gcc; }
of_nice() { of_submakes "$1"; below nice; }
of_sh() { of_make "$1"; command=(sh -c "$(printf '%q ' "${command[@]}"); exit \"\$?\""); }

# script NAME -- makes ./build.sh there of the command of of_CLIENT
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

# A recipe of make in which ninja, or cargo, is the only job, and which gets no descriptors.
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
			echo "add_custom_target(t$i ALL COMMAND"
			echo "seat $1 sh -c \": <$here/$1/gate\" VERBATIM)"
		done
	} >"$1/CMakeLists.txt"
	cmake -G "${2-Unix Makefiles}" "-DCMAKE_MAKE_PROGRAM=${3-make}" -S "$1" \
		-B "$1/of_cmake" >"$1.cmake" || cat "$1.cmake"
	command=(cmake --build "$here/$1/of_cmake")
}

of_cmake_ninja() { of_cmake "$1" Ninja "$NINJA113"; }

# The link is the last of three recipes. Make hands its descriptors on to other programs only in
# recipes with "+".
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

# A crate whose build.rs runs make, like a crate that builds a library of C; by the MAKEFLAGS that
# it has, or by cargo's variable for this.
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

# whole_pool_of CLIENT NEED... -- skipped if one of these is not installed
whole_pool_of()
{
	local client=$1
	shift
	need "$@"
	whole_pool "$client"
}
