#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/human.h"
#include "../lib/outbox.h"
#include "axis.h"
#include "bars.h"
#include "figures.h"
#include "logged.h"
#include "markup.h"
#include "profile.h"
#include "rows.h"
#include "svg.h"

/* Lengths are pixels, and tenths of them where a name says so. */
enum {
	WIDTH = 1200, MARGIN = 20, HEAD = 98, MARKS = 84, MARKS_HEIGHT = 5,
	LEAST_LABELS = 64, MOST_LABELS = 170, LABEL_COLUMN = 7,
	ROWS_HEIGHT = 600, LEAST_ROW = 1, MOST_ROW = 28, LABELLED = 12, WRITTEN = 14,
	PROFILE = 48, FOOT = 34, TICKS = 10, TENTHS = 10,
	COLUMN = 6, PADDING = 10, LEAST_WRITTEN = 4, MOST_WRITTEN = 800,
	TITLED = 6000, ALL_TITLES = 1000000, LEAST_TITLE = 24, MOST_TITLE = 400, TITLE = 110
};

struct canvas {
	struct outbox *out;
	const struct logged *jobs;
	const struct rows *rows;
	struct bars bars;
	int left, width;    /* of the plot */
	int row, gap;       /* height of a row, and how much of it stays free */
	int bottom;         /* of the rows */
	long titled;        /* narrower bars have no title, in tenths */
	size_t title;       /* bytes of a command in one */
};

static const char *const names[RESULTS] = {"ok", "failed", "killed"};

/* Blue, vermilion and yellow differ for those who do not see all colours, and so does their
   lightness; and what was killed is hatched. */
static const char style[] =
    "<style>\n"
    ".bg{fill:#fff}.fg{fill:#1f2328}.dim{fill:#59636e}.track{fill:#f1f3f5}.tail{fill:#1f2328}\n"
    ".grid{stroke:#d4dae0}.ok{fill:#2b7bba}.failed{fill:#d5480a}.killed{fill:url(#hatch)}\n"
    ".yellow{fill:#f2c200}.black{stroke:#1f2328}.in{fill:#fff}.profile{fill:#2b7bba}\n"
    "@media(prefers-color-scheme:dark){\n"
    ".bg{fill:#0d1117}.fg{fill:#e6edf3}.dim{fill:#9198a1}.track{fill:#1b2129}"
    ".tail{fill:#e6edf3}\n"
    ".grid{stroke:#343b44}.ok{fill:#4a9fe0}.failed{fill:#ff6a2b}.in{fill:#0d1117}"
    ".profile{fill:#4a9fe0}}\n"
    "</style>\n"
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"yellow\" width=\"5\" height=\"5\"/>"
    "<path class=\"black\" d=\"M0 0v5\" stroke-width=\"2\"/></pattern></defs>\n";

/* A line of text at that place; anchor is "start", "middle" or "end". */
static void
write_at(struct canvas *c, double x, double y, const char *class, const char *anchor,
    const char *text)
{
	outbox_say(c->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, x,
	    y, anchor);
	markup_text(c->out, text, strlen(text), FIGURE);
	outbox_say(c->out, "</text>\n");
}

static long
x_of(const struct canvas *c, long long time)
{
	return c->left * TENTHS + bars_x(c->rows, time, (long)c->width * TENTHS);
}

static int
height(const struct canvas *c)
{
	return c->bottom + PROFILE + FOOT;
}

static void
layout(struct canvas *c)
{
	char name[ROW_NAME];
	size_t longest = 0, length;
	int rows = (int)c->rows->count;

	for (size_t i = 0; i < c->rows->count; i++) {
		row_name(name, c->rows->row + i);
		length = strlen(name);
		longest = length > longest ? length : longest;
	}
	c->left = (int)longest * LABEL_COLUMN + MARGIN;
	c->left = c->left < LEAST_LABELS ? LEAST_LABELS : c->left > MOST_LABELS ? MOST_LABELS
	    : c->left;
	c->width = WIDTH - c->left - MARGIN;
	c->row = ROWS_HEIGHT / rows;
	c->row = c->row < LEAST_ROW ? LEAST_ROW : c->row > MOST_ROW ? MOST_ROW : c->row;
	c->gap = c->row >= 12 ? 3 : c->row >= 6 ? 2 : c->row >= 3 ? 1 : 0;
	c->bottom = HEAD + c->row * rows;
}

static void
legend(struct canvas *c)
{
	int x = WIDTH - MARGIN;

	for (int i = RESULTS - 1; i >= 0; i--) {
		if (c->rows->results[i] == 0)
			continue;
		x -= (int)strlen(names[i]) * LABEL_COLUMN;
		write_at(c, x, 30, "dim", "start", names[i]);
		x -= 18;
		outbox_say(c->out, "<rect class=\"%s\" x=\"%d\" y=\"20\" width=\"13\" "
		    "height=\"11\"/>\n", names[i], x);
		x -= 14;
	}
}

static void
head(struct canvas *c)
{
	char text[FIGURE], line[2 * FIGURE], begin[HUMAN], span[HUMAN], sum[HUMAN];
	const char *dot = " \xc2\xb7 ";

	results_text(text, c->jobs, c->rows);
	outbox_say(c->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
	    "viewBox=\"0 0 %d %d\" font-family=\"system-ui,sans-serif\" font-size=\"12\" "
	    "role=\"img\" aria-label=\"%s\">\n%s", WIDTH, height(c), WIDTH, height(c), text,
	    style);
	outbox_say(c->out, "<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n", WIDTH, height(c));
	outbox_say(c->out, "<g font-size=\"18\" font-weight=\"600\">");
	write_at(c, MARGIN, 32, "fg", "start", text);
	begin_text(begin, c->jobs);
	time_text(span, (double)c->rows->span);
	time_text(sum, c->rows->busy);
	busy_text(text, c->rows);
	snprintf(line, sizeof line, "%s, in %s%sjob times add up to %s%s%s", begin, span, dot, sum,
	    *text != '\0' ? dot : "", text);
	outbox_say(c->out, "</g>");
	write_at(c, MARGIN, 54, "dim", "start", line);
	legend(c);
}

/* The tracks of all rows: what stays seen of them is idle. */
static void
tracks(struct canvas *c)
{
	outbox_say(c->out, "<path class=\"track\" d=\"");
	for (size_t i = 0; c->gap > 0 && i < c->rows->count; i++)
		markup_box(c->out, c->left * TENTHS, (HEAD + (long)i * c->row) * TENTHS,
		    (long)c->width * TENTHS, (c->row - c->gap) * TENTHS);
	if (c->gap == 0)
		markup_box(c->out, c->left * TENTHS, HEAD * TENTHS, (long)c->width * TENTHS,
		    (c->bottom - HEAD) * TENTHS);
	outbox_say(c->out, "\"/>\n");
}

/* From the last start on, no job waited. */
static void
tail(struct canvas *c)
{
	double x = (double)x_of(c, c->rows->last_start) / TENTHS;
	double width = c->left + c->width - x, middle = x + width / 2;
	char time[HUMAN], text[HUMAN + 8];

	time_text(time, (double)(c->rows->span - c->rows->last_start));
	snprintf(text, sizeof text, "tail %s", time);
	outbox_say(c->out, "<rect class=\"tail\" opacity=\".1\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
	    "height=\"%d\"><title>From the last start to the end: no job waited any more."
	    "</title></rect>\n", x, HEAD - 4, width, c->bottom + PROFILE - HEAD + 4);
	if (width < (double)strlen(text) * LABEL_COLUMN)
		write_at(c, c->left + c->width, MARKS - 8, "dim", "end", text);
	else
		write_at(c, middle, MARKS - 8, "dim", "middle", text);
}

static void
axis(struct canvas *c)
{
	double span = (double)c->rows->span, step = axis_step(span, TICKS), x;
	int floor = c->bottom + PROFILE;
	char text[HUMAN];

	outbox_say(c->out, "<path class=\"grid\" fill=\"none\" d=\"");
	for (double at = 0; at <= span; at += step) {
		x = c->left + at * c->width / span;
		outbox_say(c->out, "M%.1f %dV%d", x, HEAD - 4, floor + 4);
	}
	outbox_say(c->out, "M%d %dh%d\"/>\n", c->left, floor, c->width);
	for (double at = 0; at <= span; at += step) {
		x = c->left + at * c->width / span;
		time_text(text, at);
		write_at(c, x, floor + 19, "dim", "middle", at == 0 ? "0" : text);
	}
}

/* Each row has a label, or every second, fifth, tenth ... one. */
static size_t
label_step(int row)
{
	size_t step = 1;

	for (int i = 0; (size_t)row * step < LABELLED; i++)
		step = i % 3 == 1 ? step / 2 * 5 : step * 2;
	return step;
}

static void
labels(struct canvas *c)
{
	size_t each = label_step(c->row);
	char name[ROW_NAME], time[HUMAN];
	const struct row *row;
	double y;

	for (size_t i = 0; i < c->rows->count; i++) {
		if (i > 0 && (i + 1) % each != 0)
			continue;
		row = c->rows->row + i;
		row_name(name, row);
		time_text(time, row->busy);
		y = HEAD + (double)i * c->row + (c->row - c->gap) / 2.0 + 4;
		outbox_say(c->out, "<text class=\"dim\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
		    c->left - 8, y);
		markup_columns(c->out, name, strlen(name), MOST_LABELS / LABEL_COLUMN);
		outbox_say(c->out, "<title>%zu jobs, %zu failed, busy for %s: %d %%</title>"
		    "</text>\n", row->count, row->failed, time,
		    percent(row->busy, (double)c->rows->span));
	}
}

/* Its number, command, start, time and result. */
static void
job_title(struct canvas *c, const struct job *job)
{
	char start[HUMAN], time[HUMAN], how[HUMAN];

	time_text(start, (double)job->start);
	time_text(time, (double)(job->end - job->start));
	job_ending(how, sizeof how, job);
	outbox_say(c->out, "%lld: ", job->seq);
	markup_text(c->out, job->command, job->length, c->title);
	outbox_say(c->out, "\nat %s, took %s: %s", start, time, how);
}

static void
title(struct canvas *c, const struct bar *bar)
{
	const struct job *first = c->jobs->job + bar->first;
	char start[HUMAN];

	outbox_say(c->out, "<title>");
	if (bar->count == 1)
		job_title(c, first);
	else {
		time_text(start, (double)first->start);
		outbox_say(c->out, "%zu jobs from %lld on, at %s", bar->count, first->seq, start);
		for (int i = RESULT_FAILED; i < RESULTS; i++)
			if (bar->results[i] > 0)
				outbox_say(c->out, ", %zu %s", bar->results[i], names[i]);
	}
	outbox_say(c->out, "</title>");
}

static int
has_title(const struct canvas *c, const struct bar *bar)
{
	return bar->width >= c->titled;
}

/* Where there are too many bars, the narrowest have no title. */
static void
choose_titles(struct canvas *c)
{
	size_t count;

	for (c->titled = 0; ; c->titled = c->titled * 5 / 4 + TENTHS) {
		count = 0;
		for (size_t i = 0; i < c->bars.count; i++)
			count += (size_t)has_title(c, c->bars.bar + i);
		if (count <= TITLED)
			break;
	}
	c->title = count == 0 ? MOST_TITLE : ALL_TITLES / count;
	c->title = c->title < TITLE + LEAST_TITLE ? LEAST_TITLE : c->title - TITLE;
	c->title = c->title > MOST_TITLE ? MOST_TITLE : c->title;
}

/* Wide bars end a little earlier, so that two in a row are seen as two. */
static void
box(struct canvas *c, const struct bar *bar)
{
	long width = bar->width >= 4 * TENTHS && c->gap > 1 ? bar->width - TENTHS : bar->width;

	markup_box(c->out, c->left * TENTHS + bar->x, (HEAD + (long)bar->row * c->row) * TENTHS,
	    width, (c->row - c->gap) * TENTHS);
}

/* Those with that result. What has failed is drawn later, and so above. */
static void
draw(struct canvas *c, int result)
{
	const struct bar *end = c->bars.bar + c->bars.count;

	if (c->rows->results[result] == 0)
		return;
	outbox_say(c->out, "<g class=\"%s\">\n<path d=\"", names[result]);
	for (const struct bar *bar = c->bars.bar; bar < end; bar++)
		if (bar->worst == result && !has_title(c, bar))
			box(c, bar);
	outbox_say(c->out, "\"/>\n");
	for (const struct bar *bar = c->bars.bar; bar < end; bar++) {
		if (bar->worst != result || !has_title(c, bar))
			continue;
		outbox_say(c->out, "<path d=\"");
		box(c, bar);
		outbox_say(c->out, "\">");
		title(c, bar);
		outbox_say(c->out, "</path>\n");
	}
	outbox_say(c->out, "</g>\n");
}

/* Commands, in the bars that have room for some of them. */
static void
commands(struct canvas *c)
{
	const struct job *job;
	const struct bar *bar;
	size_t written = 0;
	long columns;

	if (c->row < WRITTEN)
		return;
	outbox_say(c->out, "<g class=\"in\" font-size=\"10\" pointer-events=\"none\" "
	    "font-family=\"ui-monospace,monospace\">\n");
	for (size_t i = 0; i < c->bars.count && written < MOST_WRITTEN; i++) {
		bar = c->bars.bar + i;
		job = c->jobs->job + bar->first;
		columns = (bar->width / TENTHS - PADDING) / COLUMN;
		if (bar->count > 1 || bar->worst == RESULT_KILLED || columns < LEAST_WRITTEN)
			continue;
		written++;
		outbox_say(c->out, "<text x=\"%ld\" y=\"%.1f\">",
		    c->left + bar->x / TENTHS + PADDING / 2,
		    HEAD + (double)bar->row * c->row + (c->row - c->gap) / 2.0 + 3.5);
		markup_columns(c->out, job->command, job->length, (size_t)columns);
		outbox_say(c->out, "</text>\n");
	}
	outbox_say(c->out, "</g>\n");
}

static int
by_x(const void *left, const void *right)
{
	const long *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Above the rows, which may be very low, a mark for what has failed: one at most for a pixel. */
static int
marks(struct canvas *c, int result)
{
	long *x = malloc((c->bars.count + 1) * sizeof *x);
	size_t count = 0;

	if (x == NULL)
		return -1;
	for (size_t i = 0; i < c->bars.count; i++)
		if (c->bars.bar[i].results[result] > 0)
			x[count++] = c->bars.bar[i].x / TENTHS;
	qsort(x, count, sizeof *x, by_x);
	outbox_say(c->out, "<path class=\"%s\" d=\"", names[result]);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || x[i] > x[i - 1])
			markup_box(c->out, (c->left + x[i]) * TENTHS, MARKS * TENTHS,
			    2 * TENTHS, MARKS_HEIGHT * TENTHS);
	outbox_say(c->out, "\"/>\n");
	free(x);
	return 0;
}

static int
failures(struct canvas *c)
{
	if (c->rows->results[RESULT_FAILED] + c->rows->results[RESULT_KILLED] == 0)
		return 0;
	write_at(c, c->left - 8, MARKS + 5, "dim", "end", "failures");
	for (int i = RESULT_FAILED; i < RESULTS; i++)
		if (c->rows->results[i] > 0 && marks(c, i) != 0)
			return -1;
	return 0;
}

/* How many jobs ran at once: an area below the rows. */
static int
at_once(struct canvas *c)
{
	double *mean = profile_make(c->jobs, c->rows, (size_t)c->width);
	double most = c->rows->slots > 0 ? (double)c->rows->slots : 1;
	int floor = c->bottom + PROFILE, top = PROFILE - 12;
	char count[HUMAN];

	if (mean == NULL)
		return -1;
	outbox_say(c->out, "<path class=\"profile\" opacity=\".55\" d=\"M%d %d", c->left, floor);
	for (int i = 0; i < c->width; i++)
		if (i == 0 || mean[i] != mean[i - 1])
			outbox_say(c->out, "H%dV%.1f", c->left + i,
			    floor - (mean[i] > most ? most : mean[i]) * top / most);
	outbox_say(c->out, "H%dV%dz\"><title>How many jobs ran at once</title></path>\n",
	    c->left + c->width, floor);
	count_text(count, c->rows->slots);
	write_at(c, c->left - 8, floor - top + 4, "dim", "end", count);
	write_at(c, c->left - 8, floor, "dim", "end", "at once");
	free(mean);
	return 0;
}

int
svg_write(struct outbox *out, const struct logged *jobs, const struct rows *rows)
{
	struct canvas c = {.out = out, .jobs = jobs, .rows = rows};
	int bad;

	layout(&c);
	bad = bars_make(&c.bars, jobs, rows, (long)c.width * TENTHS) != 0;
	if (!bad) {
		choose_titles(&c);
		head(&c);
		tracks(&c);
		tail(&c);
		axis(&c);
		labels(&c);
		for (int i = 0; i < RESULTS; i++)
			draw(&c, i);
		commands(&c);
		bad = failures(&c) != 0 || at_once(&c) != 0;
		outbox_say(out, "</svg>\n");
	}
	bars_free(&c.bars);
	return bad ? -1 : 0;
}
