/*
 * The requests that wait for tokens: first come, first served within a
 * priority, the higher priority first. So that the lowest is served as well, a
 * priority whose first waiter was passed over PATIENCE times is next.
 *
 * waiters_add() puts a waiter, which it copies, at the end of its priority; it
 * returns 0, or -1 with errno.
 * waiters_first() is the waiter to be served next, or NULL. It stays that until
 * one is added or taken. waiters_take() removes it; served says that it was, and
 * then those that it went before have been passed over.
 * waiters_each() calls back for each, in the order of priority and age.
 * waiters_drop() removes those for which the call returns other than 0.
 * waiters_clear() frees all.
 */
enum {
	PRIORITIES = 10, /* 0 to 9 */
	PATIENCE = 15,
	WAITER_NAME = 24 /* with its end */
};

struct waiter {
	char name[WAITER_NAME];  /* of its FIFO, after "w." */
	long pid;                 /* as it says itself: for people */
	int count;                /* tokens, all at once */
	int priority;
	int plain;                /* holds without a lease */
	int build;                /* is a client of the jobserver, too */
	int kept;                 /* its lease is, for a moment, by us */
	int silent;               /* says nothing when it returns */
	long long asked;          /* when (clock.h) */
	struct waiter *next;
};

struct waiters {
	struct waiter *first[PRIORITIES], *last[PRIORITIES];
	int passed[PRIORITIES];
	long count;
};

int waiters_add(struct waiters *waiters, const struct waiter *waiter);
struct waiter *waiters_first(const struct waiters *waiters);
void waiters_take(struct waiters *waiters, int served);
void waiters_each(const struct waiters *waiters, void (*call)(void *, const struct waiter *), void *context);
void waiters_drop(struct waiters *waiters, int (*call)(void *, const struct waiter *), void *context);
void waiters_clear(struct waiters *waiters);
