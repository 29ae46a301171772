/* Processes and their parents: from /proc on Linux, from ps(1) elsewhere. A zombie, whose parent
   does not wait for it, has ended: kill(2) says that it is there, and that its group is. */
#include <sys/types.h>

#include <stddef.h>

struct process {
	pid_t pid, parent, group;
	unsigned long long start; /* tells two that had the same pid apart; 0 where nobody knows */
};

struct family {
	struct process *list;     /* the caller frees it */
	size_t count, room;
};

/* All processes that live, in place of what the list had. 0, or -1 with errno and an empty list. */
int family_read(struct family *family);
/* Adds one: 0, or -1 with errno. */
int family_add(struct family *family, const struct process *process);
/* The process with that pid, or NULL. */
const struct process *family_find(const struct family *family, pid_t pid);
/* Forgets those that are not in all any more: their pids may be others' now. */
void family_forget_ended(struct family *family, const struct family *all);
/* Adds those of all that descend from it, and those that also() tells of. 0, or -1 with errno. */
int family_spread(struct family *family, const struct family *all,
    int (*also)(void *context, const struct process *process), void *context);
/* Sends it to all from that index on, and lets the stopped ones go on, to hear it. */
void family_signal(const struct family *family, size_t from, int sig);
/* 1 when some process of it is in that process group. */
int family_has_group(const struct family *family, pid_t group);
/* When a process began, as process.start has it; 0 where nobody can tell. */
unsigned long long family_start(pid_t pid);
/* The parent of a process; -1 where nobody can tell. */
pid_t family_parent(pid_t pid);
/* The name of its program, 15 bytes of it at most: 0, or -1 where nobody can tell. */
int family_name(pid_t pid, char *name, size_t size);
/* 1 when that variable, as the process got it when it began, has that text in it; 0: not, or nobody
   can tell. */
int family_got(pid_t pid, const char *variable, const char *text);
/* A descriptor, closed on exec, readable once it has ended; -1: only family_ended() tells. */
int family_watch(pid_t pid);
/* 1 when there is no such process any more; only on Linux a zombie is none. */
int family_ended(pid_t pid);
