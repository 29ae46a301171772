/* When a batch stops starting jobs. */
struct halt {
	int now;      /* and ends those that run */
	enum { HALT_NEVER, HALT_FAIL, HALT_SUCCESS, HALT_DONE } what;
	long count;
	int percent;
};

#define HALT_SUCH "such as now,fail=1 or soon,fail=10%"

/* "now,fail=3", "soon,done=10%", just "soon", which is fail=1, or "never". 0, or -1 for anything
   else. */
int halt_scan(struct halt *halt, const char *text);
/* 1 when it is time, with that many jobs that succeeded and failed. */
int halt_reached(const struct halt *halt, long succeeded, long failed);
