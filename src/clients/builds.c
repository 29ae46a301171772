#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/bytes.h"
#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/hangup.h"
#include "../lib/news.h"
#include "clients.h"
#include "holders.h"

#define SHARED "jobserver"

enum { PIPE_FULL = 65536 }; /* bytes at one look: who writes all the time does not keep us */

/* The FIFO whose links the tokens of a build are: it is ours, and not the client's,
   as a lease is; some systems let nobody link the files of others. */
static void
offers_name(char name[NAMES_FILE], long slot)
{
	if (slot == 0)
		strcpy(name, SHARED);
	else
		snprintf(name, NAMES_FILE, "%ld.%s", slot, SHARED);
}

/* The tokens that are given come after the first in the holder's chain; those of
   the shared one, after 0. */
static void
one_home(struct clients *c, struct build *b)
{
	char name[LEASE_NAME];
	long before = b->slot, at = before, slot, i;

	/* one that is to be withdrawn, if there is one; its own come last in the chain */
	for (i = 0; i < b->given - b->reserved && c->pool.leaving > 0; i++, at = c->next_slot[at])
		if (c->pool.slots[c->next_slot[at]].leaving) {
			before = at;
			break;
		}
	slot = c->next_slot[before];
	c->next_slot[before] = c->next_slot[slot];
	snprintf(name, sizeof name, "%ld", slot);
	unlinkat(c->dir, name, 0);
	pool_home(&c->pool, slot);
	b->given--;
}

/* One more, in this order: should we die before the build is told, the next of us
   finds the token with it. 0, or -1. */
static int
one_more(struct clients *c, struct build *b)
{
	char name[LEASE_NAME], offers[NAMES_FILE];
	long slot = pool_take(&c->pool);

	if (slot == 0)
		return -1;
	offers_name(offers, b->slot);
	snprintf(name, sizeof name, "%ld", slot);
	if (holders_know_slot(c, slot) != 0 || linkat(c->dir, offers, c->dir, name, 0) != 0) {
		pool_home(&c->pool, slot);
		return -1;
	}
	c->next_slot[slot] = c->next_slot[b->slot];
	c->next_slot[b->slot] = slot;
	b->given++;
	return 0;
}

void
builds_give(struct clients *c, struct build *b, long count)
{
	long linked = 0, told;

	while (linked < count && one_more(c, b) == 0)
		linked++;
	for (told = bytes_put(b->into, linked); told < linked; told++)
		one_home(c, b);
	if (b->lying < 0)
		b->lying = clock_now();
}

/* Takes so many back of what lies unread; returns how many came home. What a
   broken client gave back too often is nobody's token. */
long
builds_take(struct clients *c, struct build *b, long count)
{
	long may = b->given - b->reserved, i, got;

	got = bytes_draw(b->offers, count < may ? count : may);
	for (i = 0; i < got; i++)
		one_home(c, b);
	return got;
}

/* What came back by descriptor: no more than was taken. Its own tokens stay with it. */
static void
take_returns(struct clients *c, struct build *b)
{
	long got = b->slot == 0 ? 0 : bytes_draw(b->returns, PIPE_FULL), taken;

	b->by_descriptor |= got > 0;
	if (got > 0 && got > (taken = b->given - bytes_counted(b->offers, b->into)))
		got = taken;
	for (; got > 0 && b->given > b->reserved; got--)
		one_home(c, b);
	if (got > 0)
		bytes_put(b->into, got);
}

static void
file_name(char name[NAMES_FILE], long slot, const char *word)
{
	snprintf(name, NAMES_FILE, "%ld.%s", slot, word);
}

static void
forget(struct clients *c, struct build *b)
{
	char name[NAMES_FILE];

	if (b->offers >= 0) {
		news_remove(c->news, b->offers);
		close(b->offers);
	}
	if (b->into >= 0)
		close(b->into);
	if (b->returns >= 0) {
		news_remove(c->news, b->returns);
		close(b->returns);
	}
	file_name(name, b->slot, "jobserver");
	unlinkat(c->dir, name, 0);
	file_name(name, b->slot, "returned");
	unlinkat(c->dir, name, 0);
	free(b);
}

/* The shared one, of which somebody took the name: its tokens come home, and it is
   forgotten. */
static void
look_for_removed(struct clients *c)
{
	struct build **at, *b;
	struct stat st, there;

	for (at = &c->builds; (b = *at) != NULL && b->slot != 0; at = &b->next)
		;
	if (b == NULL || (b->into >= 0 && fstat(b->offers, &st) == 0 &&
	    fstatat(c->dir, SHARED, &there, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == there.st_ino &&
	    st.st_dev == there.st_dev))
		return;
	while (b->given > 0)
		one_home(c, b);
	*at = b->next;
	forget(c, b);
}

#ifndef POLL_NO_HANGUP
static int
nobody_writes(struct build *b, long *drawn)
{
	struct pollfd now = {0};

	*drawn = 0;
	now.fd = b->offers;
	return poll(&now, 1, 0) > 0 && (now.revents & POLLHUP);
}
#else
/* Only read(2) knows, and what is unread comes before its end. */
static int
nobody_writes(struct build *b, long *drawn)
{
	char byte;
	ssize_t n;

	*drawn = bytes_draw(b->offers, PIPE_FULL);
	n = read(b->offers, &byte, 1);
	*drawn += n > 0;
	return n == 0;
}
#endif

/* Whether nobody else has the shared FIFO open for writing, which shows when we have
   not. Who opens it for reading just then waits until we have it open again. */
static int
is_abandoned(const struct clients *c, struct build *b)
{
	long drawn;
	int result;

	if (b->into >= 0)
		close(b->into);
	result = nobody_writes(b, &drawn);
	b->into = names_open(c->dir, SHARED, O_WRONLY);
	bytes_put(b->into, drawn);
	return result || b->into < 0; /* it was removed */
}

/* Who reads tokens has the other end open, too, before and until it ends. So if
   nobody has, before and after the last look, nobody has any of them. */
static void
top_up(struct clients *c, struct build *b)
{
	b->absent = is_abandoned(c, b);
	if (!b->absent || bytes_counted(b->offers, b->into) >= b->given)
		return;
	builds_take(c, b, LONG_MAX);
	if (!(b->absent = is_abandoned(c, b)))
		return;
	c->recovered += (unsigned long long)b->given;
	while (b->given > 0)
		one_home(c, b);
}

/* More than was given can only be there by a client's mistake. */
int
builds_look(struct clients *c)
{
	struct build *b;
	long before;
	int changed = 0;

	look_for_removed(c);
	for (b = c->builds; b != NULL; b = b->next) {
		before = b->unread;
		if (b->slot == 0)
			top_up(c, b);
		else
			take_returns(c, b);
		if ((b->unread = bytes_unread(b->offers)) > b->given)
			b->unread -= bytes_draw(b->offers, b->unread - b->given);
		changed |= b->unread != before;
	}
	return changed;
}

void
builds_recall(struct clients *c, long wanted)
{
	struct build *b;

	for (b = c->builds; b != NULL && pool_missing(&c->pool, wanted) > 0; b = b->next) {
		take_returns(c, b);
		builds_take(c, b, pool_missing(&c->pool, wanted));
	}
}

int
builds_event(struct clients *c, int fd)
{
	struct build *b;

	for (b = c->builds; b != NULL; b = b->next)
		if (fd == b->offers || fd == b->returns)
			return 1;
	return 0;
}

long
builds_count(struct clients *c)
{
	struct build *b;
	long all = 0;

	for (b = c->builds; b != NULL; b = b->next) {
		take_returns(c, b);
		b->unread = bytes_counted(b->offers, b->into);
		all += b->unread < b->given ? b->unread : b->given;
	}
	return all;
}

/* Which of its tokens those are is nobody's business: the last that were given. */
int
builds_offer(const struct clients *c, long slot)
{
	const struct build *b;
	long one, i;

	for (b = c->builds; b != NULL; b = b->next)
		for (one = c->next_slot[b->slot], i = 0; i < b->unread && one != 0; one = c->next_slot[one], i++)
			if (one == slot)
				return 1;
	return 0;
}

/* Opens the FIFOs that are there. 0, or -1 and nothing is left of it. */
static int
open_ends(struct clients *c, struct build *b)
{
	char offers[NAMES_FILE], returns[NAMES_FILE];

	offers_name(offers, b->slot);
	file_name(returns, b->slot, "returned");
	if ((b->offers = names_open(c->dir, offers, O_RDONLY)) >= 0 &&
	    (b->into = names_open(c->dir, offers, O_WRONLY)) >= 0 &&
	    (b->returns = names_open(c->dir, returns, O_RDONLY)) >= 0 &&
	    news_add(c->news, b->offers, 0) == 0 && news_add(c->news, b->returns, POLLIN) == 0) {
		b->next = c->builds;
		c->builds = b;
		return 0;
	}
	forget(c, b);
	return -1;
}

static struct build *
new_build(int fd, long slot)
{
	struct build *b = calloc(1, sizeof *b);

	if (b == NULL)
		return NULL;
	b->slot = slot;
	b->lease = fd;
	b->offers = b->into = b->returns = -1;
	b->lying = -1;
	return b;
}

static int
make_fifo(const struct clients *c, long slot, const char *word)
{
	char name[NAMES_FILE];

	file_name(name, slot, word);
	if (mkfifoat(c->dir, name, (mode_t)c->mode) == 0)
		return 0;
	return errno == EEXIST && unlinkat(c->dir, name, 0) == 0 ? mkfifoat(c->dir, name, (mode_t)c->mode) : -1;
}

int
builds_begin(struct clients *c, int fd, long slot, long reserved)
{
	struct build *b = new_build(fd, slot);

	if (b == NULL)
		return -1;
	if (make_fifo(c, slot, "jobserver") != 0 || make_fifo(c, slot, "returned") != 0) {
		forget(c, b);
		return -1;
	}
	if (open_ends(c, b) != 0)
		return -1;
	b->given = b->reserved = reserved;
	if (bytes_put(b->into, reserved) == reserved)
		return 0;
	builds_end(c, fd);
	return -1;
}

static struct build *
build_of(const struct clients *c, long slot)
{
	struct build *b;

	for (b = c->builds; b != NULL && b->slot != slot; b = b->next)
		;
	return b;
}

/* The read end: of the one that is there, for some may have it open; but where
   something else has the name, it is made anew. */
static int
open_shared(const struct clients *c)
{
	struct stat st;
	int fd = -1;

	if (mkfifoat(c->dir, SHARED, (mode_t)c->mode) != 0 && errno != EEXIST)
		return -1;
	if ((fd = names_open(c->dir, SHARED, O_RDONLY)) >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid())
		return fd;
	if (fd >= 0)
		close(fd);
	if (unlinkat(c->dir, SHARED, 0) != 0 || mkfifoat(c->dir, SHARED, (mode_t)c->mode) != 0)
		return -1;
	return names_open(c->dir, SHARED, O_RDONLY);
}

int
builds_shared(struct clients *c)
{
	struct build *b;

	look_for_removed(c);
	if (build_of(c, 0) != NULL)
		return 0;
	if (holders_know_slot(c, 0) != 0 || (b = new_build(-1, 0)) == NULL)
		return -1;
	c->next_slot[0] = 0;
	if ((b->offers = open_shared(c)) < 0 || (b->into = names_open(c->dir, SHARED, O_WRONLY)) < 0 ||
	    news_add(c->news, b->offers, 0) != 0) {
		forget(c, b);
		return -1;
	}
	b->next = c->builds;
	c->builds = b;
	return 0;
}

void
builds_end(struct clients *c, int fd)
{
	struct build **at, *b;

	for (at = &c->builds; (b = *at) != NULL; at = &b->next)
		if (b->lease == fd) {
			*at = b->next;
			forget(c, b);
			return;
		}
}

/* The first of the chain becomes the one whose FIFOs are there. */
static void
put_first(struct clients *c, struct holder *holder, long slot)
{
	long before;

	if (holder->slot == slot)
		return;
	for (before = holder->slot; c->next_slot[before] != slot; before = c->next_slot[before])
		;
	c->next_slot[before] = c->next_slot[slot];
	c->next_slot[slot] = holder->slot;
	holder->slot = slot;
}

static int
remember(void *context, const char *name, long slot)
{
	struct clients *c = context;
	struct known *bigger;
	struct stat st;

	if (slot > 0 || strstr(name, SHARED) == NULL ||
	    fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISFIFO(st.st_mode))
		return 0;
	if ((bigger = realloc(c->known, (size_t)(c->known_count + 1) * sizeof *bigger)) == NULL)
		return -1;
	c->known = bigger;
	c->known[c->known_count].slot = -slot;
	c->known[c->known_count].dev = st.st_dev;
	c->known[c->known_count++].ino = st.st_ino;
	return 0;
}

int
builds_remember(struct clients *c)
{
	if (names_each(c->dir, remember, c) != 0)
		return -1;
	return remember(c, SHARED, 0);
}

/* Whose token that name is, or -1. */
static long
known_slot(const struct clients *c, const char *name)
{
	struct stat st;
	long i;

	if (c->known_count == 0 || fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	for (i = 0; i < c->known_count; i++)
		if (c->known[i].dev == st.st_dev && c->known[i].ino == st.st_ino)
			return c->known[i].slot;
	return -1;
}

int
builds_has(const struct clients *c, const char *name)
{
	return known_slot(c, name) >= 0;
}

/* The holder of that slot, if its lease was held, is a build again. What else it
   holds is its own. */
static void
adopt(struct clients *c, long slot)
{
	struct build *b;
	size_t fd;
	long one = 0;

	for (fd = 0; fd < c->room && one != slot; fd++)
		for (one = c->holders[fd].slot; one != 0 && one != slot; one = c->next_slot[one])
			;
	if (one != slot || (b = new_build((int)fd - 1, slot)) == NULL || open_ends(c, b) != 0)
		return;
	put_first(c, &c->holders[fd - 1], slot);
	for (one = c->next_slot[slot]; one != 0; one = c->next_slot[one])
		b->given = ++b->reserved;
}

static int
adopt_name(void *context, const char *name, long slot)
{
	struct clients *c = context;
	long first = slot > 0 ? known_slot(c, name) : -1;
	struct build *b = first < 0 ? NULL : build_of(c, first);

	if (b != NULL) {
		if (holders_know_slot(c, slot) != 0 || pool_adopt(&c->pool, slot) != 0)
			return -1;
		c->next_slot[slot] = c->next_slot[b->slot];
		c->next_slot[b->slot] = slot;
		b->given++;
	} else if (first >= 0 || (slot < 0 && build_of(c, -slot) == NULL)) {
		unlinkat(c->dir, name, 0);
	}
	return 0;
}

int
builds_adopt(struct clients *c)
{
	long i;
	int result;

	for (i = 0; i < c->known_count; i++)
		if (c->known[i].slot > 0)
			adopt(c, c->known[i].slot);
		else if (builds_shared(c) != 0)
			complain("the jobserver for all:");
	result = names_each(c->dir, adopt_name, c);
	free(c->known);
	c->known = NULL;
	c->known_count = 0;
	return result;
}

long
builds_idle(const struct clients *c)
{
	const struct build *b;

	for (b = c->builds; b != NULL; b = b->next)
		if (b->slot == 0 && b->absent)
			return b->given;
	return 0;
}

void
builds_close(struct clients *c)
{
	struct build *b;

	while ((b = c->builds) != NULL) {
		c->builds = b->next;
		forget(c, b);
	}
}
