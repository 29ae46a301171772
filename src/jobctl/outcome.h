/* The end of a job: its output, a message, a line of the log, another try. */
struct batch;
struct job;
struct seat;

/* The job of that seat has ended. */
void outcome_take(struct batch *batch, struct seat *seat);
/* It is not run at all, and counts as failed, with the status that a shell has for that. */
void outcome_refuse(struct batch *batch, struct job *job, int status, const char *why);
/* The batch is over: what still waits to be tried again has failed, as its last try did. */
void outcome_drop_later(struct batch *batch);
