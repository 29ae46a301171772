/* What the shell of a batch says and is told, from its first job to "all". */
struct jobs;

/* Reads what the shell has said, and does it. */
void shell_hear(struct jobs *jobs);
/* Says what the shell waits for: that it may not start what it asked for, or "all". */
void shell_serve(struct jobs *jobs);
/* Starts no more, and says so, with the reason; result is that of the batch. */
void shell_stop(struct jobs *jobs, int result, const char *reason);
/* The same, for there is no memory. */
void shell_no_memory(struct jobs *jobs);
/* Frees what is kept of jobs. */
void shell_close(struct jobs *jobs);
