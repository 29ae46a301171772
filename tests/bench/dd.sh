# dd.sh TOKENS JOBS -- a rendition of the classic scheduler: a dd for each token
fifo=${TMPDIR:-/tmp}/dd.$$.fifo
job () { printf C >"$fifo"; }
dispense ()
{
    rm -f "$fifo"
    mkfifo -m 600 "$fifo"
    exec <>"$fifo"
    i=0
    while [ "$i" -lt "$1" ]; do
        printf C
        i=$((i + 1))
    done
    while [ "$(dd bs=1 count=1 2>/dev/null)" != S ]; do
        printf C
    done
    rm -f "$fifo"
    printf .
}
attend ()
{
    id=0
    while [ "$id" -lt "$1" ]; do
        dd of=/dev/null bs=1 count=1 2>/dev/null
        job "$id" &
        id=$((id + 1))
    done
    wait
    printf S >"$fifo"
    dd of=/dev/null bs=1 count=1 2>/dev/null
}
dispense "$1" | attend "$2"
