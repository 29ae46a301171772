#include <errno.h>

#include "lib.h"

static long long
read_clock(clockid_t clock)
{
	struct timespec t;

	/* By POSIX this fails only for a clock that does not exist. */
	if (clock_gettime(clock, &t) != 0)
		return 0;
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

long long
clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

long long
clock_epoch(void)
{
	return read_clock(CLOCK_REALTIME);
}

long long
clock_wait_ms(long long time)
{
	long long now = clock_now();

	return time < now ? 0 : time - now;
}

long long
clock_sooner(long long a, long long b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

struct timespec
clock_span(long long ms)
{
	struct timespec span = {.tv_sec = (time_t)(ms / 1000),
	    .tv_nsec = (long)(ms % 1000) * 1000000};

	return span;
}

void
clock_pause(long long ms)
{
	struct timespec pause = clock_span(ms);

	while (nanosleep(&pause, &pause) != 0 && errno == EINTR)
		;
}
