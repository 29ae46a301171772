/* Starts no more jobs, and says so. */
struct jobs;

/* The shell is told, with the reason: also one that has asked for a lease. */
void stops_say(struct jobs *jobs, const char *reason);
/* From now on; result is that of the batch, and the first one counts. */
void stops_now(struct jobs *jobs, int result, const char *reason);
/* The same, for there is no memory. */
void stops_no_memory(struct jobs *jobs);
