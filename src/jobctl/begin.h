/* Picks the next job, and starts it. */
struct batch;

/* Starts as many as may start now. */
void begin_jobs(struct batch *batch);
