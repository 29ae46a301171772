#include <limits.h>
#include <poll.h>
#include <stddef.h>

#include "../lease/bytes.h"
#include "../lib/clock.h"
#include "../lib/news.h"
#include "clients.h"
#include "shares.h"

enum {
	TICK = 20,       /* ms in which a build that wants a token reads it */
	LOOK = 10,       /* ms between two looks while something changes ... */
	LOOK_MOST = 80,  /* ... and while nothing does */
	PAUSE = 50,      /* ms for which one that did not is left alone, at first ... */
	PAUSE_MOST = 800,
	CATCH = 2,       /* ms for which we look for what is returned ... */
	CATCH_EACH = 20  /* ... out of so many */
};

static void
look(struct clients *c)
{
	struct build *b;
	int changed = builds_look(c);

	for (b = c->builds; b != NULL; b = b->next) {
		if (b->unread > 0 && b->lying < 0)
			b->lying = clock_now();
		if (b->pause == 0 || (b->unread == 0 && b->lying >= 0)) { /* new, or all was read */
			b->lying = b->unread == 0 ? -1 : b->lying;
			b->pause = PAUSE;
			b->sated = b->idle = 0;
		}
	}
	c->looked = clock_now();
	if (changed || c->look_again == 0)
		c->look_again = LOOK;
	else if ((c->look_again *= 2) > LOOK_MOST)
		c->look_again = LOOK_MOST;
}

static int
is_hungry(const struct build *b, long long now)
{
	return b->unread == 0 && now >= b->sated && !b->absent;
}

/* Hungry, or about to read what it was given just now, as it always did. */
static int
wants(const struct build *b, long long now)
{
	return is_hungry(b, now) || (!b->absent && !b->idle && b->lying >= 0 && now - b->lying < TICK);
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
	long left = clients_spare(c, c->pool.free);
	long long now = clock_now();

	while (left > 0 && (b = poorest(c, now)) != NULL) {
		b->due++;
		left--;
	}
	for (b = c->builds; b != NULL; b = b->next) {
		if (b->due > 0)
			builds_give(c, b, b->due);
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
	builds_take(c, b, (bytes_unread(b->offers) * 3 + 3) / 4);
	b->lying = now;
	b->idle = 1;
	if ((b->unread = bytes_unread(b->offers)) > 0)
		return;
	b->lying = -1;
	b->sated = now + b->pause;
	b->pause = b->pause * 2 > PAUSE_MOST ? PAUSE_MOST : b->pause * 2;
}

/* The one who is hungry and has least, or NULL. */
static struct build *
hungriest(const struct clients *c)
{
	long long now = clock_now();
	struct build *b, *least = NULL;

	for (b = c->builds; b != NULL; b = b->next)
		if (is_hungry(b, now) && !at_most(c, b) && (least == NULL || b->given < least->given))
			least = b;
	return least;
}

/* From those who leave tokens unread, be it only for now where they have two more
   than one who is hungry. */
static void
gather(struct clients *c)
{
	long long now = clock_now();
	struct build *b, *least = hungriest(c);
	long gap;

	if (least == NULL)
		return;
	for (b = c->builds; b != NULL; b = b->next)
		if (b != least && b->unread > 0) {
			gap = b->given - least->given;
			if (gap >= 2)
				builds_take(c, b, gap / 2);
			else
				move_idle(c, b, now);
		}
}

/* So many more are out than there are to be now. */
static long
too_many(struct clients *c)
{
	const struct pool *p = &c->pool;
	long most = p->wanted;

	if (limits_reached(&c->limits) && c->limits.least < most)
		most = c->limits.least;
	if (p->out > most)
		return p->out - most;
	return p->leaving;
}

/* What one returns into the FIFO that it reads itself is news only while somebody
   else wants it, and only once. */
static void
watch(struct clients *c)
{
	int several = c->builds != NULL && c->builds->next != NULL, waiting = waiters_first(&c->waiters) != NULL,
	    over = too_many(c) > 0;
	const struct build *least = hungriest(c);
	struct build *b;

	for (b = c->builds; b != NULL; b = b->next) {
		int more = b->given > b->reserved, news = more && (waiting || ((several || over) && b->unread == 0));

		b->wanted = more && b->unread == 0 && !b->by_descriptor &&
		    (waiting || over || (least != NULL && b->given - least->given >= 2));
		if (news != b->watched && news_change(c->news, b->offers, news ? POLLIN : 0) == 0)
			b->watched = news;
	}
}

void
shares_catch(struct clients *c)
{
	long long until = clock_now() + CATCH;
	long most = too_many(c);
	struct build *b;
	int wanted;

	if (most == 0)
		most = 1;
	do
		for (b = c->builds, wanted = 0; b != NULL && most > 0; b = b->next) {
			wanted |= b->wanted;
			if (b->wanted)
				most -= builds_take(c, b, most);
		}
	while (wanted && most > 0 && clock_now() < until);
}

void
shares_balance(struct clients *c)
{
	if (c->builds == NULL)
		return;
	look(c);
	if (c->closing || too_many(c) > 0)
		builds_recall(c, LONG_MAX);
	if (!c->closing && waiters_first(&c->waiters) == NULL) {
		gather(c);
		give(c);
		look(c);
	}
	watch(c);
}

/* That tokens are read is no news. So while they lie there for one of several, we
   look; but not for one alone, and not when all are taken. That the
   shared one is left is no news either. */
long long
shares_patience(const struct clients *c)
{
	long long now = clock_now(), least = -1, until;
	const struct build *b;

	for (b = c->builds; b != NULL; b = b->next) {
		if (b->wanted)
			until = c->looked + CATCH_EACH;
		else if (b->slot == 0)
			until = c->looked + c->look_again;
		else if (c->builds->next == NULL || waiters_first(&c->waiters) != NULL)
			continue;
		else if (b->unread > 0 && b->given > b->reserved)
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

