/*
 * JOBCTL_HELD lists the leases this process runs under. Each line has the path of one and, behind a
 * tab, the job of its holder. So a program that asks such a pool for a token can be lent one:
 * clients/lending.h. For a pool of another machine the line is HOST:FIFO.
 */
#include "names.h"

struct held {
	char name[NAMES_CLIENT]; /* of the holder */
	char job[NAMES_JOB];     /* the holder's job in which this process is, or "" */
};

/* 1 and the holder, if this process runs under a lease of the dispenser at that path; else 0. */
int held_find(const char *fifo, struct held *held);
/* 1 if that HOST:FIFO is held. */
int held_abroad(const char *place);
/* 1 in a recipe of a build that gets its tokens from that dispenser by tokstat -m. */
int held_shared(const char *fifo);
/* Sets JOBCTL_HELD for the command that is to run under that lease. 0, or -1 with errno. */
int held_say(const char *fifo, const char *lease);
/* The same for HOST:FIFO. */
int held_say_abroad(const char *place);
/* Notes in the directory of a dispenser the leases that this process, and so each of its clients,
   runs under. 0, or -1 with errno. */
int held_note(int dir);
