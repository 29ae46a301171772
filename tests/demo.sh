#!/bin/sh
# make demo: the same jobs in a loop with "&" and in a batch of two. Shows how many run at
# once, how much memory they take together, and which of the two reports a failure.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=$top/bin:$top/build:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$tmp"
export LC_ALL=C
ps -A -o rss= -o args= >processes || {
    echo 'demo: ps cannot tell how much memory a process takes' >&2
    exit 1
}

# A book is some source of this project. There is no book.13.
cat "$top"/src/[a-j]*/*.c >book.1
books=book.1
for number in 2 3 4 5 6 7 8 9 10 11 12; do
    cp book.1 "book.$number"
    books="$books book.$number"
done
books="$books book.13"

# The lines in which each word occurs. All of them are in memory before one is printed.
cat >index.awk <<'A'
{ for (i = 1; i <= NF; i++) place[$i " " NR] }
END { for (p in place) print p }
A
# seat counts how many run at once: ps does not look at all processes at the same time.
cat >begin <<'S'
. jobctl.sh
index () { seat "$1" awk -f "$PWD/index.awk" <"$1" >"$to/$1"; }
S
cat >bare <<'S'
for book in $books; do index "$book" & done
wait
S
cat >bounded <<'S'
jobctl_open 2
for book in $books; do jobctl_run index "$book"; done
jobctl_close
S

# watch_memory -- the most megabytes of all jobs together, while the file "running" is there
watch_memory ()
{
    while [ -e running ]; do
        ps -A -o rss= -o args=
        echo end
    done | awk -v dir="$tmp" '
        index($0, "awk -f " dir) { sum += $1 }
        $1 == "end" { if (sum > peak) peak = sum; sum = 0 }
        END { print int(peak / 1024) }'
}

# show LOOP -- the loop, and its result
show ()
{
    sed 's/^/    /' "$1"
    cat begin "$1" >script
    mkdir "$1.out"
    : >running
    watch_memory >memory &
    status=0
    SEATS=$1.seats books=$books to=$1.out sh ./script 2>errors || status=$?
    rm running
    wait "$!"
    jobs=$(awk '$2 > most { most = $2 } END { print most }' "$1.seats")
    echo "    --> $jobs jobs at once, $(cat memory) MB of memory, exit status $status"
    echo
}

echo 'Make an index of the words in each of 12 books. A 13th book is missing: that job fails.'
echo
show bare
show bounded
diff -r bare.out bounded.out
echo 'The indexes are the same. The second loop bounds the memory, and reports the failure.'
