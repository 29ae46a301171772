/* Jobs that wait for a lease of their own accord: those of callbacks and tasks, and failed ones
   until the time of their next try. */
#include "job.h"

struct want {
	struct want *next;
	long long due;     /* clock.h; 0: at once */
	struct job job;    /* tries: of those before; its id is set unless they are 0 */
};

struct wants {
	struct want *first, *last; /* at once, in their order */
	struct want *later;        /* in the order of their times */
};

/* Adds one; what the job has is taken over. 0, or -1 with errno. */
int wants_add(struct wants *wants, const struct want *want);
/* Takes the next if its time has come, or with all at any time: 1, or 0. */
int wants_take(struct wants *wants, struct want *want, int all);
/* How long until the next is due; -1: there is none. */
long long wants_wait_ms(const struct wants *wants);
