#include "lib.h"

enum { DAY = 86400000 }; /* ms: an int holds it */

int
pace_on(const struct pace *pace)
{
	return pace->each > 0 || pace->any > 0;
}

void
pace_out(struct pace *pace, struct turn *turn)
{
	if (!pace_on(pace) || turn->pending)
		return;
	turn->pending = 1;
	pace->pending++;
}

void
pace_begin(struct pace *pace, struct turn *turn)
{
	long long now;

	if (!pace_on(pace))
		return;
	pace->pending -= turn->pending;
	turn->pending = 0;
	now = clock_now();
	if (pace->each > 0)
		turn->due = now + pace->each + 1;
	if (pace->any > 0)
		pace->due = now + pace->any + 1;
}

void
pace_home(struct pace *pace, struct turn *turn)
{
	if (turn->pending)
		pace_begin(pace, turn);
}

void
pace_unused(struct pace *pace, struct turn *turn)
{
	pace->pending -= turn->pending;
	turn->pending = 0;
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
pace_wait_ms(const struct pace *pace, const struct turn *turn)
{
	long long due = turn->due > pace->due ? turn->due : pace->due, wait;

	if (pace->any > 0 && pace->pending > 0)
		return -1;
	if (due == 0)
		return 0;
	wait = clock_wait_ms(due);
	return wait < DAY ? wait : DAY;
}
