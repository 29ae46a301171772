#if defined __linux__ && !defined PORTABLE
#define _DEFAULT_SOURCE /* syscall */
#include <sys/syscall.h>
#define PROC "/proc"
#else
#define PROC "/dev/null" /* where nothing is found: ps(1) tells less, but of any system */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

/* Where that pid is, or would be. The list of all comes in order: so the end is tried first. */
static size_t
place_of(const struct family *family, pid_t pid)
{
	size_t low = 0, high = family->count, middle;

	if (high > 0 && family->list[high - 1].pid < pid)
		return high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (family->list[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int
family_add(struct family *family, const struct process *process)
{
	struct process *bigger = room_for(family->list, &family->room, family->count + 1,
	    sizeof *bigger);
	size_t at;

	if (bigger == NULL)
		return -1;
	family->list = bigger;
	at = place_of(family, process->pid);
	memmove(bigger + at + 1, bigger + at, (family->count++ - at) * sizeof *bigger);
	bigger[at] = *process;
	return 0;
}

const struct process *
family_find(const struct family *family, pid_t pid)
{
	size_t at = place_of(family, pid);

	return at < family->count && family->list[at].pid == pid ? family->list + at : NULL;
}

void
family_forget_ended(struct family *family, const struct family *all)
{
	const struct process *now;
	size_t kept = 0;

	for (size_t i = 0; i < family->count; i++) {
		now = family_find(all, family->list[i].pid);
		if (now != NULL && now->start == family->list[i].start)
			family->list[kept++] = family->list[i];
	}
	family->count = kept;
}

/* When pids have begun anew, a child may come before its parent in the list: so this repeats until
   nothing is added. */
int
family_spread(struct family *family, const struct family *all,
    int (*also)(void *context, const struct process *process), void *context)
{
	const struct process *process;
	size_t before;

	do {
		before = family->count;
		for (size_t i = 0; i < all->count; i++) {
			process = all->list + i;
			if (family_find(family, process->pid) == NULL &&
			    ((also != NULL && also(context, process)) ||
			    family_find(family, process->parent) != NULL) &&
			    family_add(family, process) != 0)
				return -1;
		}
	} while (family->count > before);
	return 0;
}

void
family_signal(struct family *family, int sig)
{
	for (size_t i = 0; i < family->count; i++) {
		if (family->list[i].sent == sig)
			continue;
		family->list[i].sent = sig;
		kill(family->list[i].pid, sig); /* it may be gone already */
		kill(family->list[i].pid, SIGCONT);
	}
}

enum state { LIVES, ZOMBIE, UNKNOWN };
enum { BITE = 65536 }; /* bytes at a time */

/* proc(5): "PID (NAME) STATE PPID PGRP ...", field 20 is the count of threads, 22 the start time.
   The name may hold parentheses, too: the fields follow the last one. If only the first thread has
   ended, the state is a zombie's, but the others live. */
static enum state
read_stat(pid_t pid, struct process *process)
{
	char path[64], text[1024], state = 'X', *p;
	long parent = 0, group = 0, threads = 0;

	snprintf(path, sizeof path, PROC "/%ld/stat", (long)pid);
	if (peek(path, text, sizeof text) <= 0)
		return UNKNOWN;
	process->start = 0;
	if ((p = strrchr(text, ')')) == NULL ||
	    sscanf(p + 1, " %c %ld %ld"
	    " %*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s %ld %*s %llu",
	    &state, &parent, &group, &threads, &process->start) < 3)
		return UNKNOWN;
	process->pid = pid;
	process->parent = (pid_t)parent;
	process->group = (pid_t)group;
	return (state == 'Z' && threads <= 1) || state == 'X' ? ZOMBIE : LIVES;
}

/* POSIX has no name for the state: it is "stat" nearly everywhere, "s" on Solaris. */
#define PS "ps -A -o pid= -o ppid= -o pgid= -o "

static int
read_ps(struct family *family)
{
	struct process process = {0};
	long pid, parent, group;
	char state[16];
	int bad = 0;
	FILE *ps = popen(PS "stat= 2>/dev/null || " PS "s=", "r");

	if (ps == NULL)
		return -1;
	while (!bad && fscanf(ps, "%ld %ld %ld %15s", &pid, &parent, &group, state) == 4) {
		process.pid = (pid_t)pid;
		process.parent = (pid_t)parent;
		process.group = (pid_t)group;
		bad = state[0] != 'Z' && family_add(family, &process) != 0;
	}
	pclose(ps);
	family->count = bad ? 0 : family->count; /* a part would pass for all */
	return bad ? -1 : 0;
}

int
family_read(struct family *family)
{
	struct process process = {0};
	struct dirent *entry;
	pid_t pid;
	int reason;
	DIR *proc = opendir(PROC);

	family->count = 0;
	if (proc == NULL)
		return errno == ENOENT || errno == ENOTDIR ? read_ps(family) : -1;
	for (errno = 0; (entry = readdir(proc)) != NULL; errno = 0)
		if ((pid = (pid_t)strtol(entry->d_name, NULL, 10)) > 0 &&
		    read_stat(pid, &process) == LIVES &&
		    family_add(family, &process) != 0)
			break;
	reason = errno;
	closedir(proc);
	if (reason == 0)
		return 0;
	family->count = 0; /* a part would pass for all */
	errno = reason;
	return -1;
}

pid_t
family_parent(pid_t pid)
{
	struct family all = {0};
	const struct process *found;
	struct process process;
	pid_t parent = -1;

	if (read_stat(pid, &process) == LIVES)
		return process.parent;
	if (access(PROC "/self", F_OK) != 0 && family_read(&all) == 0 &&
	    (found = family_find(&all, pid)) != NULL)
		parent = found->parent;
	free(all.list);
	return parent;
}

unsigned long long
family_start(pid_t pid)
{
	struct process process;

	return read_stat(pid, &process) == LIVES ? process.start : 0;
}

int
family_name(pid_t pid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, PROC "/%ld/comm", (long)pid);
	if (peek(path, name, size) <= 0)
		return -1;
	name[strcspn(name, "\n")] = '\0';
	return 0;
}

ssize_t
family_words(pid_t pid, char *words, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, PROC "/%ld/cmdline", (long)pid);
	return peek(path, words, size);
}

int
family_got(pid_t pid, const char *variable, const char *text)
{
	struct outbox all = {0};
	size_t length = strlen(variable);
	char path[64];
	const char *one;
	int fd, got = 0;

	snprintf(path, sizeof path, PROC "/%ld/environ", (long)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return 0;
	while (outbox_read(&all, fd, BITE) > 0)
		;
	close(fd);
	one = outbox_text(&all);
	for (const char *end = one + outbox_waits(&all); one < end && !got; one += strlen(one) + 1)
		got = strncmp(one, variable, length) == 0 && one[length] == '=' &&
		    strstr(one + length, text) != NULL;
	outbox_drop(&all);
	return got;
}

int
family_watch(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0); /* always closed on exec */
#else
	(void)pid;
	return -1;
#endif
}

int
family_ended(pid_t pid)
{
	struct process process;

	return (kill(pid, 0) != 0 && errno == ESRCH) || read_stat(pid, &process) == ZOMBIE;
}
