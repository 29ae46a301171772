#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "clients.h"

enum { ASK_AGAIN = 50 }; /* ms between two tries to borrow several tokens */

int
store_lacks(const struct store *store, long count)
{
	return count > store->pool.wanted || count > MOST_AT_ONCE;
}

int
store_client(const struct store *store, const char *file)
{
	int fd = names_open(store->dir, file, O_RDONLY);

	if (fd < 0 || lease_held(fd))
		return fd;
	unlinkat(store->dir, file, 0);
	close(fd);
	errno = ESRCH;
	return -1;
}

void
store_refuse(struct store *store, const char *name, const char *reason)
{
	char file[NAMES_FILE], text[64];

	snprintf(text, sizeof text, "no %s\n", reason);
	if (names_file(file, name) == 0)
		names_answer(store->dir, file, text, &store->spare);
}

void
store_used(const struct store *store, long slot, struct use use)
{
	if (store->used == NULL || store->pool.slots[slot].lies)
		return;
	use.slot = slot;
	use.label = pool_label(&store->pool, slot);
	use.ms = clock_now() - store->pool.slots[slot].since;
	store->used(store->context, &use);
}

/* How many may be given out now, if the parent has that many. */
static long
allowed(struct store *store)
{
	long spare = store->paused ? 0 : pool_spare(&store->pool), least;

	if (limits_reached(&store->limits)) {
		least = store->limits.least - store->pool.out;
		spare = least < 0 ? 0 : least < spare ? least : spare;
	}
	return spare;
}

int
store_lent(const struct store *store, const char *client, long slot)
{
	char file[NAMES_FILE];
	int loan, lent;

	snprintf(file, sizeof file, NAMES_WAITING "/%s.0.%ld", client, slot);
	loan = names_open(store->dir, file, O_RDONLY);
	lent = lease_held(loan);
	descriptors_close(&loan);
	return lent;
}

long
store_spare(struct store *store, long wanted)
{
	long spare = allowed(store), borrowed = 0;

	if (wanted < spare)
		spare = wanted;
	if (!store->borrowing)
		return spare;
	if (spare > 0 && !first_has(&store->first, store->news, store->hurried))
		return 0;
	while (borrowed < spare && jobserver_take(store->pool.out + borrowed))
		borrowed++;
	return borrowed;
}

/* For one more token we wait; of several we keep a part only until we ask again, so that others
   have their chance. */
void
store_settle(struct store *store, long first)
{
	long spare;
	int fd = -1;

	if (!store->borrowing)
		return;
	spare = allowed(store);
	store->asked = clock_now();
	store->asking = first > 1 && first <= spare;
	if (!store->asking)
		jobserver_settle(store->pool.out);
	if (first == 1 && spare > 0)
		fd = jobserver_fd();
	if (fd == store->parent)
		return;
	if (store->parent >= 0)
		news_forget(store->news, store->parent);
	store->parent = fd >= 0 && news_add(store->news, fd, POLLIN) == 0 ? fd : -1;
}

long
store_surplus(struct store *store)
{
	const struct pool *pool = &store->pool;
	long most = store->paused ? 0 : pool->wanted;

	if (limits_reached(&store->limits) && store->limits.least < most)
		most = store->limits.least;
	return pool->out > most ? pool->out - most : pool->leaving;
}

long long
store_wait_ms(const struct store *store, int waiting, int builds)
{
	long long wait = waiting ? pool_wait_ms(&store->pool) : -1;

	wait = clock_sooner(wait, first_wait_ms(&store->first));
	if (store->asking)
		wait = clock_sooner(wait, clock_wait_ms(store->asked + ASK_AGAIN));
	if (limits_set(&store->limits) && (waiting || builds))
		wait = clock_sooner(wait, limits_wait_ms(&store->limits));
	return wait;
}
