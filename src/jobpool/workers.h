/*
 * Workers: processes that live long, read a request per line and write an answer per line. Here
 * they are started, talked to and ended; what they are given and what they say is staff.h's
 * matter.
 */
#include "../lib/child.h"
#include "../lib/feed.h"
#include "../lib/outbox.h"
#include "requests.h"

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
	long long began;     /* clock.h, as the next */
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
