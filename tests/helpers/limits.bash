# Memory and load, faked for a test.

spaces=(--mount)
[ "$(id -u)" -eq 0 ] || spaces+=(--map-root-user)

# need_mounts -- skips if we may not mount for ourselves
need_mounts() { unshare "${spaces[@]}" true 2>/dev/null || skip "no private mounts here"; }

# available KB, loaded L -- sets the memory and load that commands in faked() see from now on
available() { printf 'MemAvailable: %9d kB\n' "$1" 1<>"$here/meminfo"; }
loaded() { printf '%5.2f 0.00 0.00 1/1 1\n' "$1" 1<>"$here/loadavg"; }

# faked COMMAND... -- the command sees those in place of the system's
faked()
{
	[ -e "$here/meminfo" ] || available 1000000
	[ -e "$here/loadavg" ] || loaded 0
	unshare "${spaces[@]}" sh -c 'mount --bind "$here/meminfo" /proc/meminfo &&
		mount --bind "$here/loadavg" /proc/loadavg && exec "$@"' sh "$@" 3>&-
}
