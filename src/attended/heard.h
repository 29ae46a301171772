/* Reads the words of jobs in their leases. */
struct jobs;
struct lease;

/* Reads a lease: 0 when nobody has it open. Its token may come home early: lease->early. */
int heard_on(struct jobs *jobs, struct lease *lease);
/* A status of a shell, also 256+n and 384+n, as $? has it: 128+n. */
int heard_status(long status);
