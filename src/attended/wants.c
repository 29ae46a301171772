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
	return 0;
}

int
wants_take(struct wants *wants, struct want *want, int all)
{
	struct want **from = &wants->later, *taken;

	if (*from == NULL || (!all && clock_wait_ms((*from)->due) > 0))
		from = &wants->first;
	if ((taken = *from) == NULL)
		return 0;
	*want = *taken;
	*from = taken->next;
	free(taken);
	return 1;
}

long long
wants_wait_ms(const struct wants *wants)
{
	if (wants->first != NULL)
		return 0;
	return wants->later == NULL ? -1 : clock_wait_ms(wants->later->due);
}
