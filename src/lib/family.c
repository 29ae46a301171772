#if defined __linux__ && !defined PORTABLE
#define _DEFAULT_SOURCE /* syscall */
#include <sys/syscall.h>
#define HAVE_PROC 1
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "family.h"
#include "room.h"

int
family_add(struct family *family, const struct process *process)
{
	struct process *bigger = room_for(family->list, &family->room, family->count + 1,
	    sizeof *bigger);

	if (bigger == NULL)
		return -1;
	family->list = bigger;
	bigger[family->count++] = *process;
	return 0;
}

const struct process *
family_find(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->count; i++)
		if (family->list[i].pid == pid)
			return family->list + i;
	return NULL;
}

#ifdef HAVE_PROC
/* proc(5): "PID (NAME) STATE PPID ...", the start time is field 22. The name may hold anything,
   also parentheses: the fields follow the last of these. A zombie is dead. */
static int
read_stat(const char *pid, struct process *process)
{
	char path[64], text[1024], state = 'X', *p;
	long parent = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	process->start = 0;
	if ((p = strrchr(text, ')')) == NULL ||
	    sscanf(p + 1, " %c %ld"
	    " %*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s %llu",
	    &state, &parent, &process->start) < 2)
		return -1;
	process->pid = (pid_t)strtol(pid, NULL, 10);
	process->parent = (pid_t)parent;
	return state == 'Z' || state == 'X' ? -1 : 0;
}

int
family_read(struct family *family)
{
	struct process process;
	struct dirent *entry;
	int reason;
	DIR *proc = opendir("/proc");

	family->count = 0;
	if (proc == NULL)
		return -1;
	for (errno = 0; (entry = readdir(proc)) != NULL; errno = 0)
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    read_stat(entry->d_name, &process) == 0 && family_add(family, &process) != 0)
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
	struct process process;
	char text[24];

	snprintf(text, sizeof text, "%ld", (long)pid);
	return read_stat(text, &process) == 0 ? process.parent : -1;
}
#else
int
family_read(struct family *family)
{
	struct process process = {0};
	long pid, parent;
	int bad = 0;
	FILE *ps = popen("ps -A -o pid= -o ppid=", "r");

	family->count = 0;
	if (ps == NULL)
		return -1;
	while (!bad && fscanf(ps, "%ld %ld", &pid, &parent) == 2) {
		process.pid = (pid_t)pid;
		process.parent = (pid_t)parent;
		bad = family_add(family, &process);
	}
	pclose(ps);
	family->count = bad ? 0 : family->count; /* a part would pass for all */
	return bad;
}

pid_t
family_parent(pid_t pid)
{
	struct family all = {0};
	const struct process *process;
	pid_t parent;

	family_read(&all);
	process = family_find(&all, pid);
	parent = process == NULL ? -1 : process->parent;
	free(all.list);
	return parent;
}
#endif

int
family_watch(pid_t pid)
{
#if defined HAVE_PROC && defined SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0); /* always closed on exec */
#else
	(void)pid;
	return -1;
#endif
}

int
family_ended(pid_t pid)
{
	return kill(pid, 0) != 0 && errno == ESRCH;
}
