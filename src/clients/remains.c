#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lease/words.h"
#include "../lib/descriptors.h"
#include "clients.h"
#include "remains.h"

enum { FRESH = 2 }; /* seconds in which a client has opened its FIFO */

/* A time in the future counts as old: the owner can set any. */
static int
is_fresh(int dir, const char *name)
{
	struct stat st;
	time_t now = time(NULL);

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    (st.st_mtime > now - FRESH && st.st_mtime < now + FRESH);
}

/* The write end of the FIFO of a client that waits, or -1. The client of a FIFO that nobody has
   open was killed, or has yet to open it. So a fresh FIFO stays; an old one is renamed, so that
   the client cannot open it, and removed if still nobody has it open. */
static int
open_held(const struct clients *c, const char *name)
{
	int dir = c->store.dir, fd = names_open(dir, name, O_WRONLY);
	char hidden[NAMES_FILE];

	if (fd >= 0 || errno != ENXIO || is_fresh(dir, name) || names_hide(dir, name, hidden) != 0)
		return fd;
	fd = names_open(dir, hidden, O_WRONLY);
	if (fd < 0 && errno == ENXIO)
		unlinkat(dir, hidden, 0);
	else
		renameat(dir, hidden, dir, name);
	return fd;
}

static int
remove_stale(void *context, const struct name *name)
{
	int fd = name->kind == NAME_WAITER ? open_held(context, name->text) : -1;

	descriptors_close(&fd);
	return 0;
}

void
remains_sweep(struct clients *c)
{
	names_each(c->store.dir, remove_stale, c);
}

/* A client that waits may not have seen that its dispenser died. One whose FIFO was renamed
   cannot withdraw its name. */
static int
adopt_name(void *context, const struct name *name)
{
	struct clients *c = context;
	int fd, known;

	if ((name->kind == NAME_HOLDER || name->kind == NAME_LEASE) && name->generation == 0 &&
	    name->slot <= MOST_TOKENS) {
		if ((known = builds_know(&c->builds, name->text)) != 0)
			return known < 0 ? -1 : 0;
		return holders_adopt(&c->holders, name);
	}
	if (name->kind == NAME_LEAVER) {
		if ((fd = names_open(c->store.dir, name->text, O_WRONLY)) < 0 &&
		    lease_unknown(errno))
			return -1;
		if (fd >= 0)
			names_say(fd, NAMES_AGAIN); /* only its owner can have filled it */
		descriptors_close(&fd);
		unlinkat(c->store.dir, name->text, 0);
	}
	if (name->kind != NAME_WAITER)
		return 0;
	if ((fd = open_held(c, name->text)) < 0)
		return lease_unknown(errno) ? -1 : 0;
	names_say(fd, "no again\n");
	close(fd);
	return 0;
}

int
remains_adopt(struct clients *c)
{
	return names_each(c->store.dir, adopt_name, c);
}
