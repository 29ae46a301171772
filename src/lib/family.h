/*
 * Processes and their parents: from /proc on Linux, from ps(1) elsewhere.
 *
 * family_parent(): the parent of a process, or -1 where nobody can tell.
 * family_watch(): a descriptor that polls readable once the process has ended,
 * closed on exec; -1 where the system has no such thing, and then only asking
 * family_ended() from time to time helps.
 * family_read(): all processes, in an array that the caller frees; *count of
 * them. NULL with errno when nobody can tell. start tells two processes that
 * had the same pid apart (0 where the system does not say). Processes that
 * have ended and were not waited for are left out on Linux.
 */
#include <sys/types.h>

#include <stddef.h>

struct process {
	pid_t pid, parent;
	unsigned long long start;
};

pid_t family_parent(pid_t pid);
int family_watch(pid_t pid);
int family_ended(pid_t pid);
struct process *family_read(size_t *count);
