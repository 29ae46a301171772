#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/news.h"
#include "slots.h"

static int
make_room(struct slots *slots)
{
	struct lease *bigger;
	size_t room = slots->room + slots->room / 2 + 16;

	if (slots->total < slots->room)
		return 0;
	if ((bigger = realloc(slots->leases, room * sizeof *bigger)) == NULL)
		return -1;
	slots->leases = bigger;
	slots->room = room;
	return 0;
}

static short
wanted(const struct slots *slots)
{
	return slots->deaf ? 0 : POLLIN;
}

static int
open_lease(struct slots *slots, struct lease *lease)
{
	if (lease_open(lease, slots->dir) != 0)
		return -1;
	if (news_add(slots->news, lease->fd, wanted(slots)) == 0)
		return 0;
	lease_close(lease);
	return -1;
}

static void
close_lease(struct slots *slots, struct lease *lease)
{
	if (lease->fd >= 0)
		news_remove(slots->news, lease->fd);
	lease_close(lease);
}

/* It becomes the current lease of its slot, unless the slot has one already. */
static int
adopt(struct slots *slots, const struct lease *found)
{
	struct lease *current = slots->leases + found->slot - 1;

	if (found->slot <= slots->count && current->fd < 0) {
		*current = *found;
		current->adopted = 1;
		return 0;
	}
	if (make_room(slots) != 0)
		return -1;
	slots->leases[slots->total++] = *found;
	return 0;
}

static int
find_leases(struct slots *slots, int unheld)
{
	struct lease lease = {0};
	struct dirent *entry;
	DIR *names = names_open_all(slots->dir);

	if (names == NULL)
		return -1;
	while ((errno = 0, entry = readdir(names)) != NULL) {
		if (lease_parse(&lease, entry->d_name) != 0 || open_lease(slots, &lease) != 0)
			continue;
		lease.since = clock_now();
		if (!unheld && !lease_held(&lease)) {
			lease_remove(&lease, slots->dir); /* first: see slots_close */
			close_lease(slots, &lease);
		} else if (adopt(slots, &lease) != 0) {
			break;
		}
	}
	if (errno != 0) {
		closedir(names);
		return -1;
	}
	closedir(names);
	return 0;
}

/* The lowest generation of the slot that no lease has. */
static unsigned
next_generation(const struct slots *slots, unsigned slot)
{
	unsigned generation = 0;
	size_t i;

	for (i = 0; i < slots->total; i++) {
		const struct lease *lease = slots->leases + i;

		if (lease->slot == slot && lease->fd >= 0 && lease->generation == generation) {
			generation++;
			i = (size_t)-1; /* from the start again: they are in no order */
		}
	}
	return generation;
}

int
slots_open(struct slots *slots, struct news *news, int dir, size_t count, int unheld)
{
	size_t i;

	slots->news = news;
	slots->dir = dir;
	slots->count = slots->total = slots->room = count;
	slots->leases = calloc(count + 1, sizeof *slots->leases);
	if (slots->leases == NULL) {
		slots->count = slots->total = 0;
		complain("no memory for %zu slots", count);
		return -1;
	}
	for (i = 0; i < count; i++) {
		slots->leases[i].fd = -1;
		slots->leases[i].slot = (unsigned)i + 1;
	}
	if (find_leases(slots, unheld) != 0) {
		complain("the leases of the former dispenser:");
		return -1;
	}
	for (i = 0; i < count; i++) {
		struct lease *lease = slots->leases + i;

		if (lease->adopted)
			continue; /* a slot that is not has no lease that is held */
		if (open_lease(slots, lease) != 0) {
			complain("slot %u:", lease->slot);
			return -1;
		}
	}
	return 0;
}

/* A new read end knows nothing of the writer that went: see lease.h. The old
   one goes first, so that this needs no descriptor to spare; nobody opens the
   lease now, for its slot has not been announced again. */
int
slots_renew(struct slots *slots, size_t i)
{
	struct lease *lease = slots->leases + i;

	close_lease(slots, lease);
	lease->adopted = 0;
	return open_lease(slots, lease);
}

int
slots_retire(struct slots *slots, size_t i)
{
	struct lease fresh = {0};

	if (make_room(slots) != 0)
		return -1;
	fresh.slot = slots->leases[i].slot;
	fresh.generation = next_generation(slots, fresh.slot);
	if (open_lease(slots, &fresh) != 0)
		return -1;
	slots->leases[slots->total++] = slots->leases[i];
	slots->leases[i] = fresh;
	return 0;
}

/* Its name stays: the slot's next retirement uses it again. */
void
slots_drop(struct slots *slots, size_t i)
{
	close_lease(slots, slots->leases + i);
	slots->leases[i] = slots->leases[--slots->total];
}

size_t
slots_find(const struct slots *slots, int fd)
{
	size_t i;

	for (i = 0; i < slots->total && slots->leases[i].fd != fd; i++)
		;
	return i;
}

int
slots_hear(struct slots *slots, int deaf)
{
	size_t i;

	if (slots->deaf == deaf)
		return 0;
	slots->deaf = deaf;
	for (i = 0; i < slots->total; i++)
		if (slots->leases[i].fd >= 0 &&
		    news_change(slots->news, slots->leases[i].fd, wanted(slots)) != 0)
			return -1;
	return 0;
}

size_t
slots_held(const struct slots *slots)
{
	size_t i, held = 0;

	for (i = 0; i < slots->total; i++)
		held += lease_held(slots->leases + i) ? 1 : 0;
	return held;
}

/* The names first: an attendant that opened a lease whose read end is closed
   would wait for ever. One that comes too late makes a plain file of that name,
   by its redirection: so once more after the read ends. */
void
slots_close(struct slots *slots)
{
	size_t i;

	names_remove(slots->dir);
	for (i = 0; i < slots->total; i++)
		close_lease(slots, slots->leases + i);
	names_remove(slots->dir);
	free(slots->leases);
	slots->leases = NULL;
	slots->count = slots->total = 0;
}
