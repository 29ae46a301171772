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
