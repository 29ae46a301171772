#!/usr/bin/env bash
# looked.sh FILE -- looked_again of helper.bash, for the process whose pid is in the file
bats_require_minimum_version() { :; } # this is no test
# shellcheck source=/dev/null
. "${0%/*}/../helper.bash"
until_true test -s "$1" && looked_again "$(cat "$1")"
