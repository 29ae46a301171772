load ../helper

# make install and make uninstall.

# one_job -- the output of a script that has only these programs
one_job()
{
	echo '. jobctl.sh; jobctl_open -k 2; jobctl_run echo one; jobctl_run echo two; jobctl_close
		job () { echo "$1"; }; jobctrl 1 | process 2' >script
	PATH=$1:$top/build:/usr/bin:/bin in_shell dash script
}

@test "install puts what a script needs on PATH, uninstall removes it all" {
	built
	make -s -C top install DESTDIR="$here/root" PREFIX=/usr >/dev/null
	one_job "$here/root/usr/bin" | is one,two,0,1 -
	[ -e root/usr/share/man/man1/tokend.1 ]
	[ -e root/usr/share/man/man7/jobctl-tutorial.7 ]
	for example in "$top"/share/examples/*; do
		cmp "$example" "root/usr/share/doc/jobctl/examples/${example##*/}"
	done
	for program in jobat jobctl jobplot jobpool tokend tokget tokput tokstat tokstop; do
		cmp "$top/share/completions/jobctl.bash" \
			"root/usr/share/bash-completion/completions/$program"
		cmp "$top/share/completions/jobctl.fish" \
			"root/usr/share/fish/vendor_completions.d/$program.fish"
	done
	cmp "$top/share/completions/_jobctl" root/usr/share/zsh/site-functions/_jobctl
	[ -z "$(find root -perm /6000)" ] # nothing is setuid or setgid
	PATH=$here/root/usr/bin:$PATH pool -n 1
	make -s -C top install DESTDIR="$here/root" PREFIX=/usr >/dev/null # while a dispenser runs
	stopped
	make -s -C top uninstall DESTDIR="$here/root" PREFIX=/usr
	same "" "$(find root 2>/dev/null)"
}

@test "install takes a prefix with a blank, and uninstall leaves the directories that were there" {
	built
	mkdir -p 'a b/bin'
	for make in make bmake; do
		command -v "$make" >/dev/null || continue
		(cd top && "$make" install PREFIX="$here/a b" >/dev/null 2>&1)
		one_job "$here/a b/bin" | is one,two,0,1 -
		(cd top && "$make" uninstall PREFIX="$here/a b" >/dev/null)
		find 'a b' | is 'a b,a b/bin' -
	done
}

# made_by COMPILER FLAGS LINKING -- all that was compiled and linked since, with these last words
made_by()
{
	same "compiled $1 $2
linked $1 $3" "$(sed "s/^$1 -c .* src[^ ]*\.c /compiled $1 /; s/^$1 .*lib\.a /linked $1 /" log | sort -u)"
	rm log
}

@test "the compiler and flags of make are its arguments or the environment; install keeps to them" {
	for name in one other; do
		fake "$name" <<-EOF
			case " \$* " in *' -v ') exit ;; esac
			echo "$name \$*" >>"$here/log"
			while [ "\$1" != -o ]; do shift; done
			echo $name >"\$2"
		EOF
	done
	unset CC CPPFLAGS CFLAGS LDFLAGS LDLIBS
	for make in make bmake; do
		command -v "$make" >/dev/null || continue
		rm -rf top root
		built
		"$make" -C top CC=one CFLAGS="-g -DX='a b' -DY=" >/dev/null
		made_by one "-g -DX=a b -DY=" "-g -DX=a b -DY="
		LDFLAGS='' "$make" -C top install DESTDIR="$here/root" >/dev/null # knows no other
		[ ! -e log ]
		same one "$(cat root/usr/local/bin/tokend)"
		rm top/src/*/*.o top/build/lib.a top/bin/*
		"$make" -C top install DESTDIR="$here/root" >/dev/null
		made_by one "-g -DX=a b -DY=" "-g -DX=a b -DY="
		find top -type f -exec touch -d 2020-02-02 {} + # bmake knows no time below a second
		CC='other -m' LDFLAGS=-s "$make" -C top >/dev/null
		made_by 'other -m' -O2 '-O2 -s'
		find top -type f -exec touch -d 2020-02-02 {} +
		CC=other "$make" -C top install DESTDIR="$here/root" CFLAGS=-O3 >/dev/null
		made_by other -O3 '-O3 -s'
		same other "$(cat root/usr/local/bin/tokend)"
	done
}
