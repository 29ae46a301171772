#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT */
#include <sched.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number.h"
#include "processors.h"

#ifdef __linux__
/* The first line of the file, without its newline; -1 when there is none. */
static int
first_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "r");

	if (f == NULL)
		return -1;
	if (fgets(line, (int)size, f) == NULL)
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return line[0] == '\0' ? -1 : 0;
}

/* A quota of microseconds in each period as a number of processors, or limit if that is less. */
static long
lower(long limit, const char *quota_text, const char *period_text)
{
	long quota, period, whole;

	if (number_scan(quota_text, 1, 1000000000, &quota) != 0 ||
	    number_scan(period_text, 1, 1000000000, &period) != 0)
		return limit; /* "max" or "-1": no quota */
	whole = (quota + period - 1) / period;
	return whole < limit ? whole : limit;
}

/* cgroup v2: "cpu.max" holds "QUOTA PERIOD"; v1: one file for each. */
static long
limit_of_group(const char *dir, int v2, long limit)
{
	char path[1100], a[64], b[64];
	char *blank;

	snprintf(path, sizeof path, "%s/%s", dir, v2 ? "cpu.max" : "cpu.cfs_quota_us");
	if (first_line(path, a, sizeof a) != 0)
		return limit;
	if (v2) {
		if ((blank = strchr(a, ' ')) == NULL)
			return limit;
		*blank = '\0';
		return lower(limit, a, blank + 1);
	}
	snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
	if (first_line(path, b, sizeof b) != 0)
		return limit;
	return lower(limit, a, b);
}

/* A group is bound by its own quota and by those of all groups above it. In a container its path
   may lie outside the mount: then only the root of the mount tells. */
static long
limit_of_path(const char *mount, const char *group, int v2, long limit)
{
	char dir[1024];
	size_t base = strlen(mount);
	char *slash;

	if (base + strlen(group) >= sizeof dir)
		return limit;
	strcpy(dir, mount);
	strcat(dir, group);
	for (;;) {
		limit = limit_of_group(dir, v2, limit);
		slash = strrchr(dir, '/');
		if (slash == NULL || (size_t)(slash - dir) < base)
			return limit;
		*slash = '\0';
	}
}

/* 1 if the list, with commas, names the controller "cpu". */
static int
names_cpu(const char *list, const char *end)
{
	while (list < end) {
		size_t n = strcspn(list, ",:");

		if (n == 3 && strncmp(list, "cpu", 3) == 0)
			return 1;
		list += n + 1;
	}
	return 0;
}

/* /proc/self/cgroup: "ID:CONTROLLERS:PATH"; v2 is the line "0::PATH". */
static long
limit_of_groups(const char *root, long limit)
{
	char path[512], line[1024];
	char *list, *group;
	FILE *f;

	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	if ((f = fopen(path, "r")) == NULL)
		return limit;
	while (fgets(line, sizeof line, f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if ((list = strchr(line, ':')) == NULL || (group = strchr(++list, ':')) == NULL)
			continue;
		if (group == list) {
			snprintf(path, sizeof path, "%s/sys/fs/cgroup", root);
			limit = limit_of_path(path, group + 1, 1, limit);
		} else if (names_cpu(list, group)) {
			snprintf(path, sizeof path, "%s/sys/fs/cgroup/cpu", root);
			limit = limit_of_path(path, group + 1, 0, limit);
		}
	}
	fclose(f);
	return limit;
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
