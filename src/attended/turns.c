#include "../lease/lease.h"
#include "../lib/pace.h"
#include "turns.h"

long long
turns_left(const struct turns *turns, const struct lease *lease)
{
	if (turns->pace->any > 0 && turns->pending > 0)
		return -1;
	return pace_left(turns->pace, lease->due);
}

int
turns_may(const struct turns *turns, const struct lease *lease)
{
	return turns_left(turns, lease) == 0;
}

void
turns_out(struct turns *turns, struct lease *lease)
{
	lease->rests = 0;
	lease->pending = 1;
	turns->pending++;
}

void
turns_begun(struct turns *turns, struct lease *lease)
{
	turns->pending -= lease->pending;
	lease->pending = 0;
	pace_start(turns->pace, &lease->due);
}

void
turns_home(struct turns *turns, struct lease *lease)
{
	if (lease->pending)
		turns_begun(turns, lease);
}

void
turns_unknown(struct turns *turns, struct lease *leases, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		pace_start(turns->pace, &leases[i].due);
}
