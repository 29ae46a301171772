/*
 * The staff: how many workers there are, who works on what, and what becomes of it when
 * one of them does not behave.
 *
 * A request goes to the worker that has the fewest, and no more than load. When all have
 * that many for start ms, or fewer than idle have nothing to do, another one is started,
 * up to most; one that had nothing to do for stop ms is ended, while more than idle are
 * left. Who ends, says nothing for limit ms, or says what nobody asked for, is ended, and
 * the first of its requests has failed once: with that it was. They go to others, before
 * all that wait, until one has failed tries times: then it has no answer. Each request is
 * answered once, by the line of one worker, or failed.
 *
 * staff_open() prepares; 0, or -1 with errno. staff_ask() takes a request.
 * staff_hear() reads what a worker says, of which out.fd is readable. staff_reap() sees to
 * the workers that have ended. staff_look() does all that is due, and returns the ms until
 * something will be, or -1. pending is how many requests have no answer yet, bytes how
 * long those are.
 * staff_dismiss() has the workers end, at once or each by itself.
 * over is set to an exit status when there is no way on: what is pending has failed then.
 */
#include "workers.h"
#include "answers.h"

enum { STAFF_MOST = 500 };

struct plan {
	char **command;
	const char *nursery;     /* where command is NULL */
	const char *begin;       /* the first request of each worker, or NULL */
	const char *prefix;      /* of an event, or NULL */
	long most, idle, load, tries;
	long long start, stop, limit, grace; /* ms; limit 0: none */
	int numbered;            /* the workers get and say the number */
	int order, attended, tagged;
	int quiet, verbose;
	long watched;            /* the pid of the script, or 0 */
};

struct staff {
	const struct plan *plan;
	struct workers workers;
	struct answers answers;
	struct queue waiting;
	long asked, pending, failed, surplus;
	size_t bytes;
	long long start_at;      /* when another worker is started, or 0 */
	long barren;             /* so many ended in a row, and none has answered anything */
	int refused;             /* the system would not start one, and we said so */
	int dismissed;
	int over;
};

int staff_open(struct staff *staff, const struct plan *plan, const sigset_t *mask);
void staff_close(struct staff *staff);
void staff_ask(struct staff *staff, const char *line, size_t length);
void staff_hear(struct staff *staff, struct worker *worker);
void staff_reap(struct staff *staff);
long long staff_look(struct staff *staff);
void staff_dismiss(struct staff *staff, int now);
