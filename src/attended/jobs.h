/*
 * The leases of an attendant's jobs: what happens on them, and what of it the
 * attendant is told (the lines are at the top of tokend.c).
 *
 * jobs_announce() says what there is at the start, or after another dispenser's death. jobs_event() takes the news of
 * a descriptor: 1, or 0 when that is no lease. When junk was read from one, junk
 * is set; it is the caller's to reset.
 * jobs_tick() tells of jobs that have become late, of the deadline, and of slots whose
 * time has come.
 * jobs_patience() is the ms until it will have something to tell, or -1.
 */
#include "borrow.h"
#include "slots.h"
#include "turns.h"

struct jobs {
	struct slots slots;
	struct borrow borrow;
	struct turns turns;
	int lines;    /* the attendant wants to be told */
	int brief;    /* ... but not the seconds */
	int recover;  /* only winding up what a dead dispenser left */
	int junk;
	int times;    /* when a job began is said, too */
	long long limit;    /* ms that a job may take, or 0 */
	long long deadline; /* clock.h, when the attendant is to stop, or 0 */
};

void jobs_announce(struct jobs *jobs, char **labels, long labelled, int inherited);
int jobs_event(struct jobs *jobs, int fd, short events);
void jobs_tick(struct jobs *jobs);
long long jobs_patience(const struct jobs *jobs);
