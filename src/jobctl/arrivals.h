/* Files that list places are read again when they have changed, which is looked at once a second:
   so places come and go. */
struct batch;

struct arrivals {
	long long due;     /* the next look (clock.h) */
	int misread;       /* a file made no sense, and we said so */
	int waiting;       /* there is no place, and we said so */
};

/* Looks, when that is due: new places have slots, and those that went away no more jobs. */
void arrivals_follow(struct batch *batch);
/* Gives up when all places have failed; says so when there are none. */
void arrivals_check(struct batch *batch);
/* How long until the next look; -1: there is no such file. */
long long arrivals_wait_ms(const struct batch *batch);
