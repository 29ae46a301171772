# To be sourced by tests and benches: a PostgreSQL server of our own, on a Unix socket, if
# the Debian packages postgresql and postgresql-client are installed.

# postgres_there -- 0 if it is installed, and somebody may run it
postgres_there ()
{
    postgres_bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -t / -k 5n | tail -n 1)
    [ -x "$postgres_bin/postgres" ] || postgres_bin=$(dirname "$(command -v initdb)")
    [ -x "$postgres_bin/initdb" ] && command -v psql >/dev/null || return 1
    [ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null
}

# The server refuses to run as root.
postgres_as ()
{
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
    else
        "$@"
    fi
}

# postgres_start DIRECTORY -- the user nobody must be able to reach it. Sets PGHOST,
# PGUSER and PGDATABASE for psql; 1 after its messages.
postgres_start ()
{
    mkdir "$1" || return
    [ "$(id -u)" -ne 0 ] || chown nobody "$1"
    postgres_as "$postgres_bin/initdb" -D "$1/data" -A trust -N -U nobody >"$1.log" 2>&1 || {
        cat "$1.log"
        return 1
    }
    postgres_as "$postgres_bin/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off \
        </dev/null >>"$1.log" 2>&1 3>&- &
    postgres_pid=$!
    export PGHOST="$1" PGUSER=nobody PGDATABASE=postgres
    until psql -qAtX -c 'select 1' >/dev/null 2>&1; do
        kill -0 "$postgres_pid" 2>/dev/null || {
            cat "$1.log"
            return 1
        }
        sleep 0.1
    done
}

# postgres_stop DIRECTORY -- whoever started it
postgres_stop ()
{
    kill -INT "$(head -n 1 "$1/data/postmaster.pid")"
    while [ -e "$1/data/postmaster.pid" ]; do sleep 0.1; done
}
