#!/bin/sh
# A server on standard input and output. A request that is one word is answered by the line
# "SERVER N WORD", the Nth of this server; SERVER is its pid. Its start is a line in the file
# "servers", and the end of its input is one in "ends".
echo "$$" >>"$here/servers"
n=0
while IFS= read -r line; do
	n=$((n + 1))
	case $line in
	*half) printf 'half' ;;
	*twice) printf '%s\n%s\n' "$$ $n $line" "$$ $n more" ;;
	*later)
		echo "$$ $n $line"
		until [ -e "$here/go" ]; do "$here/sleeper" 0.02; done
		echo "$$ $n more"
		: >"$here/said"
		;;
	wait)
		until [ -e "$here/gate" ]; do "$here/sleeper" 0.02; done
		echo "$$ $n $line"
		;;
	mail*)
		echo "354 go on, ${line#mail }"
		body=''
		while IFS= read -r line && [ "$line" != . ]; do body="$body<$line>"; done
		echo "250 $body"
		;;
	*) echo "$$ $n $line" ;;
	esac
done
echo "end of input" >>"$here/ends"
