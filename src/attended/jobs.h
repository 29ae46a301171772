/* The jobs of an attendant: their leases, and the news on these. */
#include "../places/sites.h"
#include "books.h"
#include "calls.h"
#include "ender.h"
#include "leases.h"
#include "wants.h"

struct unknown;
struct kept;

enum waits { WAITS_NOT, WAITS_ALL, WAITS_CLOSE };

struct jobs {
	struct leases leases;
	struct books books;
	struct calls calls;
	struct wants wants;
	struct table tasks;  /* names that were given; count[0]: how often */
	struct ender ender;
	struct pace *pace;   /* the caller's */
	const char *path;    /* of the dispenser */
	int plain;           /* the batch is: plain.h */
	int lines;           /* the attendant wants to be told */
	int inherited;       /* another dispenser died here */
	const char *junk;    /* where some was read, or NULL; the caller resets it */
	long long deadline;  /* when the attendant shall stop (clock.h), or 0 */
	int bell;            /* read end: attendant.h */
	int blocked;         /* a descriptor that takes no more output now, or -1 */
	struct unknown *unknown; /* ended, and the shell is asked how */
	int early;           /* some lease is */
	long long looks;     /* when again.h looks for shells that have died (clock.h) */
	int over;            /* some lease is not kept any more, and its "kept" is -1 */
	struct sites sites;  /* of slots, the caller's; zeroed: all are here */
	int asked;           /* the shell waits for a lease ... */
	char *text;          /* ... for this command, or NULL */
	long question;       /* the shell waits until its task has begun: attendant.h; or 0 */
	enum waits waits;    /* the shell, for "all" ... */
	int copied;          /* ... and it is a copy of the one that began */
	int killing;         /* all jobs are ended */
	int told;            /* the shell was told to start no more */
	int alone;           /* no shell is left to be asked */
	int missed;          /* the directory is not there */
	int closed;          /* the batch is over, and so may we be */
	long long home;      /* when we give up on jobs that we end (clock.h), or 0 */
	struct kept *options; /* of the shell; kept for good */
	long least;          /* the first id that nobody asked for: starts.c */

	/* If the tokens are make's (jobserver.h, which is open; or there is only the first): */
	int borrowing;
	int heard;           /* the descriptor on which we wait for it, or -1 */
};

/* Opens leases, books and the bell: 0, or -1 after a message. */
int jobs_open(struct jobs *jobs, struct news *news, int dir, size_t count);
/* Closes all, and takes all names out of the directory. */
void jobs_close(struct jobs *jobs);
/* Tells the shell of slots and labels at the start. */
void jobs_announce(struct jobs *jobs, char **labels, long labelled);
/* Does what the shell has asked, though it has not rung. */
void jobs_catch_up(struct jobs *jobs);
/* Takes the news of a descriptor: 1, or 0 when that is not ours. */
int jobs_event(struct jobs *jobs, int fd);
/* The shell has ended, but not its batch: says what it has not heard. */
void jobs_left_open(struct jobs *jobs);
/* Nobody is left to ask: make's tokens go back, even if jobs still run. */
void jobs_orphan(struct jobs *jobs);
/* The shell of a batch has died: 1 if the batch goes on until its jobs have ended, and tells and
   asks nobody any more; 0 if nobody wants to know of them. */
int jobs_outlive(struct jobs *jobs);
/* The directory was removed, and the shell cannot be heard any more: starts no job, and tells the
   shell of the end when all have ended. */
void jobs_astray(struct jobs *jobs);
/* The directory is still there: withdraws the slots whose leases could not be opened. */
void jobs_stand(struct jobs *jobs);
/* Does all that is due: leases for jobs, late jobs, output, the deadline. */
void jobs_serve(struct jobs *jobs);
/* How long until jobs_serve() has something to do, or -1. */
long long jobs_wait_ms(const struct jobs *jobs);
