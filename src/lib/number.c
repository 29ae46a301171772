#include <stddef.h>
#include <stdlib.h>

#include "complain.h"
#include "number.h"
#include "status.h"

enum { GRACE = 5000 }; /* ms */
enum { MOST_NICE = 40 }; /* from the least to the most there is */

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
number_nice(const char *text)
{
	int minus = *text == '-';
	long n = 0;

	if (number_scan(text + minus, 0, MOST_NICE, &n) != 0)
		fail(STATUS_TROUBLE, "-n %s: not a number from -%d to %d", text, MOST_NICE,
		    MOST_NICE);
	return minus ? -n : n;
}

int
number_ms(const char *text, long long *ms)
{
	const long long most = 10LL * 366 * 86400 * 1000;
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
		if (value > most)
			return -1;
	}
	*ms = value;
	return digits > 0 ? 0 : -1;
}

long
number_option(int option, const char *text, long least, long most)
{
	long n = 0;

	if (number_scan(text, least, most, &n) != 0)
		fail(STATUS_TROUBLE, "-%c %s: not a number from %ld to %ld", option, text, least,
		    most);
	return n;
}

long long
number_option_ms(int option, const char *text)
{
	long long ms;

	if (number_ms(text, &ms) != 0)
		fail(STATUS_TROUBLE, "-%c %s: not a number of seconds", option, text);
	return ms;
}

long long
number_grace(void)
{
	const char *text = getenv("JOBCTL_GRACE");
	long long ms = GRACE;

	if (text != NULL && number_ms(text, &ms) != 0)
		fail(STATUS_TROUBLE, "JOBCTL_GRACE: %s: not a number of seconds", text);
	return ms;
}
