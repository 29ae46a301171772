#include <stdlib.h>

#include "clients.h"

enum { PATIENCE = 15 }; /* times that a priority may be passed over */

static void
waiter_free(struct waiter *waiter)
{
	free(waiter->who.command);
	free(waiter);
}

int
waiters_add(struct waiters *waiters, const struct waiter *waiter)
{
	struct waiter *copy = malloc(sizeof *copy);
	int p = waiter->who.priority;

	if (copy == NULL)
		return -1;
	*copy = *waiter;
	copy->next = NULL;
	if (waiters->first[p] == NULL)
		waiters->first[p] = copy;
	else
		waiters->last[p]->next = copy;
	waiters->last[p] = copy;
	waiters->count++;
	return 0;
}

/* The priority to be served next, or -1: the highest, unless a lower one was passed over often
   enough. */
static int
choose(const struct waiters *waiters)
{
	int p, chosen = -1;

	for (p = PRIORITIES - 1; p >= 0; p--) {
		if (waiters->first[p] == NULL)
			continue;
		if (chosen < 0 || (waiters->passed[p] >= PATIENCE &&
		    waiters->passed[p] > waiters->passed[chosen]))
			chosen = p;
	}
	return chosen;
}

struct waiter *
waiters_first(const struct waiters *waiters)
{
	int p = choose(waiters);

	return p < 0 ? NULL : waiters->first[p];
}

void
waiters_take(struct waiters *waiters, int served)
{
	int p, chosen = choose(waiters);
	struct waiter *gone;

	if (chosen < 0)
		return;
	gone = waiters->first[chosen];
	waiters->first[chosen] = gone->next;
	waiters->passed[chosen] = 0;
	waiters->count--;
	waiter_free(gone);
	for (p = 0; served && p < chosen; p++)
		if (waiters->first[p] != NULL)
			waiters->passed[p]++;
}

void
waiters_resize(struct waiters *waiters, long wanted)
{
	for (int p = 0; p < PRIORITIES; p++)
		for (struct waiter *waiter = waiters->first[p]; waiter != NULL;
		    waiter = waiter->next)
			if (waiter->all)
				waiter->who.count = (int)wanted;
}

void
waiters_some(struct waiters *waiters, long from, long count,
    int (*call)(void *, const struct waiter *), void *context)
{
	struct waiter *waiter, *before;

	for (int p = PRIORITIES - 1; p >= 0; p--) {
		before = NULL;
		for (struct waiter **at = &waiters->first[p]; count > 0 && (waiter = *at) != NULL;)
			if (from-- <= 0 && count-- > 0 && call(context, waiter)) {
				*at = waiter->next;
				if (waiters->last[p] == waiter)
					waiters->last[p] = before;
				waiters->count--;
				waiter_free(waiter);
			} else {
				before = waiter;
				at = &waiter->next;
			}
	}
}
