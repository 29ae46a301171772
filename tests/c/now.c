/* now -- microseconds on a clock that nobody can set */
#include <stdio.h>
#include <time.h>

int
main(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 1;
	return printf("%lld\n", (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000) < 0;
}
