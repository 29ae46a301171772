#include <poll.h>
#include <stddef.h>

#include "attendant.h"
#include "borrow.h"
#include "clock.h"
#include "complain.h"
#include "jobserver.h"
#include "lease.h"
#include "news.h"
#include "slots.h"

/* Those that the attendant has, and the first that it might get, or NULL. */
static long
count_out(struct slots *slots, struct lease **idle)
{
	struct lease *lease, *end = slots->leases + slots->count;
	long out = 0;

	*idle = NULL;
	for (lease = slots->leases; lease < end; lease++)
		if (lease->out)
			out++;
		else if (*idle == NULL && lease->fd >= 0 && !lease->adopted)
			*idle = lease;
	return out;
}

static void
announce(struct lease *lease)
{
	char name[LEASE_NAME];

	lease->out = 1;
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
	long out = count_out(slots, &idle);

	jobserver_settle(out); /* first back, that others have their chance */
	if (borrow->wanted && idle != NULL && jobserver_take(out)) {
		announce(idle);
		borrow->wanted = 0;
	}
	hear(borrow, slots, borrow->wanted && idle != NULL ? jobserver_fd() : -1);
}

void
borrow_begin(struct borrow *borrow, struct slots *slots)
{
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

void
borrow_end(struct borrow *borrow, struct slots *slots)
{
	hear(borrow, slots, -1);
	borrow->wanted = 0;
	jobserver_close();
}
