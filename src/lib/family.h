/* Processes and their parents: from /proc on Linux, from ps(1) elsewhere. */
#include <sys/types.h>

#include <stddef.h>

struct process {
	pid_t pid, parent;
	unsigned long long start; /* tells two that had the same pid apart; 0 where nobody knows */
};

/* The parent of a process; -1 where nobody can tell. */
pid_t family_parent(pid_t pid);
/* A descriptor, closed on exec, that polls readable once the process has ended; -1 where the system has
   no such thing, and then family_ended() has to be asked from time to time. */
int family_watch(pid_t pid);
/* 1 when there is no such process. */
int family_ended(pid_t pid);
/* All processes, in a list that the caller frees; NULL with errno when nobody can tell. On Linux those
   that have ended and were not waited for are left out. */
struct process *family_read(size_t *count);
