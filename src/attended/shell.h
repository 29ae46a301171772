/* What the shell of a batch says and is told, from its first job to "all". */
struct jobs;

/* Reads what the shell has said, and does it. */
void shell_hear(struct jobs *jobs);
/* Says what the shell waits for: that it may not start what it asked for, or "all". */
void shell_serve(struct jobs *jobs);
/* Frees what is kept of jobs. */
void shell_close(struct jobs *jobs);
