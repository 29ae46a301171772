/* A failed job whose shell can repeat it: before its last word the shell makes the FIFO ID.again,
   and then waits there for its next lease (jobend -w), as long as the name is there. */
#include <sys/types.h>

struct job;
struct jobs;
struct lease;

/* 1 if the job that has just failed has made its FIFO. */
int again_can(const struct jobs *jobs, const struct job *job);
/* Tells the shell that this is its lease, now or as soon as it waits for that. */
void again_give(const struct jobs *jobs, struct lease *lease);
/* The job is over: its shell may end, and the script may forget it. Frees what it has. */
void again_end(struct jobs *jobs, struct job *job);
/* Sees whether shells have opened the leases that they were told, or have died; and drops the
   leases whose names the script may forget. */
void again_serve(struct jobs *jobs);
/* That process is the shell of that job. */
void again_told(struct jobs *jobs, long id, pid_t shell);
/* No shell that waits here gets a lease. */
void again_never(struct jobs *jobs);
