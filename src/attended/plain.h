/* Plain batches: no job needs more than a lease, so none has a last word. The shell waits for each,
   and tells of those that fail; a lease that is closed means success so far. */
struct job;
struct jobs;
struct lease;

/* 1 if this batch is one, by its options so far. */
int plain_batch(const struct jobs *jobs);
/* The job there has ended without a word: 1 if that is a success so far; job is its copy. */
int plain_hope(struct jobs *jobs, struct lease *lease, struct job *job);
/* The job has failed after all. text: the command, or NULL. */
void plain_failed(struct jobs *jobs, long id, long status, const char *text);
/* The shell has waited for all jobs that have ended. */
void plain_waited(struct jobs *jobs);
/* How many jobs have ended of which nobody knows how. */
long plain_unknown(const struct jobs *jobs);
/* The job will have a last word: else the shell is asked. */
void plain_speaks(struct jobs *jobs, long id);
