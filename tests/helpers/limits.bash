# Memory and load as a test has them.

spaces=(--mount)
[ "$(id -u)" -eq 0 ] || spaces+=(--map-root-user)

# need_mounts -- skips where nobody may mount for himself
need_mounts() { unshare "${spaces[@]}" true 2>/dev/null || skip "no private mounts here"; }

# available KB, loaded L -- what there is for who runs in faked() from now on
available() { printf 'MemAvailable: %9d kB\n' "$1" 1<>"$here/meminfo"; }
loaded() { printf '%5.2f 0.00 0.00 1/1 1\n' "$1" 1<>"$here/loadavg"; }

# faked COMMAND... -- sees that in place of the system's
faked()
{
	[ -e "$here/meminfo" ] || available 1000000
	[ -e "$here/loadavg" ] || loaded 0
	unshare "${spaces[@]}" sh -c 'mount --bind "$here/meminfo" /proc/meminfo &&
		mount --bind "$here/loadavg" /proc/loadavg && exec "$@"' sh "$@" 3>&-
}
