#include <stdlib.h>

#include "../lib/room.h"
#include "bars.h"
#include "logged.h"
#include "rows.h"

enum {
	PIXEL = 10,
	SEEN = 20,       /* a job that failed is at least this wide */
	MOST_BARS = 50000
};

long
bars_x(const struct rows *rows, long long time, long width)
{
	return (long)((double)time * (double)width / (double)rows->span);
}

static void
join(struct bar *bar, const struct job *job, long x, long end)
{
	int result = job_result(job);

	bar->count++;
	bar->results[result]++;
	if (result > bar->worst)
		bar->worst = result;
	if (end - x > bar->width - (x - bar->x))
		bar->width = end - bar->x;
}

/* A job that is narrower than a cell joins those before it, if they all began in that cell. */
static int
make(struct bars *bars, const struct logged *jobs, const struct rows *rows, long width, long cell)
{
	struct bar *bar = NULL, *bigger;
	int narrow = 0;

	bars->count = 0;
	for (size_t i = 0; i < jobs->count; i++) {
		const struct job *job = jobs->job + i;
		long x = bars_x(rows, job->start, width), end = bars_x(rows, job->end, width);
		int same = narrow && end - x < cell && bar->row == job->row &&
		    bar->x / cell == x / cell;

		if (!same) {
			if ((bigger = room_for(bars->bar, &bars->room, bars->count + 1,
			    sizeof *bigger)) == NULL)
				return -1;
			bars->bar = bigger;
			bar = bigger + bars->count++;
			*bar = (struct bar){.x = x, .row = job->row, .first = i};
			narrow = end - x < cell;
		}
		join(bar, job, x, end);
	}
	return 0;
}

/* So that it is seen, also at the right edge. */
static void
widen(struct bar *bar, long width)
{
	long least = bar->worst == RESULT_OK ? PIXEL : SEEN;

	if (bar->width < least)
		bar->width = least;
	if (bar->x + bar->width > width)
		bar->x = width - bar->width;
}

int
bars_make(struct bars *bars, const struct logged *jobs, const struct rows *rows, long width)
{
	*bars = (struct bars){.count = 0};
	for (long cell = PIXEL; ; cell *= 2) {
		if (make(bars, jobs, rows, width, cell) != 0)
			return -1;
		if (bars->count <= MOST_BARS || cell > width)
			break;
	}
	for (size_t i = 0; i < bars->count; i++)
		widen(bars->bar + i, width);
	return 0;
}

void
bars_free(struct bars *bars)
{
	free(bars->bar);
}
