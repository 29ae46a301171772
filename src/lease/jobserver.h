/*
 * A client of GNU make's jobserver: this process has one at most.
 *
 * Every job needs a token. The first has the one that make started us with; each further one needs a byte
 * out of make's pipe or FIFO, which is put back when no job needs it: the same byte, and at the latest by
 * exit(3). Only SIGKILL loses it, and a signal that is not caught.
 */

/* Opens what MAKEFLAGS announces; alone: nothing that we start may be a make, so that the descriptors we
   inherited are closed. Must come before the first open, lest a closed one of them becomes ours, and
   SIGPIPE is to be ignored from then on. 0; or -1 with *why: NULL where none is announced (or make only
   shows what it would do, -n), else what is wrong with it. */
int jobserver_open(int alone, const char **why);
/* How many jobs make was told to run at once (-j in MAKEFLAGS). */
long jobserver_jobs(void);
/* 1 when a job may start beside that many that run: a token is left over, or could be had at once. 0 means:
   again when jobserver_fd() is readable, or a job has ended. */
int jobserver_take(long running);
/* Where tokens come from; -1 where none can come: none is open, or make is gone. */
int jobserver_fd(void);
/* Puts back what that many jobs do not need. */
void jobserver_settle(long running);
/* Puts back all, and closes our descriptors. */
void jobserver_close(void);
