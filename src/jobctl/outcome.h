/* What a job that has ended leaves: its output, a message, a line of the log, another try. */
struct batch;
struct seat;

/* The job of that seat has ended. */
void outcome_take(struct batch *batch, struct seat *seat);
/* Writes the line of the log of a job whose output was shown: output.h. */
void outcome_log(void *batch, const char *line);
/* The batch is over: what still waits to be tried again has failed, as its last try did. */
void outcome_drop_later(struct batch *batch);
