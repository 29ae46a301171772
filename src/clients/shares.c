#include <limits.h>
#include <poll.h>
#include <stddef.h>

#include "clients.h"

enum {
	TICK = 20,       /* ms in which a build that wants a token reads it */
	LOOK = 10,       /* ms between two looks at tokens that lie unread, at first ... */
	LOOK_MOST = 80,  /* ... and once they have lain there for a while */
	PAUSE_MOST = 800 /* ms for which a build that left its tokens unread is asked no more */
};

static void
look_at_builds(struct builds *builds)
{
	builds_look(builds);
	builds->looked = clock_now();
	for (struct build *b = builds->list; b != NULL; b = b->next)
		if (b->unread > 0 && b->lying < 0) {
			b->lying = builds->looked;
		} else if (b->unread == 0 && b->lying >= 0) { /* all was read */
			b->lying = -1;
			b->read = builds->looked;
			b->sated = 0;
		}
}

/* 1 if it has read all, or was given some just now and has always read them at once. */
static int
wants(const struct builds *builds, const struct build *b)
{
	return b->unread == 0 ? builds->looked >= b->sated
	    : b->sated == 0 && builds->looked - b->lying < TICK;
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
	return b->who.priority + 1;
}

static long
most_for(const struct builds *builds, const struct build *b)
{
	long most = builds->cap > 0 ? builds->cap : LONG_MAX;

	return b->who.cap > 0 && b->who.cap < most ? b->who.cap : most;
}

/* The build that has least, each by its weight: of those that want a token, or else of all. */
static struct build *
poorest(const struct builds *builds)
{
	struct build *b, *found = NULL;

	for (b = builds->list; b != NULL; b = b->next) {
		int more = found == NULL ? 1 : wants(builds, b) - wants(builds, found);

		if (has(b) < most_for(builds, b) && (more > 0 ||
		    (more == 0 && has(b) * weight(found) < has(found) * weight(b))))
			found = b;
	}
	return found;
}

/* Takes back for a hungry build what others leave unread: at once half of what they have more, if
   both have the same weight, so that neither becomes the poorer one; after TICK ms most of it,
   whoever has more, and the rest later, if they do not read that. Then these are asked again after
   as long as they have read nothing. */
static void
gather(struct builds *builds, const struct build *least)
{
	for (struct build *b = builds->list; b != NULL; b = b->next) {
		long more = (has(b) * weight(least) - has(least) * weight(b)) /
		    (weight(b) + weight(least));
		long long pause = builds->looked - b->read;

		if (b->unread > 0 && more > 0) {
			builds_take(builds, b, more);
		} else if (b->unread > 0 && builds->looked - b->lying >= TICK) {
			builds_take(builds, b, (b->unread * 3 + 3) / 4);
			b->unread = bytes_unread(b->offers);
			b->lying = b->unread > 0 ? builds->looked : -1;
			b->sated = builds->looked + (pause < PAUSE_MOST ? pause : PAUSE_MOST);
		}
	}
}

/* Gives free tokens to builds, and such that others leave unread to one that has read all. */
static void
share_tokens(struct builds *builds)
{
	struct build *least = poorest(builds);
	long left;

	if (least != NULL && least->unread == 0 && wants(builds, least))
		gather(builds, least);
	left = store_spare(builds->store, builds->store->pool.free);
	while (left-- > 0 && (least = poorest(builds)) != NULL)
		least->due++;
	for (struct build *b = builds->list; b != NULL; b = b->next) {
		if (b->due > 0)
			builds_give(builds, b, b->due);
		b->due = 0;
	}
	look_at_builds(builds);
}

/* A token that a build returns into the FIFO that it reads is news only while somebody else wants
   it, and only once. */
static void
watch_offers(struct builds *builds, int waiting)
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
	int closing = builds->store->closing != NULL;

	if (builds->list == NULL)
		return;
	look_at_builds(builds);
	if (closing || store_surplus(builds->store) > 0)
		builds_recall(builds, LONG_MAX);
	if (!closing && !waiting)
		share_tokens(builds);
	watch_offers(builds, waiting);
}

/* Rounded. Tokens of holders that are no builds are nobody's share. */
long
shares_of(const struct builds *builds, const struct build *build)
{
	const struct pool *pool = &builds->store->pool;
	long tokens = pool->wanted - pool->out, weights = 0, own = build->reserved + 1, share;

	for (const struct build *b = builds->list; b != NULL; b = b->next) {
		tokens += has(b);
		weights += weight(b);
	}
	share = (2 * tokens * weight(build) + weights) / (2 * weights);
	if (share > most_for(builds, build))
		share = most_for(builds, build);
	return share < own ? own : share;
}

/* We have no news of tokens that are read. So while they lie there for one of several builds, we
   look; but not for a build alone, and not when all are taken. */
long long
shares_wait_ms(const struct builds *builds, int waiting)
{
	int several = builds->list != NULL && builds->list->next != NULL && !waiting;
	long long wait = -1, pause;

	for (const struct build *b = builds->list; b != NULL; b = b->next)
		if (several && b->unread > 0 && b->given > b->reserved) {
			pause = b->lying < 0 ? LOOK_MOST : (builds->looked - b->lying) / 2;
			pause = pause < LOOK ? LOOK : pause > LOOK_MOST ? LOOK_MOST : pause;
			wait = clock_sooner(wait, clock_wait_ms(builds->looked + pause));
		}
	return wait;
}
