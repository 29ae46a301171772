/*
 * How far a batch is, on standard error: one line redrawn on a terminal, elsewhere a plain line
 * each second at most, and one at the end.
 */
struct progress {
	int on, terminal;
	int drawn;         /* columns of the line that is on the terminal */
	long total;
	long long began, shown; /* clock.h */
	long ended, failed, running;
};

/* Begins; total is the number of jobs, or -1 while that is not known. */
void progress_open(struct progress *progress, int on, long total);
/* Takes the figures, and shows them when it is time; last: they will not change any more. */
void progress_show(struct progress *progress, long ended, long failed, long running, int last);
/* Takes the line off a terminal, before something else is written there. */
void progress_clear(struct progress *progress);
/* How long until the line is to be redrawn though nothing has happened, or -1. */
long long progress_wait_ms(const struct progress *progress);
