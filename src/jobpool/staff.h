/*
 * The staff: how many workers there are, who works on what, and what becomes of a request when a
 * worker does not behave.
 *
 * A request goes to the worker that has the fewest, and no more than load. When all have one, or
 * fewer than idle have none, another worker is started, up to most. A worker that ends, says
 * nothing for limit ms, or says what nobody asked for, is ended, and its first request has failed
 * once: the worker was working on that. Its requests go to others, before all that wait; one that
 * has failed tries times has no answer. Each request is answered once, by the line of one worker,
 * or failed.
 */
#include "workers.h"

enum { STAFF_MOST = 500 };

struct staffing {
	char **command;
	const char *directory;   /* of a script's FIFOs, or NULL */
	const char *begin;       /* the first request of each worker, or NULL */
	const char *prefix;      /* of an event, or NULL */
	long most, idle, load, tries;
	long long limit, grace;  /* ms; limit 0: none */
	int order, attended, tagged;
	int quiet, verbose;
	long watched;            /* the pid of the script, whose requests come by a FIFO; or 0 */
};

struct staff {
	const struct staffing *options;
	struct workers workers;
	struct answers answers;
	struct queue waiting;
	long asked;
	long pending;            /* have no answer yet ... */
	size_t bytes;            /* ... and are that long */
	long failed, surplus;
	long long again;         /* when a start that was refused is tried again, or 0 */
	long barren;             /* how many ended in a row, and none has answered anything */
	int refused;             /* the system would not start one, and we said so */
	int dismissed;
	int over;                /* the exit status where there is no way on: all has failed */
};

/* Prepares: 0, or -1 with errno; mask is the signal mask of workers. */
int staff_open(struct staff *staff, const struct staffing *options, const sigset_t *mask);
/* Takes a request. */
void staff_ask(struct staff *staff, const char *line, size_t length);
/* Reads what a worker says whose out.fd is readable. */
void staff_hear(struct staff *staff, struct worker *worker);
/* Sees to the workers that have ended. */
void staff_reap(struct staff *staff);
/* Does all that is due; how long until something will be, or -1. */
long long staff_wait_ms(struct staff *staff);
/* Has the workers end: at once, or each by itself. */
void staff_dismiss(struct staff *staff, int now);
