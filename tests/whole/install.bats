load ../helper

# make install and make uninstall.

@test "install puts what a script needs on PATH, uninstall removes it all" {
	(cd "$top" && make -s install DESTDIR="$here/root" PREFIX=/usr >/dev/null 2>&1 3>&-)
	echo '. jobctl.sh; job() { echo "$1"; }; jobctrl 2 | process 3' >script
	[ "$(PATH=$here/root/usr/bin:/usr/bin:/bin dash script | sort | tr '\n' ' ')" = '0 1 2 ' ]
	[ -e root/usr/share/man/man1/tokend.1 ]
	[ -e root/usr/share/man/man7/jobctl-tutorial.7 ]
	for example in "$top"/share/examples/*; do
		cmp "$example" "root/usr/share/doc/jobctl/examples/${example##*/}"
	done
	echo '. jobctl.sh; jobctl_open -k 2; jobctl_run echo one; jobctl_run echo two; jobctl_close' >script
	[ "$(PATH=$here/root/usr/bin:/usr/bin:/bin dash script | tr '\n' ' ')" = 'one two ' ]
	(cd "$top" && make -s uninstall DESTDIR="$here/root" PREFIX=/usr >/dev/null 2>&1 3>&-)
	[ ! -e root ]
}

@test "install takes a prefix with a blank, and uninstall leaves the directories that were there" {
	mkdir -p 'a b/bin'
	for make in make bmake; do
		command -v "$make" >/dev/null || continue
		(cd "$top" && for time in 1 2; do "$make" install PREFIX="$here/a b" >/dev/null 2>&1 3>&-; done)
		echo '. jobctl.sh; jobctl_open 2; jobctl_run echo one; jobctl_close' >script
		[ "$(PATH="$here/a b/bin:/usr/bin:/bin" dash script)" = one ]
		(cd "$top" && "$make" uninstall PREFIX="$here/a b" >/dev/null 2>&1 3>&-)
		[ "$(find 'a b')" = $'a b\na b/bin' ]
	done
}

@test "nothing is setuid or setgid" {
	make -s -C "$top" install DESTDIR="$here/to" PREFIX=/usr >/dev/null
	[ -x to/usr/bin/tokend ]
	[ -z "$(find to -perm /6000)" ]
}
