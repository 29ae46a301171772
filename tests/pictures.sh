#!/bin/sh
# make pictures: draws that of README.md, in share/pictures, from a real run: jobctl compiles all
# sources of this project, and one that cannot be compiled.
cd "$(dirname "$0")/.." || exit
PATH=$PWD/bin:$PATH
unset MAKEFLAGS MFLAGS MAKELEVEL
tmp=$(mktemp -d) || exit
export JOBCTL_BOARDS="$tmp/boards"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

mkdir "$tmp/bin" || exit
cat >"$tmp/bin/compile" <<S
#!/bin/sh
exec gcc -std=c99 -D_POSIX_C_SOURCE=200809L -DVERSION='"1"' -O2 -c "\$1" \\
    -o "$tmp/\$JOBCTL_ID.o"
S
chmod +x "$tmp/bin/compile"
echo 'int main (void) { return unfinished; }' >"$tmp/unfinished.c"
for source in src/*/[a-m]*.c "$tmp/unfinished.c" src/*/[n-z]*.c; do
    echo "compile $source"
done >"$tmp/list"
PATH=$tmp/bin:$PATH jobctl -j 4 --joblog "$tmp/log" --quiet -a "$tmp/list" 2>/dev/null
sed -i "s|$tmp/||" "$tmp/log"
jobplot -o share/pictures/batch.svg "$tmp/log"
