#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

#define MOST_MS (10LL * 366 * 86400 * 1000) /* ten years */

enum { GRACE = 5000 }; /* ms */
enum { MOST_NICE = 40 }; /* from the least nice value to the most */

int
number_scan(const char *text, long least, long most, long *value)
{
	long n = 0;

	if (*text == '\0')
		return -1;
	for (; *text != '\0'; text++) {
		int digit = *text - '0';

		if (digit < 0 || digit > 9 || n > (most - digit) / 10)
			return -1;
		n = n * 10 + digit;
	}
	if (n < least || n > most)
		return -1;
	*value = n;
	return 0;
}

long
number_nice(const struct options *option)
{
	const char *text = option->argument;
	int minus = *text == '-';
	long n = 0;

	if (number_scan(text + minus, 0, MOST_NICE, &n) != 0)
		options_wrong(option, "not a number from -%d to %d", MOST_NICE, MOST_NICE);
	return minus ? -n : n;
}

int
number_ms(const char *text, long long *ms)
{
	long long value = 0, unit = 1000;
	int point = 0, digits = 0;

	for (; *text != '\0'; text++) {
		if (*text == '.' && !point) {
			point = 1;
			continue;
		}
		if (*text < '0' || *text > '9')
			return -1;
		digits++;
		if (!point)
			value = value * 10 + (*text - '0') * 1000LL;
		else
			value += (*text - '0') * (unit /= 10);
		if (value > MOST_MS)
			return -1;
	}
	*ms = value;
	return digits > 0 ? 0 : -1;
}

long
number_option(const struct options *option, long least, long most)
{
	long n = 0;

	if (number_scan(option->argument, least, most, &n) != 0)
		options_wrong(option, "not a number from %ld to %ld", least, most);
	return n;
}

/* Seconds, or a number with s, m, h or d behind. */
static int
scan_duration(const char *text, long long *ms)
{
	static const char units[] = "smhd";
	static const long seconds[] = {1, 60, 3600, 86400};
	char digits[32];
	size_t length = strlen(text);
	const char *unit = length == 0 ? NULL : strchr(units, text[length - 1]);

	if (unit == NULL)
		return number_ms(text, ms);
	if (length > sizeof digits)
		return -1;
	memcpy(digits, text, length - 1);
	digits[length - 1] = '\0';
	if (number_ms(digits, ms) != 0 || *ms > MOST_MS / seconds[unit - units])
		return -1;
	*ms *= seconds[unit - units];
	return 0;
}

long long
number_option_ms(const struct options *option)
{
	long long ms = 0;

	if (scan_duration(option->argument, &ms) != 0)
		options_wrong(option, "not a time such as 0.5 or 2m (seconds, or s m h d)");
	return ms;
}

long long
number_variable(const char *name, long long ms)
{
	const char *text = getenv(name);

	if (text != NULL && number_ms(text, &ms) != 0)
		fail(STATUS_TROUBLE, "%s: %s: not a number of seconds", name, text);
	return ms;
}

long long
number_grace(void)
{
	return number_variable("JOBCTL_GRACE", GRACE);
}
