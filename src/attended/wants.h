/* Jobs that wait for a lease of their own accord: those of callbacks and tasks, and failed ones,
   whose shells wait, until the time of their next try. */
#include "job.h"

enum { WANTS_MOST = 200 }; /* so many shells wait, and no other jobs begin */

struct want {
	struct want *next;
	long long due;     /* clock.h, of those that have failed; or 0 */
	struct job job;    /* tries: of those before; its id is set unless they are 0 */
};

struct wants {
	struct want *first, *last; /* of callbacks and tasks, in their order */
	struct want *later;        /* failed, in the order of their times */
	long count, shells;        /* of all, and of those that have failed: again.h */
};

/* Adds one; what the job has is taken over. 0, or -1 with errno. */
int wants_add(struct wants *wants, const struct want *want);
/* Takes the next if its time has come, or with all at any time: 1, or 0. */
int wants_take(struct wants *wants, struct want *want, int all);
/* Takes the failed one with that number: 1, or 0. */
int wants_cut(struct wants *wants, long id, struct want *want);
/* 1 while so many shells wait that no other jobs begin. */
int wants_full(const struct wants *wants);
/* How long until the next is due; -1: there is none. */
long long wants_wait_ms(const struct wants *wants);
