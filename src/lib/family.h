/* Processes and their parents: from /proc on Linux, from ps(1) elsewhere. */
#include <sys/types.h>

#include <stddef.h>

struct process {
	pid_t pid, parent;
	unsigned long long start; /* tells two that had the same pid apart; 0 where nobody knows */
};

/* The parent of a process; -1 where nobody can tell. */
pid_t family_parent(pid_t pid);
/* A descriptor, closed on exec, readable once it has ended; -1: only family_ended() tells. */
int family_watch(pid_t pid);
/* 1 when there is no such process. */
int family_ended(pid_t pid);
/* All that live, in a list that the caller frees; NULL with errno when nobody can tell. */
struct process *family_read(size_t *count);
