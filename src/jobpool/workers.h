/*
 * Workers: processes that live long, read a request per line and write an answer per
 * line. What they are given, and what they say, is staff.c's matter; here they are
 * started, talked to and ended.
 *
 * workers_open() makes so many places, all vacant; command is what is run, or NULL where
 * directory names a nursery (nursery.h). mask is the signal mask of a worker. Returns 0,
 * or -1 with errno. workers_close() frees them.
 * worker_start() starts one at a vacant place, with JOBCTL_SLOT, the number of the place,
 * in its environment, in a process group of its own where it is our child. Returns 0, or
 * an error number.
 * worker_send() puts bytes on their way to its standard input; -1 for no memory.
 * workers_write() writes what can be written.
 * worker_leave() closes its standard input when all that was sent is written: it is to
 * end by itself, and is sent TERM when it has not after the grace. worker_end() sends
 * TERM at once. KILL follows after another grace. worker_silent() is for one that has
 * closed its output, and so should have ended. worker_look() does what of that is due,
 * and returns the ms until something will be, or -1.
 * workers_reap() gives a worker whose process has ended (ended is set, and status as of
 * wait(2), or -1), or NULL; what it left in its process group is killed. There may be
 * something in its output still. worker_vacate() then closes and frees what it had, but
 * for its queue.
 * workers_hear() takes what a nursery says. workers_signal() sends a signal to all.
 */
#include <sys/types.h>

#include <signal.h>

#include "nursery.h"
#include "requests.h"

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
	pid_t pid;           /* 0: none, or no child of ours */
	long serial;         /* in the nursery */
	int ended, status;
	int in, hold;        /* -1: closed */
	struct feed out;     /* fd -1: closed */
	struct outbox inbox;
	struct queue queue;  /* sent and not answered; it works on the first */
	long answers;        /* so many it gave */
	int ready;           /* has given its first answer, where one is expected */
	int told;            /* to end; so its end is no accident */
	int excused;         /* and not for anything that it did */
	int fired;           /* what it says does not count any more */
	long long began;     /* clock.h, as those below */
	long long since;     /* when it began what it does now */
	long long due;       /* when it is to be sent the signal next, or 0 */
	int next;
};

struct workers {
	struct worker *list;
	long count;          /* places */
	long busy;           /* that are not vacant */
	char **command;
	struct nursery nursery;
	char **environment;
	size_t own;          /* where our variable is in it */
	sigset_t mask;
	long long grace;
};

int workers_open(struct workers *workers, long count, char **command, const char *directory,
    const sigset_t *mask);
void workers_close(struct workers *workers);
int worker_start(struct workers *workers, struct worker *worker);
int worker_send(struct worker *worker, const char *text, size_t length);
void workers_write(struct workers *workers);
void worker_leave(struct workers *workers, struct worker *worker);
void worker_end(struct workers *workers, struct worker *worker);
void worker_silent(struct workers *workers, struct worker *worker);
long long worker_look(struct workers *workers, struct worker *worker, long long now);
struct worker *workers_reap(struct workers *workers);
void worker_vacate(struct workers *workers, struct worker *worker);
void workers_hear(struct workers *workers);
void workers_signal(struct workers *workers, int sig);
