load ../helper
load ../helpers/jobplot

# jobplot: the picture, drawn by a browser.

@test "a browser draws each bar in its colour, and nothing where nobody worked" {
	need_python
	chromium=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
	five
	drawn
	HOME=$here timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars \
		--user-data-dir="$here/profile" --screenshot="$here/log.png" \
		--window-size="$(sed -n 's/^size \(.*\) \(.*\)/\1,\2/p' drawn)" \
		"file://$here/log.svg" >errors 2>&1 3>&- || { cat errors; skip "chromium does not run"; }
	# the ends of the bars, below the text; idle before and in the tail
	python3 "$top/tests/scripts/pixels.py" log.png 66,112 284,112 66,141 618,141 512,112 \
		1177,112 624,141 674,141 450,112 900,141 5,5 >colours
	is blue,blue,red,red,blue,blue,blue,blue,grey,grey,white colours
	python3 "$top/tests/scripts/pixels.py" log.png $(seq 295 3 390 | sed 's/$/,110/') |
		sort -u >colours
	grep -q yellow colours
	run -1 grep -q -e blue -e red -e white colours
	rm -rf profile
}
