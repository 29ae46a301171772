#if defined __linux__ && !defined PORTABLE
#define HAVE_PROC 1
#endif
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/family.h"
#include "../lib/outbox.h"
#include "../lib/peek.h"
#include "../lib/utf8.h"
#include "running.h"

enum { SELDOM = 100 /* times as long as it takes */ };

int
running_due(const struct running *r)
{
	return clock_now() >= r->next;
}

/* When to do it again what has begun then. */
static long long
seldom(long long began)
{
	long long now = clock_now();

	return now + SELDOM * (now - began + 1);
}

#ifdef HAVE_PROC
enum { COMMAND = 8192 /* bytes */, LINK = 512 };

/* A zombie has no arguments, and neither has a process of the kernel. */
int
running_command(struct running *r, pid_t pid, struct outbox *text, char between)
{
	char path[64], words[COMMAND];
	ssize_t n;

	(void)r;
	snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)pid);
	if ((n = peek(path, words, sizeof words)) <= 0)
		return n < 0 && errno != ENOENT && errno != ESRCH ? -1 : 0;
	while (n > 0 && words[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (words[i] == '\0')
			words[i] = between;
	words[n] = '\0';
	outbox_add(text, words, utf8_cut(words, sizeof words - 2));
	return 1;
}

pid_t
running_child(struct running *r, pid_t pid)
{
	char path[64], pids[64];

	(void)r;
	snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
	return peek(path, pids, sizeof pids) <= 0 ? 0 : (pid_t)strtol(pids, NULL, 10);
}

long long
running_age_ms(pid_t pid)
{
	unsigned long long start = family_start(pid);
	long ticks = sysconf(_SC_CLK_TCK);
	char text[64];

	if (start == 0 || ticks <= 0 || peek("/proc/uptime", text, sizeof text) <= 0)
		return -1;
	return (long long)(strtod(text, NULL) * 1000) -
	    (long long)(start * 1000 / (unsigned long long)ticks);
}

/* One descriptor of that process. The name tells what is worth a look: a look at what lies on
   another machine may take for ever. */
static void
look(int fds, const char *fd, pid_t pid, struct sought *list, size_t count)
{
	char link[LINK];
	ssize_t n = readlinkat(fds, fd, link, sizeof link - 1);
	unsigned long long start;
	struct stat st;

	if (n <= 0)
		return;
	link[n] = '\0';
	if (strstr(link, ".d/") == NULL || fstatat(fds, fd, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !(st.st_mode & S_IWUSR) || fstatat(fds, fd, &st, 0) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (list[i].dev != st.st_dev || list[i].ino != st.st_ino)
			continue;
		start = family_start(pid);
		if (list[i].pid == 0 || start < list[i].start) {
			list[i].pid = pid;
			list[i].start = start;
		}
	}
}

static void
look_at_all(pid_t pid, struct sought *list, size_t count)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	if ((dir = opendir(path)) == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			look(dirfd(dir), entry->d_name, pid, list, count);
	closedir(dir);
}

void
running_search(struct running *r, struct sought *list, size_t count, pid_t except)
{
	long long began = clock_now();
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	long pid;

	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		pid = strtol(entry->d_name, NULL, 10);
		if (pid > 0 && pid != (long)except && pid != (long)getpid())
			look_at_all((pid_t)pid, list, count);
	}
	if (proc != NULL)
		closedir(proc);
	r->next = seldom(began);
}
#else
/* One ps(1) for all. */
static void
ask_ps(struct running *r)
{
	long long began = clock_now();
	struct outbox all = {0};
	FILE *ps;
	char *end;
	int c;

	if (r->told != NULL && began < r->fresh)
		return;
	free(r->told);
	ps = popen("ps -A -o pid= -o ppid= -o args=", "r");
	while (ps != NULL && (c = getc(ps)) != EOF)
		outbox_add(&all, &(char){(char)c}, 1);
	if (ps != NULL)
		pclose(ps);
	outbox_add(&all, "", 1);
	r->length = outbox_waits(&all);
	r->told = outbox_whole(&all);
	for (end = r->told; end != NULL && (end = strchr(end, '\n')) != NULL; end++)
		*end = '\0';
	r->fresh = seldom(began);
}

/* The arguments in the line of that process, or of a child of it; or NULL. */
static const char *
find(struct running *r, pid_t pid, int child, pid_t *found)
{
	long one, parent;
	int at;

	ask_ps(r);
	for (const char *p = r->told; p != NULL && p < r->told + r->length; p += strlen(p) + 1)
		if (sscanf(p, "%ld %ld %n", &one, &parent, &at) == 2 &&
		    (child ? parent : one) == (long)pid) {
			*found = (pid_t)one;
			return p + at;
		}
	return NULL;
}

/* ps(1) may have been asked before it began. */
int
running_command(struct running *r, pid_t pid, struct outbox *text, char between)
{
	const char *words;

	if (kill(pid, 0) != 0 && errno == ESRCH)
		return 0;
	if ((words = find(r, pid, 0, &pid)) == NULL)
		return -1;
	for (; *words != '\0'; words++)
		outbox_add(text, *words == ' ' ? &between : words, 1);
	return 1;
}

pid_t
running_child(struct running *r, pid_t pid)
{
	pid_t child;

	return find(r, pid, 1, &child) == NULL ? 0 : child;
}

long long
running_age_ms(pid_t pid)
{
	(void)pid;
	return -1;
}

/* Nobody can tell. */
void
running_search(struct running *r, struct sought *list, size_t count, pid_t except)
{
	(void)list;
	(void)count;
	(void)except;
	r->next = seldom(clock_now());
}
#endif

void
running_drop(struct running *r)
{
	free(r->told);
	*r = (struct running){0};
}
