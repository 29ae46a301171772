/*
 * A client of GNU make's jobserver: this process has one at most.
 *
 * Every job needs a token. The first has the one that make started us with; each further one needs
 * a byte out of make's pipe or FIFO, which is put back when no job needs it: the same byte, and at
 * the latest by exit(3). Only SIGKILL loses it, and a signal that is not caught.
 *
 * In a recipe, who is alone (below) holds make's write end only while it holds a token, where the
 * system can open that anew: so make can end though we are there.
 *
 * jobserver_open() comes before any other open, lest a closed descriptor that MAKEFLAGS names
 * becomes ours; SIGPIPE is to be ignored from then on. alone: what we start is no make, so the
 * descriptors that we inherited are closed.
 */

/* Opens what MAKEFLAGS announces. 0, or -1 with *why, or NULL where it announces none. */
int jobserver_open(int alone, const char **why);
/* 1 when there is none since make, whose recipe we are in, was told to run one job at a time. */
int jobserver_single(void);
/* How many jobs make was told to run at once (-j in MAKEFLAGS). */
long jobserver_jobs(void);
/* 1 when a job may start beside that many. 0: again when the fd is readable or a job has ended. */
int jobserver_take(long running);
/* Where tokens come from; -1 where none can come: none is open, or make is gone. */
int jobserver_fd(void);
/* 1 when the make whose recipe started us has ended, as far as that can be told. */
int jobserver_ended(void);
/* Puts back what that many jobs do not need. */
void jobserver_settle(long running);
/* Puts back all, and closes our descriptors. */
void jobserver_close(void);
