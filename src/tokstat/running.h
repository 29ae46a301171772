/*
 * The processes that run, and which of them have a file open: from /proc on Linux, elsewhere as far
 * as ps(1) tells. Costly looks are seldom: they take at most a hundredth of the time.
 */
#include <sys/types.h>

struct line;
struct outbox;

struct running {
	long long next;  /* search (clock.h) */
	long long fresh; /* until then what ps(1) said holds */
	char *told;      /* output of ps(1), cut at its newlines ... */
	size_t length;   /* ... so many bytes */
};

/* A file that is sought, and who has it. */
struct sought {
	dev_t dev;
	ino_t ino;
	struct line *line;        /* the caller's */
	pid_t pid;                /* of those that can write there the oldest one, or 0 */
	unsigned long long start; /* of that process */
};

/* Adds the arguments of a process, with that between: 1; 0: it has ended; -1: nobody knows. Where
   ps(1) tells them, each blank is a border. */
int running_command(struct running *running, pid_t pid, struct outbox *text, char between);
/* A child of it, or 0. */
pid_t running_child(struct running *running, pid_t pid);
/* How long ago it began, in ms, or -1. */
long long running_age_ms(pid_t pid);
/* 1 when it is time for a search. */
int running_due(const struct running *running);
/* Finds who has these open, except that process. */
void running_search(struct running *running, struct sought *list, size_t count, pid_t except);
/* Forgets what it knows. */
void running_drop(struct running *running);
