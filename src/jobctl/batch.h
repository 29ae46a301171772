/* A batch of jobs: what is asked for, what is known of it, and what all who work on it do. */
#include "../book/halt.h"
#include "../book/joblog.h"
#include "../book/progress.h"
#include "../book/retry.h"
#include "../places/sites.h"
#include "recipe.h" /* and place.h */
#include "crew.h"   /* and output.h */
#include "../book/terms.h"
#include "group.h"

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
	int again;         /* --retry-failed: the jobs are those of the log */
	long jobs;         /* at once */
	const char *jobs_file; /* which says so, or NULL */
	int borrowing;     /* their tokens are make's: jobserver.h, which is open */
	char **labels;     /* of as many slots, or NULL */
	long labelled;
	struct sites sites; /* -S; none: all jobs run here */
	long jobs_each;    /* at each of these, unless it is said there; 0: it was not said */
	int slurm;         /* they are those of an allocation */
	struct terms terms;
	long long grace;   /* ms between TERM and KILL */
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
	pid_t starter, make;    /* the processes with which we end: starter.h; or 0 */
	long wanted;            /* jobs at once, as their file said last */
	int misread;            /* that made no sense, and we said so */
	int unshown;            /* output could not be shown, and we said so */
	int refused;            /* the system would not start a job, and we said so */
	int status;             /* the exit status when it is not the count of failures */
};

/* Keeps a job, which is taken over, until that time (clock.h). */
void batch_put_later(struct batch *batch, struct job *job, long long due);
/* No more jobs are started; NOW: those that run are ended. */
void batch_stop(struct batch *batch, enum stopping how);
/* The same, for the batch itself has failed: it ends with that status. */
void batch_give_up(struct batch *batch, int status);
/* Makes the tag of that job's lines, for free(3), or NULL: 0, or -1 without memory. */
int batch_tag(struct batch *batch, const struct job *job, long slot, char **tag);
/* Shows the output whose turn has come. */
void batch_flush(struct batch *batch);
/* Output cannot be kept or shown, for the reason in errno: the batch ends. */
void batch_fail_output(struct batch *batch);
/* Nobody reads our output any more: the batch ends, without a word when we are a filter. */
void batch_lose_reader(struct batch *batch);
/* A job without output: those after it may be shown now. */
void batch_skip_output(struct batch *batch, long id);
/* A job is over, or was refused. */
void batch_count(struct batch *batch, int failed);
