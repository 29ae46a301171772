/* The loop of jobctl(1). */
struct plan;

/* Runs it all: the exit status of jobctl(1). Dies by the signal that ended the batch. */
int loop_run(const struct plan *plan);
