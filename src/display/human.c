#include <limits.h>
#include <stdio.h>

#include "display.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

long long
human_left_ms(long long spent, long long done, long long left)
{
	return left <= 0 || done <= 0 || spent > LLONG_MAX / left ? -1 : spent * left / done;
}

void
human_seconds(char text[HUMAN], long long ms)
{
	static const struct { long long least, ms; const char *name; } units[] = {
	    {2LL * DAY, DAY, "d"}, {HOUR, HOUR, "h"}, {MINUTE, MINUTE, "min"}, {0, SECOND, "s"}};
	int i = 0, n;

	ms = ms < 0 ? 0 : ms;
	while (ms < units[i].least)
		i++;
	n = snprintf(text, HUMAN, "%lld %s", ms / units[i].ms, units[i].name);
	if (i < 3 && (ms = ms % units[i].ms / units[i + 1].ms) > 0)
		snprintf(text + n, (size_t)(HUMAN - n), " %02lld", ms);
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
