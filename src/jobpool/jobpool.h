/* jobpool: requests through a few workers that live long. */
#ifndef JOBPOOL_H
#define JOBPOOL_H
#include <stddef.h>

#include "../lib/lib.h"

/*
 * requests.c: requests, the order in which they wait, and their answers, which are written as they
 * come, or in the order of the requests. Then a request that has no answer has an empty line in its
 * place. Without memory jobpool exits with a message.
 */

struct request {
	struct request *next;
	long number;
	long tries;      /* how many workers failed with it */
	struct request *after; /* the next number, where answers wait for their turn */
	int answered;    /* and what is to be written for it is kept in answer */
	struct outbox answer;
	size_t length;
	char text[];
};

struct queue {
	struct request *first, *last;
	long count;
};

struct answers {
	int attended;                 /* "NUMBER ANSWER", "failed NUMBER WHY", "said WORKER TEXT" */
	int tagged;                   /* or "NUMBER<tab>ANSWER"; or else an answer is a line */
	int order;
	struct request *first, *last; /* with order: all without their turn yet, by number */
	long kept;                    /* of them, how many have their answer */
	struct outbox out;            /* for the caller to write */
};

/* A request; with order it has its place among the answers. */
struct request *request_make(struct answers *answers, long number, const char *line, size_t length);
/* Makes it the last one. */
void queue_put(struct queue *queue, struct request *request);
/* Takes the first one, or NULL. */
struct request *queue_take(struct queue *queue);
/* Puts all of another queue before those of this one. */
void queue_return(struct queue *queue, struct queue *other);

/* Takes over the request, whose answer this line is. */
void answers_give(struct answers *answers, struct request *request, const char *line,
    size_t length);
/* Takes over a request that will have none. */
void answers_fail(struct answers *answers, struct request *request, const char *why);
/* Adds a line to those that wait to be written. */
void answers_put(struct outbox *box, const char *prefix, const char *text, size_t length);

/*
 * workers.c: workers: processes that live long, read a request per line and write an answer per
 * line. Here they are started, talked to and ended; what they are given and what they say is
 * staff.c's matter.
 */

enum { NURSERY_NEWS = 3 };

/*
 * A shell that forks workers for us, for they may be its functions: share/jobctl/workers.sh.
 *
 * We write "start K NUMBER" to the shell (descriptor NURSERY_NEWS), and it starts a worker with
 * DIRECTORY/K.in as its input and DIRECTORY/K.out as its output; "kill K" ends it and what
 * descends from it. The shell answers by the FIFO DIRECTORY/workers: "open K" when the worker has
 * both open, "ended K STATUS" when it has ended.
 */
struct nursery {
	int dir;
	struct feed news;
	int keep;            /* a write end of it: it never ends */
	struct outbox orders;
	long serial;
	int gone;
};

enum worker_state {
	WORKER_VACANT,
	WORKER_BEGINS,   /* its first answer, to what it was sent at the start, is still to come */
	WORKER_READY,
	WORKER_RETIRES,  /* answers what it has, and gets no more */
	WORKER_LEAVES    /* its input is closed, or will be */
};

struct worker {
	long number;         /* of the place: 1, 2 ... */
	enum worker_state state;
	struct child child;  /* in a nursery without a pid: until when it is to open or end */
	long serial;         /* in the nursery */
	int killed;          /* there: its shell was told to end it */
	int ended, status;   /* as of wait(2), or -1 */
	int in, hold;        /* -1: closed */
	struct feed out;     /* fd -1: closed */
	struct outbox inbox;
	struct queue queue;  /* sent and not answered; it works on the first */
	long answers;        /* how many it gave */
	int ready;           /* has given its first answer, where one is expected */
	int told;            /* to end; so its end is no accident */
	int fired;           /* its words do not count any more */
	long long began;     /* clock.c, as the next */
	long long since;     /* when it began what it does now */
};

struct workers {
	struct worker *list, *end; /* the places */
	long busy;           /* that are not vacant */
	char **command;
	struct nursery nursery;
	char **environment;
	size_t own;          /* where our variable is in it */
	sigset_t mask;
	long long grace;
};

/* Makes vacant places for that command, or for a nursery in the directory. 0, or -1 with errno. */
int workers_open(struct workers *workers, long count, char **command, const char *directory,
    const sigset_t *mask);
/* Starts one at a vacant place, its number in JOBCTL_SLOT. 0, or an error number. */
int worker_start(struct workers *workers, struct worker *worker);
/* Puts bytes on their way to its standard input. */
void worker_send(struct worker *worker, const char *text, size_t length);
/* Writes what can be written. */
void workers_write(struct workers *workers);
/* Closes its input once all is written: it is to end by itself, or by TERM after the grace. */
void worker_leave(struct workers *workers, struct worker *worker);
/* Sends TERM at once; KILL follows after the grace. */
void worker_end(struct workers *workers, struct worker *worker);
/* It has closed its output, and so should have ended. */
void worker_silent(struct workers *workers, struct worker *worker);
/* Does what of that is due; how long until something will be, or -1. */
long long worker_wait_ms(struct workers *workers, struct worker *worker);
/* A worker that has ended, its group killed, or NULL. Its output may have more to read. */
struct worker *workers_reap(struct workers *workers);
/* Closes and frees what such a worker had, but for its queue. */
void worker_vacate(struct workers *workers, struct worker *worker);
/* Takes what a nursery says. */
void workers_hear(struct workers *workers);
/* Kills all that are children of ours. */
void workers_kill(struct workers *workers);

/*
 * staff.c: the staff: how many workers there are, who works on what, and what becomes of a request
 * when a worker does not behave.
 *
 * A request goes to the worker that has the fewest, and no more than load. When all have one, or
 * fewer than idle have none, another worker is started, up to most. A worker that ends, says
 * nothing for limit ms, or says what nobody asked for, is ended, and its first request has failed
 * once: the worker was working on that. Its requests go to others, before all that wait; one that
 * has failed tries times has no answer. Each request is answered once, by the line of one worker,
 * or failed.
 */

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

/*
 * dispatch.c: jobpool at work: requests from standard input to the staff, answers from there to
 * standard output, until both are done with. Attended by a script, the input is lines ":REQUEST",
 * and "end"; the first line of the output is "ready". A first signal ends the workers as the end of
 * the grace does, a second kills them, if one of the two is SIGINT: timeout(1) sends TERM twice.
 */

/* Does that: the exit status. Dies by the signal that ended it, after its workers. */
int dispatch_run(const struct staffing *options);

/*
 * script.c: the guard of a script's pool: makes a directory, where the script writes into the FIFO
 * requests and reads answers, and starts the jobpool that has their other ends. If the workers are
 * functions, the script has started a shell that forks them, as the FIFO orders says (workers.c).
 * If jobpool is killed, that shell ends them, and then itself.
 */

/* Runs jobpool with these arguments, and "--attended". The exit status. */
int script_guard(int argc, char **argv, const struct staffing *options);
#endif
