/*
 * A client of GNU make's jobserver: this process has one at most.
 *
 * Every job needs a token. The first has the one that make started us with, each
 * further one needs a byte out of make's pipe or FIFO, which is put back when there
 * is no job for it: the same byte, by jobserver_settle(), jobserver_close(), or at
 * the latest by exit(3). Only SIGKILL loses it, and a signal that is not caught.
 *
 * jobserver_open() looks for what MAKEFLAGS announces: the last --jobserver-auth=
 * or --jobserver-fds= before " -- ". Returns 0; or -1, and then *why is NULL where
 * none is announced (or make only shows what it would do, -n), else what is wrong
 * with it. It must come before the first open: the descriptors that MAKEFLAGS names
 * may be closed, and are not to be ours then. Ours are others, closed on exec; those
 * that we inherited stay as they are, for what we start may be a make, or with alone
 * are closed, for we start nothing. SIGPIPE is to be ignored from then on.
 * jobserver_jobs() is how many jobs make was told to run at once (-j in MAKEFLAGS).
 *
 * jobserver_take() is 1 when a job may be started beside so many that run: there is
 * a token left over, or could be had without waiting. 0 means: again when there is
 * something to read in jobserver_fd(), or a job has ended. That is -1 where nothing
 * can come: none open, or make is gone, which leaves the first token.
 * jobserver_settle() puts back what so many jobs do not need.
 * jobserver_close() puts back all and closes our descriptors.
 */
int jobserver_open(int alone, const char **why);
long jobserver_jobs(void);
int jobserver_take(long running);
int jobserver_fd(void);
void jobserver_settle(long running);
void jobserver_close(void);
