#include <string.h>

#include "../lib/number.h"
#include "retry.h"

enum { MOST = 1000000, LONGEST = 3600000, FIRST = 1000 };

int
retry_scan(struct retry *retry, const char *text)
{
	const char *comma = strchr(text, ',');
	size_t length = comma == NULL ? strlen(text) : (size_t)(comma - text);
	char tries[16];

	retry->pause = FIRST;
	if (length >= sizeof tries)
		return -1;
	memcpy(tries, text, length);
	tries[length] = '\0';
	if (number_scan(tries, 1, MOST, &retry->tries) != 0)
		return -1;
	return comma == NULL ? 0 : number_ms(comma + 1, &retry->pause);
}

long long
retry_wait_ms(const struct retry *retry, long tried)
{
	long long pause = retry->pause;

	if (tried >= retry->tries)
		return -1;
	while (--tried > 0 && pause < LONGEST)
		pause *= 2;
	return pause;
}
