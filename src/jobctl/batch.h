/* A batch of jobs: what is asked for, and running it. */
#include "../book/halt.h"
#include "../book/retry.h"
#include "crew.h"

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

/* Runs it all: the exit status of jobctl(1). Dies by the signal that ended the batch. */
int batch_run(const struct plan *plan);
