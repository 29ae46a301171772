/* What jobs write into their leases. */
struct jobs;
struct lease;

/* Reads a lease: 0 when nobody has it open. Its token may come home early: lease->early. */
int heard_on(struct jobs *jobs, struct lease *lease);
/* A status as shells give it, 256+n and 384+n too, as $? has it: 128+n. */
int heard_status(long status);
