# others.sh -- for a script of sh that has a directory of its own, $here: processes that work in it
# shellcheck shell=sh disable=SC2154 # the script sets it

# others -- their pids; in a subshell, which is not to find itself
others ()
{
    cd / && find /proc -maxdepth 2 -name cwd -lname "$here*" 2>/dev/null | cut -d / -f 3 |
        grep -vx "$$"
}
nobody_else () { [ -z "$(others)" ]; }
signal_others () { for pid in $(others); do kill -"$1" "$pid" 2>/dev/null; done; }

# until_true COMMAND... -- for at most 30 seconds, and those of the command
until_true ()
{
    tries=0
    until "$@" 2>/dev/null; do
        [ "$tries" -lt 600 ] || return 1
        tries=$((tries + 1))
        sleep 0.05
    done
}
