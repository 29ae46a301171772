load ../helper

# The shims of share/jobctl/shims: make and its kin take part in the pool of JOBCTL_POOL.

shims=$top/share/jobctl/shims

# program NAME VERSION -- makes one in "real" that prints its words, how many tokens it has, and how
# many jobs MAKEFLAGS is for; its status is 7
program()
{
	mkdir -p real
	cat >"real/$1" <<-S
	#!/bin/sh
	if [ "\$*" = --version ]; then echo '$2'; exit; fi
	for word; do printf '<%s>' "\$word"; done
	jobs=\${MAKEFLAGS-none} jobs=\${jobs#*-j}
	echo " \${JOBCTL_COUNT-none} \${jobs%% *}"
	exit 7
	S
	chmod +x "real/$1"
}

# says WORDS COMMAND... -- the program of that name prints WORDS; its status is kept
says()
{
	local wanted=$1
	shift
	PATH=$shims:$here/real:$PATH run -7 "$@"
	[ "$output" = "$wanted" ] || { echo "$*: $output, not $wanted" >&2; return 1; }
}

@test "two makes by shims, each with -j, never run more jobs than the pool has tokens" {
	pool -J 2 -n 3
	export JOBCTL_POOL=$FIFO PATH=$shims:$PATH
	mkfifo gate
	printf 'all: 1 2 3 4 5 6\n1 2 3 4 5 6:; @echo in >>log; : <gate; echo out >>log\n' >Makefile
	for name in make gmake; do
		command -v "$name" | grep -qx "$shims/$name"
		[ "$(type -aP "$name" | sed 1q)" != "$(type -aP "$name" | tail -n 1)" ] || skip "no $name"
	done
	make -j8 3>&- & one=$!
	gmake -k --jobs 3>&- & two=$!
	until_true lines_in 3 log
	until_true pool_says '3 0 3 0'
	same 3 "$(tokstat -o tsv "$FIFO" | awk '/^holder.*make/ {n += $5} END {print n}')"
	same 3 "$(wc -l <log)"
	gate_opens "$one" "$two"
	same 12 "$(grep -c out log)"
	same 3 "$(peak)"
	until_true pool_says '3 3 0 0'
	make -j2 -f - <<<'all:; false' 3>&- || status=$?
	[ "$status" -eq 2 ]
	stopped
}

@test "in every shell: without a pool, where it is dead, and within one, the program has its words" {
	program make 'GNU Make 4.4'
	: >plain
	export PATH=$shims:$here/real:$PATH
	shimmed() # WANTED SHELL
	{
		local as=()
		[ "$2" != zsh ] || as=(--emulate sh) # as /bin/sh
		run in_shell "$2" "${as[@]}" "$shims/make" -kj4 'a b' '' 'c*'
		[ "$status $output" = "7 $1" ] || { echo "$2: $output, not $1" >&2; return 1; }
	}
	for shell in $(shells | grep -vx posh); do # that one, which is nobody's /bin/sh, has no -ef
		for pool in '' "$FIFO"; do
			JOBCTL_POOL=$pool shimmed '<-kj4><a b><><c*> none none' "$shell"
		done
		while read -r pool wrong; do
			wrong="make: JOBCTL_POOL=$pool: not $wrong: no tokens are taken"
			JOBCTL_POOL=$pool shimmed "$wrong"$'\n<-kj4><a b><><c*> none none' "$shell"
		done <<-T
		$here a FIFO
		$here/plain a FIFO
		~/cpu.fifo an absolute path, nor a FIFO here
		cpu.fifo an absolute path, nor a FIFO here
		T
		shimmed '<-kj4><a b><><c*> none none' "$shell"
		pool -j -n 5
		export JOBCTL_POOL=$FIFO
		shimmed '<-k><a b><><c*> 1 4' "$shell"
		MAKEFLAGS=' -j2 --jobserver-auth=5,6' shimmed '<-kj4><a b><><c*> none 2' "$shell"
		JOBCTL_HELD=$FIFO.d/1.x shimmed '<-k><a b><><c*> 1 4' "$shell" # it would leave the pool
		JOBCTL_HELD=$here/other.d/1.x shimmed '<-k><a b><><c*> 1 4' "$shell"
		killed
		shimmed '<-k><a b><><c*> none 4' "$shell" # it is in MAKEFLAGS
		rm -r "$FIFO" "$FIFO.d"
		unset JOBCTL_POOL
	done
}

@test "-j of make is the most of that build, and goes; the other words stay" {
	program gmake 'GNU Make 4.4'
	pool -j -n 9
	export JOBCTL_POOL=$FIFO
	says ' 1 9' gmake
	while IFS='|' read -r words wanted; do says "$wanted" gmake $words; done <<-T
	-j| 1 9
	-j4| 1 4
	-j 4| 1 4
	-j 4 5|<5> 1 4
	-j x|<x> 1 9
	-k -j|<-k> 1 9
	-kj4 -s|<-k><-s> 1 4
	-kj 4 -s|<-k><-s> 1 4
	--jobs| 1 9
	--jobs=4| 1 4
	--jobs 4 x|<x> 1 4
	-j4 -j| 1 9
	-j 0| 1 9
	-j4x|<-j4x> 1 9
	--jobs=x|<--jobs=x> 1 9
	-j99999999999| 1 9
	-f j4 -C -j4|<-f><j4><-C> 1 4
	-fj4|<-fj4> 1 9
	-l4 -Oline x=-j4|<-l4><-Oline><x=-j4> 1 9
	-j4 -- -j5 --help|<--><-j5><--help> 1 4
	-n|<-n> none none
	-skn x|<-skn><x> none none
	x --help|<x><--help> none none
	-f n -C v|<-f><n><-C><v> 1 9
	T
	stopped
}

@test "within the pool the program has its words, and no -j takes it out" {
	program gmake 'GNU Make 4.4'
	program ninja 1.12.1
	program cargo 'cargo 1.95.0'
	pool -j -n 3
	export JOBCTL_POOL=$FIFO
	for words in 'gmake -k' 'ninja -v' 'cargo build -j2'; do
		says "$(printf '<%s>' ${words#* }) 1 3" tokget -j both "$FIFO" $words
		JOBCTL_HELD=$FIFO.d/1.x says "$(printf '<%s>' ${words#* }) none none" $words
	done
	while IFS='|' read -r words wanted; do says "$wanted" tokget -j both "$FIFO" $words; done <<-T
	gmake -kj2|<-k> 1 2
	gmake -j| 1 3
	ninja -j1|<-j1> 1 3
	T
	program ninja 1.13.0
	says ' 1 2' tokget -j both "$FIFO" ninja -j2
	JOBCTL_HELD='' MAKEFLAGS=" -j3 -- --jobserver-auth=fifo:$FIFO.d/jobserver A=b:c" says '<-j2> none 3' gmake -j2
	printf 'all: 1 2 3\n1 2 3:; @make -s -j8 -f inner\n' >outer
	printf 'all: 1 2 3 4\n1 2 3 4:; @echo in >>log; echo out >>log\n' >inner
	rm real/*
	PATH=$shims:$PATH run -0 tokget "$FIFO" make -s -f outer
	[ -z "$output" ] # no warning of make: of no jobserver, or of a -j
	same 12 "$(grep -c out log)"
	[ "$(peak)" -le 3 ]
	until_true pool_says '3 3 0 0'
	stopped
}

@test "cargo: -j where that is cargo's own; what builds nothing needs no token" {
	program cargo 'cargo 1.95.0'
	pool -j -n 9
	export JOBCTL_POOL=$FIFO
	while IFS='|' read -r words wanted; do says "$wanted" cargo $words; done <<-T
	build -j 4|<build> 1 4
	+nightly -v test --jobs=4 x -- -j 5|<+nightly><-v><test><x><--><-j><5> 1 4
	run -j4|<run><-j4> 1 9
	nextest run -j 4|<nextest><run><-j><4> 1 9
	build -j default|<build><-j><default> 1 9
	metadata -q|<metadata><-q> none none
	-V|<-V> none none
	T
	stopped
}

@test "what takes no part in a jobserver is told a number: bmake, a ninja before 1.13, another make" {
	program bmake ''
	program ninja 1.12.1
	pool -j -n 5
	export JOBCTL_POOL=$FIFO
	tokget -k 2 "$FIFO" "$here/sleeper" 1000 3>&- &
	until_true pool_says '5 3 2 0'
	says '<-j3><a b><> 3 none' bmake 'a b' ''
	says '<-j2><x> 2 none' bmake -j 2 x
	says '<-j1><-k> 1 none' ninja -k -j1
	says '<-j3> 3 none' ninja -j0
	says '<-j3> 3 none' ninja -j600
	says '<-t><clean> none none' ninja -t clean
	says '<-j3><-j> 3 none' ninja -j
	program ninja 1.13.0
	says '<-v> 1 2' ninja -vj2
	if [ -d /usr/share/mk ]; then
		program make 'some make'
		says '<-j2><x> 2 none' make -j2 x
	fi
	killed
	says '<-j2><x> none none' bmake -j 2 x
	says '<x> none none' bmake x
}

@test "a shim never calls itself: on PATH twice, by a link, behind a copy, or alone" {
	program make 'GNU Make 4.4'
	cp -R "$top/share/jobctl/shim" "$top/share/jobctl/shims" .
	mkdir 'a b' directory directory/make
	cp -R shim shims 'a b'
	ln -s "$shims" link
	pool -j -n 2
	export JOBCTL_POOL=$FIFO
	for path in "$shims" "$shims:$shims" "$here/link:$shims:link" "$shims:$here/shims:$shims" \
		"$here/a b/shims:$shims:$here/a b/shims:directory" "$shims:$here/a b/shims::$here/nowhere"; do
		PATH=$path:$here/real:$top/bin:/usr/bin:/bin run -7 timeout 60 make x
		same '<x> 1 2' "$output"
		JOBCTL_POOL='' PATH=$path:$here/real:$top/bin:/usr/bin:/bin run -7 timeout 60 make x
		same '<x> none none' "$output"
	done
	mkdir other
	echo 'exit 9' >other/make
	chmod +x other/make
	PATH=$shims:$here/real:$shims:$here/other:/usr/bin:/bin run -7 make x # the first one behind it
	same '<x> 1 2' "$output"
	# before the real program, a shim that is called by its path
	PATH=$here/real:$top/bin:/usr/bin:/bin run -7 "a b/shims/make" x
	same '<x> 1 2' "$output"
	PATH=$shims:$here/nowhere run -127 "$shims/make" x
	same "make: not found on PATH behind the shim $shims/make" "$output"
	stopped
}

@test "what is wrong with JOBCTL_POOL is said once, and where there is no tokget" {
	program make 'GNU Make 4.4'
	printf '#!/bin/sh\nexec make "$@"\n' >real/gmake
	chmod +x real/gmake
	JOBCTL_POOL=$here says "gmake: JOBCTL_POOL=$here: not a FIFO: no tokens are taken"$'\n'"<x> none none" \
		gmake x
	pool -j -n 2
	cp -R "$top/share/jobctl/shim" "$top/share/jobctl/shims" .
	JOBCTL_POOL=$FIFO PATH=$here/real:/usr/bin:/bin run -127 shims/make x
	same "make: the shim shims/make needs tokget on PATH, for JOBCTL_POOL=$FIFO" "$output"
	stopped
}

@test "make shims says what to write into the start-up file of a shell, also when installed" {
	built
	make -s -C top shims PREFIX="$here/a b" >lines
	grep -qx "export PATH=\"$here/top/share/jobctl/shims:\$PATH\"" lines
	make -s -C top install PREFIX="$here/a b" >/dev/null
	make -s -C top shims PREFIX="$here/a b" >lines
	same 'bmake cargo gmake make ninja' "$(cd 'a b/share/jobctl/shims' && echo *)"
	program make 'GNU Make 4.4'
	export HOME=$here PATH=$here/real:/usr/bin:/bin
	# shellcheck disable=SC2016 # the shell that reads it is another one
	echo 'make -j2 x || status=$?; tokstop "$JOBCTL_POOL"; exit "$status"' >>lines
	PATH="$here/a b/bin:$PATH" run -7 sh -eu lines
	same '<x> 1' "${output% *}" # its pool has a token for each processor
	make() { /usr/bin/make "$@"; }
	make -s -C top uninstall PREFIX="$here/a b"
	[ ! -e 'a b' ]
}
