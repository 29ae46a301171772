/* jobkeep: connections that the jobs of a batch use in turn. */
#ifndef JOBKEEP_H
#define JOBKEEP_H
#include "../lib/lib.h"

/* keeper.c: keeps a connection for each slot of a batch and lends it to the jobs there, one after
   the other (jobkeep.c). */

struct desk;
struct connection;

struct keeper {
	long count;       /* slots */
	char **command;   /* what is a connection */
	int dir;          /* the FIFOs are there */
	int inlet;        /* the dispenser's, to write, non-blocking; -1 when that has ended */
	long long idle;   /* ms after which an unused one is closed, or -1 */
	long long grace;  /* ms between the end of its input and TERM, and from there to KILL */
	long uses;        /* jobs after which one is closed, or 0 */
	long number;      /* of the last connection that was opened, also by keepers before */

	/* Zeroed by the caller: */
	struct news news;
	struct desk *desks;
	struct connection *all; /* those that live or are to end */
	long long until;  /* the dispenser has ended: who asks is waited for until then */
	int refusing;     /* no more are opened */
};

/* Makes the FIFOs of the slots, or takes over those there are; or exits with a message. */
void keeper_open(struct keeper *k);
/* Serves until the dispenser and all connections have ended; or kills us, after a message. */
void keeper_run(struct keeper *k);

/*
 * restart.c: the guard of a keeper: starts it, and goes into the background when that is ready. If
 * the keeper is killed, ends its connections, frees who waits for one, and starts another one, a
 * little later each time, and also if the new one cannot begin, without memory, say.
 */

/* Runs jobkeep with these arguments, "-s" and how many connections there were before them, for the
   batch in that directory. The exit status if it cannot begin. */
int restart_keeper(int argc, char **argv, const char *directory);
#endif
