/* A failed job whose shell can repeat it: the shell waits at the FIFO ID.again for its next lease.
   Until it has that, a job's "again" is the write end; or 0. */
struct job;
struct jobs;
struct lease;

/* Opens that FIFO, if the shell of a job that has just failed has made one. */
void again_open(struct jobs *jobs, struct job *job);
/* Tells the shell its next lease, and the number of the try. If it has gone, that is news. */
void again_give(struct jobs *jobs, struct job *job, const char *lease);
/* Closes it. */
void again_close(struct jobs *jobs, struct job *job);
/* The job is over: its shell may end, and the script may forget it. Frees what it has. */
void again_end(struct jobs *jobs, struct job *job);
/* If that is the write end of such a FIFO, whose reader has gone, sees what follows: 1, or 0. */
int again_event(struct jobs *jobs, int fd);
/* Drops the leases whose names the script may forget. */
void again_serve(struct jobs *jobs);
