/*
 * How far a batch is: on standard error, and on a board for others to read. On a terminal a line is
 * drawn anew in its place, with a line for each running job below it where that is asked for.
 * Elsewhere there is a plain line now and then, and one at the end.
 */
#include "../display/board.h"

enum progress_kind { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_STATUS };

struct figures {
	long done;    /* jobs that are over, but for those that were left out ... */
	long failed;  /* ... of which these have failed */
	long running;
	long begun;   /* all that ever did */
};

/* A job that runs. */
struct running_job {
	long slot, id, tries;
	pid_t pid;             /* or 0 */
	long long began;       /* clock.h */
	const char *label;     /* of its slot, or NULL */
	const char *command;   /* on one line, or NULL */
};

struct progress {
	enum progress_kind kind;
	struct board board;    /* the caller's to open */
	long slots, total;     /* total: jobs that are not left out, or -1; the caller's to set */
	struct figures now;
	long long began, shown; /* clock.h */
	long long epoch;       /* when it began, in ms since the epoch */
	int ended;             /* nothing is to come */
};

/* Begins; total is the number of jobs, or -1. */
void progress_open(struct progress *progress, enum progress_kind kind, long total);
/* Takes the figures: 1 when it is time to show them, after each running job was told. */
int progress_take(struct progress *progress, const struct figures *figures);
/* Tells of one. */
void progress_job(struct progress *progress, const struct running_job *job);
/* Shows what was told; inside: a line on the terminal has still to end, so none is drawn there. */
void progress_show(struct progress *progress, int inside);
/* The window has another size: it is drawn anew at once. */
void progress_resized(struct progress *progress);
/* Others have written there: what is drawn is nobody's any more. */
void progress_forget(void);
/* Takes what is drawn off the terminal, before something else is written there: 1 if there is a
   terminal to draw on. */
int progress_make_way(void);
/* Shows the figures for the last time. */
void progress_end(struct progress *progress, const struct figures *figures);
/* Takes down the board, when all is done. */
void progress_close(struct progress *progress);
/* How long until there is something to show though nothing has happened, or -1. */
long long progress_wait_ms(const struct progress *progress);
