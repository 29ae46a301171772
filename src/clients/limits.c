#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/number.h"
#include "limits.h"

enum { LOOK = 500 }; /* ms between two looks at the system */

/* What a small file says, or "". */
static void
read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	descriptors_close(&fd);
	text[n > 0 ? n : 0] = '\0';
}

/* Bytes, and a load: -1 where the system is not Linux. */
static long long
memory_available(void)
{
	char text[512], *line;

	read_file("/proc/meminfo", text, sizeof text);
	line = strstr(text, "MemAvailable:");
	return line == NULL ? -1 : strtoll(line + strlen("MemAvailable:"), NULL, 10) * 1024;
}

static double
load_average(void)
{
	char text[64];

	read_file("/proc/loadavg", text, sizeof text);
	return text[0] == '\0' ? -1 : strtod(text, NULL);
}

int
limits_scan_load(const char *text, double *load)
{
	long long thousandths;

	if (number_ms(text, &thousandths) != 0)
		return -1;
	*load = (double)thousandths / 1000;
	return 0;
}

int
limits_scan_size(const char *text, long long *size)
{
	static const char units[] = "KMG";
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	*size = strtoll(text, &end, 10);
	for (const char *unit = units; *end != '\0' && *unit != '\0'; unit++) {
		if (*size > 1LL << 50)
			return -1;
		*size *= 1024;
		if (*unit == *end && end[1] == '\0')
			end++;
	}
	return *end == '\0' && *size > 0 ? 0 : -1;
}

void
limits_open(struct limits *limits)
{
	if (limits->floor > 0 && memory_available() < 0) {
		complain("-M: this system does not tell how much memory is available; ignored");
		limits->floor = 0;
	}
	if (limits->ceiling >= 0 && load_average() < 0) {
		complain("-A: this system does not tell the load average; ignored");
		limits->ceiling = -1;
	}
}

int
limits_set(const struct limits *limits)
{
	return limits->floor > 0 || limits->ceiling >= 0;
}

int
limits_reached(struct limits *limits)
{
	if (!limits_set(limits) || (limits->looked > 0 && clock_now() - limits->looked < LOOK))
		return limits->reached;
	limits->reached = (limits->floor > 0 && memory_available() < limits->floor) ||
	    (limits->ceiling >= 0 && load_average() >= limits->ceiling);
	limits->looked = clock_now();
	return limits->reached;
}

long long
limits_wait_ms(const struct limits *limits)
{
	return clock_wait_ms(limits->looked + LOOK);
}
