/* What jobs write into their leases. */
#include <stddef.h>

struct jobs;
struct lease;

/* Reads a lease: 0 when nobody has it open. Its token may come home early: lease->early. */
int heard_on(struct jobs *jobs, struct lease *lease);
/* How many leases somebody has open: reads them all. */
size_t heard_open(struct jobs *jobs);
/* A status as shells give it, 256+n and 384+n too, as $? has it: 128+n. */
int heard_status(long status);
