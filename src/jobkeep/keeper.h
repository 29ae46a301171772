/* Keeps a connection for each slot of a batch and lends it to the jobs there, one after the
   other (jobkeep.c). */
#include "../lib/news.h"

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
