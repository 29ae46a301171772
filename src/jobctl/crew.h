/* The jobs that run: N slots, a process group in each. A seat is what we know of one. Include
   place.h and sites.h before. */
#include <time.h>

#include "../book/output.h"
#include "../book/verdict.h"
#include "../lib/child.h"
#include "../lib/family.h"
#include "../lib/pace.h"

struct job {
	struct job *next;
	long id;
	int tries;
	int yielded;     /* it was ended to be run again */
	struct end end;  /* of the last try that has ended */
	long long due;   /* not to be started before (clock.h) */
	struct output output;
	struct arguments given; /* here: */
	char text[];
};

struct seat {
	long number;
	struct child child; /* pid 0: the seat is free */
	struct job *job;    /* the caller's, with what it holds */
	struct timespec start;
	long long began;    /* clock.h, as the next */
	long long limit;    /* when it is to be ended, or 0 */
	struct turn turn;
	int ended;          /* by us ... */
	int late;           /* ... for its limit */
	char why;           /* it wanted the terminal: a letter of verdict.c */
	int yields;         /* ended by the caller, who will run the job again */
};

struct crew {
	struct seat *seats;
	long count, running, lingering;
	long begun;         /* jobs that were started, each try */
	long room;          /* how many seats there are: more than count once that was lowered */
	char **labels;
	char **environment;
	size_t own;         /* where our variables begin in it */
	long long limit, grace; /* ms; the caller's to set, as is the pace */
	struct pace pace;
	const struct sites *sites; /* where the seats are */
	struct family all;  /* processes, as of the last look */
	long long scan;     /* when the next one is due (clock.h) */
	sigset_t mask;
	int null;
};

/* Makes the seats, as many labels or NULL, and the signal mask of jobs. 0, or -1 with errno. */
int crew_open(struct crew *crew, long count, char **labels, const sigset_t *mask);
/* From now on so many; those that run above that go on. 0, or -1 with errno: as before. */
int crew_resize(struct crew *crew, long count);
/* How long until a job may be started; -1 while no seat is free. */
long long crew_free_ms(const struct crew *crew);
/* A free seat where one may; only when crew_free_ms() has just been 0. */
struct seat *crew_seat(struct crew *crew);
/* Runs argv there, with JOBCTL_ID, _SLOT, _LABEL, _TRY and no input. 0, or an error number. */
int crew_start(struct crew *crew, struct seat *seat, struct job *job, char **argv);
/* A seat whose job has ended, free again; or NULL. Kills a job that wants the terminal. */
struct seat *crew_reap(struct crew *crew);
/* Ends a job and what it started: TERM, and KILL after the grace. */
void crew_end(struct crew *crew, struct seat *seat);
/* The youngest that runs; NULL while one that we have ended still does. */
struct seat *crew_youngest(struct crew *crew);
/* Does what is due; how long until something will be, or -1. */
long long crew_wait_ms(struct crew *crew);
/* Sends a signal to all. */
void crew_signal(struct crew *crew, int sig);
