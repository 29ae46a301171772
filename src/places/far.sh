# The sh at a place runs this. The near side writes this to its standard input, then _jopen, and
# then a line for each thing to do. The end of the input ends the job, and so do beats that do not
# come. A line is a group, { ... }, for one that was cut is none, and is not executed. Near sets:
#   _jT  what marks our words in the output, which nobody can guess
#   _jD  a directory to make
#   _jB  seconds of a beat; with a fraction, if sleep(1) there knows such
#   _jL  beats that may be missed
#   _jG  tenths of a second between TERM and KILL
# In the directory, the file job says which group is that of the job: a number; 0 when it is over;
# - before that is known. The file beat has the last beat. Both have room, so a full disk is no harm.

# _jsay WORD... -- to the near side, beside what jobs write.
_jsay () { echo "$_jT $*"; }

# _jend -- ends the job. The process beside it looks, when it has written its number, whether the
# directory still has its name: so either we read the number, or no job is begun.
_jend () {
    trap '' HUP INT TERM
    _jP=$_jJ # should the directory have gone
    mv "$_jD" "$_jD.x"
    read -r _jn _j <"$_jD.x/job" && _jP=$_jn
    case $_jP in
    [1-9]*)
        kill -s TERM -- "-$_jP"
        kill -s CONT -- "-$_jP"
        _jn=0
        while [ "$_jn" -lt "$_jG" ] && jobs >/dev/null && kill -0 "-$_jP"; do
            _jn=$((_jn + 1))
            sleep 0.1 || { sleep 1; _jn=$((_jn + 9)); }
        done
        kill -s KILL -- "-$_jP"
        ;;
    esac
    rm -rf "$_jD.x"
}

# _jleave -- at our end, however that comes; there may be nothing yet.
_jW=''
_jleave () {
    [ -n "$_jW" ] || return 0
    trap '' HUP INT TERM
    _jend 2>/dev/null # the watcher may do the same now
    kill -TERM "$_jW" 2>/dev/null
    _jsay d >&2
}

# _jwatch -- ends the job, and us, when too few beats come in time. A beat is how many of them the
# near side counts by its clock; here each turn of the loop counts one. A turn lasts a little
# longer: so what is late is measured against the least difference there was.
_jwatch () {
    trap 'kill "$_js" 2>/dev/null; exit' TERM
    _jt=0 _jk=-1 _jlow=999999999 _jn=0
    while [ "$_jn" -lt "$_jL" ] && kill -0 $$ 2>/dev/null; do
        read -r _jJ _j <"$_jD/job"
        sleep "$_jB" &
        _js=$!
        wait "$_js"
        _jt=$((_jt + 1)) _jn=$((_jn + 1))
        read -r _jb _j <"$_jD/beat" || continue
        [ "$_jb" != "$_jk" ] || continue
        _jk=$_jb
        [ $((_jt - _jb)) -ge "$_jlow" ] || _jlow=$((_jt - _jb))
        [ $((_jt - _jb)) -gt $((_jlow + 1)) ] || _jn=0
    done
    _jend
    kill -KILL $$
}

# q NUMBER -- a beat.
q () {
    { echo "$1 " 1<>"$_jD/beat" && kill -0 "$_jW"; } 2>/dev/null || exit
    [ "$_jJ" = 0 ] || _jlook
}

# b NUMBER -- one that is to be answered.
b () {
    q "$1"
    _jsay b "$1" >&2
}

# _jlook -- whether the job has somebody beside it, who says how it ends.
_jlook () {
    jobs >/dev/null 2>&1 # so that the dead are waited for
    kill -0 "$_jJ" 2>/dev/null && return
    _jJ=0
    { read -r _jn _j <"$_jD/job"; } 2>/dev/null && [ "$_jn" = 0 ] || exit
}

# J NUMBER WORD... -- starts a job, unless what the one before has left is still there.
J () {
    if [ "$_jJ" != 0 ]; then
        wait "$_jJ" 2>/dev/null
        kill -0 "-$_jJ" 2>/dev/null && { _jsay s "$1" >&2; return; }
    fi
    { echo '- ' 1<>"$_jD/job"; } 2>/dev/null # else nobody begins it
    _jX="$_jT $1 $_jD/job"
    shift
    _jX=$_jX $_jS sh -c "$_jR" sh "$@" </dev/null &
    _jJ=$!
}

# The watcher of the job, in a group of its own. TERM is for the job, which may have a last word.
# "told" says that it came: from us, or the job, or for all that is here, which is taken away.
# shellcheck disable=SC2016 # for another shell
_jR='_t=${_jX%% *} _i=${_jX#* } _f=${_i#* } _i=${_i%% *}
unset _jX
_e=
trap : HUP INT
trap _e=told TERM
exec 3>&2 2>/dev/null
echo "$$ " 1<>"$_f" && [ -f "$_f" ] || exit
(exec "$@" 2>&3 3>&-)
_s=$?
[ $_s -lt 256 ] || _s=$((_s % 128 + 128))
[ -d "${_f%/*}" ] && echo "0 " 1<>"$_f" || _e=ended
echo "$_t x $_i $_s $_e"
echo "$_t x $_i $_s $_e" >&3'

# _jopen -- to be called when all is set.
_jopen () {
    case $_jB in
    *.*)
        sleep 0.01 2>/dev/null || {
            echo 'sleep there takes whole seconds only; so should --beat' >&2
            exit
        }
        ;;
    esac
    mkdir -m 700 "$_jD" || exit
    echo '0                  ' >"$_jD/job" && echo '-1                  ' >"$_jD/beat" || {
        rm -rf "$_jD"
        exit
    }
    _jJ=0
    _jwatch </dev/null >/dev/null 2>&1 &
    _jW=$!
    trap 'exit 1' HUP INT TERM
    if setsid true 2>/dev/null; then
        _jS=setsid
    elif (set -m; sleep 9 & kill -s KILL -- "-$!" || { kill $!; false; }) 2>/dev/null; then
        set -m
    else
        echo 'the sh there has neither setsid nor set -m, to end a job with all it started' >&2
        exit
    fi
    _jsay h
    _jsay h >&2
}
