/*
 * Workers that a shell forks for us, for they may be its functions: share/jobctl/workers.sh.
 *
 * We write "start K NUMBER" to the shell (descriptor NURSERY_NEWS), and it starts a worker
 * with DIRECTORY/K.in as its input and DIRECTORY/K.out as its output; "kill K" ends it
 * and what descends from it. The shell answers by the FIFO DIRECTORY/workers: "open K" when
 * the worker has both open, "ended K STATUS" when it has ended.
 *
 * nursery_open() makes that FIFO: 0, or -1 with errno. nursery_start() makes the FIFOs of
 * a worker, tells the shell, and sets serial to its K, which is used once; *in and *out,
 * not blocking, are ours, and *hold keeps *in writable until the worker has it open: then
 * nursery_opened() closes that and removes the names. All are closed on exec. 0, or an
 * error number. nursery_kill() tells the shell. nursery_write() writes what it is to be
 * told; -1 when it is gone, and gone is set from then on.
 * nursery_next() gives the next line of its: NURSERY_OPEN or NURSERY_ENDED with *serial
 * and *status, or 0 when there is none; feed_fill() of news comes before.
 * nursery_close() closes and removes what is ours.
 */
#include "../lib/feed.h"
#include "../lib/outbox.h"

enum { NURSERY_NEWS = 3, NURSERY_OPEN = 1, NURSERY_ENDED };

struct nursery {
	const char *directory;
	struct feed news;
	int keep;            /* a write end of it: it never ends */
	struct outbox orders;
	long serial;
	int gone;
};

int nursery_open(struct nursery *nursery, const char *directory);
int nursery_start(struct nursery *nursery, long number, int *in, int *hold, int *out);
void nursery_opened(struct nursery *nursery, long serial, int hold);
int nursery_kill(struct nursery *nursery, long serial);
int nursery_write(struct nursery *nursery);
int nursery_next(struct nursery *nursery, long *serial, int *status);
void nursery_close(struct nursery *nursery);
