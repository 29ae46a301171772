#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/news.h"
#include "../lib/outbox.h"
#include "clients.h"
#include "report.h"
#include "shares.h"

enum {
	MOST = 64, /* askers at a time */
	MOST_UNREAD = 8 << 20, /* bytes that these may leave unread before another one is served */
	TRIES = 3
};

struct report {
	struct report *next;
	char file[NAMES_FILE];
	int fd;              /* -1: not begun */
	struct outbox box;
	int lost;            /* no memory for all of it */
	int failures;        /* of write, one after another */
	long from, count;    /* the window; count -1: all rows */
	int builds;          /* have rows, too */
	long row, place;     /* the next ones */
	long long now;
	const struct holder **holders; /* by slot, as is the next one */
	char *offered;       /* to a build, which has not taken it */
};

static double
seconds(long long ms)
{
	return (double)ms / 1000;
}

static int
say_waiting(void *context, const struct waiter *waiter)
{
	const struct party *who = &waiter->who;
	struct report *r = context;

	r->lost |= outbox_say(&r->box, "wait\t%ld\t%ld\t%d\t%d\t%.3f\n", ++r->place, who->pid,
	    who->count, who->priority, seconds(r->now - waiter->asked));
	return 0;
}

/* A token that a build has not taken is as good as free. */
static void
say_slot_out(struct report *r, const struct clients *c, long slot)
{
	const struct holder *holder = r->holders[slot];

	r->lost |= outbox_say(&r->box, "slot\t%ld\t%s\t%ld\t%.3f\t%s\n", slot,
	    r->offered[slot] ? "offered" : "out", holder ? holder->who.pid : 0,
	    holder ? seconds(r->now - holder->since) : 0.0, pool_label(&c->store.pool, slot));
}

/* A free slot that may not be given out yet rests. */
static void
say_slot_free(struct report *r, const struct store *store, long slot)
{
	const struct pool *pool = &store->pool;
	long long wait = store->paused ? -1 : pool_slot_wait_ms(pool, slot);

	if (wait == 0)
		r->lost |= outbox_say(&r->box, "slot\t%ld\tfree\t0\t0\t%s\n", slot,
		    pool_label(pool, slot));
	else
		r->lost |= outbox_say(&r->box, "slot\t%ld\tresting\t0\t%.3f\t%s\n", slot,
		    seconds(wait < 0 ? 0 : wait), pool_label(pool, slot));
}

static void
say_slot(struct report *r, const struct clients *c, long slot)
{
	if (c->store.pool.slots[slot].state == OUT)
		say_slot_out(r, c, slot);
	else
		say_slot_free(r, &c->store, slot);
}

static void
say_build(struct report *r, const struct clients *c, const struct build *b)
{
	const struct holder *holder = r->holders[b->slot];
	long ready = builds_offered(b);

	r->lost |= outbox_say(&r->box, "build\t%ld\t%ld\t%.3f\t%ld\t%ld\t%ld\t%d\n", b->slot,
	    holder ? holder->who.pid : 0, holder ? seconds(r->now - holder->since) : 0.0,
	    shares_of(&c->builds, b), b->given - ready + (b->slot > 0), ready,
	    b->who.priority);
}

/* 1 if the next row is in the window; goes on to the row after it. */
static int
next_row(struct report *r)
{
	long row = r->row++;

	return r->count < 0 || (row >= r->from && row - r->from < r->count);
}

static void
say_builds(struct report *r, const struct clients *c)
{
	for (const struct build *b = r->builds ? c->builds.list : NULL; b != NULL; b = b->next)
		if (!b->absent && next_row(r))
			say_build(r, c, b);
}

static void
say_all(struct report *r, struct clients *c)
{
	say_builds(r, c);
	for (long slot = 1; slot < (long)c->store.pool.room; slot++)
		if (c->store.pool.slots[slot].state != WITHDRAWN)
			say_slot(r, c, slot);
	waiters_each(&c->waiters, say_waiting, r);
}

/* Reports the slots that are out, or all others. */
static void
say_slots(struct report *r, const struct clients *c, int out)
{
	for (long slot = 1; slot < (long)c->store.pool.room; slot++) {
		const struct slot *s = c->store.pool.slots + slot;

		if (s->state != WITHDRAWN && (s->state == OUT && !r->offered[slot]) == out &&
		    next_row(r))
			say_slot(r, c, slot);
	}
}

static void
say_window(struct report *r, struct clients *c)
{
	long slots = c->store.pool.out + c->store.pool.free, rows;

	for (const struct build *b = r->builds ? c->builds.list : NULL; b != NULL; b = b->next)
		slots += !b->absent;
	rows = slots + c->waiters.count;
	if (r->from > rows - r->count)
		r->from = rows > r->count ? rows - r->count : 0;
	r->lost |= outbox_say(&r->box, "window\t%ld\t%ld\n", r->from, rows);
	say_builds(r, c);
	say_slots(r, c, 1);
	say_slots(r, c, 0);
	r->place = r->from > slots ? r->from - slots : 0;
	if (r->from + r->count > slots)
		waiters_some(&c->waiters, r->place, r->from + r->count - slots - r->place,
		    say_waiting, r);
}

static void
say_pool(struct report *r, struct clients *c)
{
	const struct store *store = &c->store;
	const struct pool *pool = &store->pool;
	long offered = builds_count(&c->builds, r->offered),
	     spare = store->paused ? 0 : pool_spare(pool);

	r->lost |= outbox_say(&r->box, "pool\t%ld\t%ld\t%ld\t%ld\t%llu\t%llu\t%llu\t%.3f\t%.3f\n",
	    store->paused ? 0 : pool->wanted, spare + offered, pool->out - offered,
	    c->waiters.count, store->granted, store->returned, store->recovered,
	    seconds((long long)store->longest),
	    store->granted == 0 ? 0.0 : seconds((long long)store->waited) / (double)store->granted);
}

static void
compose(struct report *r, struct clients *c)
{
	r->now = clock_now();
	r->holders = calloc(c->store.pool.room + 1, sizeof *r->holders);
	r->offered = calloc(c->store.pool.room + 1, 1);
	if (r->holders == NULL || r->offered == NULL) {
		r->lost = 1;
	} else {
		holders_each(&c->holders, r->holders);
		say_pool(r, c);
		if (r->count < 0)
			say_all(r, c);
		else
			say_window(r, c);
		r->lost |= outbox_say(&r->box, "end\n");
	}
	free(r->holders);
	free(r->offered);
}

/* 1 if there is more to write, later. The asker waits: so a write that fails is tried again. */
static int
go_on(struct report *r)
{
	size_t waits;

	while ((waits = outbox_waits(&r->box)) > 0) {
		if (outbox_write(&r->box, r->fd, OUTBOX_ALL) != 0)
			return errno != EPIPE && ++r->failures < TRIES;
		if (outbox_waits(&r->box) == waits)
			return 1;
		r->failures = 0;
	}
	return 0;
}

static void
drop(struct clients *c, struct report **at)
{
	struct report *r = *at;

	*at = r->next;
	news_drop(c->store.news, &r->fd);
	outbox_drop(&r->box);
	free(r);
}

int
report_ask(struct clients *c, const char *file, long from, long count, int builds)
{
	struct report *r, **end = &c->reports;
	int n = 0;

	for (; *end != NULL; end = &(*end)->next, n++)
		if (strcmp((*end)->file, file) == 0)
			return 0;
	if (n >= MOST || (r = calloc(1, sizeof *r)) == NULL) {
		names_answer(c->store.dir, file, "no room\n", &c->store.spare);
		return 0;
	}
	strcpy(r->file, file);
	r->fd = -1;
	r->from = from;
	r->count = count;
	r->builds = builds;
	*end = r;
	return 1;
}

static size_t
unread(const struct clients *c)
{
	size_t bytes = 0;

	for (const struct report *r = c->reports; r != NULL; r = r->next)
		bytes += outbox_waits(&r->box);
	return bytes;
}

/* 0: the report could not be begun. */
static int
begin(struct clients *c, struct report *r)
{
	if (unread(c) > MOST_UNREAD || (r->fd = names_open(c->store.dir, r->file, O_WRONLY)) < 0)
		return 0;
	compose(r, c);
	return !r->lost && news_add(c->store.news, r->fd, POLLOUT) == 0;
}

void
report_write(struct clients *c)
{
	struct report **at = &c->reports;

	while (*at != NULL) {
		if ((*at)->fd >= 0) {
			at = &(*at)->next;
			continue;
		}
		if (!begin(c, *at))
			names_answer(c->store.dir, (*at)->file, "no room\n", &c->store.spare);
		else if (go_on(*at)) {
			at = &(*at)->next;
			continue;
		}
		drop(c, at);
	}
}

int
report_event(struct clients *c, int fd, short events)
{
	struct report **at;

	for (at = &c->reports; *at != NULL && (*at)->fd != fd; at = &(*at)->next)
		;
	if (*at == NULL)
		return 0;
	if ((events & POLLERR) || !go_on(*at))
		drop(c, at);
	return 1;
}

void
report_close(struct clients *c)
{
	while (c->reports != NULL)
		drop(c, &c->reports);
}
