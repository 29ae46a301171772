/* The jobs of an attendant: what happens on their leases, and what of it the attendant is told. */
#include "leases.h"

struct jobs {
	struct leases leases;
	struct pace *pace;   /* the caller's */
	int lines;           /* the attendant wants to be told */
	int brief;           /* ... but not the seconds */
	int times;           /* ... and when a job began, too */
	int recover;         /* only winding up what a dead dispenser left */
	int junk;            /* was read from a lease; the caller's to reset */
	long long limit;     /* ms that a job may take, or 0 */
	long long deadline;  /* when the attendant is to stop (clock.h), or 0 */

	/* Where the tokens are make's (jobserver.h, which is open; or there is only the first): */
	int borrowing;
	int wanted;          /* the attendant has asked for one */
	int heard;           /* the descriptor that we wait on for it, or -1 */
};

/* Says what there is at the start; inherited: another dispenser died here. */
void jobs_announce(struct jobs *jobs, char **labels, long labelled, int inherited);
/* Takes the news of a descriptor: 1, or 0 when that is not ours. */
int jobs_event(struct jobs *jobs, int fd, short events);
/* The attendant has a job to start, and wants a token of make's for it. */
void jobs_want(struct jobs *jobs);
/* Nobody is there to ask any more: what is make's goes back, whatever still runs. */
void jobs_orphan(struct jobs *jobs);
/* Tells of jobs that became late, of the deadline, and of slots whose time has come. */
void jobs_tick(struct jobs *jobs);
/* How long until jobs_tick() has something to tell, or -1. */
long long jobs_wait_ms(const struct jobs *jobs);
