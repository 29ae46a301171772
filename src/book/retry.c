#include <string.h>

#include "book.h"

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

/* Chance adds no more than the pause: a wait of an hour does not become one and a half. */
long long
retry_wait_ms(const struct retry *retry, long tried, long long said)
{
	long long pause = retry->pause, wait;
	unsigned long long chance;

	while (--tried > 0 && pause < LONGEST)
		pause *= 2;
	wait = said >= 0 ? said : pause;
	if (secret_make(&chance) != 0)
		chance = 0;
	return wait + (long long)(chance % ((wait < pause ? wait : pause) / 2 + 1));
}
