/*
 * One connection: a process that lives long, whose standard input and output are two
 * FIFOs, N.in and N.out, in a directory of ours. It is in a process group of its own.
 *
 * A job opens both by name. We have the job's ends, too, for as long as the
 * connection lives: it shall see no end of its input between two jobs, and no
 * SIGPIPE. Its own ends, those far from the job, we have while a job opens the
 * FIFOs, which so cannot block; from connection_taken() on the job sees the end of a
 * connection that has died.
 *
 * connection_open() makes the FIFOs and starts the program, all with the far ends
 * held. Returns NULL with errno when that fails: ENOENT and EACCES are the program's.
 * connection_lend() holds the far ends again, connection_taken() lets them go.
 * 0, or -1 with errno; a second time does nothing.
 * connection_quiet(): 1 when nothing is there to be read that no job has asked for.
 * connection_mute(): 1 when nobody has its standard output open any more. Only to be
 * asked of one whose far ends are not held.
 * connection_end() closes all our ends, takes the names away, and has the process end
 * by itself, or with hurry by TERM. connection_look() sends TERM when the grace, in
 * milliseconds, has passed, and KILL after another. It returns 0 when there is no
 * process any more, else 1 with *wait, in milliseconds, made shorter.
 * connection_died() is for whoever has found that process pid, a child, has ended
 * and was not waited for: ends what it left in its group and waits for it.
 * connection_free() forgets one without a process.
 */
#include <sys/types.h>

enum { CONNECTION_NAME = 32 };

struct connection {
	struct connection *next;
	long number;         /* of all that were opened */
	pid_t pid;           /* 0: it was waited for */
	int status;          /* of which waitpid told then */
	int dir;             /* where the FIFOs are */
	int in, out;         /* the job's ends, -1 when closed; never written, never read */
	int far_in, far_out; /* those of the process, -1 when not held */
	long uses;           /* jobs that have given it back */
	int failed;          /* it ended by itself, before that */
	int stage;           /* 0 lives, 1 is to end by itself, 2 was sent TERM, 3 KILL */
	long long due;       /* the next stage, or when it was given back (clock.h) */
	long long grace;     /* ms */
};

struct connection *connection_open(int dir, long number, char **argv);
int connection_lend(struct connection *c);
void connection_taken(struct connection *c);
int connection_quiet(const struct connection *c);
int connection_mute(const struct connection *c);
void connection_end(struct connection *c, int hurry, long long grace);
int connection_look(struct connection *c, long long *wait);
void connection_died(struct connection *c);
void connection_free(struct connection *c);
