/*
 * Writes down who held which slot when, as a log of jobs has it (joblog.h). It looks several times
 * a second: a holding that was shorter may be missed, and an end is known that exactly.
 */
struct subject;

/* Records until a signal or the end of what it looks at; exits with a message when it cannot. */
int record_run(struct subject *subject, const char *file);
