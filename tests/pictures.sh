#!/bin/sh
# make pictures: draws those of README.md, in share/pictures, from real runs: jobctl compiles all
# sources of this project, and two builds of it and some commands share a pool. Needs python3.
cd "$(dirname "$0")/.." || exit
top=$PWD
PATH=$top/bin:$PATH
unset MAKEFLAGS MFLAGS MAKELEVEL
tmp=$(mktemp -d) || exit
export JOBCTL_BOARDS="$tmp/boards"
end ()
{
    tokstop -f "$tmp/cpu.fifo" 2>/dev/null
    rm -rf "$tmp"
}
trap end EXIT
trap 'exit 1' HUP INT TERM
mkdir -p share/pictures

# copy NAME -- copies the built tree to a directory of that name, for make
copy ()
{
    mkdir "$tmp/$1" && cp -R Makefile src share "$tmp/$1" && make -s -C "$tmp/$1" clean
}

# One source cannot be compiled, as it happens.
batch ()
{
    mkdir "$tmp/bin" || return
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
}

# The displays while all of these run.
pool ()
{
    copy one && copy other || return
    tokend -b -j -s cpu0 -s cpu1 -s cpu2 -s cpu3 -s cpu4 -s cpu5 "$tmp/cpu.fifo" || return
    cd "$tmp" || return
    for build in one other; do
        tokget cpu.fifo make -s -C "$build" CC='gcc -O3' 2>/dev/null &
    done
    for part in a b c d e f g h i j k l m n o p q r; do
        cat ./*.o >"$part.tar"
        tokget cpu.fifo xz -9e "$part.tar" 2>/dev/null &
    done
    python3 "$top/tests/helpers/screen.py" --size 90x16 --until ' 2 s' --until waits \
        --colours --show --keys q -- tokstat -w cpu.fifo >frames
    cd "$top" || return
    sed '/^-$/,$d' "$tmp/frames" | python3 tests/helpers/framed.py >share/pictures/pool.svg
}

batch && pool
