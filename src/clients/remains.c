#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lease/words.h"
#include "../lib/descriptors.h"
#include "clients.h"
#include "known.h"
#include "lending.h"
#include "remains.h"

enum {
	LINE = 4096, /* bytes of an answer, at most */
	FRESH = 2    /* seconds within which a client opens its FIFO */
};

struct found {
	struct clients *c;
	struct knowns knowns;
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
	names_each(c->store.dir, remove_stale, c);
}

/* The lease of a holder of several tokens has several names. */
static int
adopted_before(const struct clients *c, const struct stat *st)
{
	struct stat there;

	for (size_t fd = 0; fd < c->holders.room; fd++)
		if (c->holders.list[fd].slot != 0 && fstat((int)fd, &there) == 0 &&
		    descriptors_same(&there, st))
			return (int)fd;
	return -1;
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
   file that cannot be opened is no lease of ours. */
static int
open_found(struct clients *c, const char *name, struct stat *st)
{
	int fd = names_open(c->store.dir, name, O_RDONLY), held;

	if (fd < 0)
		return lease_unknown(errno) ? -1 : 0;
	if (fstat(fd, st) == 0 && (held = still_held(c, fd, name)) >= 0) {
		if (held)
			return fd;
		unlinkat(c->store.dir, name, 0);
		close(fd);
		return 0;
	}
	close(fd);
	return -1;
}

/* Reads who gave a loan, if the holder has one. */
static void
read_lender(const struct clients *c, const struct name *name, struct waiter *holder)
{
	char file[NAMES_FILE], text[NAMES_CLIENT + NAMES_JOB];
	ssize_t n;
	char *job;

	names_lender(file, name->slot, name->client);
	if ((n = readlinkat(c->store.dir, file, text, sizeof text - 1)) < 0)
		return;
	text[n] = '\0';
	if ((job = strchr(text, ' ')) == NULL)
		return;
	*job++ = '\0';
	snprintf(holder->lender, sizeof holder->lender, "%.*s", NAMES_CLIENT - 1, text);
	snprintf(holder->job, sizeof holder->job, "%.*s", NAMES_JOB - 1, job);
}

/* Looks at the FIFO of that name: if held, its slot is out; else it goes. 0, or -1 with errno. */
static int
adopt_holder(struct clients *c, const struct name *name)
{
	struct holders *holders = &c->holders;
	struct pool *pool = &c->store.pool;
	struct waiter holder = {.count = 1, .silent = 1};
	struct stat st;
	int fd = open_found(c, name->text, &st), before;
	long slot, *at;

	if (fd <= 0)
		return fd;
	if ((slot = pool_adopt(pool, name->slot)) == 0) {
		close(fd);
		return -1;
	}
	memcpy(holder.name, name->client, sizeof holder.name);
	read_lender(c, name, &holder);
	if (st.st_nlink > 1 && (before = adopted_before(c, &st)) >= 0) {
		close(fd);
		at = &holders->list[before].slot; /* the note is by the name of the first one */
		if (holder.lender[0] == '\0')
			at = pool_next(pool, *at);
		*pool_next(pool, slot) = *at;
		*at = slot;
		holders->list[before].count++;
		holders->list[before].drawn++;
		if (holder.lender[0] != '\0') {
			memcpy(holders->list[before].lender, holder.lender, sizeof holder.lender);
			memcpy(holders->list[before].job, holder.job, sizeof holder.job);
		}
		return 0;
	}
	if (holders_enter(holders, &holder, slot, fd) == 0)
		return 0;
	close(fd);
	return -1;
}

/* Makes that slot, or its loan of it, the first of the holder of that name; returns it, or 0. */
static long
lead(const struct clients *c, long slot, const char *client)
{
	const struct pool *pool = &c->store.pool;
	struct holder *holder = holders_find(&c->holders, client);
	long *at = holder == NULL ? NULL : &holder->slot, first;

	while (at != NULL && *at != 0 && pool_number(pool, *at) != slot)
		at = pool_next(pool, *at);
	if (at == NULL || (first = *at) == 0)
		return 0;
	if (at != &holder->slot) {
		*at = *pool_next(pool, first);
		*pool_next(pool, first) = holder->slot;
		holder->slot = first;
	}
	return first;
}

/* The name of a lease, or of a token of a build. */
static int
is_of_slot(const struct name *name)
{
	return (name->kind == NAME_HOLDER || name->kind == NAME_LEASE) && name->generation == 0;
}

/* The client may not have seen that its dispenser died. Its FIFO was renamed, so it cannot remove
   the name. */
static int
tell_leaver(const struct clients *c, const char *name)
{
	int fd = names_open(c->store.dir, name, O_WRONLY);

	if (fd < 0 && lease_unknown(errno))
		return -1;
	if (fd >= 0)
		names_say(fd, NAMES_AGAIN); /* only its owner can have filled it */
	descriptors_close(&fd);
	unlinkat(c->store.dir, name, 0);
	return 0;
}

static int
tell_waiter(const struct clients *c, const char *name)
{
	int fd = open_held(c, name);

	if (fd < 0)
		return lease_unknown(errno) ? -1 : 0;
	names_say(fd, "no again\n");
	close(fd);
	return 0;
}

static int
adopt_name(void *context, const struct name *name)
{
	struct found *found = context;
	const struct known *build;
	int known;

	if (name->kind == NAME_LEAVER)
		return tell_leaver(found->c, name->text);
	if (name->kind == NAME_WAITER)
		return tell_waiter(found->c, name->text);
	if (!is_of_slot(name) || name->slot > MOST_TOKENS)
		return 0;
	if ((known = known_find(&found->knowns, name->text, &build)) != 0)
		return known < 0 ? -1 : 0;
	return adopt_holder(found->c, name);
}

/* A lender that had itself borrowed may have ended meanwhile. */
static int
inherit(void *context, const struct name *name)
{
	struct clients *c = context;
	struct waiter of = {0};

	if (name->kind != NAME_NOTE || name->client[0] == '\0' ||
	    holders_find(&c->holders, name->client) != NULL)
		return 0;
	read_lender(c, name, &of);
	return of.lender[0] != '\0' &&
	    lending_inherit(&c->holders, name->client, of.lender, of.job, 1) > 0;
}

/* Removes the note of a loan that nobody has. */
static int
drop_note(void *context, const struct name *name)
{
	struct clients *c = context;

	if (name->kind == NAME_NOTE && name->client[0] != '\0' &&
	    holders_find(&c->holders, name->client) == NULL)
		unlinkat(c->store.dir, name->text, 0);
	return 0;
}

/* A client that has ended meanwhile is no lender any more. */
static int
adopt_notes(struct clients *c)
{
	int result = 0;

	for (size_t i = 0; result >= 0 && i < c->holders.room; i++)
		if ((result = names_each(c->store.dir, inherit, c)) == 0)
			break;
	return result < 0 ? -1 : names_each(c->store.dir, drop_note, c);
}

/* A lent slot has two names, in any order: so a slot that is out already gets one more holder. */
static int
adopt_token(void *context, const struct name *name)
{
	struct found *found = context;
	struct builds *builds = &found->c->builds;
	const struct known *of = NULL;
	int known = is_of_slot(name) ? known_find(&found->knowns, name->text, &of) : 0;
	struct build *b = known > 0 ? builds_find(builds, of->name) : NULL;

	if (known < 0)
		return -1;
	if (b != NULL)
		return builds_regain(builds, b, name->slot);
	if (known || (name->kind == NAME_BUILD && builds_find(builds, name->client) == NULL))
		unlinkat(builds->store->dir, name->text, 0);
	return 0;
}

static int
adopt_build(struct clients *c, const struct known *known)
{
	long first;

	if (known->slot == 0)
		return builds_share(&c->builds);
	first = lead(c, known->slot, known->name);
	return first == 0 ? 0 : builds_reopen(&c->builds, first, known->name);
}

/* Holders first: a build is one of them. Notes last: by then all know what they hold. */
static int
adopt_all(struct found *found)
{
	struct clients *c = found->c;
	int dir = c->store.dir, result = names_each(dir, adopt_name, found);

	for (size_t i = 0; i < found->knowns.count && result == 0; i++)
		result = adopt_build(c, found->knowns.list + i);
	if (result != 0 || names_each(dir, adopt_token, found) != 0)
		return -1;
	return adopt_notes(c);
}

int
remains_adopt(struct clients *c)
{
	struct found found = {c, {.dir = c->store.dir}};
	int result = known_gather(&found.knowns) == 0 ? adopt_all(&found) : -1;

	known_clear(&found.knowns);
	return result;
}
