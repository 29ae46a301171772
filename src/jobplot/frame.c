#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/human.h"
#include "../lib/outbox.h"
#include "canvas.h"
#include "figures.h"
#include "frame.h"
#include "logged.h"
#include "markup.h"
#include "profile.h"
#include "rows.h"

enum { LABEL = 24 /* columns */, LABELLED = 12, TICKS = 10 };

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

static void
legend(struct canvas *c)
{
	int x = CANVAS_WIDTH - CANVAS_MARGIN;

	for (int i = RESULTS - 1; i >= 0; i--) {
		if (c->rows->results[i] == 0)
			continue;
		x -= (int)strlen(result_word[i]) * CANVAS_COLUMN;
		canvas_write(c, x, 30, "dim", "start", result_word[i]);
		x -= 18;
		outbox_say(c->out, "<rect class=\"%s\" x=\"%d\" y=\"20\" width=\"13\" "
		    "height=\"11\"/>\n", result_word[i], x);
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
	    "role=\"img\" aria-label=\"%s\">\n%s", CANVAS_WIDTH, canvas_height(c), CANVAS_WIDTH,
	    canvas_height(c), text, style);
	outbox_say(c->out, "<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n", CANVAS_WIDTH,
	    canvas_height(c));
	outbox_say(c->out, "<g font-size=\"18\" font-weight=\"600\">");
	canvas_write(c, CANVAS_MARGIN, 32, "fg", "start", text);
	begin_text(begin, c->jobs);
	time_text(span, (double)c->rows->span);
	time_text(sum, c->rows->busy);
	busy_text(text, c->rows);
	snprintf(line, sizeof line, "%s, in %s%sjob times add up to %s%s%s", begin, span, dot, sum,
	    *text != '\0' ? dot : "", text);
	outbox_say(c->out, "</g>");
	canvas_write(c, CANVAS_MARGIN, 54, "dim", "start", line);
	legend(c);
}

/* The tracks of all rows: what stays seen of them is idle. */
static void
tracks(struct canvas *c)
{
	outbox_say(c->out, "<path class=\"track\" d=\"");
	for (size_t i = 0; c->gap > 0 && i < c->rows->count; i++)
		markup_box(c->out, c->left * TENTHS, (CANVAS_HEAD + (long)i * c->row) * TENTHS,
		    (long)c->width * TENTHS, (c->row - c->gap) * TENTHS);
	if (c->gap == 0)
		markup_box(c->out, c->left * TENTHS, CANVAS_HEAD * TENTHS, (long)c->width * TENTHS,
		    (c->bottom - CANVAS_HEAD) * TENTHS);
	outbox_say(c->out, "\"/>\n");
}

/* From the last start on, no job waited. */
static void
tail(struct canvas *c)
{
	double x = (double)canvas_x(c, c->rows->last_start) / TENTHS;
	double width = c->left + c->width - x, middle = x + width / 2;
	char time[HUMAN], text[HUMAN + 8];

	time_text(time, (double)(c->rows->span - c->rows->last_start));
	snprintf(text, sizeof text, "tail %s", time);
	outbox_say(c->out, "<rect class=\"tail\" opacity=\".1\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
	    "height=\"%d\"><title>From the last start to the end: no job waited any more."
	    "</title></rect>\n", x, CANVAS_HEAD - 4, width,
	    c->bottom + CANVAS_PROFILE - CANVAS_HEAD + 4);
	if (width < (double)strlen(text) * CANVAS_COLUMN)
		canvas_write(c, c->left + c->width, CANVAS_MARKS - 8, "dim", "end", text);
	else
		canvas_write(c, middle, CANVAS_MARKS - 8, "dim", "middle", text);
}

/* Microseconds: milliseconds, seconds, minutes, hours, days. */
static const double steps[] = {1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7,
    15e6, 3e7, 6e7, 12e7, 3e8, 6e8, 9e8, 18e8, 36e8, 72e8, 108e8, 216e8, 432e8, 864e8, 1728e8};

/* The least distance between two ticks, of those that people count in, with which this many
   microseconds have at most so many. */
static double
axis_step(double span, int most)
{
	size_t last = sizeof steps / sizeof *steps - 1;
	double step;

	for (size_t i = 0; i < last; i++)
		if (span / steps[i] <= most)
			return steps[i];
	for (step = steps[last]; span / step > most; step *= 2)
		;
	return step;
}

static void
axis(struct canvas *c)
{
	double span = (double)c->rows->span, step = axis_step(span, TICKS), x;
	int floor = c->bottom + CANVAS_PROFILE;
	char text[HUMAN];

	outbox_say(c->out, "<path class=\"grid\" fill=\"none\" d=\"");
	for (double at = 0; at <= span; at += step) {
		x = c->left + at * c->width / span;
		outbox_say(c->out, "M%.1f %dV%d", x, CANVAS_HEAD - 4, floor + 4);
	}
	outbox_say(c->out, "M%d %dh%d\"/>\n", c->left, floor, c->width);
	for (double at = 0; at <= span; at += step) {
		x = c->left + at * c->width / span;
		time_text(text, at);
		canvas_write(c, x, floor + 19, "dim", "middle", at == 0 ? "0" : text);
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
		y = CANVAS_HEAD + (double)i * c->row + (c->row - c->gap) / 2.0 + 4;
		outbox_say(c->out, "<text class=\"dim\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
		    c->left - 8, y);
		markup_columns(c->out, name, strlen(name), LABEL);
		outbox_say(c->out, "<title>%zu jobs, %zu failed, busy for %s: %d %%</title>"
		    "</text>\n", row->count, row->failed, time,
		    percent(row->busy, (double)c->rows->span));
	}
}

/* How many jobs ran at once: an area below the rows. */
static int
at_once(struct canvas *c)
{
	double *mean = profile_make(c->jobs, c->rows, (size_t)c->width);
	double most = c->rows->slots > 0 ? (double)c->rows->slots : 1;
	int floor = c->bottom + CANVAS_PROFILE, top = CANVAS_PROFILE - 12;
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
	canvas_write(c, c->left - 8, floor - top + 4, "dim", "end", count);
	canvas_write(c, c->left - 8, floor, "dim", "end", "at once");
	free(mean);
	return 0;
}

int
frame_draw(struct canvas *c)
{
	head(c);
	tracks(c);
	tail(c);
	axis(c);
	labels(c);
	return at_once(c);
}
