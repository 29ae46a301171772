/* When a batch stops starting jobs. */
struct halt {
	int now;      /* and ends those that run */
	enum { HALT_NEVER, HALT_FAIL, HALT_SUCCESS, HALT_DONE } what;
	long count;
	int percent;
};

/* "soon,fail=3" or "now,fail=10%": what is counted (fail, success or done) and how many, or which part of the jobs that have
   ended, and then at least three. Just "soon" or "now" is one failure. 0, or -1 for anything else. */
int halt_scan(struct halt *halt, const char *text);
/* 1 when it is time, with that many jobs that succeeded and failed. */
int halt_reached(const struct halt *halt, long succeeded, long failed);
