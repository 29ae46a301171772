/* FIONREAD is no part of POSIX. */
#if defined __linux__ && !defined PORTABLE
#include <sys/ioctl.h>
#endif
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients.h"
#include "clock.h"
#include "holders.h"
#include "lease.h"
#include "names.h"
#include "news.h"

enum {
	TICK = 20,       /* ms in which a build that wants a token reads it */
	LOOK = 10,       /* ms between two looks while something changes ... */
	LOOK_MOST = 80,  /* ... and while nothing does */
	PAUSE = 50,      /* ms for which one that did not is left alone, at first ... */
	PAUSE_MOST = 800,
	BLOCK = 4096     /* bytes at a time */
};

/* The tokens that are given come after the first in the holder's chain. */
static void
one_home(struct clients *c, struct build *b)
{
	char name[LEASE_NAME];
	long slot = c->next_slot[b->slot];

	c->next_slot[b->slot] = c->next_slot[slot];
	snprintf(name, sizeof name, "%ld", slot);
	unlinkat(c->dir, name, 0);
	pool_home(&c->pool, slot);
	b->given--;
}

/* One more, in this order: should we die before the build is told, the token
   comes home with its lease. 0, or -1. */
static int
one_more(struct clients *c, struct build *b)
{
	char name[LEASE_NAME], first[LEASE_NAME];
	long slot = pool_take(&c->pool);

	if (slot == 0)
		return -1;
	snprintf(first, sizeof first, "%ld", b->slot);
	snprintf(name, sizeof name, "%ld", slot);
	if (holders_know_slot(c, slot) != 0 || linkat(c->dir, first, c->dir, name, 0) != 0) {
		pool_home(&c->pool, slot);
		return -1;
	}
	c->next_slot[slot] = c->next_slot[b->slot];
	c->next_slot[b->slot] = slot;
	b->given++;
	return 0;
}

/* So many bytes, or as many of them as the FIFO takes. */
static long
put(const struct build *b, long count)
{
	char block[BLOCK];
	long done = 0;
	ssize_t n = 1;

	memset(block, '+', sizeof block);
	while (done < count && n > 0) {
		n = write(b->into, block, (size_t)(count - done > BLOCK ? BLOCK : count - done));
		if (n > 0)
			done += n;
	}
	return done;
}

/* So many bytes, or as many of them as are there. */
static long
draw(int fd, long count)
{
	char block[BLOCK];
	long done = 0;
	ssize_t n = 1;

	while (done < count && n > 0) {
		n = read(fd, block, (size_t)(count - done > BLOCK ? BLOCK : count - done));
		if (n > 0)
			done += n;
	}
	return done;
}

#ifdef FIONREAD
static long
look(const struct build *b)
{
	int bytes;

	return ioctl(b->offers, FIONREAD, &bytes) == 0 ? bytes : 0;
}

static long
counted(const struct build *b)
{
	return look(b);
}
#else
/* Whether there is something: to count it, it has to be taken out for a moment. */
static long
look(const struct build *b)
{
	struct pollfd now = {0};

	now.fd = b->offers;
	now.events = POLLIN;
	return poll(&now, 1, 0) > 0 && (now.revents & POLLIN) ? 1 : 0;
}

static long
counted(const struct build *b)
{
	return look(b) == 0 ? 0 : put(b, draw(b->offers, b->given));
}
#endif

static void
offer(struct clients *c, struct build *b, long count)
{
	long linked = 0, told;

	while (linked < count && one_more(c, b) == 0)
		linked++;
	for (told = put(b, linked); told < linked; told++)
		one_home(c, b);
	if (b->lying < 0)
		b->lying = clock_now();
}

/* Takes so many back of what lies unread; returns how many came home. What a
   broken client gave back too often is nobody's token. */
static long
take_back(struct clients *c, struct build *b, long count)
{
	long may = b->given - b->reserved, i, got;

	got = draw(b->offers, count < may ? count : may);
	for (i = 0; i < got; i++)
		one_home(c, b);
	return got;
}

/* What came back by descriptor. Its own tokens stay with it. */
static void
take_returns(struct clients *c, struct build *b)
{
	long got = draw(b->returns, LONG_MAX);

	for (; got > 0 && b->given > b->reserved; got--)
		one_home(c, b);
	if (got > b->reserved - counted(b))
		got = b->reserved - counted(b);
	put(b, got);
}

/* More than was given can only be there by a client's mistake. */
static void
look_at_all(struct clients *c)
{
	struct build *b;
	long before, changed = 0;

	for (b = c->builds; b != NULL; b = b->next) {
		before = b->unread;
		take_returns(c, b);
		if ((b->unread = look(b)) > b->given)
			b->unread -= draw(b->offers, b->unread - b->given);
		changed |= b->unread != before;
		if (b->unread > 0 && b->lying < 0)
			b->lying = clock_now();
		if (b->unread > 0 || b->lying < 0)
			continue;
		b->lying = -1; /* all of it was read */
		b->pause = PAUSE;
		b->sated = 0;
	}
	c->looked = clock_now();
	c->look_again = changed ? LOOK : c->look_again * 2 < LOOK_MOST ? c->look_again * 2 : LOOK_MOST;
}

void
builds_recall(struct clients *c, long wanted)
{
	struct build *b;

	for (b = c->builds; b != NULL && c->pool.free < wanted; b = b->next) {
		take_returns(c, b);
		if (c->pool.free < wanted)
			take_back(c, b, wanted - c->pool.free);
	}
}

static int
is_hungry(const struct build *b, long long now)
{
	return b->unread == 0 && now >= b->sated;
}

/* Hungry, or about to read what it was given just now, as it always did. */
static int
wants(const struct build *b, long long now)
{
	return is_hungry(b, now) || (b->pause == PAUSE && b->lying >= 0 && now - b->lying < TICK);
}

static int
at_most(const struct clients *c, const struct build *b)
{
	return c->cap > 0 && b->given + b->due + 1 >= c->cap;
}

/* Of those who want one, or else of all, the one who has least. */
static struct build *
poorest(const struct clients *c, long long now)
{
	struct build *b, *found = NULL;

	for (b = c->builds; b != NULL; b = b->next) {
		if (at_most(c, b))
			continue;
		if (found == NULL || wants(b, now) > wants(found, now) ||
		    (wants(b, now) == wants(found, now) && b->given + b->due < found->given + found->due))
			found = b;
	}
	return found;
}

static void
give(struct clients *c)
{
	struct build *b;
	long left = clients_spare(c);
	long long now = clock_now();

	while (left > 0 && (b = poorest(c, now)) != NULL) {
		b->due++;
		left--;
	}
	for (b = c->builds; b != NULL; b = b->next) {
		if (b->due > 0)
			offer(c, b, b->due);
		b->due = 0;
	}
}

/* Most of what it leaves unread is free for those who are hungry; the rest later,
   should they read that. */
static void
move_idle(struct clients *c, struct build *b, long long now)
{
	if (now - b->lying < TICK)
		return;
	take_back(c, b, (look(b) * 3 + 3) / 4);
	b->lying = now;
	if ((b->unread = look(b)) > 0)
		return;
	b->lying = -1;
	b->sated = now + b->pause;
	b->pause = b->pause * 2 > PAUSE_MOST ? PAUSE_MOST : b->pause * 2;
}

/* From those who leave tokens unread, be it only for now where they have two more
   than one who is hungry. */
static void
gather(struct clients *c)
{
	long long now = clock_now();
	struct build *b, *least = NULL;
	long gap;

	for (b = c->builds; b != NULL; b = b->next)
		if (is_hungry(b, now) && !at_most(c, b) && (least == NULL || b->given < least->given))
			least = b;
	if (least == NULL)
		return;
	for (b = c->builds; b != NULL; b = b->next)
		if (b != least && b->unread > 0) {
			gap = b->given - least->given;
			if (gap >= 2)
				take_back(c, b, gap / 2);
			else
				move_idle(c, b, now);
		}
}

/* What one returns into the FIFO that it reads itself is news only while somebody
   else wants it, and only once. */
static void
watch(struct clients *c)
{
	int several = c->builds != NULL && c->builds->next != NULL, waiting = queue_first(&c->queue) != NULL;
	struct build *b;

	for (b = c->builds; b != NULL; b = b->next) {
		int wanted = b->given > b->reserved && (waiting || (several && b->unread == 0));

		if (wanted != b->watched && news_change(c->news, b->offers, wanted ? POLLIN : 0) == 0)
			b->watched = wanted;
	}
}

void
builds_share(struct clients *c)
{
	if (c->builds == NULL)
		return;
	look_at_all(c);
	if (c->closing)
		builds_recall(c, LONG_MAX);
	else if (queue_first(&c->queue) == NULL) {
		gather(c);
		give(c);
		look_at_all(c);
	}
	watch(c);
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

/* That tokens are read is no news. So while they lie there for one of several, we
   look; but not for one alone, and not when all are taken. */
long long
builds_patience(const struct clients *c)
{
	long long now = clock_now(), least = -1, until;
	const struct build *b;

	if (c->builds == NULL || c->builds->next == NULL || queue_first(&c->queue) != NULL)
		return -1;
	for (b = c->builds; b != NULL; b = b->next) {
		if (b->unread > 0 && b->given > b->reserved)
			until = c->looked + c->look_again;
		else if (b->unread == 0 && b->sated > now)
			until = b->sated;
		else
			continue;
		if (least < 0 || until - now < least)
			least = until > now ? until - now : 0;
	}
	return least;
}

long
builds_count(struct clients *c)
{
	struct build *b;
	long all = 0;

	for (b = c->builds; b != NULL; b = b->next) {
		take_returns(c, b);
		b->unread = counted(b);
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

/* Opens the FIFOs that are there. 0, or -1 and nothing is left of it. */
static int
open_ends(struct clients *c, struct build *b)
{
	char offers[NAMES_FILE], returns[NAMES_FILE];

	file_name(offers, b->slot, "jobserver");
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
	b->pause = PAUSE;
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
	if (put(b, reserved) == reserved)
		return 0;
	builds_end(c, fd);
	return -1;
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
adopt(struct clients *c, int fd)
{
	char name[NAMES_FILE];
	struct build *b;
	struct stat st;
	long slot, others = 0;

	for (slot = c->holders[fd].slot; slot != 0; slot = c->next_slot[slot]) {
		file_name(name, slot, "jobserver");
		if (fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			break;
	}
	if (slot == 0)
		return 0;
	put_first(c, &c->holders[fd], slot);
	for (slot = c->next_slot[slot]; slot != 0; slot = c->next_slot[slot])
		others++;
	if ((b = new_build(fd, c->holders[fd].slot)) == NULL || open_ends(c, b) != 0)
		return -1;
	b->given = others;
	return 0;
}

static int
remove_unknown(void *context, const char *name, long slot)
{
	const struct clients *c = context;
	const struct build *b;

	for (b = c->builds; b != NULL; b = b->next)
		if (slot < 0 && b->slot == -slot)
			return 0;
	if (slot < 0)
		unlinkat(c->dir, name, 0);
	return 0;
}

int
builds_adopt(struct clients *c)
{
	size_t fd;

	for (fd = 0; fd < c->room; fd++)
		if (c->holders[fd].slot != 0 && adopt(c, (int)fd) != 0)
			return -1;
	return names_each(c->dir, remove_unknown, c);
}
