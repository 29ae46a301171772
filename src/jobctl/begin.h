/* Which job is next, and its start. */
struct batch;

/* Starts as many as may start now. */
void begin_jobs(struct batch *batch);
