#!/bin/sh
# file.sh FILE.bats -- one file of tests, for run.sh: each failure as it happens, and a line at the
# end, in one write each, for other files run at the same time. build/tests has what bats said,
# and a line in "done": the file, its seconds, and those of CPU of all that it started.
name=$(echo "${1#tests/}" | tr / -)
tap=build/tests/$name.tap
began=$(date +%s)
# This sh is an init, which reaps: "exit" keeps it from executing bats in its own place.
# shellcheck disable=SC2016,SC2086 # for another shell; words
$TESTS_SPACE sh -c '"$@"; exit "$?"' sh build/fresh -d "$BATS" --tap -T "$1" 3>&- | tee "$tap" |
    awk -v file="$1" '
        function tell() {
            if (text != "")
                printf "%s", text | "cat"
            close("cat")
            text = ""
        }
        /^(not )?ok / { tell(); failed = /^not / }
        failed { text = text (text == "" ? file ": " : "") $0 "\n" }
        END { tell() }'
times >"$tap.times"
cpu=$(tail -n 1 "$tap.times" | awk '{for (i = 1; i <= 2; i++) {split($i, t, "m"); s += 60 * t[1] + t[2]}
    print s}')
echo "$1 $(($(date +%s) - began)) $cpu" >>build/tests/done
passed=$(grep -c '^ok ' "$tap") failed=$(grep -c '^not ok ' "$tap") now=$(date +%s)
all=$(cat build/tests/*.tap | grep -c '^not ok ')
printf '[%3d/%d files, %d failed, %d:%02d] %s: %d passed, %d failed, %d s, %.0f s of CPU\n' \
    "$(grep -c . build/tests/done)" "$TESTS_FILES" "$all" $(((now - TESTS_BEGAN) / 60)) \
    $(((now - TESTS_BEGAN) % 60)) "$1" "$passed" "$failed" $((now - began)) "$cpu"
grep -q '^1\.\.' "$tap" && [ "$failed" -eq 0 ]
