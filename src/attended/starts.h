/* Chooses the next job and its lease, and tells the shell, which starts it. */
#include <stddef.h>

struct jobs;
struct lease;

/* Gives leases to jobs, as many as may start now. */
void starts_serve(struct jobs *jobs);
/* The shell will not open some leases: those for its next jobs, or any more, or all that it has not
   heard of. Those not open are free again. */
enum recall { RECALL_NEXT, RECALL_ALL, RECALL_UNHEARD };
void starts_recall(struct jobs *jobs, enum recall which);
/* Whether the shell has opened the lease: it is open, or was. */
int starts_used(struct jobs *jobs, struct lease *lease);
/* How many leases are open, or were and have not come home. */
size_t starts_open(struct jobs *jobs);
/* How long until the time of a resting lease comes, or -1. */
long long starts_wait_ms(const struct jobs *jobs);
