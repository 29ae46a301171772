/* A batch of jobs: what is asked for, what is known of it, and what all who work on it do. */
#include <time.h>

#include "../book/halt.h"
#include "../book/joblog.h"
#include "../book/lines.h"
#include "../book/output.h"
#include "../book/progress.h"
#include "../book/retry.h"
#include "../book/terms.h"
#include "../lib/child.h"
#include "../lib/pace.h"
#include "../places/sites.h"
#include "source.h" /* and recipe.h */

enum { WIDTH_MOST = 100000 /* jobs at once */ };

struct plan {
	const char *called; /* our own command, as one would type it */
	char **words;      /* the command of a job, NULL at its end, or none: recipe.h */
	int script;        /* -c */
	int literal;       /* -q: no word is refused or noted */
	struct recipe recipe; /* what its caller sets */
	struct source_terms input; /* its origins: -a, then ::: */
	struct origin *origins;
	long most;         /* records of a job; 0: it was not said */
	int interactive;   /* a terminal is one of the lists */
	int fit;           /* as many as fit into a command */
	long bytes;        /* of a command at most, or 0 */
	int verbose;       /* -t */
	long jobs;         /* at once */
	int borrowing;     /* their tokens are make's: jobserver.h, which is open */
	char **labels;     /* of as many slots, or NULL */
	long labelled;
	struct sites sites; /* -S; none: all jobs run here */
	int slurm;         /* they are those of an allocation */
	struct terms terms;
	long long grace;   /* ms between TERM and KILL */
};

struct job {
	struct job *next;
	long id;
	int tries;
	struct end end;  /* of the last try that has ended */
	long long due;   /* not to be started before (clock.h) */
	struct output output;
	struct arguments given; /* here: */
	char text[];
};

/* What we know of a slot, and of the job in it, which is a process group. */
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
	sigset_t mask;
	int null;
};

enum stopping { NOT, SOON, NOW };

struct batch {
	const struct plan *plan;
	struct source source;
	struct group group;
	struct recipe recipe;
	struct sites sites;
	struct crew crew;
	struct outputs outputs;
	struct joblog log;
	struct progress progress;
	struct job *later;      /* to be tried again, in order of their time */
	struct job *ready;      /* waits for a limit, or for a token of make's; or NULL */
	struct limits limits;
	int held;               /* it is a limit */
	long id;                /* of the last job taken from the input */
	long before;            /* numbers that the first job has not, for their files are there */
	long succeeded, failed, stopped, skipped, unstarted;
	int filter;             /* we are to die of SIGPIPE, when nobody reads our output */
	int put_off;            /* no job was started last time, for it was too soon */
	long long deadline;     /* of the batch, or 0 */
	int more;               /* the input has not ended */
	enum stopping stopping;
	int answered;           /* interrupts that we have acted on */
	int refused;            /* the system would not start a job, and we said so */
	int status;             /* the exit status when it is not the count of failures */
};

/* Keeps a job, which is taken over, until that time (clock.h). */
void batch_put_later(struct batch *batch, struct job *job, long long due);
/* No more jobs are started; NOW: those that run are ended. */
void batch_stop(struct batch *batch, enum stopping how);
/* The same, for the batch itself has failed: it ends with that status. */
void batch_give_up(struct batch *batch, int status);
/* The tag of that job's lines, for free(3), or NULL. */
char *batch_tag(const struct batch *batch, const struct job *job, long slot);
/* Shows the output whose turn has come. */
void batch_flush(struct batch *batch);
/* Output cannot be kept or shown, for the reason in errno: the batch ends. */
void batch_fail_output(struct batch *batch);
/* Nobody reads our output any more: the batch ends, without a word when we are a filter. */
void batch_lose_reader(struct batch *batch);
/* A job is over, or was refused. */
void batch_count(struct batch *batch, int failed);

/* crew.c: the jobs that run. */

/* Makes the seats, as many labels or NULL, and the signal mask of jobs. Exits if it cannot; and at
   each exit all jobs that run are ended, once. */
void crew_open(struct crew *crew, long count, char **labels, const sigset_t *mask);
/* From now on so many; those that run above that go on. */
void crew_resize(struct crew *crew, long count);
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
/* Does what is due; how long until something will be, or -1. */
long long crew_wait_ms(struct crew *crew);
/* Sends a signal to all. */
void crew_signal(struct crew *crew, int sig);

/* begin.c: starts all jobs that may be started now. */
void begin_jobs(struct batch *batch);

/* The end of a job: its output, a message, a line of the log, another try. */

/* The job of that seat has ended. */
void outcome_take(struct batch *batch, struct seat *seat);
/* It is not run at all, and counts as failed, with the status that a shell has for that. */
void outcome_refuse(struct batch *batch, struct job *job, int status, const char *why);
/* The batch is over: what still waits to be tried again has failed, as its last try did. */
void outcome_drop_later(struct batch *batch);

/* loop.c: runs it all: the exit status of jobctl(1). Dies by the signal that ended the batch. */
int loop_run(const struct plan *plan);

/* slurm.c: adds the nodes of the Slurm allocation that we run in, each with the slots that its
   processors make, or at most that many, unless that is 0; and has JOBCTL_RSH, where it is not
   set, begin steps of the allocation. Exits after a message without one that can be read. */
void slurm_places(struct sites *sites, long most);
