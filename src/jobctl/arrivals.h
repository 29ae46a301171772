/* Files that list places. They are read again when they have changed, which is looked at once a
   second: so places come and go. Include sites.h before. */
#include <sys/types.h>

struct batch;

/* What a file was when it was read. */
struct arrival {
	const char *path;
	dev_t device;
	ino_t inode;
	off_t size;
	time_t written, changed;
	int fresh;         /* it may change once more without being another one */
	int misread;       /* it made no sense, and we said so */
};

struct arrivals {
	struct arrival *list;
	size_t count, room;
	long long due;     /* the next look (clock.h) */
	int waiting;       /* there is no place, and we said so */
};

/* Adds the places of that file, one on each line, or of standard input for "-". What is no regular
   file is read once. 0, or -1 with errno: EINVAL; ENODATA for such a one without places. */
int arrivals_add(struct arrivals *arrivals, struct sites *sites, const char *path);
/* Looks, when that is due: new places have slots, and those that went away no more jobs. */
void arrivals_follow(struct batch *batch);
/* Gives up when all places have failed; says so when there are none. */
void arrivals_check(struct batch *batch);
/* How long until the next look; -1: there is no such file. */
long long arrivals_wait_ms(const struct arrivals *arrivals);
