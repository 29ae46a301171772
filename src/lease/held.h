/*
 * With tokens of which pools this process runs: the variable JOBCTL_HELD has a line for each, with
 * the path of its lease, and, behind a tab, for which job of who holds that. So what asks for a
 * token of such a pool can be lent one: clients/lending.h. Of a pool of another machine there is
 * HOST:FIFO.
 */
#include "names.h"

struct held {
	char name[NAMES_CLIENT]; /* of the holder */
	char job[NAMES_JOB];     /* that of its jobs in which this process is, or "" */
};

/* What this process holds of the dispenser at that path: 1, or 0: nothing. */
int held_find(const char *fifo, struct held *held);
/* 1 where that HOST:FIFO is held. */
int held_abroad(const char *place);
/* 1 in a recipe of a build that has its tokens of that dispenser by way of tokstat -m. */
int held_shared(const char *fifo);
/* Says so to what this process becomes, or starts: of that lease. 0, or -1 with errno. */
int held_say(const char *fifo, const char *lease);
/* The same of HOST:FIFO. */
int held_say_abroad(const char *place);
/* Notes in the directory of a dispenser that its tokens are those that this process holds, for its
   clients hold these, too. 0, or -1 with errno. */
int held_note(int dir);
