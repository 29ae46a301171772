/* The clients that wait for tokens: first come, first served within a priority, the highest first.
   So that the lowest is served as well, a priority that was passed over often enough is next. */
#include "party.h"

struct waiter {
	struct party who;
	int most;                /* wants all that are free, up to this; 0: just the count */
	int all;                 /* the count is as many as there are to be */
	int now;                 /* wants them now or not at all */
	long long asked;         /* when (clock.h) */
	struct waiter *next;
};

struct waiters {
	struct waiter *first[PRIORITIES], *last[PRIORITIES];
	int passed[PRIORITIES];  /* how often others went before its first */
	long count;
};

/* Puts a copy of the waiter at the end of its priority, which then has its command. 0, or -1 with
   errno. */
int waiters_add(struct waiters *waiters, const struct waiter *waiter);
/* The waiter to be served next, or NULL; the same until one is added or taken. */
struct waiter *waiters_first(const struct waiters *waiters);
/* Removes that waiter; served: lower priorities have been passed over. */
void waiters_take(struct waiters *waiters, int served);
/* There are to be that many tokens: waiters that want all want that many. */
void waiters_resize(struct waiters *waiters, long wanted);
/* Calls back for at most count of them, by priority and age, without the first from; removes those
   for which the call does not return 0. */
void waiters_some(struct waiters *waiters, long from, long count,
    int (*call)(void *, const struct waiter *), void *context);
