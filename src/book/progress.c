#include <stdio.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "progress.h"

enum { REDRAW = 200, TICK = 1000, PLAIN = 1000, WIDTH = 79 }; /* ms, ms, ms, columns */

void
progress_open(struct progress *progress, int on, long total)
{
	progress->on = on;
	progress->terminal = on && isatty(STDERR_FILENO);
	progress->drawn = 0;
	progress->total = total;
	progress->began = clock_now();
	progress->shown = progress->terminal ? 0 : progress->began;
}

void
progress_clear(struct progress *progress)
{
	if (progress->drawn > 0)
		fprintf(stderr, "\r%*s\r", progress->drawn, "");
	progress->drawn = 0;
}

/* "01:05" of so many seconds, or "2:01:05". */
static void
print_time(char *text, size_t size, long long seconds)
{
	if (seconds >= 3600)
		snprintf(text, size, "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60,
		    seconds % 60);
	else
		snprintf(text, size, "%02lld:%02lld", seconds / 60, seconds % 60);
}

static int
print_line(const struct progress *progress, char *line, size_t size, long long now)
{
	long long spent = now - progress->began;
	char of[32] = "", left[64] = "", failed[48] = "", when[32];

	if (progress->total >= 0)
		snprintf(of, sizeof of, " of %ld", progress->total);
	if (progress->failed > 0)
		snprintf(failed, sizeof failed, ", %ld failed", progress->failed);
	if (progress->total > progress->ended && progress->ended > 0) {
		print_time(when, sizeof when,
		    spent * (progress->total - progress->ended) / progress->ended / 1000);
		snprintf(left, sizeof left, ", about %s left", when);
	}
	print_time(when, sizeof when, spent / 1000);
	return snprintf(line, size, "%ld%s done%s, %ld running, %s%s", progress->ended, of, failed,
	    progress->running, when, left);
}

void
progress_show(struct progress *progress, long ended, long failed, long running, int last)
{
	long long now;
	char line[WIDTH + 1];
	int n;

	if (!progress->on)
		return;
	now = clock_now();
	progress->ended = ended;
	progress->failed = failed;
	progress->running = running;
	if (!last && now - progress->shown < (progress->terminal ? REDRAW : PLAIN))
		return;
	progress->shown = now;
	n = print_line(progress, line, sizeof line, now);
	if (n > WIDTH)
		n = WIDTH;
	if (!progress->terminal)
		fprintf(stderr, "%s: %s\n", program, line);
	else
		fprintf(stderr, "\r%-*s%s", progress->drawn > n ? progress->drawn : n, line,
		    last ? "\n" : "");
	progress->drawn = last ? 0 : n;
}

long long
progress_wait_ms(const struct progress *progress)
{
	return progress->terminal ? clock_wait_ms(progress->shown + TICK) : -1;
}
