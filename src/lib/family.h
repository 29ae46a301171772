/* Processes and their parents: from /proc on Linux, from ps(1) elsewhere. A zombie has ended,
   though kill(2) still finds it and its group. */
#include <sys/types.h>

#include <stddef.h>

struct process {
	pid_t pid, parent, group;
	unsigned long long start; /* tells processes with the same pid apart; 0: not known */
	int sent;                 /* the last signal of family_signal(), or 0 */
};

struct family {
	struct process *list;     /* by pid; the caller frees it */
	size_t count, room;
};

/* Replaces the list by all processes that live. 0, or -1 with errno and an empty list. */
int family_read(struct family *family);
/* Adds a process: 0, or -1 with errno. */
int family_add(struct family *family, const struct process *process);
/* The process with that pid, or NULL. */
const struct process *family_find(const struct family *family, pid_t pid);
/* Removes processes that are not in all any more: their pids may be reused. */
void family_forget_ended(struct family *family, const struct family *all);
/* Adds those of all that also() (or NULL) accepts, or that descend from a member. 0, or -1 with
   errno. */
int family_spread(struct family *family, const struct family *all,
    int (*also)(void *context, const struct process *process), void *context);
/* Sends the signal to all that were not sent it last, and SIGCONT, so that stopped ones get it. */
void family_signal(struct family *family, int sig);
/* When a process began, as in process.start; 0: not known. */
unsigned long long family_start(pid_t pid);
/* The parent of a process; -1: not known. */
pid_t family_parent(pid_t pid);
/* The name of its program, cut to 15 bytes: 0; -1: not known. */
int family_name(pid_t pid, char *name, size_t size);
/* The start of its command line, each word with a NUL: how many bytes; -1: not known. */
ssize_t family_words(pid_t pid, char *words, size_t size);
/* 1 if the process began with that text in that variable; 0: it did not, or that is not known. */
int family_got(pid_t pid, const char *variable, const char *text);
/* A descriptor, to close, readable once the process has ended; -1: only family_ended() tells. */
int family_watch(pid_t pid);
/* 1 if the process has ended; a zombie has only on Linux. */
int family_ended(pid_t pid);
