#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/orders.h"
#include "batch.h"
#include "starter.h"

enum { TICK = 1000 }; /* ms between two looks */

/* A shell without job control lets what it starts with "&", aside, ignore SIGINT. */
void
starter_open(struct batch *b)
{
	pid_t parent = getppid();
	struct sigaction was;
	int aside = sigaction(SIGINT, NULL, &was) == 0 && was.sa_handler == SIG_IGN;

	if (getenv("MAKELEVEL") == NULL || getpgid(parent) != getpgrp() ||
	    (!b->plan->borrowing && aside))
		return;
	b->make = family_parent(parent);
	if (b->make > 1 && getppid() == parent)
		b->starter = parent;
}

long long
starter_wait_ms(const struct batch *b)
{
	return b->starter == 0 ? -1 : TICK;
}

void
starter_follow(struct batch *b)
{
	if (b->starter == 0 || getppid() == b->starter || !family_ended(b->make))
		return;
	b->starter = 0;
	if (b->stopping == NOW)
		return;
	if (!b->plan->terms.quiet)
		complain("make, or the recipe that ran jobctl, has ended: its jobs end, too");
	orders_end = SIGTERM;
}
