#include <stdlib.h>

#include "waiters.h"

int
waiters_add(struct waiters *waiters, const struct waiter *waiter)
{
	struct waiter *copy = malloc(sizeof *copy);
	int p = waiter->priority;

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

/* The priority to be served next, or -1: the highest, unless a lower one has
   been patient for long enough. */
static int
choose(const struct waiters *waiters)
{
	int p, chosen = -1;

	for (p = PRIORITIES - 1; p >= 0; p--) {
		if (waiters->first[p] == NULL)
			continue;
		if (chosen < 0 || (waiters->passed[p] >= PATIENCE && waiters->passed[p] > waiters->passed[chosen]))
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

static void
remove_first(struct waiters *waiters, int p)
{
	struct waiter *gone = waiters->first[p];

	waiters->first[p] = gone->next;
	waiters->passed[p] = 0;
	waiters->count--;
	free(gone);
}

void
waiters_take(struct waiters *waiters, int served)
{
	int p, chosen = choose(waiters);

	if (chosen < 0)
		return;
	remove_first(waiters, chosen);
	for (p = 0; served && p < chosen; p++)
		if (waiters->first[p] != NULL)
			waiters->passed[p]++;
}

void
waiters_each(const struct waiters *waiters, void (*call)(void *, const struct waiter *), void *context)
{
	const struct waiter *waiter;
	int p;

	for (p = PRIORITIES - 1; p >= 0; p--)
		for (waiter = waiters->first[p]; waiter != NULL; waiter = waiter->next)
			call(context, waiter);
}

void
waiters_drop(struct waiters *waiters, int (*call)(void *, const struct waiter *), void *context)
{
	struct waiter **at, *waiter, *last;
	int p;

	for (p = 0; p < PRIORITIES; p++) {
		last = NULL;
		for (at = &waiters->first[p]; (waiter = *at) != NULL;) {
			if (call(context, waiter)) {
				*at = waiter->next;
				waiters->count--;
				free(waiter);
			} else {
				last = waiter;
				at = &waiter->next;
			}
		}
		waiters->last[p] = last;
	}
}

void
waiters_clear(struct waiters *waiters)
{
	int p;

	for (p = 0; p < PRIORITIES; p++)
		while (waiters->first[p] != NULL)
			remove_first(waiters, p);
}
