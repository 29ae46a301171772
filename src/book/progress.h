/*
 * How far a batch is, on standard error: one line redrawn on a terminal, plain
 * lines elsewhere, at most one each second there, and one at the end.
 *
 * progress_open() begins; total is the number of jobs, or -1 while that is not
 * known. progress_show() tells the figures, and shows them when it is time;
 * last says that they will not change any more. progress_clear() takes the line
 * off a terminal, before something else is written there.
 * progress_wait_ms() is the ms until the line is to be redrawn though nothing
 * has happened, or -1.
 */
struct progress {
	int on, terminal;
	int drawn;         /* columns of the line that is on the terminal */
	long total;
	long long began, shown; /* clock.h */
	long ended, failed, running;
};

void progress_open(struct progress *progress, int on, long total);
void progress_show(struct progress *progress, long ended, long failed, long running, int last);
void progress_clear(struct progress *progress);
long long progress_wait_ms(const struct progress *progress);
