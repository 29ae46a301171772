/* How often a job is tried, and how long it waits before it is tried again. */
struct retry {
	long tries;        /* at least 1 */
	long long pause;   /* ms before the second try, which doubles with each further one */
};

#define RETRY_SUCH "tries and seconds such as 3 or 3,0.5"

/* "3" or "3,0.5": tries, and seconds before the second one, else 1. 0, or -1 for anything else. */
int retry_scan(struct retry *retry, const char *text);
/* How long to wait before the next try, in ms: the pause, doubled for each further try up to an
   hour; or what the job has said, unless that is -1. And up to half as much again, by chance: what
   failed at the same time is not to come again at the same time. */
long long retry_wait_ms(const struct retry *retry, long tried, long long said);
