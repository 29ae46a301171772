#include <limits.h>
#include <stdio.h>

#include "human.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

long long
human_left_ms(long long spent, long long done, long long left)
{
	return left <= 0 || done <= 0 || spent > LLONG_MAX / left ? -1 : spent * left / done;
}

static void
of_two(char text[HUMAN], long long big, const char *unit, long long small)
{
	if (small == 0)
		snprintf(text, HUMAN, "%lld %s", big, unit);
	else
		snprintf(text, HUMAN, "%lld %s %02lld", big, unit, small);
}

void
human_seconds(char text[HUMAN], long long ms)
{
	ms = ms < 0 ? 0 : ms;
	if (ms < MINUTE)
		snprintf(text, HUMAN, "%lld s", ms / SECOND);
	else if (ms < HOUR)
		of_two(text, ms / MINUTE, "min", ms % MINUTE / SECOND);
	else if (ms < 2LL * DAY)
		of_two(text, ms / HOUR, "h", ms % HOUR / MINUTE);
	else
		of_two(text, ms / DAY, "d", ms % DAY / HOUR);
}

void
human_time(char text[HUMAN], long long ms)
{
	if (ms >= 0 && ms < SECOND)
		snprintf(text, HUMAN, "%lld ms", ms);
	else if (ms >= 0 && ms < 10 * SECOND && ms % SECOND >= 100)
		snprintf(text, HUMAN, "%lld.%lld s", ms / SECOND, ms % SECOND / 100);
	else
		human_seconds(text, ms);
}

void
human_clock(char text[HUMAN], long long ms)
{
	long long s = ms < 0 ? 0 : ms / SECOND;

	if (s >= 3600)
		snprintf(text, HUMAN, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, HUMAN, "%lld:%02lld", s / 60, s % 60);
}

void
human_rate(char text[HUMAN], long long count, long long ms)
{
	double rate = ms > 0 ? (double)count * SECOND / (double)ms : 0;

	if (ms <= 0)
		snprintf(text, HUMAN, "-");
	else
		snprintf(text, HUMAN, rate < 9.95 ? "%.1f" : "%.0f", rate);
}
