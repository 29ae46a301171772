#include <stdlib.h>

#include "../lib/clock.h"
#include "wants.h"

int
wants_add(struct wants *wants, const struct want *want)
{
	struct want **at = want->due == 0 ? &wants->first : &wants->later;
	struct want *copy = malloc(sizeof *copy);

	if (copy == NULL)
		return -1;
	if (want->due == 0 && wants->first != NULL)
		at = &wants->last->next;
	while (want->due != 0 && *at != NULL && (*at)->due <= want->due)
		at = &(*at)->next;
	*copy = *want;
	copy->next = *at;
	*at = copy;
	if (want->due == 0)
		wants->last = copy;
	else
		wants->shells++;
	wants->count++;
	return 0;
}

static int
take(struct wants *wants, struct want **from, struct want *want)
{
	struct want *taken = *from;

	if (taken == NULL)
		return 0;
	wants->shells -= taken->due != 0;
	wants->count--;
	*want = *taken;
	*from = taken->next;
	free(taken);
	return 1;
}

int
wants_take(struct wants *wants, struct want *want, int all)
{
	if (wants->later != NULL && (all || clock_wait_ms(wants->later->due) == 0))
		return take(wants, &wants->later, want);
	return (all || !wants_full(wants)) && take(wants, &wants->first, want);
}

int
wants_cut(struct wants *wants, long id, struct want *want)
{
	struct want **at = &wants->later;

	while (*at != NULL && (*at)->job.id != id)
		at = &(*at)->next;
	return take(wants, at, want);
}

int
wants_full(const struct wants *wants)
{
	return wants->shells >= WANTS_MOST;
}

long long
wants_wait_ms(const struct wants *wants)
{
	if (wants->first != NULL && !wants_full(wants))
		return 0;
	return wants->later == NULL ? -1 : clock_wait_ms(wants->later->due);
}
