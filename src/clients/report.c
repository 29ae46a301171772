#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/news.h"
#include "clients.h"
#include "report.h"

enum {
	MOST = 64, /* askers at a time */
	TRIES = 3
};

struct report {
	struct report *next;
	int fd;
	char *text;
	size_t used, room, from;
	int lost;            /* no memory for all of it */
	int failures;        /* of write, one after another */
	long place;
	long long now;
};

static void
say(struct report *r, const char *format, ...)
{
	char line[1200], *bigger;
	va_list args;
	size_t length;

	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	length = strlen(line);
	if (r->used + length > r->room) {
		size_t room = (r->used + length) * 2;

		if ((bigger = realloc(r->text, room)) == NULL) {
			r->lost = 1;
			return;
		}
		r->text = bigger;
		r->room = room;
	}
	memcpy(r->text + r->used, line, length);
	r->used += length;
}

static double
seconds(long long ms)
{
	return (double)ms / 1000;
}

static void
say_waiting(void *context, const struct waiter *waiter)
{
	struct report *r = context;

	say(r, "wait\t%ld\t%ld\t%d\t%d\t%.3f\n", ++r->place, waiter->pid, waiter->count,
	    waiter->priority, seconds(r->now - waiter->asked));
}

/* Who has the slot, or NULL for a plain token. */
static const struct holder *
holder_of(const struct clients *c, long slot)
{
	size_t fd;
	long one;

	for (fd = 0; fd < c->room; fd++)
		for (one = c->holders[fd].slot; one != 0; one = c->next_slot[one])
			if (one == slot)
				return c->holders + fd;
	return NULL;
}

/* What a build has not taken is as good as free. */
static void
say_slot_out(struct report *r, const struct clients *c, long slot)
{
	const struct holder *holder = holder_of(c, slot);

	say(r, "slot\t%ld\t%s\t%ld\t%.3f\t%s\n", slot, builds_offer(c, slot) ? "offered" : "out",
	    holder ? holder->pid : 0, holder ? seconds(r->now - holder->since) : 0.0,
	    pool_label(&c->pool, slot));
}

/* One that may not be given out yet is not free to whoever would ask, and rests for so
   many seconds. */
static void
say_slot_free(struct report *r, const struct pool *pool, long slot)
{
	if (!pool_rests(pool, slot))
		say(r, "slot\t%ld\tfree\t0\t0\t%s\n", slot, pool_label(pool, slot));
	else
		say(r, "slot\t%ld\tresting\t0\t%.3f\t%s\n", slot, seconds(pool_slot_left(pool, slot)),
		    pool_label(pool, slot));
}

static void
compose(struct report *r, struct clients *c)
{
	const struct pool *pool = &c->pool;
	long slot, offered = builds_count(c), spare = pool_spare(pool);

	r->now = clock_now();
	say(r, "pool\t%ld\t%ld\t%ld\t%ld\t%llu\t%llu\t%llu\t%.3f\t%.3f\n", pool->wanted,
	    spare + offered, pool->out - offered, c->waiters.count, c->granted, c->returned, c->recovered,
	    seconds((long long)c->longest),
	    c->granted == 0 ? 0.0 : seconds((long long)c->waited) / (double)c->granted);
	for (slot = 1; slot < pool->room; slot++) {
		if (pool->slots[slot].state == FREE) {
			say_slot_free(r, pool, slot);
		} else if (pool->slots[slot].state == OUT) {
			say_slot_out(r, c, slot);
		}
	}
	waiters_each(&c->waiters, say_waiting, r);
	say(r, "end\n");
}

/* 1 when there is more to write, later. Its asker waits for it: so one that fails is tried
   again, as in names_say. */
static int
go_on(struct report *r)
{
	ssize_t n;

	while (r->from < r->used) {
		n = write(r->fd, r->text + r->from, r->used - r->from);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 1;
		if (n < 0)
			return errno != EPIPE && ++r->failures < TRIES;
		r->failures = 0;
		r->from += (size_t)n;
	}
	return 0;
}

static void
drop(struct report *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->text);
	free(r);
}

static int
under_way(const struct clients *c)
{
	const struct report *r;
	int n = 0;

	for (r = c->report; r != NULL; r = r->next)
		n++;
	return n;
}

/* Ready to be written, and in the news; or NULL. */
static struct report *
begin(struct clients *c, const char *file)
{
	struct report *r = under_way(c) < MOST ? calloc(1, sizeof *r) : NULL;

	if (r == NULL)
		return NULL;
	r->fd = names_open(c->dir, file, O_WRONLY);
	if (r->fd >= 0)
		compose(r, c);
	if (r->fd >= 0 && !r->lost && news_add(c->news, r->fd, POLLOUT) == 0)
		return r;
	drop(r);
	return NULL;
}

void
report_write(struct clients *c, const char *file)
{
	struct report *r = begin(c, file);

	if (r == NULL) {
		clients_answer(c, file, "no room\n");
	} else if (go_on(r)) {
		r->next = c->report;
		c->report = r;
	} else {
		news_remove(c->news, r->fd);
		drop(r);
	}
}

int
report_event(struct clients *c, int fd, short events)
{
	struct report **at, *r;

	for (at = &c->report; (r = *at) != NULL; at = &r->next) {
		if (r->fd != fd)
			continue;
		if (!(events & POLLERR) && go_on(r))
			return 1;
		*at = r->next;
		news_remove(c->news, fd);
		drop(r);
		return 1;
	}
	return 0;
}

void
report_close(struct clients *c)
{
	struct report *r;

	while ((r = c->report) != NULL) {
		c->report = r->next;
		drop(r);
	}
}
