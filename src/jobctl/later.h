/*
 * Jobs that are to be started later, in order of their time (clock.h).
 *
 * later_put() adds one to the list. later_take() takes out the first, or is NULL while
 * its time has not come.
 */
struct job;

void later_put(struct job **list, struct job *job, long long due);
struct job *later_take(struct job **list);
