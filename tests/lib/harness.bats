load ../helper
load ../helpers/container

# helper.bash, whose setup and teardown all tests have.

# inner_run -- runs a test whose setup gets no directory, beside a process of others that has the
# same "here" in its environment. All that would be killed is in a namespace.
inner_run()
{
	echo "load $top/tests/helper" >inner.bats
	echo 'TEST "runs" { :; }' | sed 's/^TEST/@test/' >>inner.bats
	cat >script <<'S'
here=$here/other "$here/sleeper" 1000 3>&- &
env -i here="$here/other" PATH="$PATH" "$1" --tap inner.bats >out
kill "$!" && wait "$!"
echo "$?" >bystander
S
	PATH=$here/fake:$(tr : '\n' <<<"$PATH" | grep -v libexec/bats | paste -sd :) \
		first bash script "${BATS:-bats}"
	echo "$(<out)" >&2
	grep -q '^not ok 1 runs' out
	is 143 bystander
}

@test "setup that gets no directory: the test fails, and no process but its own is ended" {
	need_container
	mkdir fake
	for how in 'exit 1' 'exit 0'; do # prints nothing
		printf '%s\n' '#!/bin/sh' "case \$* in *tok.XXXXXX) $how ;; esac" \
			"exec $(command -v mktemp) \"\$@\"" >fake/mktemp
		chmod +x fake/mktemp
		inner_run
	done
}
