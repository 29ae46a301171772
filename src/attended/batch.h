/* What the shell of a batch says and is told, from its first job to "all". */
struct job;
struct jobs;
struct lease;

/* Reads what the shell has said, and does it. */
void batch_hear(struct jobs *jobs);
/* A job has ended on that lease: into the books, or the shell is asked how. Takes its text over. */
void batch_ended(struct jobs *jobs, struct job *job, struct lease *lease);
/* 1 while the shell is asked how a job ended. */
int batch_asks(const struct jobs *jobs);
/* Ends the jobs that are late, or all. */
void batch_kill(struct jobs *jobs, int all);
/* Some jobs were ended, as far as can be. */
void batch_killed(struct jobs *jobs);
/* Says what the shell waits for: that it may not start what it asked for, or "all". */
void batch_serve(struct jobs *jobs);
/* Frees what is kept of jobs. */
void batch_close(struct jobs *jobs);
