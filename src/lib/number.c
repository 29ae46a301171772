#include <stddef.h>

#include "number.h"

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

int
number_ms(const char *text, long long *ms)
{
	const long long most = 10LL * 366 * 86400 * 1000;
	long long value = 0, unit = 1000;
	const char *p = text;
	int point = 0, digits = 0;

	for (; *p != '\0'; p++) {
		if (*p == '.' && !point) {
			point = 1;
		} else if (*p >= '0' && *p <= '9') {
			digits++;
			if (!point)
				value = value * 10 + (*p - '0') * 1000LL;
			else
				value += (*p - '0') * (unit /= 10);
			if (value > most)
				return -1;
		} else {
			return -1;
		}
	}
	*ms = value;
	return digits > 0 ? 0 : -1;
}
