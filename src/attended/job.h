/* A job of the shell, from the moment that it is given a lease. */
#ifndef JOB_H /* leases and books both have it */
#define JOB_H
#include <sys/types.h>

#include <time.h>

struct job {
	int granted;           /* there is one; else the rest is zeroed */
	int asked;             /* the shell had asked for the lease ... */
	int pushed;            /* ... or not, and nobody had */
	long id;
	long tries;            /* so far, with this one */
	char *text;            /* the command, quoted, on one line; or NULL */
	char *task;            /* the name of a task; or NULL */
	pid_t pid;             /* of its shell, or 0 while nobody has told it */
	int known;             /* its status is */
	int speaks;            /* in a plain batch: it will have a last word */
	char why;              /* the letter for why its command cannot be run (verdict.h), or 0 */
	int told;              /* its text is known only from its end */
	int late;              /* it took longer than allowed */
	int ended;             /* we have ended it ... */
	int yields;            /* ... to run it again */
	int again;             /* it has failed, and its shell waits for another lease: again.h */
	pid_t shell;           /* that can repeat it (again.h), or 0 while nobody has told it */
	int given;             /* its shell has yet to open the lease it was given: again.h */
	int kept;              /* a lease is kept for it, by whose name the script knows it */
	int never, lost;       /* it was not begun at its place; it was, and its end is unknown */
	long long after;       /* ms until its next try, if this one has said so; or -1 */

	/* Of the last try that has ended: */
	int status;            /* as in $?: 128+n when signal n killed it */
	long slot;
	struct timespec start;
	long long ms;          /* that it took */
};
#endif
