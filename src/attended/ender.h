/* Ends jobs: tokstop(1) does, as a child of ours, which knows families and waits for the grace. */
#include <sys/types.h>

struct news;

struct ender {
	struct news *news;  /* the caller's, as is the next */
	const char *path;   /* of the dispenser, whose leases jobs have */
	pid_t script;       /* the ancestor of jobs, or 0 if unknown */
	char grace[24];     /* seconds */
	struct ending *list;
};

/* The shell of a job, and its lease or NULL: if the shell is gone, the holders of that are
   ended. */
struct doomed {
	pid_t pid;
	const char *lease;
};

/* Ends these jobs' shells, and all that they have started: 0, or -1 with errno. */
int ender_begin(struct ender *ender, const struct doomed *jobs, size_t count);
/* Takes the news of a descriptor: 1, or 0 when that is not ours. */
int ender_event(struct ender *ender, int fd);
/* 1 while jobs are being ended. */
int ender_busy(const struct ender *ender);
