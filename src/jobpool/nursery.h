/*
 * Workers that a shell forks for us, for they may be its functions: share/jobctl/workers.sh.
 *
 * We write "start K NUMBER" to the shell (descriptor NURSERY_NEWS), and it starts a worker with
 * DIRECTORY/K.in as its input and DIRECTORY/K.out as its output; "kill K" ends it and what
 * descends from it. The shell answers by the FIFO DIRECTORY/workers: "open K" when the worker has
 * both open, "ended K STATUS" when it has ended.
 */
#include "../lib/feed.h"
#include "../lib/outbox.h"

enum { NURSERY_NEWS = 3, NURSERY_OPEN = 1, NURSERY_ENDED };

struct nursery {
	int dir;
	struct feed news;
	int keep;            /* a write end of it: it never ends */
	struct outbox orders;
	long serial;
	int gone;
};

/* Makes that FIFO: 0, or -1 with errno. */
int nursery_open(struct nursery *nursery, const char *directory);
/* Has one started; *hold lets us write into *in before it reads. 0, or an error number. */
int nursery_start(struct nursery *nursery, long number, int *in, int *hold, int *out);
/* The worker has both open: closes *hold and removes the names; does nothing if that is -1. */
void nursery_opened(struct nursery *nursery, long serial, int *hold);
/* Tells the shell to end one. */
void nursery_kill(struct nursery *nursery, long serial);
/* Writes what the shell is to be told: 0, or -1 when it has gone. */
int nursery_write(struct nursery *nursery);
/* The next line that was read: NURSERY_OPEN, or NURSERY_ENDED with a status; or 0. */
int nursery_next(struct nursery *nursery, long *serial, int *status);
