#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients.h"

enum {
	MOST = 64, /* askers at a time */
	MOST_UNREAD = 8 << 20, /* bytes that these may leave unread before another one is served */
	TRIES = 3,
	MOST_LABEL = 1000 /* bytes of all labels of a command, or a little more */
};

struct report {
	struct report *next;
	char file[NAMES_FILE];
	int fd;              /* -1: not begun */
	struct outbox box;
	int failures;        /* of write, one after another */
	long rows;           /* commands still to be told of; -1: all there is */
	long place;
	long long now;
	const struct holder **holders; /* by slot, as is the next one */
	char *offered;       /* to a build, which has not taken it */
};

static double
seconds(long long ms)
{
	return (double)ms / 1000;
}

static const char *
command_of(const struct party *who)
{
	return who->command == NULL ? "" : who->command;
}

static int
say_waiting(void *context, const struct waiter *waiter)
{
	const struct party *who = &waiter->who;
	struct report *r = context;

	outbox_say(&r->box, "wait\t%ld\t%ld\t%.3f\t%d\t%d\t%s\n", ++r->place,
	    who->pid, seconds(r->now - waiter->asked), who->count, who->priority,
	    command_of(who));
	return 0;
}

/* The labels of all its slots, as far as they are not too many. */
static void
say_labels(struct report *r, const struct clients *c, long slot)
{
	const struct pool *pool = &c->store.pool;
	size_t most = outbox_waits(&r->box) + MOST_LABEL;

	for (const char *before = ""; slot != 0 && outbox_waits(&r->box) < most;
	    slot = pool->slots[slot].next)
		if (*pool_label(pool, slot) != '\0' && !r->offered[slot]) {
			outbox_say(&r->box, "%s%s", before, pool_label(pool, slot));
			before = ",";
		}
}

/* A command that has tokens, of which this slot is the first. */
static void
say_holder(struct report *r, const struct clients *c, const struct party *who, long slot)
{
	const struct build *b = builds_find(&c->builds, who->name);
	long ready = b != NULL ? builds_offered(b) : 0;

	outbox_say(&r->box, "holder\t%ld\t%ld\t%.3f\t%ld\t%d\t", slot, who->pid,
	    seconds(r->now - c->store.pool.slots[slot].since),
	    b != NULL ? b->given - ready + 1 : (long)who->count, who->priority);
	if (b != NULL)
		outbox_say(&r->box, "%ld\t%ld\t", shares_of(&c->builds, b), ready);
	else
		outbox_say(&r->box, "-\t-\t");
	say_labels(r, c, slot);
	outbox_say(&r->box, "\t%s\n", command_of(who));
}

static void
say_holders(struct report *r, const struct clients *c)
{
	for (long slot = 1; slot < (long)c->store.pool.room && r->rows != 0; slot++)
		if (r->holders[slot] != NULL && r->holders[slot]->slot == slot) {
			say_holder(r, c, &r->holders[slot]->who, slot);
			r->rows -= r->rows > 0;
		}
}

/* A free slot that may not be given out yet rests. A token that a build has not taken is as good as
   free. */
static void
say_slot(struct report *r, const struct clients *c, long slot)
{
	const struct pool *pool = &c->store.pool;
	const struct holder *holder = r->holders[slot];
	const char *state = r->offered[slot] ? "offered" : "out";
	long long ms = r->now - pool->slots[slot].since;

	if (pool->slots[slot].state == FREE) {
		ms = c->store.paused ? -1 : pool_slot_wait_ms(pool, slot);
		state = ms == 0 ? "free" : "resting";
	}
	outbox_say(&r->box, "slot\t%ld\t%s\t%ld\t%.3f\t%ld\t%s\n", slot, state,
	    holder != NULL ? holder->who.pid : 0, seconds(ms < 0 ? 0 : ms),
	    holder != NULL ? holder->slot : 0, pool_label(pool, slot));
}

static void
say_pool(struct report *r, struct clients *c)
{
	const struct store *store = &c->store;
	const struct pool *pool = &store->pool;
	long offered = builds_count(&c->builds, r->offered),
	     spare = store->paused ? 0 : pool_spare(pool);

	outbox_say(&r->box, "pool\t%ld\t%ld\t%ld\t%ld\t%llu\t%llu\t%llu\t%.3f\t%.3f\n",
	    store->paused ? 0 : pool->wanted, spare + offered, pool->out - offered,
	    c->waiters.count, store->granted, store->returned, store->recovered,
	    seconds((long long)store->longest),
	    store->granted == 0 ? 0.0 : seconds((long long)store->waited) / (double)store->granted);
}

static void
compose_report(struct report *r, struct clients *c)
{
	int all;

	r->now = clock_now();
	r->holders = calloc(c->store.pool.room + 1, sizeof *r->holders);
	r->offered = calloc(c->store.pool.room + 1, 1);
	if (r->holders == NULL || r->offered == NULL) {
		r->box.lost = 1;
	} else {
		holders_each(&c->holders, r->holders);
		all = r->rows < 0;
		say_pool(r, c);
		say_holders(r, c);
		for (long slot = 1; all && slot < (long)c->store.pool.room; slot++)
			if (c->store.pool.slots[slot].state != WITHDRAWN)
				say_slot(r, c, slot);
		waiters_some(&c->waiters, 0, all ? LONG_MAX : r->rows, say_waiting, r);
		outbox_say(&r->box, "end\n");
	}
	free(r->holders);
	free(r->offered);
}

/* 1 if there is more to write, later. The asker waits: so a write that fails is tried again. */
static int
write_more(struct report *r)
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
drop_report(struct clients *c, struct report **at)
{
	struct report *r = *at;

	*at = r->next;
	news_drop(c->store.news, &r->fd);
	outbox_drop(&r->box);
	free(r);
}

int
report_ask(struct clients *c, const char *file, long rows)
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
	r->rows = rows;
	*end = r;
	return 1;
}

/* 0: the report could not be begun. */
static int
begin_report(struct clients *c, struct report *r)
{
	size_t unread = 0;

	for (const struct report *other = c->reports; other != NULL; other = other->next)
		unread += outbox_waits(&other->box);
	if (unread > MOST_UNREAD)
		return 0;
	if ((r->fd = names_open(c->store.dir, r->file, O_WRONLY)) < 0) {
		if (errno == ENXIO) /* the asker was killed, and left this */
			unlinkat(c->store.dir, r->file, 0);
		return 0;
	}
	compose_report(r, c);
	return !r->box.lost && news_add(c->store.news, r->fd, POLLOUT) == 0;
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
		if (!begin_report(c, *at))
			names_answer(c->store.dir, (*at)->file, "no room\n", &c->store.spare);
		else if (write_more(*at)) {
			at = &(*at)->next;
			continue;
		}
		drop_report(c, at);
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
	if ((events & POLLERR) || !write_more(*at))
		drop_report(c, at);
	return 1;
}

void
report_close(struct clients *c)
{
	while (c->reports != NULL)
		drop_report(c, &c->reports);
}
