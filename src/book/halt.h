/*
 * When a batch stops starting jobs.
 *
 * halt_scan() takes "soon,fail=3" or "now,fail=10%": how, what is counted (fail,
 * success or done) and how many of them, or which part of the jobs that have
 * ended, and then at least three. Just "soon" or "now" mean one failure. Returns
 * 0, or -1 for anything else.
 * halt_reached() says whether it is time, given the jobs that succeeded and
 * failed so far.
 */
struct halt {
	int now;      /* and ends those that run */
	enum { HALT_NEVER, HALT_FAIL, HALT_SUCCESS, HALT_DONE } what;
	long count;
	int percent;
};

int halt_scan(struct halt *halt, const char *text);
int halt_reached(const struct halt *halt, long succeeded, long failed);
