/*
 * Processes that tokstop ends, with all that descends from them: TERM, and KILL after the grace.
 * They are jobs, by the pids of their shells; or whoever has a lease of a dispenser.
 */
#include <sys/stat.h>

#include "../lib/family.h"

/* The caller sets the first three. */
struct victims {
	long long grace;         /* ms */
	int dir;                 /* of the dispenser whose leases they have, or -1 */
	pid_t script;            /* from which jobs descend, or 0 */
	struct family all;       /* as of the last look */
	struct family list;      /* of them, those who are to end */
	struct stat *leases;     /* of the jobs */
	size_t leased;
	struct family before;    /* all there were at the first look */
	int (*also)(void *, const struct process *); /* are victims, too; or NULL */
	struct stat inlet;       /* of the dispenser */
	int *borrowers;          /* directories of dispensers with tokens of that one */
	size_t borrow, room;
};

/* Ends jobs. Each is "PID" or "PID/LEASE", a child of our own parent; or, with a script or a
   dispenser, descends from that or has a lease of it. Where the shell is gone, whoever has that
   lease is ended in its place. SIGINT, SIGTERM and SIGHUP end the grace. */
void victims_end_jobs(struct victims *victims, char **pids);
/* Finds who holds tokens of the dispenser with that inlet. 1 if we are one of them. */
int victims_hold(struct victims *victims, int inlet);
/* Ends those that were found. */
void victims_end(struct victims *victims);
