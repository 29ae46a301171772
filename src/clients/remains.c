#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clients.h"

enum {
	LINE = 4096,   /* bytes of an answer, at most */
	FRESH = 2,     /* seconds within which a client opens its FIFO */
	SWEEP = 10000, /* ms between two looks for FIFOs of killed clients ... */
	FEW = 100      /* ... and how many may wait then */
};

/* A time in the future counts as old: the owner can set any. */
static int
is_fresh(int dir, const char *name)
{
	struct stat st;
	time_t now = time(NULL);

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    (st.st_mtime > now - FRESH && st.st_mtime < now + FRESH);
}

/* The write end of the FIFO of a client that waits, or -1. If nobody has the FIFO open, its client
   was killed, or has yet to open it. So a fresh FIFO stays; an old one is renamed, so that the
   client cannot open it, and removed if still nobody has it open. */
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
	if (c->waiters.count > FEW || clock_now() - c->swept < SWEEP)
		return;
	names_each(c->store.dir, remove_stale, c);
	c->swept = clock_now();
}

/* 1 if the lease is held, 0, or -1: only reading tells. The text may be the answer that its holder
   has still to read: so it is put back. An empty lease had no answer if our predecessor died before
   writing it: a holder that still waits is told to ask again. */
static int
still_held(struct clients *c, int fd, const char *name)
{
	char text[LINE];
	ssize_t n = read(fd, text, sizeof text - 1);

	if (n > 0 && !lease_held(fd))
		n = 0;
	if (n == 0)
		return 0;
	text[n < 0 ? 0 : n] = '\0';
	if (names_answer(c->store.dir, name, n < 0 ? NAMES_AGAIN : text,
	    &c->store.spare) != 0 && lease_unknown(errno))
		return -1;
	return 1;
}

/* Opens a lease that is held; 0: it is not; -1: not known. Others may have put anything there: a
   file that cannot be opened is no lease of ours. A borrower may open one until its name is gone:
   as in stays_out() of holders.c. */
static int
open_found(struct clients *c, const char *name)
{
	int dir = c->store.dir, fd = names_open(dir, name, O_RDONLY), held;
	char going[NAMES_FILE + sizeof NAMES_GOING];

	if (fd < 0)
		return lease_unknown(errno) ? -1 : 0;
	if ((held = still_held(c, fd, name)) > 0)
		return fd;
	snprintf(going, sizeof going, "%s" NAMES_GOING, name);
	if (held == 0 && renameat(dir, name, dir, going) == 0) {
		if (lease_held(fd) && renameat(dir, going, dir, name) == 0)
			return fd;
		unlinkat(dir, going, 0);
	}
	close(fd);
	return held;
}

/* Looks at the FIFO of that name: if held, its slot is out; else it goes. The lease of a holder of
   several tokens has several names. 0, or -1 with errno. */
static int
adopt_holder(struct clients *c, const struct name *name)
{
	struct holder *holder = holders_find(&c->holders, name->client);
	struct party found = {.count = 1, .priority = PRIORITY_USUAL, .silent = 1};
	char file[NAMES_FILE];
	int fd = -1;

	names_holder(file, name->slot, name->client);
	if (strcmp(file, name->text) != 0 && /* K.NAME.home */
	    renameat(c->store.dir, name->text, c->store.dir, file) != 0 && errno != ENOENT)
		return -1;
	if (holder == NULL && (fd = open_found(c, file)) <= 0)
		return fd;
	if (pool_adopt(&c->store.pool, name->slot) != 0) {
		descriptors_close(&fd);
		return errno == EEXIST ? 0 : -1;
	}
	if (holder != NULL) {
		c->store.pool.slots[name->slot].next = holder->slot;
		holder->slot = name->slot;
		holder->who.count++;
		return 0;
	}
	memcpy(found.name, name->client, sizeof found.name);
	if (holders_enter(&c->holders, &found, name->slot, fd) == 0)
		return 0;
	close(fd);
	return -1;
}

/* The client may not have seen that its dispenser died. The FIFO of one that gives up was renamed:
   so it cannot remove the name. */
static int
tell_waiter(const struct clients *c, const struct name *name)
{
	int waits = name->kind == NAME_WAITER,
	    fd = waits ? open_held(c, name->text) : names_open(c->store.dir, name->text, O_WRONLY);

	if (fd < 0 && lease_unknown(errno))
		return -1;
	if (fd >= 0) /* only its owner can have filled it */
		names_say(fd, waits ? "no again\n" : NAMES_AGAIN);
	descriptors_close(&fd);
	if (!waits)
		unlinkat(c->store.dir, name->text, 0);
	return 0;
}

static int
adopt_client(void *context, const struct name *name)
{
	if (name->kind == NAME_LEAVER || name->kind == NAME_WAITER)
		return tell_waiter(context, name);
	return name->kind == NAME_HOLDER && name->slot <= MOST_TOKENS
	    ? adopt_holder(context, name) : 0;
}

/* Makes that slot the holder's first: 0; -1: it does not have it. */
static int
lead(const struct clients *c, struct holder *holder, long slot)
{
	struct slot *slots = c->store.pool.slots;
	long *at = &holder->slot;

	while (*at != 0 && *at != slot)
		at = &slots[*at].next;
	if (*at == 0)
		return -1;
	*at = slots[slot].next;
	slots[slot].next = holder->slot;
	holder->slot = slot;
	return 0;
}

static int
adopt_build(void *context, const struct name *name)
{
	struct clients *c = context;
	struct holder *holder = holders_find(&c->holders, name->client);

	if (name->kind != NAME_BUILD || builds_find(&c->builds, name->client) != NULL ||
	    holder == NULL || lead(c, holder, name->slot) != 0)
		return 0;
	return builds_reopen(&c->builds, name->slot, &holder->who);
}

/* What belongs to nobody any more goes. */
static int
adopt_rest(void *context, const struct name *name)
{
	struct clients *c = context;
	struct build *b = builds_find(&c->builds, name->client);
	int keeps = b != NULL;

	if (name->kind == NAME_LOAN)
		keeps = holders_find(&c->holders, name->client) != NULL;
	else if (name->kind == NAME_TOKEN && b != NULL &&
	    builds_regain(&c->builds, b, name->slot) != 0)
		return errno == EEXIST ? 0 : -1;
	else if (name->kind != NAME_BUILD && name->kind != NAME_TOKEN)
		return 0;
	if (!keeps)
		unlinkat(c->store.dir, name->text, 0);
	return 0;
}

/* Holders first: a build is one of them. */
int
remains_adopt(struct clients *c)
{
	int dir = c->store.dir;

	return names_each(dir, adopt_client, c) != 0 || names_each(dir, adopt_build, c) != 0 ||
	    names_each(dir, adopt_rest, c) != 0 ? -1 : 0;
}
