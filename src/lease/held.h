/*
 * JOBCTL_HELD lists the leases this process runs under, so that a program that asks such a pool for
 * a token can borrow one of those: tools/borrow.h. Each is the path in a line; before it are lines
 * that begin with a blank, and are missing if a shell that has opened a lease writes its path:
 *
 *	 BASE SIZE<tab>DIRECTORY/<tab>...
 *	 SLOT LABEL		for each token of the lease
 *
 * The pool has SIZE tokens; 0 is not known. BASE is NAME, that of the lease, or "NAME.3.7" for a
 * command with loan 7 of loan 3. With each token comes one of the pools in those directories, from
 * which this pool has its own. For a pool of another machine the line is HOST:FIFO.
 */
#include "names.h"

enum { HELD_PATH = 4096, HELD_JOB = 16 };
enum { HELD_BASE = 2048, HELD_NUMBER = 24 /* of it, for one loan more */ };

struct held {
	char lease[HELD_PATH];
	char name[NAMES_CLIENT]; /* of the holder */
	char base[HELD_BASE];
	long within;             /* the last number of BASE, or 0 */
	char job[HELD_JOB];      /* the pid of the job of a build in which this process is, or "" */
	long size, count;        /* tokens of the pool, and of the lease */
	const char *slots;       /* that many lines, as above */
};

/* 1 and the lease, if this process runs under one that has tokens of the pool at that path. */
int held_find(const char *fifo, struct held *held);
/* 1 if that HOST:FIFO is held. */
int held_abroad(const char *place);
/* Sets JOBCTL_HELD for the command that is to run with these slots and labels of that lease; size
   is that of its pool. 0, or -1 with errno. */
int held_say(const char *lease, const char *base, long size, const char *slots,
    const char *labels);
/* The same for HOST:FIFO. */
int held_say_abroad(const char *place);
/* Notes in the directory of a dispenser the pools that its own tokens are from. 0, or -1. */
int held_note(int dir);
