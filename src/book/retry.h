/* How often a job is tried, and how long it waits before it is tried again. */
struct retry {
	long tries;        /* at least 1 */
	long long pause;   /* ms before the second try, which doubles with each further one */
};

#define RETRY_SUCH "tries and seconds such as 3 or 3,0.5"

/* "3" or "3,0.5": tries, and seconds before the second one, else 1. 0, or -1 for anything else. */
int retry_scan(struct retry *retry, const char *text);
/* How long to wait after that try failed: it doubles up to an hour; -1 when there is no other. */
long long retry_wait_ms(const struct retry *retry, long tried);
