#include <limits.h>
#include <poll.h>
#include <stddef.h>

#include "../lease/bytes.h"
#include "../lib/clock.h"
#include "../lib/news.h"
#include "builds.h"
#include "shares.h"

enum {
	TICK = 20,       /* ms in which a build that wants a token reads it */
	LOOK = 10,       /* ms between two looks while something changes ... */
	LOOK_MOST = 80,  /* ... and while nothing does */
	PAUSE = 50,      /* ms for which a build that did not is left alone, at first ... */
	PAUSE_MOST = 800
};

static void
look(struct builds *builds)
{
	int changed = builds_look(builds);
	long long now = clock_now();

	for (struct build *b = builds->list; b != NULL; b = b->next) {
		if (b->unread > 0 && b->lying < 0)
			b->lying = now;
		if (b->pause == 0)
			b->pause = PAUSE;
		if (b->unread == 0 && b->lying >= 0) { /* all was read */
			b->lying = -1;
			b->pause = PAUSE;
			b->sated = b->idle = 0;
		}
	}
	builds->looked = clock_now();
	if (changed || builds->look_again == 0)
		builds->look_again = LOOK;
	else if ((builds->look_again *= 2) > LOOK_MOST)
		builds->look_again = LOOK_MOST;
}

static int
is_hungry(const struct build *b, long long now)
{
	return b->unread == 0 && now >= b->sated && !b->absent;
}

/* 1 if it is hungry, or was given some just now and has always read them at once. */
static int
wants(const struct build *b, long long now)
{
	return is_hungry(b, now) || (!b->absent && !b->idle && b->lying >= 0 &&
	    now - b->lying < TICK);
}

/* Its tokens, with the first one. */
static long
has(const struct build *b)
{
	return b->given + b->due + 1;
}

/* Its share is in proportion to this. */
static long
weight(const struct build *b)
{
	return b->priority + 1;
}

/* 1 if it has less than the other one, each by its weight. */
static int
is_poorer(const struct build *b, const struct build *other)
{
	return has(b) * weight(other) < has(other) * weight(b);
}

static long
most_of(const struct builds *builds, const struct build *b)
{
	long most = builds->cap > 0 ? builds->cap : LONG_MAX;

	return b->cap > 0 && b->cap < most ? b->cap : most;
}

static int
at_most(const struct builds *builds, const struct build *b)
{
	return has(b) >= most_of(builds, b);
}

/* Builds of the highest rank go first. */
static int
rank(const struct build *b, long long now)
{
	return wants(b, now) ? 2 : 1;
}

/* The build that has least, of those that want a token or else of all. */
static struct build *
poorest(const struct builds *builds, long long now)
{
	struct build *b, *found = NULL;

	for (b = builds->list; b != NULL; b = b->next) {
		if (at_most(builds, b))
			continue;
		if (found == NULL || rank(b, now) > rank(found, now) ||
		    (rank(b, now) == rank(found, now) && is_poorer(b, found)))
			found = b;
	}
	return found;
}

static void
give(struct builds *builds)
{
	struct build *b;
	long left = store_spare(builds->store, builds->store->pool.free);
	long long now = clock_now();

	while (left > 0 && (b = poorest(builds, now)) != NULL) {
		b->due++;
		left--;
	}
	for (b = builds->list; b != NULL; b = b->next) {
		if (b->due > 0)
			builds_give(builds, b, b->due);
		b->due = 0;
	}
}

/* Hungry builds get most of the tokens that it leaves unread; the rest later, if they read them. */
static void
move_idle(struct builds *builds, struct build *b, long long now)
{
	if (now - b->lying < TICK)
		return;
	builds_take(builds, b, (bytes_unread(b->offers) * 3 + 3) / 4);
	b->lying = now;
	b->idle = 1;
	if ((b->unread = bytes_unread(b->offers)) > 0)
		return;
	b->lying = -1;
	b->sated = now + b->pause;
	b->pause = b->pause * 2 > PAUSE_MOST ? PAUSE_MOST : b->pause * 2;
}

/* The hungry build that has least, or NULL. */
static struct build *
hungriest(const struct builds *builds)
{
	long long now = clock_now();
	struct build *b, *least = NULL;

	for (b = builds->list; b != NULL; b = b->next)
		if (is_hungry(b, now) && !at_most(builds, b) &&
		    (least == NULL || is_poorer(b, least)))
			least = b;
	return least;
}

/* How many it can give the other one without becoming the poorer one: half of the difference, if
   both have the same weight. */
static long
excess(const struct build *b, const struct build *other)
{
	return (has(b) * weight(other) - has(other) * weight(b)) / (weight(b) + weight(other));
}

/* Takes from builds that leave tokens unread, at once if they have more than their share beside the
   hungriest. */
static void
gather(struct builds *builds)
{
	long long now = clock_now();
	struct build *b, *least = hungriest(builds);
	long more;

	if (least == NULL)
		return;
	for (b = builds->list; b != NULL; b = b->next)
		if (b != least && b->unread > 0) {
			more = excess(b, least);
			if (more > 0)
				builds_take(builds, b, more);
			else
				move_idle(builds, b, now);
		}
}

/* A token that a build returns into the FIFO that it reads is news only while somebody else wants
   it, and only once. */
static void
watch(struct builds *builds, int waiting)
{
	int several = builds->list != NULL && builds->list->next != NULL;
	int over = store_surplus(builds->store) > 0;

	for (struct build *b = builds->list; b != NULL; b = b->next) {
		int news = b->given > b->reserved &&
		    (waiting || ((several || over) && b->unread == 0));

		if (news != b->watched &&
		    news_change(builds->store->news, b->offers, news ? POLLIN : 0) == 0)
			b->watched = news;
	}
}

void
shares_balance(struct builds *builds, int waiting)
{
	int closing = builds->store->closing;

	if (builds->list == NULL)
		return;
	look(builds);
	if (closing || store_surplus(builds->store) > 0)
		builds_recall(builds, LONG_MAX);
	if (!closing && !waiting) {
		gather(builds);
		give(builds);
		look(builds);
	}
	watch(builds, waiting);
}

/* Its own tokens. It got them at once: all were lent to it, or none. */
static long
own_of(const struct build *b)
{
	return b->reserved + 1;
}

/* Rounded. Clients of the shared one have no first token of ours. Tokens of holders that are no
   builds are nobody's share. */
long
shares_of(const struct builds *builds, const struct build *build)
{
	const struct pool *pool = &builds->store->pool;
	long tokens = pool->wanted - pool->out, weights = 0, own = own_of(build), share;

	for (const struct build *b = builds->list; b != NULL; b = b->next) {
		tokens += b->absent ? b->given : has(b);
		weights += b->absent ? 0 : weight(b);
	}
	share = weights == 0 ? 0 : (2 * tokens * weight(build) + weights) / (2 * weights);
	if (share > most_of(builds, build))
		share = most_of(builds, build);
	return (share < own ? own : share) - (build->slot == 0);
}

/* We have no news of tokens that are read. So while they lie there for one of several builds, we
   look; but not for a build alone, and not when all are taken. Nor have we news when the last build
   leaves the shared one. */
long long
shares_wait_ms(const struct builds *builds, int waiting)
{
	int several = builds->list != NULL && builds->list->next != NULL && !waiting;
	long long wait = -1;

	for (const struct build *b = builds->list; b != NULL; b = b->next)
		if (b->slot == 0 || (several && b->unread > 0 && b->given > b->reserved))
			wait = clock_sooner(wait,
			    clock_wait_ms(builds->looked + builds->look_again));
		else if (several && b->unread == 0 && clock_wait_ms(b->sated) > 0)
			wait = clock_sooner(wait, clock_wait_ms(b->sated));
	return wait;
}
