#include <stdlib.h>
#include <string.h>

#include "lib.h"

#define MOST ((long long)1 << 60) /* bytes */

enum { LOOK = 500 }; /* ms between two looks at the system */

/* Bytes; like load_average(), -1 if the system is not Linux. */
static long long
memory_available(void)
{
	char text[512], *line;

	peek("/proc/meminfo", text, sizeof text);
	line = strstr(text, "MemAvailable:");
	return line == NULL ? -1 : strtoll(line + strlen("MemAvailable:"), NULL, 10) * 1024;
}

static double
load_average(void)
{
	char text[64];

	peek("/proc/loadavg", text, sizeof text);
	return text[0] == '\0' ? -1 : strtod(text, NULL);
}

int
limits_scan_load(struct limits *limits, const char *text)
{
	char digits[32];
	size_t length = strlen(text);
	int percent = length > 0 && text[length - 1] == '%';
	long long thousandths;

	if (length >= sizeof digits)
		return -1;
	memcpy(digits, text, length + 1);
	digits[length - (size_t)percent] = '\0';
	if (number_ms(digits, &thousandths) != 0)
		return -1;
	limits->ceiling = (double)thousandths / 1000;
	if (percent)
		limits->ceiling *= (double)processors_usable("") / 100;
	limits->capped = 1;
	return 0;
}

int
limits_scan_size(struct limits *limits, const char *text)
{
	static const char units[] = "kmgtKMGT"; /* as in GNU parallel: of 1000, and of 1024 */
	const char *unit;
	long long size, factor;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	size = strtoll(text, &end, 10);
	if (*end != '\0') {
		if ((unit = strchr(units, *end)) == NULL || end[1] != '\0')
			return -1;
		factor = unit < units + 4 ? 1000 : 1024;
		for (long power = (unit - units) % 4; power >= 0; power--) {
			if (size > MOST / factor)
				return -1;
			size *= factor;
		}
	}
	if (size <= 0 || size > MOST)
		return -1;
	limits->floor = size;
	return 0;
}

void
limits_open(struct limits *limits)
{
	if (limits->floor > 0 && memory_available() < 0) {
		complain("--memfree: this system does not tell how much memory is available; "
		    "ignored");
		limits->floor = 0;
	}
	if (limits->capped && load_average() < 0) {
		complain("--load: this system does not tell the load average; ignored");
		limits->capped = 0;
	}
}

int
limits_set(const struct limits *limits)
{
	return limits->floor > 0 || limits->capped;
}

int
limits_reached(struct limits *limits)
{
	long long available;

	if (!limits_set(limits) || (limits->looked > 0 && clock_now() - limits->looked < LOOK))
		return limits->reached;
	if (limits->floor == 0 || (available = memory_available()) < 0)
		available = limits->floor; /* there may be no descriptor left to ask with */
	limits->reached = available < limits->floor ||
	    (limits->capped && load_average() >= limits->ceiling);
	limits->looked = clock_now();
	return limits->reached;
}

long long
limits_wait_ms(const struct limits *limits)
{
	return clock_wait_ms(limits->looked + LOOK);
}
