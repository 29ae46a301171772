/* The talk with the shell of a batch, from its first job to "all". */
struct jobs;

/* Reads the lines of the shell, and obeys. */
void shell_hear(struct jobs *jobs);
/* Gives the answer the shell waits for: "stop", or "all". */
void shell_serve(struct jobs *jobs);
/* Frees all jobs. */
void shell_close(struct jobs *jobs);
