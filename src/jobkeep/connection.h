/*
 * One connection: a process that lives long, whose standard input and output are two FIFOs, N.in
 * and N.out, in a directory of ours. It is in a process group of its own.
 *
 * A job opens both by name. We have the job's ends, too, for as long as the connection lives: it
 * shall see no end of its input between two jobs, and no SIGPIPE. Its own ends, those far from
 * the job, we have while a job opens the FIFOs, which so cannot block; from connection_taken() on
 * the job sees the end of a connection that has died.
 */
#include "../lib/child.h"

enum { CONNECTION_NAME = 32 }; /* bytes for the longest name */

struct connection {
	struct connection *next;
	long number;         /* of all that were opened */
	struct child child;  /* pid 0: it was waited for */
	int dir;             /* where the FIFOs are */
	int in, out;         /* the job's ends, -1 when closed; never written, never read */
	int far_in, far_out; /* those of the process, -1 when not held */
	long uses;           /* jobs that have given it back */
	long long idle;      /* since when nobody has used it (clock.h) */
};

/* Starts one, its far ends held. NULL with errno: ENOENT and EACCES are the program's. */
struct connection *connection_open(int dir, long number, char **argv);
/* Holds the far ends again: 0, or -1 with errno. */
int connection_lend(struct connection *c);
/* Lets the far ends go. */
void connection_taken(struct connection *c);
/* 1 when nothing is there to be read that no job has asked for. */
int connection_quiet(const struct connection *c);
/* Closes our ends and has it end: by itself, then TERM after the grace; in a hurry, TERM now. */
void connection_end(struct connection *c, int hurry, long long grace);
/* Forgets one without a process. */
void connection_free(struct connection *c);
