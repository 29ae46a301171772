#include <stdlib.h>

#include "../display/human.h"
#include "../lib/outbox.h"
#include "bars.h"
#include "canvas.h"
#include "figures.h"
#include "frame.h"
#include "logged.h"
#include "markup.h"
#include "rows.h"
#include "svg.h"

enum {
	TITLED = 6000,            /* bars at most that have a title ... */
	ALL_TITLES = 1000000,     /* ... in so many bytes, about */
	TITLE = 110,              /* bytes of a title beside its command ... */
	LEAST_TITLE = 24, MOST_TITLE = 400, /* ... and of the command */
	WRITTEN = 14,             /* pixels: lower rows have no commands in their bars */
	COLUMN = 6, PADDING = 10, /* pixels of a letter there, and around all of them */
	LEAST_WRITTEN = 4,        /* columns */
	MOST_WRITTEN = 800,       /* commands */
	MARK = 5                  /* height, in pixels */
};

struct drawing {
	struct canvas c;
	struct bars bars;
	long titled;        /* narrower bars have no title, in tenths */
	size_t title;       /* bytes of a command in one */
};

/* Its number, command, start, time and result. */
static void
job_title(struct drawing *d, const struct job *job)
{
	char start[HUMAN], time[HUMAN], how[HUMAN];

	time_text(start, (double)job->start);
	time_text(time, (double)(job->end - job->start));
	job_ending(how, sizeof how, job);
	outbox_say(d->c.out, "%lld: ", job->seq);
	markup_text(d->c.out, job->command, job->length, d->title);
	outbox_say(d->c.out, "\nat %s, took %s: %s", start, time, how);
}

static void
title(struct drawing *d, const struct bar *bar)
{
	const struct job *first = d->c.jobs->job + bar->first;
	char start[HUMAN];

	outbox_say(d->c.out, "<title>");
	if (bar->count == 1)
		job_title(d, first);
	else {
		time_text(start, (double)first->start);
		outbox_say(d->c.out, "%zu jobs from %lld on, at %s", bar->count, first->seq, start);
		for (int i = RESULT_FAILED; i < RESULTS; i++)
			if (bar->results[i] > 0)
				outbox_say(d->c.out, ", %zu %s", bar->results[i], result_word[i]);
	}
	outbox_say(d->c.out, "</title>");
}

static int
has_title(const struct drawing *d, const struct bar *bar)
{
	return bar->width >= d->titled;
}

/* Where there are too many bars, the narrowest have no title. */
static void
choose_titles(struct drawing *d)
{
	size_t count;

	for (d->titled = 0; ; d->titled = d->titled * 5 / 4 + TENTHS) {
		count = 0;
		for (size_t i = 0; i < d->bars.count; i++)
			count += (size_t)has_title(d, d->bars.bar + i);
		if (count <= TITLED)
			break;
	}
	d->title = count == 0 ? MOST_TITLE : ALL_TITLES / count;
	d->title = d->title < TITLE + LEAST_TITLE ? LEAST_TITLE : d->title - TITLE;
	d->title = d->title > MOST_TITLE ? MOST_TITLE : d->title;
}

/* Wide bars end a little earlier, so that two in a row are seen as two. */
static void
box(struct drawing *d, const struct bar *bar)
{
	long width = bar->width >= 4 * TENTHS && d->c.gap > 1 ? bar->width - TENTHS : bar->width;

	markup_box(d->c.out, d->c.left * TENTHS + bar->x,
	    (CANVAS_HEAD + (long)bar->row * d->c.row) * TENTHS, width,
	    (d->c.row - d->c.gap) * TENTHS);
}

/* Those with that result. Jobs that failed are drawn later, and so above. */
static void
draw(struct drawing *d, int result)
{
	const struct bar *end = d->bars.bar + d->bars.count;

	if (d->c.rows->results[result] == 0)
		return;
	outbox_say(d->c.out, "<g class=\"%s\">\n<path d=\"", result_word[result]);
	for (const struct bar *bar = d->bars.bar; bar < end; bar++)
		if (bar->worst == result && !has_title(d, bar))
			box(d, bar);
	outbox_say(d->c.out, "\"/>\n");
	for (const struct bar *bar = d->bars.bar; bar < end; bar++) {
		if (bar->worst != result || !has_title(d, bar))
			continue;
		outbox_say(d->c.out, "<path d=\"");
		box(d, bar);
		outbox_say(d->c.out, "\">");
		title(d, bar);
		outbox_say(d->c.out, "</path>\n");
	}
	outbox_say(d->c.out, "</g>\n");
}

/* Commands, in the bars that have room for some of them. */
static void
commands(struct drawing *d)
{
	const struct job *job;
	const struct bar *bar;
	size_t written = 0;
	long columns;

	if (d->c.row < WRITTEN)
		return;
	outbox_say(d->c.out, "<g class=\"in\" font-size=\"10\" pointer-events=\"none\" "
	    "font-family=\"ui-monospace,monospace\">\n");
	for (size_t i = 0; i < d->bars.count && written < MOST_WRITTEN; i++) {
		bar = d->bars.bar + i;
		job = d->c.jobs->job + bar->first;
		columns = (bar->width / TENTHS - PADDING) / COLUMN;
		if (bar->count > 1 || bar->worst == RESULT_KILLED || columns < LEAST_WRITTEN)
			continue;
		written++;
		outbox_say(d->c.out, "<text x=\"%ld\" y=\"%.1f\">",
		    d->c.left + bar->x / TENTHS + PADDING / 2,
		    CANVAS_HEAD + (double)bar->row * d->c.row + (d->c.row - d->c.gap) / 2.0 + 3.5);
		markup_columns(d->c.out, job->command, job->length, (size_t)columns);
		outbox_say(d->c.out, "</text>\n");
	}
	outbox_say(d->c.out, "</g>\n");
}

static int
by_x(const void *left, const void *right)
{
	const long *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Above the rows, which may be very low, a mark for what has failed: one at most for a pixel. */
static int
marks(struct drawing *d, int result)
{
	long *x = malloc((d->bars.count + 1) * sizeof *x);
	size_t count = 0;

	if (x == NULL)
		return -1;
	for (size_t i = 0; i < d->bars.count; i++)
		if (d->bars.bar[i].results[result] > 0)
			x[count++] = d->bars.bar[i].x / TENTHS;
	qsort(x, count, sizeof *x, by_x);
	outbox_say(d->c.out, "<path class=\"%s\" d=\"", result_word[result]);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || x[i] > x[i - 1])
			markup_box(d->c.out, (d->c.left + x[i]) * TENTHS, CANVAS_MARKS * TENTHS,
			    2 * TENTHS, MARK * TENTHS);
	outbox_say(d->c.out, "\"/>\n");
	free(x);
	return 0;
}

static int
failures(struct drawing *d)
{
	if (d->c.rows->results[RESULT_FAILED] + d->c.rows->results[RESULT_KILLED] == 0)
		return 0;
	canvas_write(&d->c, d->c.left - 8, CANVAS_MARKS + MARK, "dim", "end", "failures");
	for (int i = RESULT_FAILED; i < RESULTS; i++)
		if (d->c.rows->results[i] > 0 && marks(d, i) != 0)
			return -1;
	return 0;
}

int
svg_write(struct outbox *out, const struct logged *jobs, const struct rows *rows)
{
	struct drawing d = {.c = {.out = out, .jobs = jobs, .rows = rows}};
	int bad;

	canvas_layout(&d.c);
	bad = bars_make(&d.bars, jobs, rows, (long)d.c.width * TENTHS) != 0;
	if (!bad) {
		choose_titles(&d);
		bad = frame_draw(&d.c) != 0;
		for (int i = 0; i < RESULTS; i++)
			draw(&d, i);
		commands(&d);
		bad |= failures(&d) != 0;
		outbox_say(out, "</svg>\n");
	}
	bars_free(&d.bars);
	return bad ? -1 : 0;
}
