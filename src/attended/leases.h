/*
 * The leases of an attendant's slots: first the current ones of slots 1, 2 ..., then the retired
 * ones: their token is home already, or their slot is gone, but a job still has them open.
 */
#include <stddef.h>

#include "../lease/lease.h"
#include "../lib/pace.h"
#include "job.h"

struct news;

struct lease {
	int fd;              /* read end, -1 when closed */
	long slot, generation;
	char name[LEASE_NAME];
	int adopted;         /* was out when this dispenser took over */
	int out;             /* announced, and not come home */
	int rests;           /* free, but too soon to be announced */
	int early;           /* its job has returned the token: the caller sets it */
	int asked;           /* the shell is asked how its last job ended */
	long hoped;          /* the job of this number + 1 has left it without a word, and so has
	                        succeeded, unless the shell says otherwise; or 0 */
	long kept;           /* for the job of this number + 1, whose shell has yet to end; or 0 */
	int running;         /* its job has said that it begins, and is not late */
	long long since;     /* when it was announced, or its job began (clock.h) ... */
	struct timespec start; /* ... by the time of day */
	struct turn turn;
	struct job job;      /* for which it was announced */
};

struct leases {
	struct news *news;   /* all leases are in it; neither this ... */
	int dir;             /* ... nor this is ours to close */
	int deaf;            /* see leases_hear() */
	size_t count, total, room;
	struct lease *list;
};

/* Finds held leases, removes others, makes missing ones. 0, or -1 and a message. */
int leases_open(struct leases *leases, struct news *news, int dir, size_t count);
/* Makes a closed lease ready for the next holder. 0, or -1 with errno, and its fd is -1. */
int leases_renew(struct leases *leases, size_t i);
/* Puts a new lease in place of one still held. 0, or -1 with errno and no change. */
int leases_retire(struct leases *leases, size_t i);
/* Forgets a retired lease; the last takes its place. */
void leases_drop(struct leases *leases, size_t i);
/* The index of the lease with that descriptor, or total. */
size_t leases_find(const struct leases *leases, int fd);
/* The index of the lease of that name, or total. */
size_t leases_named(const struct leases *leases, const char *name);
/* While deaf, messages stay in the leases and only closing is news. 0, or -1 with errno. */
int leases_hear(struct leases *leases, int deaf);
/* Closes all, and takes all names out of the directory. */
void leases_close(struct leases *leases);
