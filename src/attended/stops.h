/* Starts no more jobs, and says so. */
struct jobs;

/* Tells the shell, with the reason, even if it has asked for a lease. */
void stops_say(struct jobs *jobs, const char *reason);
/* Starts no more from now on; the batch has that result, and the first one counts. */
void stops_now(struct jobs *jobs, int result, const char *reason);
/* The same, for want of memory. */
void stops_no_memory(struct jobs *jobs);
