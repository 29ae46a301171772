#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "clients.h"

enum {
	LOOK_AGAIN = 100, /* ms until the first one's FIFO is tried again */
	NOTE = 100        /* ms between two looks at what builds have taken, for a log */
};

/* Opens both ends: a waiter that cannot be answered must not be given anything. */
static int
open_waiting(const struct clients *c, const struct waiter *waiter, int *answer)
{
	char file[NAMES_FILE];
	int fd;

	names_file(file, waiter->who.name);
	fd = store_client(&c->store, file);
	if (fd >= 0 && (*answer = names_open(c->store.dir, file, O_WRONLY)) < 0)
		descriptors_close(&fd);
	return fd;
}

/* The first waiter keeps the others waiting for tokens that are not free yet, but only while it
   lives: so its FIFO is watched. */
static void
wait_for_head(struct clients *c, int fd, int answer)
{
	close(answer); /* else we would hold it ourselves */
	c->head = fd;
	if (news_add(c->store.news, fd, POLLHUP) != 0)
		news_drop(c->store.news, &c->head);
}

static long
most_of(const struct waiter *waiter)
{
	return waiter->most > waiter->who.count ? waiter->most : waiter->who.count;
}

/* 1; 0: the waiter was refused, as it wants more than there are to be, has just gone, or its FIFO
   cannot be renamed. */
static int
grant(struct clients *c, struct waiter *waiter, int fd, int answer)
{
	struct store *store = &c->store;
	struct party who = waiter->who;
	unsigned long long waited;
	long spare = store_spare(store, most_of(waiter));
	int enough = !store_lacks(store, who.count) && who.count <= spare;

	if (enough && waiter->most > 0)
		who.count = (int)spare;
	if (enough && holders_grant(&c->holders, &who, pool_take_all(&store->pool, who.count),
	        fd, answer) == 0) {
		waiter->who.command = NULL; /* its holder's now */
		waited = (unsigned long long)(clock_now() - waiter->asked);
		store->granted++;
		store->waited += waited;
		store->longest = waited > store->longest ? waited : store->longest;
		return 1;
	}
	names_say(answer, enough ? "no lease\n" : "no many\n");
	close(answer);
	close(fd);
	return 0;
}

/* Serves waiters in line. -1: too little memory or no descriptor is left to open the FIFO of the
   first. */
static int
serve_waiters(struct clients *c)
{
	struct waiter *waiter;
	long spare;
	int fd, answer;

	while ((waiter = waiters_first(&c->waiters)) != NULL) {
		builds_recall(&c->builds, most_of(waiter));
		if ((spare = store_spare(&c->store, most_of(waiter))) == 0)
			return 0;
		if (waiter->now && waiter->who.count > spare) {
			store_refuse(&c->store, waiter->who.name, "busy");
			waiters_take(&c->waiters, 0);
			continue;
		}
		fd = open_waiting(c, waiter, &answer);
		if (fd < 0 && room_short(errno))
			return -1;
		if (fd >= 0 && waiter->who.count > spare &&
		    !store_lacks(&c->store, waiter->who.count)) {
			wait_for_head(c, fd, answer);
			return 0;
		}
		waiters_take(&c->waiters, fd >= 0 && grant(c, waiter, fd, answer));
	}
	return 0;
}

/* At the end all are refused, else those that want a token now or not at all. */
static int
refuse_one(void *context, const struct waiter *waiter)
{
	struct store *store = context;
	const char *reason = store->closing != NULL ? store->closing : waiter->now ? "busy" : NULL;

	if (reason != NULL)
		store_refuse(store, waiter->who.name, reason);
	return reason != NULL;
}

/* Borrowed tokens go back first, so that others have their chance. */
void
clients_serve(struct clients *c)
{
	struct first *first = &c->store.first;
	const struct waiter *next;
	int failed;

	holders_tick(&c->holders);
	news_drop(c->store.news, &c->head);
	c->look = 0;
	if (pace_on(c->store.pool.pace))
		c->store.pool.looked = clock_now();
	if (c->store.borrowing)
		jobserver_settle(c->store.pool.out);
	failed = serve_waiters(c) != 0;
	first_rest(first, c->store.pool.out > 0 || (c->waiters.count > 0 && !c->store.paused));
	if (first->child == 0 || !first->lost) { /* else its answer comes soon */
		if (c->store.hurried)
			waiters_some(&c->waiters, 0, LONG_MAX, refuse_one, &c->store);
		c->store.hurried = 0;
	}
	if (first->busy && c->waiters.count > 0)
		c->look = clock_now();
	first->busy = 0;
	if (failed) {
		c->look = clock_now() + LOOK_AGAIN;
		c->store.asking = 0;
		if (c->store.borrowing)
			jobserver_settle(c->store.pool.out);
	} else {
		shares_balance(&c->builds, c->waiters.count > 0);
		next = waiters_first(&c->waiters);
		store_settle(&c->store, next != NULL ? next->who.count : 0);
	}
	if (c->note == 0 || clock_wait_ms(c->note) == 0)
		c->note = builds_note(&c->builds) ? clock_now() + NOTE : 0;
	report_write(c);
}

int
clients_event(struct clients *c, int fd, short events)
{
	return fd == c->head || fd == c->store.parent || builds_event(&c->builds, fd) ||
	    report_event(c, fd, events) || first_event(&c->store.first, c->store.news, fd) ||
	    holders_event(&c->holders, fd, events);
}

long long
clients_wait_ms(const struct clients *c)
{
	int waiting = c->waiters.count > 0;
	long long wait = clock_sooner(holders_wait_ms(&c->holders),
	    shares_wait_ms(&c->builds, waiting));

	if (c->note != 0)
		wait = clock_sooner(wait, clock_wait_ms(c->note));
	if (c->look != 0)
		wait = clock_sooner(wait, clock_wait_ms(c->look));
	return clock_sooner(wait, store_wait_ms(&c->store, waiting, c->builds.list != NULL));
}

int
clients_busy(const struct clients *c)
{
	return c->store.pool.out > 0 || c->waiters.count > 0 || c->store.paused;
}

void
clients_stop(struct clients *c)
{
	c->store.closing = "stopped";
	waiters_some(&c->waiters, 0, LONG_MAX, refuse_one, &c->store);
}

int
clients_open(struct clients *c, struct news *news, int dir, long count, char **labels,
    long labelled, int inherited)
{
	struct pool *pool = &c->store.pool;

	c->store.news = news;
	c->store.dir = dir;
	c->builds.store = c->holders.store = &c->store;
	c->holders.builds = &c->builds;
	c->head = c->store.parent = -1;
	c->swept = clock_now();
	c->store.spare = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (c->store.spare < 0 || remains_adopt(c) != 0 ||
	    pool_resize(pool, count) != 0 || pool_name(pool, labels, labelled) != 0) {
		complain("the tokens:");
		return -1;
	}
	if (inherited)
		pool_inherit(pool);
	clients_serve(c);
	return 0;
}

void
clients_close(struct clients *c)
{
	c->store.closing = "closing";
	c->store.used = NULL; /* tokens that are still out have not come home */
	waiters_some(&c->waiters, 0, LONG_MAX, refuse_one, &c->store);
	news_drop(c->store.news, &c->head);
	report_close(c);
	names_remove(c->store.dir);
	holders_close(&c->holders);
	names_remove(c->store.dir); /* as leases_close does */
	builds_close(&c->builds);
	first_close(&c->store.first);
	free(c->runs);
	if (c->store.borrowing)
		jobserver_close();
	pool_clear(&c->store.pool);
	close(c->store.spare);
}
