/*
 * A guard stays beside a program of the library until that has ended. It makes a directory with
 * FIFOs, has both ends of each open, so that nobody else's open waits, and removes the directory,
 * even if the script or the program is killed. Ctrl-C does not end it. It is no child of the
 * script, which would wait for it in "wait".
 */
#include <sys/types.h>

enum { GUARD_FIFOS = 3 };

struct guard {
	pid_t script;     /* or 0: not known */
	const char *path; /* of the directory */
	int ready;        /* for background_ready() */
	struct guard_fifo { /* the rest is zeroed */
		const char *name;
		int reader, writer; /* closed on exec */
	} fifos[GUARD_FIFOS];
};

/* script: a pid. Exits with a message unless that is our parent, and lives. */
void guard_of(struct guard *g, const char *script, const char *path);
/* Goes into the background and makes it all; the parent exits with 125 after a message, or with 0
   at guard_ready(). */
void guard_begin(struct guard *g);
/* Lets the parent exit with 0: the script may open the FIFOs now. If we are killed, pid has their
   other ends. 0; or -1 if the parent has gone: pid was killed, and the directory removed. */
int guard_ready(const struct guard *g, pid_t pid);
/* Reads /dev/null, and ignores HUP, INT, QUIT, TERM and PIPE; programs that we start ignore HUP,
   INT and TERM. */
void guard_ignore(void);
/* Starts a program with these descriptors as 1, or -1 for our own, and 3, or 0 for none. Its pid,
   or -1 after a message. */
pid_t guard_start(char **argv, int out, int third);
/* Its status, or 128+n, as of a shell; 125 of -1. */
int guard_wait(pid_t pid);
/* Pauses between two looks, longer after the first hundred. */
void guard_pause(int tries);
/* Waits until the script has opened its FIFOs, or has died. */
void guard_await(const struct guard *g);
/* Writes a line as soon as there is room; gives up if the script dies. */
void guard_say(const struct guard *g, int fd, const char *format, ...);
/* Removes the directory. */
void guard_remove(const struct guard *g);
