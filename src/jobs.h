/*
 * The leases of an attendant's jobs: what happens on them, and what of it the
 * attendant is told (the lines are at the top of tokend.c).
 *
 * jobs_announce() says what there is at the start. jobs_event() takes the news of
 * a descriptor: 1, or 0 when that is no lease. When junk was read from one, junk
 * is set; it is the caller's to reset.
 */
#include "slots.h"

struct jobs {
	struct slots slots;
	int lines;    /* the attendant wants to be told */
	int brief;    /* ... but not the seconds */
	int recover;  /* only winding up what a dead dispenser left */
	int junk;
};

void jobs_announce(struct jobs *jobs, char **labels, long labelled);
int jobs_event(struct jobs *jobs, int fd, short events);
