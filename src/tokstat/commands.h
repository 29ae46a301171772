/*
 * The command of each line of a sheet: the one under a tokget, not tokget itself; and where that
 * has gone, the process that has the lease open now. Of a build, the programs that have left the
 * pool, too. All of that is kept for some seconds.
 */
#include "running.h"

struct sheet;

struct commands {
	const char *fifo;    /* whose leases are in FIFO.d; NULL: there are none */
	pid_t shell;         /* of which jobs are copies, or 0 */
	struct known *known; /* the last lines, in their order */
	size_t count;
	struct running running;
};

/* Finds them. Exits without memory. */
void commands_find(struct commands *commands, struct sheet *sheet);
/* Forgets all. */
void commands_drop(struct commands *commands);
