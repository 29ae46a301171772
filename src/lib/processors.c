#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT */
#include <sched.h>
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

#ifdef __linux__
/* "cpu.max" of a control group holds "QUOTA PERIOD": a quota of microseconds in each period. As a
   number of processors, or limit if that is less. */
static long
limit_of_group(const char *dir, long limit)
{
	char path[1100], line[64];
	long quota, period, whole;
	char *blank;

	snprintf(path, sizeof path, "%s/cpu.max", dir);
	if (peek(path, line, sizeof line) <= 0 || (blank = strchr(line, ' ')) == NULL)
		return limit;
	*blank = '\0';
	blank[1 + strcspn(blank + 1, "\n")] = '\0';
	if (number_scan(line, 1, 1000000000, &quota) != 0 ||
	    number_scan(blank + 1, 1, 1000000000, &period) != 0)
		return limit; /* "max": no quota */
	whole = (quota + period - 1) / period;
	return whole < limit ? whole : limit;
}

/* A group is bound by its own quota and by those of all groups above it. In a container its path
   may lie outside the mount: then only the root of the mount tells. */
static long
limit_of_path(const char *mount, const char *group, long limit)
{
	char dir[1024];
	size_t base = strlen(mount);
	char *slash;

	if (base + strlen(group) >= sizeof dir)
		return limit;
	strcpy(dir, mount);
	strcat(dir, group);
	for (;;) {
		limit = limit_of_group(dir, limit);
		slash = strrchr(dir, '/');
		if (slash == NULL || (size_t)(slash - dir) < base)
			return limit;
		*slash = '\0';
	}
}

/* /proc/self/cgroup has a line "0::PATH" of control groups v2. */
static long
limit_of_groups(const char *root, long limit)
{
	char path[512], text[4096], *group;

	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	if (peek(path, text, sizeof text) <= 0)
		return limit;
	for (group = text; strncmp(group, "0::", 3) != 0; group++)
		if ((group = strchr(group, '\n')) == NULL)
			return limit;
	group[strcspn(group, "\n")] = '\0';
	snprintf(path, sizeof path, "%s/sys/fs/cgroup", root);
	return limit_of_path(path, group + 3, limit);
}
#endif

long
processors_usable(const char *root)
{
	long n = -1;

#ifdef CPU_COUNT
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		n = CPU_COUNT(&set);
#endif
#ifdef _SC_NPROCESSORS_ONLN /* not in POSIX.1-2008, but everywhere */
	if (n < 1)
		n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
	if (n < 1)
		n = 1;
#ifdef __linux__
	n = limit_of_groups(root, n);
#else
	(void)root;
#endif
	return n;
}

int
processors_count(const char *text, long processors, long most, long *count)
{
	char digits[16];
	size_t length = strlen(text);
	long n;

	if (*text == '+' || *text == '-') {
		if (number_scan(text + 1, 0, most, &n) != 0)
			return -1;
		n = *text == '+' ? processors + n : processors - n;
	} else if (length > 1 && length < sizeof digits && text[length - 1] == '%') {
		memcpy(digits, text, length - 1);
		digits[length - 1] = '\0';
		if (number_scan(digits, 1, 100000, &n) != 0)
			return -1;
		n = processors * n / 100;
	} else {
		return number_scan(text, 1, most, count);
	}
	if (n > most)
		return -1;
	*count = n < 1 ? 1 : n;
	return 0;
}
