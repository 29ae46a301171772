#include <poll.h>
#include <stddef.h>

#include "../lease/jobserver.h"
#include "../lease/lease.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/news.h"
#include "attendant.h"
#include "borrow.h"
#include "slots.h"
#include "turns.h"

static int
is_idle(const struct lease *lease)
{
	return !lease->out && lease->fd >= 0 && !lease->adopted;
}

/* Those that the attendant has, and the first that it might get now, or NULL. */
static long
count_out(struct borrow *borrow, struct slots *slots, struct lease **idle)
{
	struct lease *lease, *end = slots->leases + slots->count;
	long out = 0, idling = 0;

	*idle = NULL;
	for (lease = slots->leases; lease < end; lease++) {
		out += lease->out;
		idling += is_idle(lease);
		if (borrow->wanted && *idle == NULL && is_idle(lease) && turns_may(borrow->turns, lease))
			*idle = lease;
	}
	borrow->rests = borrow->wanted && idling > 0 && *idle == NULL;
	return out;
}

static void
announce(struct borrow *borrow, struct lease *lease)
{
	char name[LEASE_NAME];

	lease->out = 1;
	turns_out(borrow->turns, lease);
	lease->since = clock_now();
	lease_name(lease, name);
	attendant_say("free %s\n", name);
}

static void
hear(struct borrow *borrow, struct slots *slots, int fd)
{
	if (borrow->heard == fd)
		return;
	if (borrow->heard >= 0)
		news_forget(slots->news, borrow->heard);
	borrow->heard = fd;
	if (fd >= 0 && news_add(slots->news, fd, POLLIN) != 0) {
		complain("make's jobserver:");
		borrow->heard = -1;
	}
}

void
borrow_look(struct borrow *borrow, struct slots *slots)
{
	struct lease *idle;
	long out = count_out(borrow, slots, &idle);

	jobserver_settle(out); /* first back, that others have their chance */
	if (borrow->wanted && idle != NULL && jobserver_take(out)) {
		announce(borrow, idle);
		borrow->wanted = 0;
	}
	hear(borrow, slots, borrow->wanted && idle != NULL ? jobserver_fd() : -1);
}

void
borrow_begin(struct borrow *borrow, struct slots *slots, struct turns *turns)
{
	borrow->turns = turns;
	borrow->heard = -1;
	borrow_want(borrow, slots);
}

void
borrow_want(struct borrow *borrow, struct slots *slots)
{
	borrow->wanted = 1;
	borrow_look(borrow, slots);
}

int
borrow_event(struct borrow *borrow, struct slots *slots, int fd)
{
	if (fd != borrow->heard)
		return 0;
	borrow_look(borrow, slots);
	return 1;
}

long long
borrow_left(const struct borrow *borrow, const struct slots *slots)
{
	const struct lease *lease, *end = slots->leases + slots->count;
	long long left = -1;

	for (lease = slots->leases; borrow->rests && lease < end; lease++)
		if (is_idle(lease))
			left = clock_sooner(left, turns_left(borrow->turns, lease));
	return left;
}

void
borrow_end(struct borrow *borrow, struct slots *slots)
{
	hear(borrow, slots, -1);
	borrow->wanted = 0;
	jobserver_close();
}
