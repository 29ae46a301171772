/* What a job that has ended leaves: its output, a message, a line of the log, another try. */
struct batch;
struct seat;

/* The job of that seat has ended. */
void outcome_take(struct batch *batch, struct seat *seat);
/* The batch is over: what still waits to be tried again has failed, as its last try did. */
void outcome_drop_later(struct batch *batch);
