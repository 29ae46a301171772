#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attended.h"

static int
make_lease_room(struct leases *leases)
{
	struct lease *bigger = room_for(leases->list, &leases->room, leases->total + 1,
	    sizeof *bigger);

	if (bigger == NULL)
		return -1;
	leases->list = bigger;
	return 0;
}

static int
open_lease(struct leases *leases, struct lease *lease)
{
	lease_name(lease->name, lease->slot, lease->generation);
	if ((lease->fd = lease_open(leases->dir, lease->name)) < 0)
		return -1;
	if (news_add(leases->news, lease->fd, leases->deaf ? 0 : POLLIN) == 0)
		return 0;
	descriptors_close(&lease->fd);
	return -1;
}

/* A held lease becomes the current one of its slot, unless the slot has one already. */
static int
find_lease(void *context, const struct name *name)
{
	struct leases *leases = context;
	struct lease lease = {.slot = name->slot, .generation = name->generation,
	    .since = clock_now()}, *current = leases->list + name->slot - 1;

	if (name->kind != NAME_LEASE)
		return 0;
	if (open_lease(leases, &lease) != 0)
		return lease_unknown(errno) || errno == EACCES ? -1 : 0; /* else none of ours */
	if (!lease_held(lease.fd)) {
		unlinkat(leases->dir, name->text, 0); /* first: see leases_close */
		news_drop(leases->news, &lease.fd);
	} else if ((size_t)lease.slot <= leases->count && current->fd < 0) {
		*current = lease;
		current->adopted = 1;
	} else {
		if (make_lease_room(leases) != 0)
			return -1;
		leases->list[leases->total++] = lease;
	}
	return 0;
}

/* The lowest generation of the slot without a lease. */
static long
next_generation(const struct leases *leases, long slot)
{
	long generation = 0;

	for (size_t i = 0; i < leases->total; i++) {
		const struct lease *lease = leases->list + i;

		if (lease->slot == slot && lease->fd >= 0 && lease->generation == generation) {
			generation++;
			i = (size_t)-1; /* from the start again: they are in no order */
		}
	}
	return generation;
}

int
leases_open(struct leases *leases, struct news *news, int dir, size_t count)
{
	leases->news = news;
	leases->dir = dir;
	leases->list = room_for(NULL, &leases->room, count + 1, sizeof *leases->list);
	if (leases->list == NULL) {
		complain("no memory for %zu slots", count);
		return -1;
	}
	leases->count = leases->total = count;
	for (size_t i = 0; i < count; i++)
		leases->list[i] = (struct lease){.fd = -1, .slot = (long)i + 1};
	if (names_each(dir, find_lease, leases) != 0) {
		complain("the leases of the former dispenser:");
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (!leases->list[i].adopted && open_lease(leases, leases->list + i) != 0) {
			complain("slot %zu:", i + 1);
			return -1;
		}
	return 0;
}

/* A new read end does not report the writer that went: see lease.h. The old one is closed first,
   so that no descriptor need be spare; nobody opens the lease now, for its slot has not been
   announced again. */
int
leases_renew(struct leases *leases, size_t i)
{
	news_drop(leases->news, &leases->list[i].fd);
	leases->list[i].adopted = 0;
	return open_lease(leases, leases->list + i);
}

int
leases_retire(struct leases *leases, size_t i)
{
	const struct lease *old = leases->list + i;
	struct lease fresh = {.slot = old->slot, .turn = old->turn, .hoped = old->hoped,
	    .generation = next_generation(leases, old->slot)};

	if (make_lease_room(leases) != 0 || open_lease(leases, &fresh) != 0)
		return -1;
	leases->list[leases->total++] = leases->list[i];
	leases->list[i] = fresh;
	return 0;
}

/* Its name stays: the slot's next retirement uses it again. */
void
leases_drop(struct leases *leases, size_t i)
{
	news_drop(leases->news, &leases->list[i].fd);
	leases->list[i] = leases->list[--leases->total];
}

size_t
leases_find(const struct leases *leases, int fd)
{
	size_t i;

	for (i = 0; i < leases->total && leases->list[i].fd != fd; i++)
		;
	return i;
}

struct lease *
leases_of(struct leases *leases, long id)
{
	struct lease *lease = leases->list, *end = lease + leases->total;

	while (lease < end && !(lease->job.granted && lease->job.id == id))
		lease++;
	return lease == end ? NULL : lease;
}

size_t
leases_named(const struct leases *leases, const char *name)
{
	size_t i;

	for (i = 0; i < leases->total && (leases->list[i].fd < 0 ||
	    strcmp(leases->list[i].name, name) != 0); i++)
		;
	return i;
}

int
leases_hear(struct leases *leases, int deaf)
{
	if (leases->deaf == deaf)
		return 0;
	leases->deaf = deaf;
	for (size_t i = 0; i < leases->total; i++)
		if (leases->list[i].fd >= 0 &&
		    news_change(leases->news, leases->list[i].fd, deaf ? 0 : POLLIN) != 0)
			return -1;
	return 0;
}

/* The names first: an attendant that opened a lease with a closed read end would wait for ever.
   If it comes too late, its redirection makes a plain file of that name: so once more after the
   read ends. */
void
leases_close(struct leases *leases)
{
	names_remove(leases->dir);
	for (size_t i = 0; i < leases->total; i++)
		news_drop(leases->news, &leases->list[i].fd);
	names_remove(leases->dir);
	free(leases->list);
	leases->list = NULL;
	leases->count = leases->total = leases->room = 0;
}
