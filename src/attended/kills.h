/* Ends jobs, by the pids that their shell tells. */
struct jobs;

/* The pid of that job, or of the one that has that lease. */
void kills_know(struct jobs *jobs, long id, long pid);
void kills_know_on(struct jobs *jobs, const char *name, long pid);
/* Ends the jobs that are late, or all. */
void kills_begin(struct jobs *jobs, int all);
/* Some jobs were ended, as far as possible. */
void kills_done(struct jobs *jobs);
/* Waits no longer for processes that left the family of such a job, and have its lease. */
void kills_give_up(struct jobs *jobs);
