#include <stdio.h>
#include <string.h>

#include "jobplot.h"

/* Lengths are pixels. */
enum {
	WIDTH = 1200, MARGIN = 20, LETTER = 7,
	PREFIX = 76, HEAD = 90,   /* what all commands begin with; where the rows begin */
	FOOT = 34,
	LABELS = 64, LABELLED = 12, /* their least width, and the height of one */
	ROWS_HEIGHT = 600, MOST_ROW = 28,
	COLUMN = 6, PADDING = 10, /* a letter in a bar, and around all of them */
	LEAST_WRITTEN = 4, WRITTEN = 14, /* columns; lower rows have no commands in their bars */
	MOST_BARS = 6000, TITLE = 200,
	TICKS = 10
};

struct picture {
	struct outbox *out;
	const struct plot *plot;
	int left, width;    /* of the plot */
	int row, gap;       /* height of a row, and how much of it stays free */
	int bottom;         /* of the rows */
	double cell;        /* jobs narrower than that may be one bar with their neighbours */
};

/* One job; or many of a row, one after the other, with the same result. */
struct bar {
	const struct job *first;
	size_t count;
	double x, end;
};

/* Blue, vermilion and yellow differ for those who do not see all colours, and so does their
   lightness; and what was killed is hatched. */
static const char style[] =
    "<style>\n"
    ".bg{fill:#fff}.fg{fill:#1f2328;font-size:18px;font-weight:600}.dim{fill:#59636e}\n"
    ".track{fill:#f1f3f5}.tail{fill:#1f2328}.grid{stroke:#d4dae0}.black{stroke:#1f2328}\n"
    ".ok{fill:#2b7bba}.failed{fill:#d5480a}.killed{fill:url(#hatch)}.yellow{fill:#f2c200}\n"
    ".in{fill:#fff;pointer-events:none}.in,.code{font:10px ui-monospace,monospace}\n"
    "g{shape-rendering:crispEdges}\n"
    "@media(prefers-color-scheme:dark){\n"
    ".bg{fill:#0d1117}.fg{fill:#e6edf3}.dim{fill:#9198a1}.track{fill:#1b2129}"
    ".tail{fill:#e6edf3}\n"
    ".grid{stroke:#343b44}.ok{fill:#4a9fe0}.failed{fill:#ff6a2b}.in{fill:#0d1117}}\n"
    "</style>\n"
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"yellow\" width=\"5\" height=\"5\"/>"
    "<path class=\"black\" d=\"M0 0v5\" stroke-width=\"2\"/></pattern></defs>\n";

/* The first character: its length; its columns, as beyond ASCII it may be wide; what stands for it
   in XML, or NULL. XML has no U+FFFE and U+FFFF. */
static size_t
character(const char *text, size_t length, size_t *columns, const char **instead)
{
	size_t n = utf8_character(text, length);

	*columns = (unsigned char)*text < 0x80 ? 1 : 2;
	*instead = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;"
	    : *text == '"' ? "&quot;" : NULL;
	if (n == 0 || ((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') ||
	    (n == 3 && memcmp(text, "\xef\xbf\xbe", n) >= 0 &&
	    memcmp(text, "\xef\xbf\xbf", n) <= 0))
		*instead = "\xef\xbf\xbd";
	return n == 0 ? 1 : n;
}

/* Adds as much of a text as fits into that many columns: its beginning, or its end. */
static void
add_text(struct outbox *out, const char *text, size_t length, size_t columns, int its_end)
{
	const char *end = text + length, *instead;
	size_t all = 0, used = 0, wide, n, most;

	for (const char *p = text; p < end; p += n, all += wide)
		n = character(p, (size_t)(end - p), &wide, &instead);
	most = all > columns ? columns - 1 : columns;
	if (all > columns && its_end) {
		for (; all > most; text += n, all -= wide)
			n = character(text, (size_t)(end - text), &wide, &instead);
		for (n = 0; text + n < end && strchr(" /", text[n]) == NULL;)
			n++;
		text += text + n < end ? n : 0;
		outbox_say(out, ELLIPSIS);
	}
	for (; text < end; text += n) {
		n = character(text, (size_t)(end - text), &wide, &instead);
		if ((used += wide) > most)
			break;
		outbox_add(out, instead == NULL ? text : instead,
		    instead == NULL ? n : strlen(instead));
	}
	if (text < end)
		outbox_say(out, ELLIPSIS);
}

/* A line of text at that place; anchor is "start", "middle" or "end". */
static void
write_at(struct picture *p, double x, double y, const char *class, const char *anchor,
    const char *text)
{
	outbox_say(p->out, "<text class=\"%s\" x=\"%g\" y=\"%g\" text-anchor=\"%s\">", class, x, y,
	    anchor);
	add_text(p->out, text, strlen(text), FIGURE, 0);
	outbox_say(p->out, "</text>\n");
}

/* A rectangle, for the d="" of a path. */
static void
box(struct picture *p, double x, double y, double width, double height)
{
	outbox_say(p->out, "M%g %gh%gv%gh%gz", x, y, width, height, -width);
}

/* In tenths, so that a bar ends exactly where the next one begins. */
static double
x_of(const struct picture *p, double time)
{
	return p->left + (double)(long)(time * p->width * 10 / (double)p->plot->span) / 10;
}

/* Where things are, by the number of rows and the length of their names. */
static void
lay_out(struct picture *p)
{
	char name[ROW_NAME];
	int rows = (int)p->plot->rows, length;

	p->left = LABELS;
	for (size_t i = 0; i < p->plot->rows; i++) {
		row_name(name, p->plot->row + i);
		length = (int)strlen(name) * LETTER + MARGIN;
		p->left = length > p->left ? length : p->left;
	}
	p->width = WIDTH - p->left - MARGIN;
	p->row = ROWS_HEIGHT / rows;
	p->row = p->row < 1 ? 1 : p->row > MOST_ROW ? MOST_ROW : p->row;
	p->gap = p->row >= 12 ? 3 : p->row >= 6 ? 2 : p->row >= 3 ? 1 : 0;
	p->bottom = HEAD + p->row * rows;
}

static void
head(struct picture *p)
{
	char text[FIGURE], line[2 * FIGURE], begin[HUMAN], span[HUMAN], sum[HUMAN];
	int height = p->bottom + FOOT, x = WIDTH - MARGIN;

	results_text(text, p->plot);
	outbox_say(p->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
	    "viewBox=\"0 0 %d %d\" font-family=\"system-ui,sans-serif\" font-size=\"12\" "
	    "role=\"img\" aria-label=\"%s\">\n%s<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n",
	    WIDTH, height, WIDTH, height, text, style, WIDTH, height);
	write_at(p, MARGIN, 32, "fg", "start", text);
	begin_text(begin, p->plot);
	time_text(span, (double)p->plot->span);
	time_text(sum, p->plot->busy);
	busy_text(text, p->plot);
	snprintf(line, sizeof line, "%s, in %s \xc2\xb7 job times add up to %s%s%s", begin, span,
	    sum, *text != '\0' ? " \xc2\xb7 " : "", text);
	write_at(p, MARGIN, 54, "dim", "start", line);
	for (int i = RESULTS - 1; i >= 0; i--) {
		if (p->plot->results[i] == 0)
			continue;
		x -= (int)strlen(result_word[i]) * LETTER;
		write_at(p, x, 30, "dim", "start", result_word[i]);
		outbox_say(p->out, "<rect class=\"%s\" x=\"%d\" y=\"20\" width=\"13\" "
		    "height=\"11\"/>\n", result_word[i], x -= 18);
		x -= 14;
	}
	if (p->plot->prefix == 0 || p->row < WRITTEN)
		return;
	outbox_say(p->out, "<text class=\"dim code\" x=\"%d\" y=\"%d\">", p->left, PREFIX);
	add_text(p->out, p->plot->job[0]->command, p->plot->prefix, TITLE / 2, 0);
	outbox_say(p->out, ELLIPSIS "</text>\n");
}

/* The tracks of all rows: what stays seen of them is idle. And the tail: from the last start on, no
   job waited. */
static void
background(struct picture *p)
{
	double x = x_of(p, (double)p->plot->last_start), end = p->left + p->width;
	char time[HUMAN], text[HUMAN + 8];

	outbox_say(p->out, "<path class=\"track\" d=\"");
	for (size_t i = 0; i < p->plot->rows; i++)
		box(p, p->left, HEAD + (double)i * p->row, p->width, p->row - p->gap);
	outbox_say(p->out, "\"/>\n");
	time_text(time, (double)(p->plot->span - p->plot->last_start));
	snprintf(text, sizeof text, "tail %s", time);
	outbox_say(p->out, "<rect class=\"tail\" opacity=\".1\" x=\"%g\" y=\"%d\" width=\"%g\" "
	    "height=\"%d\"/>\n", x, HEAD - 4, end - x, p->bottom - HEAD + 4);
	write_at(p, end, PREFIX, "dim", "end", text);
}

/* The distance between two ticks: the least of those that people count in with which there are at
   most TICKS. */
static double
axis_step(double span)
{
	static const double steps[] = {1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6,
	    1e7, 15e6, 3e7, 6e7, 12e7, 3e8, 6e8, 9e8, 18e8, 36e8, 72e8, 108e8, 216e8, 432e8, 864e8};
	size_t i = 0, last = sizeof steps / sizeof *steps - 1;
	double step;

	while (i < last && span / steps[i] > TICKS)
		i++;
	for (step = steps[i]; span / step > TICKS; step *= 2)
		;
	return step;
}

static void
axis(struct picture *p)
{
	double span = (double)p->plot->span, step = axis_step(span);
	char text[HUMAN];

	for (double at = 0; at <= span; at += step) {
		outbox_say(p->out, "<path class=\"grid\" d=\"M%g %dV%d\"/>\n", x_of(p, at),
		    HEAD - 4, p->bottom + 4);
		time_text(text, at);
		write_at(p, x_of(p, at), p->bottom + 19, "dim", "middle", at > 0 ? text : "0");
	}
}

/* The names of rows: of all, or of each second, fifth, tenth, twentieth, and so on. */
static void
labels(struct picture *p)
{
	size_t each = 1;
	char name[ROW_NAME];

	while (each * (size_t)p->row < LABELLED)
		each = each == 2 ? 5 : each * 2;
	for (size_t i = 0; i < p->plot->rows; i++) {
		if (i > 0 && (i + 1) % each != 0)
			continue;
		row_name(name, p->plot->row + i);
		write_at(p, p->left - 8, HEAD + (double)i * p->row + (p->row - p->gap) / 2.0 + 4,
		    "dim", "end", name);
	}
}

/* The next bar of jobs with that result, from job *at on: 1; 0: there is none. */
static int
next_bar(const struct picture *p, size_t *at, enum result result, struct bar *bar)
{
	bar->count = 0;
	for (; *at < p->plot->count; ++*at) {
		const struct job *job = p->plot->job[*at];
		double x = x_of(p, (double)job->start), end = x_of(p, (double)job->end);

		if (job->result != result)
			continue;
		if (bar->count > 0 && (job->row != bar->first->row || end - x >= p->cell ||
		    x - bar->end >= p->cell / 4 || end - bar->x >= 2 * p->cell))
			break;
		if (bar->count++ == 0)
			*bar = (struct bar){job, 1, x, end};
		bar->end = end > bar->end ? end : bar->end;
	}
	return bar->count > 0;
}

/* For browsers: few enough that they stay quick. */
static void
choose_cell(struct picture *p)
{
	struct bar bar;
	size_t count;

	for (p->cell = 1; ; p->cell *= 2) {
		count = 0;
		for (enum result result = RESULT_OK; result < RESULTS; result++)
			for (size_t at = 0; next_bar(p, &at, result, &bar);)
				count++;
		if (count <= MOST_BARS || p->cell > p->width)
			return;
	}
}

static void
bar_title(struct picture *p, const struct bar *bar)
{
	const struct job *job = bar->first;
	char start[HUMAN], time[HUMAN], how[HUMAN];

	time_text(start, (double)job->start);
	time_text(time, (double)(job->end - job->start));
	ending_text(how, job);
	outbox_say(p->out, "<title>%ld: ", job->seq);
	add_text(p->out, job->command, job->length, TITLE, 0);
	outbox_say(p->out, "\nat %s, took %s: %s", start, time, how);
	if (bar->count > 1)
		outbox_say(p->out, "\nand %zu more, %s", bar->count - 1, result_word[job->result]);
	outbox_say(p->out, "</title>");
}

/* The bar and, where there is room, its command: if all begin and end with the same words, what is
   between them, and the end of that, where they differ most. */
static void
draw(struct picture *p, struct bar *bar)
{
	const struct job *job = bar->first;
	double width = bar->end - bar->x, y = HEAD + (double)job->row * p->row;
	double least = job->result == RESULT_OK ? 1 : 3, end = p->left + p->width;
	double height = p->row - p->gap < least ? least : p->row - p->gap;
	size_t cut = p->plot->prefix + p->plot->suffix;
	int columns = ((int)width - PADDING) / COLUMN;

	width = width < least ? least : width;
	bar->x = bar->x + width > end ? end - width : bar->x;
	outbox_say(p->out, "<path d=\"");
	/* Wide ones end a pixel earlier, so that two in a row are seen as two. */
	box(p, bar->x, y, width - (bar->count == 1 && width >= 4 && p->gap > 1 ? 1.1 : 0), height);
	outbox_say(p->out, "\">");
	bar_title(p, bar);
	outbox_say(p->out, "</path>\n");
	if (p->row < WRITTEN || bar->count > 1 || job->result == RESULT_KILLED ||
	    columns < LEAST_WRITTEN)
		return;
	outbox_say(p->out, "<text class=\"in\" x=\"%g\" y=\"%g\">", bar->x + PADDING / 2,
	    y + (p->row - p->gap) / 2.0 + 3.5);
	add_text(p->out, job->command + p->plot->prefix, job->length - cut, (size_t)columns,
	    p->plot->prefix > 0);
	outbox_say(p->out, "</text>\n");
}

void
svg_write(struct outbox *out, const struct plot *plot)
{
	struct picture p = {.out = out, .plot = plot};
	struct bar bar;

	lay_out(&p);
	choose_cell(&p);
	head(&p);
	background(&p);
	axis(&p);
	labels(&p);
	for (enum result result = RESULT_OK; result < RESULTS; result++) { /* failures above */
		outbox_say(out, "<g class=\"%s\">\n", result_word[result]);
		for (size_t at = 0; next_bar(&p, &at, result, &bar);)
			draw(&p, &bar);
		outbox_say(out, "</g>\n");
	}
	outbox_say(out, "</svg>\n");
}
