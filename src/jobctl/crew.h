/*
 * The jobs that run: N slots, a process group in each. A seat is what we know of one.
 *
 * crew_open() makes the slots; labels, or NULL, is an array of as many. Signals
 * in mask are not blocked in jobs. Returns 0, or -1 with errno. crew_close()
 * frees them.
 * crew_rest() is how many ms it is until a job may be started (pace.h); 0: now; -1 while
 * no slot is free. crew_free() is a free slot where one may, when crew_rest() has just
 * been 0, or else NULL. crew_start() runs argv in it with
 * /dev/null as standard input, and the descriptors of output instead of ours
 * where there are any; JOBCTL_ID, JOBCTL_SLOT, JOBCTL_LABEL and JOBCTL_TRY are in
 * its environment. Returns 0, or an error number. The job, and what it holds, is
 * the caller's.
 * crew_reap() gives a slot whose job has ended, free again, with its status as of
 * wait(2), or NULL while there is none; it never blocks. A job that wants to read
 * the terminal, which it cannot in the background, is killed.
 * crew_end() sends SIGTERM to a job and what it started, and SIGKILL after grace
 * ms. crew_look() does what is due, and returns the ms until something will be,
 * or -1. crew_signal() sends a signal to all.
 */
#include <sys/types.h>

#include <signal.h>
#include <time.h>

#include "../book/output.h"
#include "../lib/pace.h"

struct job {
	struct job *next;
	long id;
	int tries;
	long long due;   /* clock.h: not to be started before */
	struct output output;
	char line[];
};

struct seat {
	long number;
	pid_t pid;       /* 0: free */
	struct job *job;
	struct timespec start;
	long long began; /* clock.h, as those below */
	long long limit; /* when it is to be ended, or 0 */
	long long kill;  /* when it is to be killed, or 0 */
	long long due;   /* when the next job may be started here */
	int ended;       /* crew_end() was called ... */
	int late;        /* ... for its limit */
	int terminal;    /* wanted the terminal */
	int lingers;     /* has ended with the status, but not all that it started */
	int status;
};

struct crew {
	struct seat *seats;
	long count, running, lingering;
	long *free;      /* numbers of free slots, the last one is next */
	char **labels;
	char **environment;
	size_t own;      /* where our variables begin in it */
	long long limit, grace;
	struct pace pace; /* the caller's to set */
	sigset_t mask;
	int null;
};

int crew_open(struct crew *crew, long count, char **labels, const sigset_t *mask);
void crew_close(struct crew *crew);
long long crew_rest(const struct crew *crew);
struct seat *crew_free(struct crew *crew);
int crew_start(struct crew *crew, struct seat *seat, struct job *job, char **argv);
struct seat *crew_reap(struct crew *crew, int *status);
void crew_end(struct crew *crew, struct seat *seat);
long long crew_look(struct crew *crew);
void crew_signal(struct crew *crew, int sig);
