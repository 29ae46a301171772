/* A batch of jobs: what is asked for, what is known of it, and what all who work on it do. */
#include "../book/halt.h"
#include "../book/joblog.h"
#include "../book/progress.h"
#include "../book/retry.h"
#include "../lib/feed.h"
#include "crew.h"
#include "recipe.h"

struct plan {
	char **words;          /* the command, NULL at its end, or none: recipe.h */
	int shell;             /* -c */
	const char *file;      /* of the input; NULL: standard input */
	char separator;        /* of its lines */
	long jobs;             /* at once */
	int borrowing;         /* their tokens are make's: jobserver.h, which is open */
	char **labels;         /* of as many slots, or NULL */
	enum output_mode mode;
	const char *directory; /* for OUTPUT_FILES */
	int tag;               /* -t */
	const char *log_path;  /* or NULL */
	int resume;            /* -R */
	int sync;              /* -F */
	struct halt halt;
	struct retry retry;    /* -r */
	long long job_limit;   /* ms, or 0 */
	long long batch_limit; /* ms, or 0 */
	long long grace;       /* ms between TERM and KILL */
	long long between;     /* ms between two starts, or 0 */
	long long each;        /* ms between two in the same slot, or 0 */
	long nice;             /* added to ours */
	int progressing;       /* -p */
	int quiet;             /* -q */
	int dry;               /* -D */
};

enum stopping { NOT, SOON, NOW };

struct batch {
	const struct plan *plan;
	struct feed feed;
	struct recipe recipe;
	struct crew crew;
	struct outputs outputs;
	struct joblog log;
	struct progress progress;
	struct job *later;      /* to be tried again, in order of their time */
	struct job *ready;      /* waits for a token of make's, or NULL */
	long id;                /* of the last job taken from the input */
	long succeeded, failed, stopped, skipped;
	int put_off;            /* no job was started last time, for it was too soon */
	long long deadline;     /* of the batch, or 0 */
	int more;               /* the input has not ended */
	enum stopping stopping;
	int answered;           /* interrupts that we have acted on */
	int refused;            /* the system would not start a job, and we said so */
	int status;             /* the exit status when it is not the count of failures */
};

/* A message, as complain() makes it, which does not mix with the line of progress. */
void batch_say(struct batch *batch, const char *format, ...);
/* Keeps a job, which is taken over, until that time (clock.h). */
void batch_put_later(struct batch *batch, struct job *job, long long due);
/* No more jobs are started; NOW: those that run are ended. */
void batch_stop(struct batch *batch, enum stopping how);
/* The same, for the batch itself has failed: it ends with that status. */
void batch_give_up(struct batch *batch, int status);
/* Shows the output whose turn has come; bad: that of a job could not even be kept. */
void batch_flush(struct batch *batch, int bad);
/* A job without output: those after it may be shown now. */
void batch_skip_output(struct batch *batch, long id);
/* A job is over, or was refused. */
void batch_count(struct batch *batch, int failed);
