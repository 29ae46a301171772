/* Shared by all parts of a dispenser for clients: its directory, its tokens, where they come from,
   and what became of them. */
#include "../lease/names.h"
#include "../lib/limits.h"
#include "first.h"
#include "pool.h"

struct news;

/* A token that has come home: who had it, from when to now. */
struct use {
	long slot;
	const char *label;       /* of the slot, or "" */
	const char *command;     /* or NULL: nobody has said */
	long long ms;
	int status, killed;      /* of the command, or 0; it never came to its end */
};

struct store {
	struct news *news;       /* the caller's, as are the next two */
	int dir;
	int mode;                /* of files that clients use in the directory */
	int spare;               /* descriptor that gives way to an answer: names_answer() */
	struct pool pool;
	struct limits limits;
	const char *closing;     /* nothing is given out any more: "stopped", "closing"; or NULL */
	int paused;              /* the same for now: by size 0 */

	/* If the tokens are a parent's (jobserver.h, which is open): */
	int borrowing;
	struct first first;
	int hurried;             /* a request of this turn is for now or not at all */
	int parent;              /* its descriptor, while we wait for it, or -1 */
	int asking;              /* we want several ... */
	long long asked;         /* ... and last asked then (clock.h) */

	/* Told of each token that comes home, or NULL. */
	void (*used)(void *context, const struct use *use);
	void *context;

	unsigned long long granted, returned, recovered, waited, longest; /* the last two in ms */
};

/* 1 for more tokens than there are to be, or than an answer can name. */
int store_lacks(const struct store *store, long count);
/* Opens the read end of a client's FIFO; or -1 with errno (ESRCH: it is dead, its FIFO removed). */
int store_client(const struct store *store, const char *file);
/* Answers "no REASON" to the client of that name, if it is still there. */
void store_refuse(struct store *store, const char *name, const char *reason);
/* 1 if a borrower has a loan of that slot of that client: tools/borrow.h. */
int store_lent(const struct store *store, const char *client, long slot);
/* The token of that slot comes home, or was given back by a build: use has the command, and how it
   ended. */
void store_used(const struct store *store, long slot, struct use use);
/* How many of that many tokens may be given out now. */
long store_spare(struct store *store, long wanted);
/* Gives tokens that nobody needs back to the parent; first: how many the first waiter wants. */
void store_settle(struct store *store, long first);
/* How many more are out than there are to be now. */
long store_surplus(struct store *store);
/* How long until store_spare() may return more even if nothing happens, or -1. */
long long store_wait_ms(const struct store *store, int waiting, int builds);
