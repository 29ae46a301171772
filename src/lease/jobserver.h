/*
 * A client of GNU make's jobserver: this process has one at most.
 *
 * Every job needs a token. The first has the one that make started us with; each further job needs
 * a byte from make's pipe or FIFO. When no job needs the byte any more, the same byte is put back,
 * at the latest by exit(3). Only SIGKILL, or a signal that is not caught, loses it.
 *
 * In a recipe, a program that is alone (below) has make's write end open only while it holds a
 * token, if the system can open that end anew: so make can end though we are there.
 *
 * Call jobserver_open() before any other open, lest a closed descriptor that MAKEFLAGS names
 * becomes ours, and ignore SIGPIPE from then on. alone: we start no make, so the descriptors that
 * we inherited are closed.
 */

/* Opens the jobserver in MAKEFLAGS. 0, or -1 with *why; NULL: there is none. */
int jobserver_open(int alone, const char **why);
/* 1 in a recipe of a make that was told to run one job at a time, and so has no jobserver. */
int jobserver_single(void);
/* How many jobs make was told to run at once (-j in MAKEFLAGS). */
long jobserver_jobs(void);
/* 1 if a job may start beside that many; 0: try again when the fd is readable or a job ended. */
int jobserver_take(long running);
/* Our descriptor that tokens come from; -1: none can come, as none is open or make is gone. */
int jobserver_fd(void);
/* 1 if the make whose recipe started us has ended, as far as that can be told. */
int jobserver_ended(void);
/* Puts back the tokens that this many jobs do not need. */
void jobserver_settle(long running);
/* Puts back all, and closes our descriptors. */
void jobserver_close(void);
