/* How a job ended, as it is told, and written into the log. */
#ifndef VERDICT_H /* the log has it, and the jobs of jobctl */
#define VERDICT_H
#include <time.h>

/* Of the job, or of its last try. */
struct end {
	long id;
	int status, signal;
	long long limit;   /* ms that it had, if it was late, else 0 */
	char why;          /* a letter, if a status does not say it: verdict.c; else 0 */
	const char *host;  /* the label of its slot, or NULL */
	long slot;         /* or 0: it could not be begun */
	struct timespec start;
	long long ms;      /* that it took */
	long long bytes;   /* of its output */
};

/* Says "job 3: exit status 1: COMMAND", or its like; command may be NULL. */
void verdict_say(const struct end *end, const char *command);
#endif
