#include "clock.h"
#include "pace.h"

enum { DAY = 86400000 };

int
pace_on(const struct pace *pace)
{
	return pace->each > 0 || pace->any > 0;
}

void
pace_start(struct pace *pace, long long *due)
{
	long long now;

	if (!pace_on(pace))
		return;
	now = clock_now();
	if (pace->each > 0)
		*due = now + pace->each + 1;
	if (pace->any > 0)
		pace->due = now + pace->any + 1;
}

long long
pace_hold(struct pace *pace, long long ms)
{
	long long until = clock_now() + ms;

	if (pace->due < until)
		pace->due = until;
	return until;
}

long long
pace_left(const struct pace *pace, long long due)
{
	long long first = due > pace->due ? due : pace->due, left;

	if (first == 0)
		return 0;
	left = clock_left(first);
	return left < DAY ? left : DAY;
}
