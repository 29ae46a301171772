#!/bin/sh
# file.sh FILE.bats -- runs one file of tests for run.sh, whose variables it reads: prints each
# failure as it happens, and a line at the end. build/tests has the output of bats in FILE.tap, and
# a line in "done": the file, its seconds, and the CPU seconds of all that it started.
file=$1 tap=build/tests/$(echo "${1#tests/}" | tr / -).tap
began=$(date +%s)
# A process that a test has left may have the output of bats for long. So may bats's own: at the end
# of a short test it sends one signal, once, to its countdown, which may not be listening yet.
# shellcheck disable=SC2086,SC2016 # words; by that sh
sh -c 'echo "$$"; exec "$@"' sh $TESTS_SPACE build/fresh -d "$BATS" --tap -T "$file" 3>&- | {
    read -r runner
    limit=''
    while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        case $line in
        1..*) left=${line#1..} ;;
        'not ok '*) fails=yes left=$((left - 1)) ;;
        'ok '*) fails='' left=$((left - 1)) ;;
        esac
        # Other files write, too: each line names its file.
        [ -z "$fails" ] || printf '%s: %s\n' "$file" "$line"
        if [ "$left$limit" = 0 ]; then
            build/fresh -p sleep 10 3>&- && kill "$runner" &&
                echo "$file: something had bats's output open 10 s after the last test" &
            limit=$!
        fi
    done 3>"$tap"
    [ -z "$limit" ] || kill -KILL "$limit" 2>/dev/null # TERM may be ignored here
}
times >"$tap.times"
cpu=$(awk 'END {split($1, u, "m"); split($2, s, "m"); print 60 * (u[1] + s[1]) + u[2] + s[2]}' \
    "$tap.times")
now=$(date +%s)
echo "$file $((now - began)) $cpu" >>build/tests/done
passed=$(grep -c '^ok ' "$tap") failed=$(grep -c '^not ok ' "$tap")
printf '[%d of %d files, %d failed, %d:%02d] %s: %d passed, %d failed, %d s, %.0f s of CPU\n' \
    "$(grep -c . build/tests/done)" "$TESTS_FILES" "$(cat build/tests/*.tap | grep -c '^not ok ')" \
    $(((now - TESTS_BEGAN) / 60)) $(((now - TESTS_BEGAN) % 60)) \
    "$file" "$passed" "$failed" $((now - began)) "$cpu"
planned=$(sed -n 's/^1\.\.//p' "$tap")
[ "$planned" = "$((passed + failed))" ] ||
    echo "$file: of ${planned:-no} tests $((passed + failed)) have a result: bats was ended"
[ "$planned" = "$passed" ]
