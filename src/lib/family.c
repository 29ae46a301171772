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

static int
append(struct process **list, size_t *count, size_t *room, struct process process)
{
	struct process *bigger = room_for(*list, room, *count + 1, sizeof **list);

	if (bigger == NULL)
		return -1;
	*list = bigger;
	bigger[(*count)++] = process;
	return 0;
}

#ifdef HAVE_PROC
/* proc(5): "PID (NAME) STATE PPID ...", the start time is field 22. The name may hold
   anything, also parentheses: the fields follow the last of these. */
static int
read_stat(const char *pid, struct process *process)
{
	char path[64], text[1024];
	char *p, state;
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
	if ((p = strrchr(text, ')')) == NULL || p[1] != ' ')
		return -1;
	p += 2;
	state = *p;
	process->pid = (pid_t)strtol(pid, NULL, 10);
	process->parent = (pid_t)strtol(p + 1, NULL, 10);
	for (int field = 3; p != NULL && field < 22; field++)
		if ((p = strchr(p, ' ')) != NULL)
			p++;
	process->start = p == NULL ? 0 : strtoull(p, NULL, 10);
	return state == 'Z' || state == 'X' ? -1 : 0;
}

struct process *
family_read(size_t *count)
{
	struct process *list = NULL, process;
	struct dirent *entry;
	size_t room = 0;
	int reason;
	DIR *proc = opendir("/proc");

	*count = 0;
	if (proc == NULL)
		return NULL;
	for (errno = 0; (entry = readdir(proc)) != NULL; errno = 0) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		if (read_stat(entry->d_name, &process) == 0 &&
		    append(&list, count, &room, process) != 0)
			break;
	}
	reason = errno;
	closedir(proc);
	if (reason == 0)
		return list;
	free(list); /* a part would pass for all */
	*count = 0;
	errno = reason;
	return NULL;
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
struct process *
family_read(size_t *count)
{
	struct process *list = NULL, process = {0};
	size_t room = 0;
	long pid, parent;
	FILE *ps = popen("ps -A -o pid= -o ppid=", "r");

	*count = 0;
	if (ps == NULL)
		return NULL;
	while (fscanf(ps, "%ld %ld", &pid, &parent) == 2) {
		process.pid = (pid_t)pid;
		process.parent = (pid_t)parent;
		if (append(&list, count, &room, process) != 0)
			break;
	}
	pclose(ps);
	return list;
}

pid_t
family_parent(pid_t pid)
{
	size_t count;
	struct process *list = family_read(&count);
	pid_t parent = -1;

	for (size_t i = 0; i < count; i++)
		if (list[i].pid == pid)
			parent = list[i].parent;
	free(list);
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
